import type { SQLInputValue } from "node:sqlite";
import type { SearchPlan, SearchRow, Term } from "../query.ts";
import { location, type Connection } from "./connection.ts";
import { runInWorker } from "./worker.ts";

type Statement = { readonly sql: string; readonly values: readonly SQLInputValue[] };

/**
 * Newest first is read off the end of the index and is over at once. Everything that may have to look at all hits runs in
 * a worker, on a connection of its own.
 */
export async function search(
  plan: SearchPlan,
  { current, signal }: { readonly current: () => Connection; readonly signal?: AbortSignal },
): Promise<readonly SearchRow[]> {
  const { sql, values } = searchStatement(plan);
  const path = current().address;
  const file = location(path);
  const quick = plan.order === "newest" && plan.folder === undefined && plan.session_uuid === undefined;
  const here = file === undefined || (quick && !plan.terms.some((term) => term.unspaced));
  const rows = here
    ? current()
        .statement(sql)
        .all(...values)
    : await runInWorker({ path, sql, values }, signal);
  return rows as SearchRow[];
}

function searchStatement(plan: SearchPlan): Statement {
  const match = matchExpression(plan.terms);
  const conditions: Statement[] = [
    ...(match === undefined
      ? [{ sql: searchableKinds, values: [] }]
      : [{ sql: "messages_search MATCH ?", values: [match] }]),
    ...plan.terms.filter((term) => term.unspaced).map(likeCondition),
    ...(plan.before_id === undefined ? [] : [{ sql: "m.id < ?", values: [plan.before_id] }]),
    ...(plan.folder === undefined ? [] : [{ sql: "s.folder = ?", values: [plan.folder] }]),
    ...(plan.session_uuid === undefined ? [] : [{ sql: "s.uuid = ?", values: [plan.session_uuid] }]),
  ];
  // CROSS JOIN: in this order and no other. The index hands out its hits by id, and reading stops at the limit.
  const from =
    match === undefined
      ? "messages m CROSS JOIN sessions s ON s.id = m.session_id"
      : "messages_search f CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id";
  const order = match === undefined ? "m.id DESC" : plan.order === "best" ? "f.rank, f.rowid DESC" : "f.rowid DESC";
  return {
    sql: `SELECT m.id, m.uuid, m.kind, substr(m.content, 1, 65536) AS content, m.created_at, m.agent_uuid,
        s.uuid AS session_uuid, s.folder, s.title
      FROM ${from} WHERE ${conditions.map(({ sql }) => sql).join(" AND ")} ORDER BY ${order} LIMIT ? OFFSET ?`,
    values: [...conditions.flatMap(({ values }) => values), plan.limit, plan.offset],
  };
}

/** In the language of FTS5; words hold no quotes. */
function matchExpression(terms: readonly Term[]): string | undefined {
  const spaced = terms.filter((term) => !term.unspaced);
  const wanted = spaced.filter((term) => !term.excluded).map(phrase);
  const excluded = spaced.filter((term) => term.excluded).map(phrase);
  if (wanted.length === 0) return undefined;
  const all = wanted.join(" AND ");
  return excluded.length === 0 ? all : `(${all}) NOT (${excluded.join(" OR ")})`;
}

function phrase({ words, prefix }: Term): string {
  return `"${words.join(" ")}"${prefix ? " *" : ""}`;
}

function likeCondition({ words, excluded }: Term): Statement {
  return { sql: `m.content ${excluded ? "NOT LIKE" : "LIKE"} ?`, values: [`%${words.join("%")}%`] };
}

const searchableKinds =
  "m.kind IN ('user', 'assistant', 'tool_result', 'mail', 'compact', 'capture', 'command') AND m.content IS NOT NULL";
