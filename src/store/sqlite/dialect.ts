import {
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
} from "kysely";
import type { SQLInputValue } from "node:sqlite";
import type { StoreError } from "../errors.ts";
import type { Connection } from "./connection.ts";
import { patiently } from "./patience.ts";

/** Kysely over one synchronous connection. Whoever is in a transaction has it alone; the others wait in line. */
export function sqliteDialect(current: () => Connection, storeError: (error: unknown) => StoreError): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => driver(current, storeError),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

function driver(current: () => Connection, storeError: (error: unknown) => StoreError): Driver {
  const turns = line();
  // What belongs to a transaction has its lock already.
  const attempt = <Result>(run: () => Result): Promise<Result> => patiently(run, storeError);
  const connection: DatabaseConnection = {
    executeQuery: <R>(query: CompiledQuery) => attempt(() => execute<R>(current(), query)),
    streamQuery: () => {
      throw new Error("rows are read in pages");
    },
  };
  const run = (sql: string): Promise<void> => attempt(() => void current().statement(sql).run());
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => turns.wait().then(() => connection),
    releaseConnection: () => Promise.resolve(turns.leave()),
    beginTransaction: async (_connection, { accessMode }) =>
      run(accessMode === "read only" ? "BEGIN" : "BEGIN IMMEDIATE"),
    commitTransaction: async () => run("COMMIT"),
    rollbackTransaction: async () => {
      // Some failures, a full disk among them, have rolled back by themselves.
      if (current().database.isTransaction) await run("ROLLBACK");
    },
    destroy: () => Promise.resolve(),
  };
}

function execute<R>(connection: Connection, { sql, parameters }: CompiledQuery): QueryResult<R> {
  const statement = connection.statement(sql);
  const values = parameters as readonly SQLInputValue[];
  if (statement.columns().length > 0) return { rows: statement.all(...values) as R[] };
  const { changes } = statement.run(...values);
  return { numAffectedRows: BigInt(changes), rows: [] };
}

/** First come, first served. */
function line(): { readonly wait: () => Promise<void>; readonly leave: () => void } {
  const waiting: (() => void)[] = [];
  let busy = false;
  return {
    wait() {
      if (busy) return new Promise((resolve) => waiting.push(resolve));
      busy = true;
      return Promise.resolve();
    },
    leave() {
      const next = waiting.shift();
      if (next === undefined) busy = false;
      else next();
    },
  };
}
