import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { DatabaseSync } from "node:sqlite";
import type { Note } from "../../core/index.ts";
import { identityOf, location, statementCache, type Connection } from "./connection.ts";
import { busyTimeoutMs } from "./patience.ts";

/** A file that may be read and not written, on a full disk or in a folder of somebody else. */
export function connectForReading(path: string): Connection {
  const { database, address, warnings } = openedForReading(path);
  const identity = identityOf(path);
  return {
    database,
    address,
    statement: statementCache(database),
    journal: "delete",
    warnings,
    moved: () => identityOf(path) !== identity,
  };
}

type Opened = Pick<Connection, "database" | "address" | "warnings">;

function openedForReading(path: string): Opened {
  try {
    return { database: tried(path), address: path, warnings: [] };
  } catch (error) {
    // Even a reader of a write-ahead log wants to write beside the file; without that it has to be taken as it stands.
    const file = location(path);
    if (file === undefined) throw error;
    const address = `${pathToFileURL(file).href}?mode=ro&immutable=1`;
    return { database: tried(address), address, warnings: missingLog(file) };
  }
}

function tried(address: string): DatabaseSync {
  const database = new DatabaseSync(address, { readOnly: true, timeout: busyTimeoutMs });
  try {
    database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function missingLog(file: string): readonly Note[] {
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0) return [];
  const message = `${file} is read without ${file}-wal, which this user cannot use: what was written last is missing.`;
  return [{ code: "no_wal", message }];
}
