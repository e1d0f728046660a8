import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { UsageError } from "../io.ts";

/** Writes text as it comes, for its owner alone; the file is there when it is whole, or it is as it was. */
export async function writeWhole(path: string, pieces: AsyncIterable<string>): Promise<number> {
  const target = await realpath(path).catch(() => path);
  const existing = await stat(target).catch(() => undefined);
  if (existing?.isFile() === false)
    throw new UsageError(`${path} is no file; \`--output -\` writes to standard output`);
  const draft = join(dirname(target), `.${basename(target)}.${randomUUID()}`);
  const file = await open(draft, "wx", 0o600).catch((error: unknown) => {
    throw new UsageError(unwritable(path, error));
  });
  let bytes = 0;
  try {
    for await (const piece of inChunks(pieces)) {
      await file.appendFile(piece);
      bytes += Buffer.byteLength(piece);
    }
    await file.close();
    await rename(draft, target);
    return bytes;
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(draft, { force: true });
    throw error;
  }
}

/** The system would name a file that nobody asked for. */
function unwritable(path: string, error: unknown): string {
  const { code = "", message = String(error) } = error instanceof Error ? (error as NodeJS.ErrnoException) : {};
  if (code === "ENOENT") return `there is no folder ${dirname(path)}`;
  if (code === "ENOTDIR") return `${dirname(path)} is no folder`;
  return `${path} cannot be written: ${message.replace(/, open '.*$/s, "")}`;
}

/** Small pieces together. */
async function* inChunks(pieces: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let waiting: string[] = [];
  let length = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    length += piece.length;
    if (length < chunkLength) continue;
    yield waiting.join("");
    waiting = [];
    length = 0;
  }
  yield waiting.join("");
}

const chunkLength = 65_536;
