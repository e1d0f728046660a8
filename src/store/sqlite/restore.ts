import { closeSync, existsSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StoreError } from "../errors.ts";
import { makeFolder, type Connection } from "./connection.ts";

/**
 * The file was removed under us. Everything in it is still in our hands, so it is written back where it was. Where
 * something stands there again, put there by a person or by another process that was faster, it is left alone.
 */
export function restore(lost: Connection, file: string): void {
  makeFolder(dirname(file));
  const lock = `${file}.restoring`;
  takeLock(lock, file);
  try {
    if (existsSync(file)) return;
    const copy = `${file}.${process.pid}.copy`;
    closeSync(openSync(copy, "wx", 0o600));
    try {
      lost.database.prepare("VACUUM INTO ?").run(copy);
      // A write-ahead log that was left behind belongs to the lost file and would be applied to the new one.
      for (const ending of ["-wal", "-shm"]) rmSync(`${file}${ending}`, { force: true });
      linkSync(copy, file);
    } finally {
      rmSync(copy, { force: true });
    }
  } finally {
    rmSync(lock, { force: true });
  }
}

function takeLock(lock: string, file: string): void {
  const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  if (age > staleLockMs) rmSync(lock, { force: true });
  try {
    closeSync(openSync(lock, "wx", 0o600));
  } catch (error) {
    if (!existsSync(lock)) throw error;
    throw new StoreError("locked", `another process is writing ${file} back`);
  }
}

const staleLockMs = 60_000;
