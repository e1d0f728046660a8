import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

export type FoundFile = {
  readonly path: string;
  /** Named by the person, not met on a walk through a folder. */
  readonly named: boolean;
};

export type ReadFile = { readonly json: unknown } | { readonly problem: string };

/** The JSON files behind paths of files and folders, one at a time and in order, so that thousands cost no memory. */
export async function* findFiles(paths: readonly string[]): AsyncGenerator<FoundFile> {
  for (const path of paths) {
    if (await isFolder(path)) yield* walk(path);
    else yield { path, named: true };
  }
}

export async function readJsonFile(path: string): Promise<ReadFile> {
  try {
    const { size } = await stat(path);
    if (size > fileBytesMax) return { problem: `${path} is larger than ${fileBytesMax} bytes` };
    return { json: JSON.parse(await readFile(path, "utf8")) };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

async function* walk(folder: string): AsyncGenerator<FoundFile> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => undefined);
  // A folder that cannot be opened is reported as a file that cannot be read.
  if (entries === undefined) return yield { path: folder, named: true };
  for (const entry of entries.sort((left, right) => (left.name < right.name ? -1 : 1))) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* walk(path);
    else if (entry.isFile() && entry.name.endsWith(".json")) yield { path, named: false };
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch {
    // Reading it will say what is wrong.
    return false;
  }
}

const fileBytesMax = 256 * 1024 * 1024;
