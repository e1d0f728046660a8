import type { Pool, PoolClient } from "pg";
import type { Migration } from "../engine.ts";
import { StoreError } from "../errors.ts";
import { migrationFailed, migrationRow, pendingMigrations } from "../migrations.ts";

/** Brings a database up to date in one transaction. Processes that start together do it once. */
export async function migrate(
  pool: Pool,
  {
    label,
    migrations,
    now,
  }: { readonly label: string; readonly migrations: readonly Migration[]; readonly now: () => number },
): Promise<void> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await checkServer(client, label);
    if (pendingMigrations(await versionOf(client, label), migrations, label).length === 0) return;
    await client.query("BEGIN");
    await client.query("SELECT pg_advisory_xact_lock($1)", [lockNumber]);
    const before = await rowCounts(client);
    for (const migration of pendingMigrations(await versionOf(client, label), migrations, label)) {
      await apply(client, migration, now());
    }
    const after = await rowCounts(client);
    for (const [table, count] of before) {
      const left = after.get(table);
      if (left !== count) throw migrationFailed(label, `${table} had ${count} rows and would have ${left ?? "none"}`);
    }
    await client.query("COMMIT");
  } catch (error) {
    failure = error;
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    client.release(failure !== undefined);
  }
}

async function checkServer(client: PoolClient, label: string): Promise<void> {
  const { rows } = await client.query(
    "SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding",
  );
  const { version, encoding } = rows[0] as { readonly version: number; readonly encoding: string };
  if (version < oldestServer) {
    const found = Math.floor(version / 10_000);
    throw new StoreError("foreign", `${label} runs PostgreSQL ${found}; ikigai needs 15 or newer`);
  }
  if (encoding !== "UTF8") {
    throw new StoreError("foreign", `${label} is encoded in ${encoding}; ikigai needs a database in UTF8`);
  }
}

/** 0: nothing of ours is there yet. */
async function versionOf(client: PoolClient, label: string): Promise<number> {
  const { rows } = await client.query(
    "SELECT to_regclass('schema_migrations') IS NOT NULL AS ours, to_regclass('messages') IS NOT NULL AS taken",
  );
  const { ours, taken } = rows[0] as { readonly ours: boolean; readonly taken: boolean };
  if (ours) {
    const newest = await client.query("SELECT coalesce(max(version), 0) AS version FROM schema_migrations");
    return (newest.rows[0] as { readonly version: number }).version;
  }
  if (!taken) return 0;
  throw new StoreError("foreign", `${label} holds tables of another program; give ikigai a database of its own`);
}

async function apply(client: PoolClient, migration: Migration, now: number): Promise<void> {
  await client.query(schemaTable);
  await client.query(migration.sql);
  const { version, name, checksum, applied_at } = migrationRow(migration, now);
  await client.query("INSERT INTO schema_migrations (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)", [
    version,
    name,
    checksum,
    applied_at,
  ]);
}

async function rowCounts(client: PoolClient): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query(
    "SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename <> 'schema_migrations'",
  );
  const counts = new Map<string, number>();
  for (const { tablename } of rows as readonly { readonly tablename: string }[]) {
    const counted = await client.query(`SELECT count(*) AS n FROM "${tablename}"`);
    counts.set(tablename, (counted.rows[0] as { readonly n: number }).n);
  }
  return counts;
}

const oldestServer = 150_000;
/** Any number will do as long as nobody else takes it: "ikig". */
const lockNumber = 0x696b6967;

const schemaTable = `CREATE TABLE IF NOT EXISTS schema_migrations (
  version INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at BIGINT NOT NULL
)`;
