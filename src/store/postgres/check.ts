import { sql } from "kysely";
import type { Database } from "../engine.ts";

/** What the server knows to be wrong. Rows that point nowhere it does not let in. */
export async function findings(db: Database): Promise<readonly string[]> {
  const { rows: broken } = await sql<{ readonly name: string; readonly what: string }>`
    SELECT c.relname AS name, 'index' AS what FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND NOT (i.indisvalid AND i.indisready)
    UNION ALL
    SELECT conname, 'constraint' FROM pg_constraint JOIN pg_namespace n ON n.oid = connamespace
      WHERE n.nspname = current_schema() AND NOT convalidated
    ORDER BY 1`.execute(db);
  const { rows: failures } = await sql<{ readonly n: number }>`
    SELECT coalesce(checksum_failures, 0) AS n FROM pg_stat_database WHERE datname = current_database()`.execute(db);
  const damaged = failures[0]?.n ?? 0;
  return [
    ...(damaged === 0 ? [] : [`the server has found ${damaged} damaged pages in this database`]),
    ...broken.map(({ name, what }) =>
      what === "index"
        ? `the index ${name} is not complete: run REINDEX INDEX ${name}`
        : `the rule ${name} was never checked: run ALTER TABLE … VALIDATE CONSTRAINT ${name}`,
    ),
    ...(await sequencesBehind(db)),
  ];
}

async function sequencesBehind(db: Database): Promise<readonly string[]> {
  const found: string[] = [];
  for (const table of ["sessions", "messages", "mail", "inputs"]) {
    const { rows: names } = await sql<{ readonly name: string }>`
      SELECT pg_get_serial_sequence(${table}, 'id') AS name`.execute(db);
    const { rows } = await sql<{ readonly next: number; readonly newest: number }>`
      SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END AS next,
        (SELECT coalesce(max(id), 0) FROM ${sql.table(table)}) AS newest
      FROM ${sql.raw(names[0]?.name ?? "")}`.execute(db);
    const [row] = rows;
    if (row === undefined || row.next > row.newest) continue;
    found.push(`the next row of ${table} would get number ${row.next}, but there is a ${row.newest} already`);
  }
  return found;
}
