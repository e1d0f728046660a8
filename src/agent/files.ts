import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { LogEntry } from "../core/index.ts";
import type { Engine } from "./engine.ts";
import { digestOf } from "./tools/files.ts";

/** A file that tools changed: what it held before, by the name of stored bytes; absent: there was none. */
export type ChangedFile = {
  readonly path: string;
  readonly before?: string;
  readonly restored?: boolean;
  /** Somebody has changed it after the tools did: bringing it back loses that. */
  readonly changed_since?: true;
};

/** Files changed after an entry, each with what it held at that moment. */
export async function changedFiles(entries: readonly LogEntry[], since_uuid: string): Promise<readonly ChangedFile[]> {
  const since = entries.findIndex(({ uuid }) => uuid === since_uuid);
  const files = new Map<string, ChangedFile>();
  const left = new Map<string, string | undefined>();
  for (const entry of entries.slice(since + 1)) {
    if (entry.kind !== "file_change") continue;
    const { before, after } = entry.data;
    left.set(entry.content, after);
    if (files.has(entry.content)) continue;
    files.set(entry.content, { path: entry.content, ...(before === undefined ? {} : { before }) });
  }
  const found = [...files.values()].map(async (file): Promise<ChangedFile> => {
    const after = left.get(file.path);
    const isSame = after === undefined || (await digestNow(file.path)) === after;
    return isSame ? file : { ...file, changed_since: true };
  });
  return Promise.all(found);
}

/** The name its bytes would have in the store. */
async function digestNow(path: string): Promise<string | undefined> {
  try {
    return digestOf(await readFile(path));
  } catch {
    return undefined;
  }
}

/** Makes files what they were. One that cannot be written is left and said so. */
export async function restoreFiles(engine: Engine, files: readonly ChangedFile[]): Promise<readonly ChangedFile[]> {
  return Promise.all(files.map(async (file) => ({ ...file, restored: await restore(engine, file) })));
}

async function restore(engine: Engine, { path, before }: ChangedFile): Promise<boolean> {
  try {
    if (before === undefined) {
      await rm(path, { force: true });
      return true;
    }
    const bytes = await engine.world.store.blobs.get(before);
    if (bytes === undefined) return false;
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, bytes);
    return true;
  } catch {
    return false;
  }
}
