import type { RawBuilder } from "kysely";
import type { SQLInputValue } from "node:sqlite";
import type { Database } from "../engine.ts";
import { location, type Connection } from "./connection.ts";
import { manyEntries, newestId, runInWorker } from "./worker.ts";

/** Asks here while the history is short, which takes less time than starting a worker, and in a worker otherwise. */
export async function readAll<Row>(
  query: RawBuilder<Row>,
  { db, current }: { readonly db: Database; readonly current: () => Connection },
): Promise<readonly Row[]> {
  const { address } = current();
  if (location(address) === undefined || newestId(current()) < manyEntries) return (await query.execute(db)).rows;
  const { sql, parameters } = query.compile(db);
  const rows = await runInWorker({ path: address, sql, values: parameters as readonly SQLInputValue[] });
  return rows as readonly Row[];
}
