import { Kysely } from "kysely";
import type { Change, Engine, Migration, Watch } from "../engine.ts";
import type { StoreError } from "../errors.ts";
import type { Tables } from "../tables.ts";
import { connect, location, type Connection } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import { sqliteError } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import { patiently } from "./patience.ts";
import { restore } from "./restore.ts";
import { search } from "./search.ts";
import { watchFile } from "./watch.ts";

export type SqliteOptions = {
  readonly path: string;
  readonly synchronous?: "normal" | "full";
  readonly migrations?: readonly Migration[];
  readonly now?: () => number;
};

/** SQLite in one file. `connection` is for tests that make it fail. */
export async function openSqlite(options: SqliteOptions): Promise<Engine & { readonly connection: () => Connection }> {
  const { path, synchronous = "normal", migrations = allMigrations, now = Date.now } = options;
  const label = location(path) ?? "memory";
  const storeError = (error: unknown): StoreError => sqliteError(error, label);
  const fail = (error: unknown): never => {
    throw storeError(error);
  };
  const open = (): Connection => {
    const opened = connect({ path, synchronous });
    try {
      migrate({ database: opened.database, path: location(path), label, migrations, now });
      return opened;
    } catch (error) {
      opened.database.close();
      throw error;
    }
  };
  let current = await patiently(open, storeError);
  const watches = new Map<(change: Change) => void, Watch>();
  const db = new Kysely<Tables>({ dialect: sqliteDialect(() => current, storeError) });

  const reopen = (): void => {
    const lost = current;
    restore(lost, label);
    current = open();
    // Safe: SQLite sees that the file it knew is gone and leaves the new one's log alone.
    lost.database.close();
    for (const [listener, watch] of watches) {
      watch.close();
      watches.set(
        listener,
        watchFile(path, () => current, listener),
      );
    }
  };

  return {
    name: "sqlite",
    label,
    warnings: current.warnings,
    db,
    connection: () => current,
    write: async (run) => {
      if (current.moved()) await patiently(reopen, storeError);
      return db.transaction().execute(run);
    },
    locked: (query) => query,
    announce: () => Promise.resolve(),
    watch: (listener) => {
      const close = (): void => {
        watches.get(listener)?.close();
        watches.delete(listener);
      };
      watches.set(
        listener,
        watchFile(path, () => current, listener),
      );
      return Promise.resolve({ close });
    },
    search: (plan, signal) => search(plan, { path, current: () => current, ...(signal ? { signal } : {}) }).catch(fail),
    check: () => Promise.resolve(findings(current)),
    advanceIds: () => Promise.resolve(),
    storeError,
    close: async () => {
      for (const watch of watches.values()) watch.close();
      await db.destroy();
      current.database.close();
    },
  };
}

function findings({ database }: Connection): readonly string[] {
  const damage = database.prepare("PRAGMA integrity_check(20)").all();
  const orphans = database.prepare("PRAGMA foreign_key_check").all();
  return [
    ...damage.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok"),
    ...orphans.slice(0, 20).map((row) => `${String(row["table"])} row ${String(row["rowid"])} points nowhere`),
  ];
}
