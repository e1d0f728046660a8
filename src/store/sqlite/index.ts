import { Kysely } from "kysely";
import type { Change, Engine, Migration, Shelter, Watch } from "../engine.ts";
import type { StoreError } from "../errors.ts";
import type { Tables } from "../tables.ts";
import { connect, location, type Connection } from "./connection.ts";
import { sqliteDialect } from "./dialect.ts";
import { sqliteError } from "./errors.ts";
import { migrate, refuseUnknown } from "./migrate.ts";
import { migrations as allMigrations } from "./migrations/index.ts";
import { patiently } from "./patience.ts";
import { connectForReading } from "./reading.ts";
import { readAll } from "./read-all.ts";
import { restore } from "./restore.ts";
import { search } from "./search.ts";
import { bringHome, entriesInShelter, refuseFullDisk, takeShelter } from "./shelter.ts";
import { watchFile } from "./watch.ts";

export type SqliteOptions = {
  readonly path: string;
  readonly synchronous?: "normal" | "full";
  readonly migrations?: readonly Migration[];
  readonly now?: () => number;
  /** What to do about a file that cannot be written: only read it, or go on in memory until it can. Default: refuse. */
  readonly unwritable?: "read" | "shelter";
};

/** SQLite in one file. `connection` is for tests that make it fail. */
export async function openSqlite(options: SqliteOptions): Promise<Engine & { readonly connection: () => Connection }> {
  const { path } = options;
  const label = location(path) ?? "memory";
  const storeError = (error: unknown): StoreError => sqliteError(error, label);
  const ways = waysToOpen(options, label);
  const opened = await openOneWay(options, ways, storeError);
  const { warnings } = opened;
  let { connection: current, failure } = opened;
  const watches = new Map<(change: Change) => void, Watch>();
  const db = new Kysely<Tables>({ dialect: sqliteDialect(() => current, storeError) });

  const watchAnew = (): void => {
    for (const [listener, watch] of watches) {
      watch.close();
      watches.set(
        listener,
        watchFile(path, () => current, listener),
      );
    }
  };
  /** Nobody is in a transaction meanwhile: whoever has the connection has it alone. */
  const reopenIfMoved = (): void => {
    if (!current.moved()) return;
    const lost = current;
    restore(lost, label);
    current = ways.forWriting();
    // Safe: SQLite sees that the file it knew is gone and leaves the new one's log alone.
    lost.database.close();
    watchAnew();
  };
  const shelter: Shelter | undefined = failure && {
    failure: () => failure,
    entries: () => (failure === undefined ? [] : entriesInShelter(current)),
    // Alone with the connection, as above.
    leave: () =>
      db.connection().execute(async () => {
        if (failure === undefined) return;
        const home = ways.forWriting();
        bringHome(current, path);
        current.database.close();
        current = home;
        failure = undefined;
        watchAnew();
      }),
  };

  return {
    name: "sqlite",
    label,
    warnings,
    db,
    connection: () => current,
    ...(shelter === undefined ? {} : { shelter }),
    write: async (run) => {
      if (current.moved()) await db.connection().execute(() => patiently(reopenIfMoved, storeError));
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
    // Without a write-ahead log readers wait for writers, too.
    search: (plan, signal) =>
      patiently(() => search(plan, { current: () => current, ...(signal ? { signal } : {}) }), storeError),
    readAll: (query) => patiently(() => readAll(query, { db, current: () => current }), storeError),
    check: () => patiently(() => findings(current), storeError),
    advanceIds: () => Promise.resolve(),
    storeError,
    close: async () => {
      for (const watch of watches.values()) watch.close();
      await db.destroy();
      current.database.close();
    },
  };
}

type Ways = {
  readonly forWriting: () => Connection;
  readonly forReading: () => Connection;
  readonly inMemory: () => Connection;
};

function waysToOpen({ path, synchronous = "normal", ...options }: SqliteOptions, label: string): Ways {
  const { migrations = allMigrations, now = Date.now } = options;
  const closedOnError = (connection: Connection, run: () => void): Connection => {
    try {
      run();
      return connection;
    } catch (error) {
      connection.database.close();
      throw error;
    }
  };
  const prepared = (connection: Connection, file: string | undefined): Connection =>
    closedOnError(connection, () => migrate({ database: connection.database, path: file, label, migrations, now }));
  return {
    forWriting() {
      if (options.unwritable === "shelter") refuseFullDisk(path);
      return prepared(connect({ path, synchronous }), location(path));
    },
    forReading() {
      const connection = connectForReading(path);
      return closedOnError(connection, () => refuseUnknown(connection.database, migrations, label));
    },
    inMemory: () => takeShelter(path, (connection) => void prepared(connection, undefined)),
  };
}

type Opened = {
  readonly connection: Connection;
  readonly warnings: Engine["warnings"];
  /** Why the file is not written, where the connection is a shelter. */
  readonly failure?: StoreError;
};

async function openOneWay(
  { unwritable }: SqliteOptions,
  ways: Ways,
  storeError: (error: unknown) => StoreError,
): Promise<Opened> {
  try {
    const connection = await patiently(ways.forWriting, storeError);
    return { connection, warnings: connection.warnings };
  } catch (error) {
    const failure = storeError(error);
    if (unwritable === undefined || !unwritableKinds.has(failure.kind)) throw failure;
    try {
      if (unwritable === "shelter") return { connection: ways.inMemory(), failure, warnings: [notWritten(failure)] };
      const connection = ways.forReading();
      return { connection, warnings: connection.warnings };
    } catch {
      throw failure;
    }
  }
}

const unwritableKinds: ReadonlySet<string> = new Set(["read_only", "permission", "disk_full", "io"]);

function notWritten({ message }: StoreError): Engine["warnings"][number] {
  const text = `${message}. Nothing can be written now: this conversation is kept in memory, and written as soon as that is possible.`;
  return { code: "history_not_written", message: text };
}

function findings({ database }: Connection): readonly string[] {
  const damage = database.prepare("PRAGMA integrity_check(20)").all();
  const orphans = database.prepare("PRAGMA foreign_key_check").all();
  const unreadable = database.prepare("SELECT uuid FROM messages WHERE NOT json_valid(data) LIMIT 20").all();
  return [
    ...damage.map((row) => String(row["integrity_check"])).filter((text) => text !== "ok"),
    ...orphans.slice(0, 20).map((row) => `${String(row["table"])} row ${String(row["rowid"])} points nowhere`),
    ...unreadable.map((row) => `the data of an entry cannot be read: ${String(row["uuid"])}`),
  ];
}
