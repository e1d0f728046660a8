import { chmodSync, closeSync, openSync, rmSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Migration } from "../engine.ts";
import { StoreError, textOfError } from "../errors.ts";
import { migrationFailed, migrationRow, pendingMigrations } from "../migrations.ts";
import { sqliteError } from "./errors.ts";

/** Where a file stands, and which file it is. */
export type MigrateOptions = {
  readonly database: DatabaseSync;
  readonly path: string | undefined;
  readonly label: string;
  readonly migrations: readonly Migration[];
  readonly now: () => number;
};

/**
 * Brings a file up to date in one transaction, after a copy of what was there has been made and read back. Processes that
 * start together do it once. Returns the path of the copy, where there was something to copy.
 */
export function migrate(options: MigrateOptions): string | undefined {
  const { database, migrations, label } = options;
  if (pendingMigrations(versionOf(database, label), migrations, label).length === 0) return undefined;
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = versionOf(database, label);
    const pending = pendingMigrations(version, migrations, label);
    const backup = pending.length > 0 && version > 0 ? backUp(options, version) : undefined;
    const before = rowCounts(database);
    for (const migration of pending) apply(database, migration, options.now());
    const after = rowCounts(database);
    for (const [table, count] of before) {
      const left = after.get(table);
      if (left !== count) throw migrationFailed(label, `${table} had ${count} rows and would have ${left ?? "none"}`);
    }
    database.exec("COMMIT");
    return backup;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    const failure = sqliteError(error, label);
    throw failure.kind === "unknown" ? migrationFailed(label, textOfError(error)) : failure;
  }
}

/** What cannot be changed is read as it is, unless it is not ours to read. */
export function refuseUnknown(database: DatabaseSync, migrations: readonly Migration[], label: string): void {
  pendingMigrations(versionOf(database, label), migrations, label);
}

/** 0: a new file. */
function versionOf(database: DatabaseSync, label: string): number {
  const known = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'").get();
  if (known !== undefined) {
    const row = database.prepare("SELECT max(version) AS version FROM schema_migrations").get();
    return Number(row?.["version"] ?? 0);
  }
  if (database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").get() === undefined) return 0;
  throw new StoreError("foreign", `${label} is a database of another program; it was left as it is`);
}

function apply(database: DatabaseSync, migration: Migration, now: number): void {
  database.exec(schemaTable);
  database.exec(migration.sql);
  const { version, name, checksum, applied_at } = migrationRow(migration, now);
  database
    .prepare("INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)")
    .run(version, name, checksum, applied_at);
}

/** A second connection reads while the first keeps everybody from writing: the copy is what will be migrated, whole. */
function backUp({ database, path, label, now }: MigrateOptions, version: number): string | undefined {
  if (path === undefined) return undefined;
  const time = new Date(now()).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const copy = `${path}.v${version}-${time}.backup`;
  const failed = (error: unknown): StoreError =>
    migrationFailed(label, `its backup could not be made (${textOfError(error)})`);
  try {
    closeSync(openSync(copy, "wx", 0o600));
  } catch (error) {
    throw failed(error);
  }
  try {
    const reader = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
    try {
      reader.prepare("VACUUM INTO ?").run(copy);
    } finally {
      reader.close();
    }
    verifyCopy(copy, rowCounts(database));
    chmodSync(copy, 0o600);
    return copy;
  } catch (error) {
    rmSync(copy, { force: true });
    throw failed(error);
  }
}

function verifyCopy(copy: string, expected: ReadonlyMap<string, number>): void {
  const database = new DatabaseSync(copy, { readOnly: true });
  try {
    const result = database.prepare("PRAGMA quick_check").get()?.["quick_check"];
    if (result !== "ok") throw new Error(String(result));
    const found = rowCounts(database);
    for (const [table, count] of expected) {
      if (found.get(table) !== count) throw new Error(`${table} has ${found.get(table) ?? "no"} of ${count} rows`);
    }
  } finally {
    database.close();
  }
}

/** Without the search index, whose own tables come and go. */
export function rowCounts(database: DatabaseSync): ReadonlyMap<string, number> {
  const tables = database
    .prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'messages_search%' AND name <> 'schema_migrations'",
    )
    .all();
  return new Map(
    tables.map(({ name }) => {
      const table = String(name);
      return [table, Number(database.prepare(`SELECT count(*) AS n FROM "${table}"`).get()?.["n"])];
    }),
  );
}

const schemaTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT`;
