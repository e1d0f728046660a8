import type { Kysely, RawBuilder, Transaction } from "kysely";
import type { LogEntry, Note } from "../core/index.ts";
import type { StoreError } from "./errors.ts";
import type { SearchPlan, SearchRow } from "./query.ts";
import type { Tables } from "./tables.ts";

export type Database = Kysely<Tables>;
export type WriteTransaction = Transaction<Tables>;

/** What the rest of the store may know of a database. Two folders make one: `sqlite/` and `postgres/`. */
export type Engine = {
  readonly name: "sqlite" | "postgres";
  /** Where it is, for people to read: a path, or an address without its password. */
  readonly label: string;
  /** What a person should know about this database, once. */
  readonly warnings: readonly Note[];
  readonly db: Database;
  /** One short transaction that holds what it needs from its first statement on. Waits while others write. */
  readonly write: <Result>(run: (db: WriteTransaction) => Promise<Result>) => Promise<Result>;
  /** Rows that are read in order to be written, kept from changing meanwhile. */
  readonly locked: <Query extends { readonly forNoKeyUpdate: () => Query }>(query: Query) => Query;
  /** Tells other processes, once the transaction is done. */
  readonly announce: (db: WriteTransaction, change: Change) => Promise<void>;
  /** Calls back when another process has written. */
  readonly watch: (listener: (change: Change) => void) => Promise<Watch>;
  readonly search: (plan: SearchPlan, signal?: AbortSignal) => Promise<readonly SearchRow[]>;
  /** A query that may have to look at everything, asked so that nothing else has to wait for it. */
  readonly readAll: <Row>(query: RawBuilder<Row>) => Promise<readonly Row[]>;
  /** Looks at everything the engine itself can check. Empty: all is well. */
  readonly check: () => Promise<readonly string[]>;
  /** After rows came in with their ids: new ones have to be larger. */
  readonly advanceIds: (db: Database) => Promise<void>;
  /** Present where everything goes on in memory, because the database could not be opened for writing. */
  readonly shelter?: Shelter;
  readonly storeError: (error: unknown) => StoreError;
  readonly close: () => Promise<void>;
};

export type Shelter = {
  /** Why; undefined once everything has been brought home. */
  readonly failure: () => StoreError | undefined;
  /** Entries that are nowhere else. */
  readonly entries: () => readonly LogEntry[];
  /** Writes all of it where it belongs and goes on there. Rejects while that is not possible. */
  readonly leave: () => Promise<void>;
};

/** What has changed, as far as it is known: without a field it may be anything. */
export type Change = {
  readonly what?: "entries" | "mail" | "agents" | "checkpoint" | "sessions";
  readonly session_uuid?: string;
  readonly agent_uuid?: string;
};

export type Watch = { readonly close: () => void };

export type Migration = { readonly version: number; readonly name: string; readonly sql: string };
