import type { Pool, PoolConfig } from "pg";
import pg from "pg";

/** Connections that hand out rows as the rest of the store knows them: whole numbers as numbers, JSON as its text. */
export function createPool(url: string): Pool {
  const pool = new pg.Pool(clientConfig(url));
  // A connection that breaks while nobody uses it: the next one who asks gets a new one.
  pool.on("error", () => undefined);
  return pool;
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
