import type { PostgresPool, PostgresPoolClient } from "kysely";
import pg, { type Pool, type PoolConfig } from "pg";
import type { StoreError } from "../errors.ts";

/** Connections that hand out rows as the rest of the store knows them: whole numbers as numbers, JSON as its text. */
export function createPool(url: string): Pool {
  const pool = new pg.Pool(clientConfig(url));
  // A connection that breaks while nobody uses it: the next one who asks gets a new one.
  pool.on("error", () => undefined);
  // One that breaks between two queries of a transaction: the second query fails.
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

/** The pool as Kysely sees it: every failure is one of ours. */
export function poolForKysely(pool: Pool, storeError: (error: unknown) => StoreError): PostgresPool {
  const fail = (error: unknown): never => {
    throw storeError(error);
  };
  return {
    options: pool.options,
    end: () => pool.end(),
    async connect() {
      const client = await pool.connect().catch(fail);
      const query = (sql: string, values: unknown[]) => client.query(sql, values).catch(fail);
      // Kysely's type also asks for cursors, which nobody here uses.
      return { query, release: (destroy?: boolean) => client.release(destroy) } as unknown as PostgresPoolClient;
    },
  };
}

export function clientConfig(url: string): PoolConfig {
  return {
    connectionString: url,
    application_name: "ikigai",
    max: connectionsMax,
    idleTimeoutMillis: 30_000,
    connectionTimeoutMillis: 10_000,
    query_timeout: queryTimeoutMs,
    keepAlive: true,
    allowExitOnIdle: true,
    types: { getTypeParser: (oid: number) => parsers[oid] ?? ((text: string) => text) },
  };
}

/** By the number PostgreSQL gives each type. Everything else stays text, JSON above all. */
const parsers: { readonly [oid: number]: ((text: string) => unknown) | undefined } = {
  16: (text) => text === "t",
  17: (text) => Buffer.from(text.slice(2), "hex"),
  20: Number,
  21: Number,
  23: Number,
  700: Number,
  701: Number,
  1700: Number,
};

const connectionsMax = 4;
/** A server that does not answer for so long is taken for lost. */
const queryTimeoutMs = 60_000;
