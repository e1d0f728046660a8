import { codeOfError, StoreError, textOfError, type StoreErrorKind } from "../errors.ts";

/** What SQLite or the file system said, in our words. */
export function sqliteError(error: unknown, label: string): StoreError {
  if (error instanceof StoreError) return error;
  const code = resultCode(error);
  const text = textOfError(error);
  if (code !== undefined) {
    const kind = extendedKinds[code] ?? resultKinds[code & 0xff] ?? "unknown";
    return new StoreError(kind, `${advice(kind, label)} (SQLite says: ${text})`, `SQLITE_${code}`);
  }
  const system = codeOfError(error);
  const kind = (system === undefined ? undefined : systemKinds[system]) ?? "unknown";
  return new StoreError(kind, `${advice(kind, label)} (${text})`, system);
}

function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null || !("errcode" in error)) return undefined;
  return typeof error.errcode === "number" ? error.errcode : undefined;
}

function advice(kind: StoreErrorKind, label: string): string {
  return (messages[kind] ?? "the history in %s cannot be used").replace("%s", label);
}

const messages: { readonly [kind in StoreErrorKind]?: string } = {
  locked: "another program holds the history in %s for longer than usual",
  disk_full: "the disk with the history %s is full: make room, and what waits in memory is written",
  read_only: "the history in %s can be read but not written: look at the permissions of the file and its folder",
  permission: "the history in %s may not be opened: look at the permissions of the file and its folder",
  io: "the disk with the history %s failed",
  gone: "the history file %s is no longer there",
  corrupt:
    "%s is damaged or not a history at all. It was left as it is: put a backup in its place, or move it away to start anew",
  conflict: "the history in %s refused a row that does not fit the others",
};

/** https://sqlite.org/rescode.html */
const resultKinds: { readonly [code: number]: StoreErrorKind | undefined } = {
  3: "permission",
  5: "locked",
  6: "locked",
  8: "read_only",
  10: "io",
  11: "corrupt",
  13: "disk_full",
  14: "permission",
  15: "locked",
  19: "conflict",
  23: "permission",
  26: "corrupt",
};

const extendedKinds: { readonly [code: number]: StoreErrorKind | undefined } = {
  1032: "gone", // READONLY_DBMOVED
  4874: "disk_full", // IOERR_SHMSIZE: no room for the index of the write-ahead log
};

const systemKinds: { readonly [code: string]: StoreErrorKind | undefined } = {
  EACCES: "permission",
  EPERM: "permission",
  EROFS: "read_only",
  ENOSPC: "disk_full",
  EDQUOT: "disk_full",
  ENOENT: "gone",
  ENOTDIR: "permission",
  EISDIR: "permission",
  EIO: "io",
};
