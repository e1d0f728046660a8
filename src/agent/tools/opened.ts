import { randomBytes } from "node:crypto";
import { constants, readlinkSync } from "node:fs";
import { mkdir, open, rename, rm, stat, type FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { realPath } from "../permissions/real-path.ts";
import type { ToolContext } from "./types.ts";

/** A path leads elsewhere than it did when it was permitted. */
export class Moved extends Error {
  constructor(path: string) {
    super(`${path}: leads elsewhere than when it was permitted. Nothing was read or changed.`);
  }
}

/** Where a path leads now, which has to be where it led when it was permitted. */
export function permittedPath(path: string, context: Pick<ToolContext, "permitted_paths">): string {
  const real = realPath(path);
  if (context.permitted_paths?.includes(real) === false) throw new Moved(path);
  return real;
}

/** Opens a real path for reading and looks again at what was opened: between two calls a folder may become a link. */
export async function openForReading(real: string): Promise<FileHandle> {
  // Without O_NONBLOCK a pipe would be waited for until somebody writes into it.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const handle = await open(real, flags);
  if (placeOf(handle, real) === real) return handle;
  await handle.close();
  throw new Moved(real);
}

/**
 * Replaces a file as a whole: whoever reads meanwhile sees the old one or the new one. Everything happens in the folder
 * that was opened and looked at, whatever its path has come to mean meanwhile. `check` comes last before the change.
 */
export async function replaceFile(real: string, bytes: Uint8Array, check: () => Promise<void>): Promise<void> {
  const folder = dirname(real);
  await mkdir(folder, { recursive: true });
  const handle = await open(folder, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    if (placeOf(handle, folder) !== folder) throw new Moved(real);
    const inside = process.platform === "linux" ? `/proc/self/fd/${handle.fd}` : folder;
    const draft = join(inside, `.${basename(real).slice(0, 40)}.${randomBytes(6).toString("hex")}.tmp`);
    await writeDraft(draft, bytes, await modeOf(join(inside, basename(real))));
    try {
      await check();
      await rename(draft, join(inside, basename(real)));
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  } finally {
    await handle.close();
  }
}

async function writeDraft(draft: string, bytes: Uint8Array, mode: number | undefined): Promise<void> {
  const file = await open(draft, "wx", mode ?? 0o666);
  try {
    // The mask of the process may have taken something away from what was there.
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(bytes);
    await file.sync();
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode & 0o7777;
  } catch {
    return undefined;
  }
}

/** The path of what is open, as the system knows it; elsewhere than on Linux, as its name resolves now. */
function placeOf(handle: FileHandle, path: string): string {
  return process.platform === "linux" ? readlinkSync(`/proc/self/fd/${handle.fd}`) : realPath(path);
}
