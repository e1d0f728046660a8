import { setTimeout as sleep } from "node:timers/promises";
import { Kysely, PostgresDialect, sql } from "kysely";
import type { Engine, Migration } from "../engine.ts";
import { isStoreError, type StoreError } from "../errors.ts";
import { newUuid } from "../ids.ts";
import { migrationFailed } from "../migrations.ts";
import type { Tables } from "../tables.ts";
import { findings } from "./check.ts";
import { createPool, poolForKysely } from "./connection.ts";
import { postgresError, readableAddress } from "./errors.ts";
import { migrate } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import { search } from "./search.ts";
import { announcement, channel, listen } from "./watch.ts";

export type PostgresOptions = {
  readonly url: string;
  readonly migrations?: readonly Migration[];
  readonly now?: () => number;
};

/** A PostgreSQL server, shared by any number of processes and hosts. */
export async function openPostgres(options: PostgresOptions): Promise<Engine> {
  const { url, migrations = allMigrations, now = Date.now } = options;
  const address = readableAddress(url);
  const { label } = address;
  const self = newUuid();
  const storeError = (error: unknown): StoreError => postgresError(error, address);
  const fail = (error: unknown): never => {
    throw storeError(error);
  };
  const pool = await attempt(() => createPool(url)).catch(fail);
  try {
    await migrate(pool, { label, migrations, now });
  } catch (error) {
    await pool.end().catch(() => undefined);
    const failure = storeError(error);
    const ours = failure.kind === "unknown" || failure.code === undefinedTable;
    throw ours ? migrationFailed(label, failure.message) : failure;
  }
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: poolForKysely(pool, storeError) }) });
  return {
    name: "postgres",
    label,
    warnings: [],
    db,
    write: async (run) => {
      for (let attempts = 1; ; attempts++) {
        try {
          return await db.transaction().execute(run);
        } catch (error) {
          const failure = storeError(error);
          if (!isStoreError(failure, "locked") || attempts === lockAttemptsMax) throw failure;
          await sleep(Math.random() * 50 * attempts);
        }
      }
    },
    locked: (query) => query.forNoKeyUpdate(),
    announce: async (db, change) => {
      await sql`SELECT pg_notify(${channel}, ${announcement(self, change)})`.execute(db);
    },
    watch: (listener) => listen(url, self, listener).catch(fail),
    search: (plan, signal) => abortable(search(plan, db), signal).catch(fail),
    readAll: async (query) => (await query.execute(db)).rows,
    check: () => findings(db),
    advanceIds: async (db) => {
      for (const table of ["sessions", "messages", "mail", "inputs"] as const) {
        const newest = sql`(SELECT coalesce(max(id), 0) + 1 FROM ${sql.table(table)})`;
        await sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${newest}, false)`.execute(db);
      }
    },
    storeError,
    close: async () => {
      await db.destroy();
    },
  };
}

/** The server finishes what it was asked; nobody waits for it any longer. */
function abortable<Result>(work: Promise<Result>, signal: AbortSignal | undefined): Promise<Result> {
  if (signal === undefined) return work;
  const aborted = new Promise<never>((_resolve, reject) => {
    const stop = (): void => reject(Object.assign(new Error("the search was given up"), { code: "57014" }));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  return Promise.race([work, aborted]);
}

async function attempt<Result>(run: () => Result): Promise<Result> {
  return run();
}

const lockAttemptsMax = 10;
/** A migration that names a table there is not; anywhere else the tables were taken away. */
const undefinedTable = "42P01";
