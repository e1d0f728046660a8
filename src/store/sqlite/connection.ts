import { closeSync, chmodSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import type { Note } from "../../core/index.ts";
import { busyTimeoutMs } from "./patience.ts";

/** One open file. Statements are prepared once. */
export type Connection = {
  readonly database: DatabaseSync;
  /** What a second connection has to open to see the same. */
  readonly address: string;
  readonly statement: (sql: string) => StatementSync;
  readonly journal: "wal" | "delete" | "memory";
  readonly warnings: readonly Note[];
  /** The file was removed, or another one stands in its place. */
  readonly moved: () => boolean;
};

/** `synchronous`: "normal" survives a crash of the program, "full" also one of the machine. */
export type ConnectionOptions = { readonly path: string; readonly synchronous: "normal" | "full" };

export function connect({ path, synchronous }: ConnectionOptions): Connection {
  const inMemory = path === ":memory:";
  if (!inMemory && !path.startsWith("file:")) prepareFile(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs });
  try {
    const { journal, warnings } = inMemory ? memoryJournal : setJournal(database, path);
    // Without WAL a commit is only safe once it is on the disk.
    const level = journal === "wal" ? synchronous : "full";
    database.exec(`PRAGMA synchronous = ${level}; PRAGMA foreign_keys = ON; PRAGMA journal_size_limit = 67108864;`);
    const identity = inMemory ? undefined : identityOf(path);
    return {
      database,
      address: path,
      statement: statementCache(database),
      journal,
      warnings,
      moved: () => identity !== undefined && identityOf(path) !== identity,
    };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Files that SQLite makes beside this one take over its permissions. */
function prepareFile(path: string): void {
  makeFolder(dirname(path));
  closeSync(openSync(path, "a", 0o600));
  if ((statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
}

/**
 * Step by step: where a file system refuses to hold folders (`/proc`), Node's own recursion tries again for ever.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process was faster.
    if (!existsSync(path)) throw error;
  }
}

function setJournal(database: DatabaseSync, path: string): Pick<Connection, "journal" | "warnings"> {
  const file = location(path);
  const network = file === undefined ? undefined : networkFileSystem(file);
  const asked = network === undefined ? "wal" : "delete";
  const row = database.prepare(`PRAGMA journal_mode = ${asked}`).get();
  if (row?.["journal_mode"] === "wal") return { journal: "wal", warnings: [] };
  const reason = network === undefined ? "its file system cannot share memory" : `it is on a network (${network})`;
  const message = `${file ?? path} is written with a rollback journal, because ${reason}: writing is slower, and other processes notice changes later.`;
  return { journal: "delete", warnings: [{ code: "no_wal", message }] };
}

const memoryJournal: Pick<Connection, "journal" | "warnings"> = { journal: "memory", warnings: [] };

/** The name of the network file system a file is on, where it is on one. Write-ahead logs need memory shared by all writers. */
function networkFileSystem(path: string): string | undefined {
  try {
    return networkFileSystems[statfsSync(dirname(path)).type];
  } catch {
    return undefined;
  }
}

export function identityOf(path: string): string | undefined {
  const file = location(path);
  if (file === undefined) return undefined;
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? "" : `${stats.dev}:${stats.ino}`;
}

/** SQLite also takes addresses like `file:/path?vfs=name`. */
export function location(path: string): string | undefined {
  if (path === ":memory:") return undefined;
  return path.startsWith("file:") ? new URL(path).pathname : path;
}

export function statementCache(database: DatabaseSync): (sql: string) => StatementSync {
  const cache = new Map<string, StatementSync>();
  return (sql) => {
    const known = cache.get(sql);
    if (known !== undefined) return known;
    const statement = database.prepare(sql);
    if (cache.size >= statementsMax) {
      const [oldest = ""] = cache.keys();
      cache.delete(oldest);
    }
    cache.set(sql, statement);
    return statement;
  };
}

const statementsMax = 200;

/** By the number Linux gives each kind (statfs(2)). */
export const networkFileSystems: { readonly [type: number]: string | undefined } = {
  0x6969: "NFS",
  0x517b: "SMB",
  0xff534d42: "CIFS",
  0xfe534d42: "SMB",
  0x01021997: "9p",
  0x5346414f: "AFS",
  0x6b414653: "AFS",
  0x00c36400: "Ceph",
  0x0bd00bd0: "Lustre",
  0x65735546: "FUSE",
  0x786f4256: "VirtualBox",
  0x7461636f: "OCFS2",
  0x01161970: "GFS2",
};
