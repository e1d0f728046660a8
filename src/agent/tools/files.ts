import { createHash } from "node:crypto";
import { homedir } from "node:os";
import { relative } from "node:path";
import { createTwoFilesPatch } from "diff";
import { absolutePath, isInside } from "../permissions/real-path.ts";
import type { JsonObject } from "../../core/index.ts";
import { codeOf } from "./output.ts";
import { openForReading, permittedPath, replaceFile } from "./opened.ts";
import type { ToolContext } from "./types.ts";

/** The path a call names, made absolute. */
export function pathFor(path: string, { cwd }: Pick<ToolContext, "cwd">): string {
  return absolutePath(path, cwd, homedir());
}

/** How a path is shown: below the project without its root. */
export function shownPath(path: string, { root }: Pick<ToolContext, "root">): string {
  return isInside(path, root) && path !== root ? relative(root, path) : path;
}

export function digestOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}

/** What a file holds, and where it really is; null where there is none. */
export async function readWhole(
  path: string,
  context: Pick<ToolContext, "permitted_paths">,
): Promise<{ readonly real: string; readonly bytes: Buffer | null }> {
  const real = permittedPath(path, context);
  try {
    const handle = await openForReading(real);
    try {
      const facts = await handle.stat();
      if (facts.isDirectory()) throw new Error(`${path}: is a folder.`);
      if (!facts.isFile()) throw new Error(`${path}: is not a file but a device, a pipe or a socket.`);
      if (facts.size > fileBytesMax) throw new Error(`${path}: ${facts.size} bytes are too many to change at once.`);
      return { real, bytes: await handle.readFile() };
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (codeOf(error) === "ENOENT") return { real, bytes: null };
    throw error;
  }
}

export type Change = {
  readonly path: string;
  readonly real: string;
  readonly before: Buffer | null;
  readonly after: Buffer;
};

/**
 * Writes a changed file: what was there is kept first, and a file that changed since it was looked at stays as it is.
 * Answers with facts for the screen.
 */
export async function applyChange({ path, real, before, after }: Change, context: ToolContext): Promise<JsonObject> {
  await context.keepPreImage(real, before, after);
  context.signal.throwIfAborted();
  await replaceFile(real, after, async () => {
    const now = await readWhole(path, { ...context, permitted_paths: [real] });
    const isSame = now.bytes === null ? before === null : before !== null && now.bytes.equals(before);
    if (!isSame) throw new Error(`${path}: changed while it was being edited. Read it again.`);
  });
  context.files.remember(real, digestOf(after));
  return describeChange(shownPath(path, context), before, after);
}

/** A unified diff; undefined where it would be too long to make or to read. */
export function unifiedDiff(name: string, before: Buffer | null, after: Buffer): string | undefined {
  const old = before?.toString("utf8") ?? "";
  const now = after.toString("utf8");
  if (old.length + now.length > diffCharactersMax) return undefined;
  const names = [before === null ? "/dev/null" : `a/${name}`, `b/${name}`] as const;
  const diff = createTwoFilesPatch(...names, old, now, undefined, undefined, { context: 3, timeout: diffMs });
  // The first line is a rule of the format's older kin.
  return diff?.replace(/^=+\n/, "");
}

function describeChange(name: string, before: Buffer | null, after: Buffer): JsonObject {
  const text = unifiedDiff(name, before, after);
  const lines = text?.split("\n").slice(2) ?? [];
  return {
    path: name,
    created: before === null,
    ...(text === undefined ? {} : { diff: text }),
    ...(text === undefined ? {} : { lines_added: lines.filter((line) => line.startsWith("+")).length }),
    ...(text === undefined ? {} : { lines_removed: lines.filter((line) => line.startsWith("-")).length }),
  };
}

const fileBytesMax = 32 * 1024 * 1024;
const diffCharactersMax = 4 * 1024 * 1024;
const diffMs = 500;
