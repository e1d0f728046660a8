import type { RawBuilder } from "kysely";
import type { SQLInputValue } from "node:sqlite";
import type { Database } from "../engine.ts";
import { location, type Connection } from "./connection.ts";
import { runInWorker } from "./worker.ts";

/** Asks here while the history is short, which takes less time than starting a worker, and in a worker otherwise. */
export async function readAll<Row>(
  query: RawBuilder<Row>,
  { db, current }: { readonly db: Database; readonly current: () => Connection },
): Promise<readonly Row[]> {
  const { address, statement } = current();
  const newest = Number(statement("SELECT coalesce(max(id), 0) AS id FROM messages").get()?.["id"]);
  if (location(address) === undefined || newest < manyEntries) return (await query.execute(db)).rows;
  const { sql, parameters } = query.compile(db);
  const rows = await runInWorker({ path: address, sql, values: parameters as readonly SQLInputValue[] });
  return rows as readonly Row[];
}

/** Adding up so many takes about as long as a worker takes to start. */
const manyEntries = 50_000;
