import { sql } from "kysely";
import type { Database } from "./engine.ts";
import { StoreError } from "./errors.ts";
import { columns } from "./tables.ts";
import type { Store } from "./store.ts";

export type CopyProgress = { readonly step: "copy" | "verify"; readonly done: number; readonly total: number };

export type CopyOptions = {
  readonly onProgress?: (progress: CopyProgress) => void;
  readonly signal?: AbortSignal;
};

/**
 * Copies a whole history into an empty one, ids included, then reads both and compares them row by row. May be started
 * again after it was interrupted. Returns the number of rows.
 */
export async function copyHistory(from: Store, to: Store, options: CopyOptions = {}): Promise<number> {
  try {
    await refuseOther(from.engine.db, to.engine.db, to.label);
    await refuseAhead(from, to);
    const total = await countRows(from.engine.db);
    let done = 0;
    for (const table of tables) {
      for await (const rows of pages(from.engine.db, table)) {
        stopIf(options.signal);
        await to.engine.write((db) => insertRows(db, table, rows));
        done += rows.length;
        options.onProgress?.({ step: "copy", done, total });
      }
    }
    await to.engine.write((db) => pointAgents(from.engine.db, db));
    await to.engine.advanceIds(to.engine.db);
    return await compare(from, to, { ...options, total });
  } catch (error) {
    // Where it came from is in its words: each engine names itself.
    throw error instanceof StoreError ? error : to.engine.storeError(error);
  }
}

/** Throws at the first row that is not the same on both sides. */
async function compare(from: Store, to: Store, options: CopyOptions & { readonly total: number }): Promise<number> {
  let done = 0;
  for (const table of tables) {
    const copies = pages(to.engine.db, table);
    for await (const rows of pages(from.engine.db, table)) {
      stopIf(options.signal);
      const copied = await copies.next();
      const others: readonly AnyRow[] = copied.done === true ? [] : copied.value;
      rows.forEach((row, index) => {
        if (rowText(row) !== rowText(others[index])) {
          const name = String(row[keys[table]]);
          throw new StoreError("conflict", `the copy of ${table} ${name} is not the same; the copy must not be used`);
        }
      });
      if (others.length !== rows.length) throw new StoreError("conflict", `the copy of ${table} has more rows`);
      done += rows.length;
      options.onProgress?.({ step: "verify", done, total: options.total });
    }
    if ((await copies.next()).done !== true) throw new StoreError("conflict", `the copy of ${table} has more rows`);
  }
  return done;
}

/** Agents point to agents that may come later, and to messages, which point to agents: set when all are there. */
const pointers: ReadonlySet<string> = new Set(["parent_uuid", "fork_message_id"]);

type Table = keyof typeof keys;
type AnyRow = { readonly [column: string]: unknown };

