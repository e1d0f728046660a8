import { mkdir, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import type { LogEntry } from "../core/index.ts";
import type { Engine } from "./engine.ts";

/** A file that tools changed: what it held before, by the name of stored bytes; absent: there was none. */
export type ChangedFile = { readonly path: string; readonly before?: string; readonly restored?: boolean };

/** Files changed after an entry, each with what it held at that moment. */
export function changedFiles(entries: readonly LogEntry[], since_uuid: string): readonly ChangedFile[] {
  const since = entries.findIndex(({ uuid }) => uuid === since_uuid);
  const files = new Map<string, ChangedFile>();
  for (const entry of entries.slice(since + 1)) {
    if (entry.kind !== "file_change" || files.has(entry.content)) continue;
    const { before } = entry.data;
    files.set(entry.content, { path: entry.content, ...(before === undefined ? {} : { before }) });
  }
  return [...files.values()];
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