async function* pages(db: Database, table: Table): AsyncGenerator<readonly AnyRow[], undefined, undefined> {
  const key = sql.ref(keys[table]);
  const selected = sql.join(
    columns[table].map((column) => (column === "owner" ? sql`NULL AS owner` : sql.ref(column))),
  );
  for (let after: unknown = keys[table] === "id" ? 0 : ""; ;) {
    const { rows } = await sql<AnyRow>`
      SELECT ${selected} FROM ${sql.table(table)} WHERE ${key} > ${after} ORDER BY ${key} LIMIT ${sql.lit(pageSizes[table] ?? pageSize)}`.execute(
      db,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows;
    after = last[keys[table]];
  }
}

async function insertRows(db: Database, table: Table, rows: readonly AnyRow[]): Promise<void> {
  const names = columns[table];
  const values = rows.map((row) => sql.join(names.map((name) => (pointers.has(name) ? null : row[name]))));
  const tuples = values.map((tuple) => sql`(${tuple})`);
  await sql`
    INSERT INTO ${sql.table(table)} (${sql.join(names.map((name) => sql.ref(name)))}) VALUES ${sql.join(tuples)}
    ON CONFLICT (${sql.ref(keys[table])}) DO ${sql.raw(renewals[table])}`.execute(db);
}

async function pointAgents(from: Database, to: Database): Promise<void> {
  const rows = await from
    .selectFrom("agents")
    .select(["uuid", "parent_uuid", "fork_message_id"])
    .where((eb) => eb.or([eb("parent_uuid", "is not", null), eb("fork_message_id", "is not", null)]))
    .execute();
  for (const { uuid, ...pointed } of rows) {
    await to.updateTable("agents").set(pointed).where("uuid", "=", uuid).execute();
  }
}

/** A copy that was begun goes on; two histories are never mixed. */
async function refuseOther(from: Database, to: Database, label: string): Promise<void> {
  for await (const rows of pages(to, "sessions")) {
    const ids = rows.map((row) => Number(row["id"]));
    const known = await from.selectFrom("sessions").select(["id", "uuid"]).where("id", "in", ids).execute();
    const uuids = new Map(known.map((row) => [row.id, row.uuid]));
    if (rows.some((row) => uuids.get(Number(row["id"])) !== row["uuid"])) {
      throw new StoreError("invalid", `${label} already holds another history; copy into an empty database`);
    }
  }
}

/** A copy that somebody went on with is no copy any more. */
async function refuseAhead(from: Store, to: Store): Promise<void> {
  const newest = async ({ engine }: Store): Promise<number> => {
    const row = await engine.db
      .selectFrom("messages")
      .select(({ fn }) => fn.max<number | null>("id").as("id"))
      .executeTakeFirst();
    return row?.id ?? 0;
  };
  if ((await newest(to)) <= (await newest(from))) return;
  const text = `${to.label} has gone on since it was copied from ${from.label}; it was left as it is`;
  throw new StoreError("conflict", text);
}

async function countRows(db: Database): Promise<number> {
  let total = 0;
  for (const table of tables) {
    const { rows } = await sql<{ readonly n: number }>`SELECT count(*) AS n FROM ${sql.table(table)}`.execute(db);
    total += rows[0]?.n ?? 0;
  }
  return total;
}

function rowText(row: AnyRow | undefined): string {
  // Bytes first: one engine hands out an array, the other a buffer, and each turns itself into JSON in its own way.
  const fields = Object.entries(row ?? {}).map(([name, value]) => [
    name,
    value instanceof Uint8Array ? Buffer.from(value).toString("base64") : value,
  ]);
  return JSON.stringify(fields);
}

function stopIf(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new StoreError("aborted", "the copy was given up; it can be started again");
}

/** What has changed since a copy was begun. Newer things in the copy stay, and are noticed when both are compared. */
const renewals = {
  sessions: `UPDATE SET title = excluded.title, updated_at = excluded.updated_at
    WHERE sessions.updated_at <= excluded.updated_at`,
  agents: `UPDATE SET name = excluded.name, status = excluded.status, provider = excluded.provider, model = excluded.model,
    thinking_level = excluded.thinking_level, data = excluded.data, updated_at = excluded.updated_at
    WHERE agents.updated_at <= excluded.updated_at`,
  messages: "NOTHING",
  mail: "UPDATE SET read_at = excluded.read_at WHERE mail.read_at IS NULL",
  blobs: "NOTHING",
  states: `UPDATE SET value = excluded.value, updated_at = excluded.updated_at
    WHERE states.updated_at <= excluded.updated_at`,
  inputs: "NOTHING",
} as const;

const keys = {
  sessions: "id",
  agents: "uuid",
  messages: "id",
  mail: "id",
  blobs: "hash",
  states: "key",
  inputs: "id",
} as const;
const tables = ["sessions", "agents", "messages", "mail", "blobs", "states", "inputs"] as const;
const pageSize = 500;
/** Each of these may be as large as a file. */
const pageSizes: { readonly [table in Table]?: number } = { blobs: 20 };
