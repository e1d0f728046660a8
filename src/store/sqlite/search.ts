import type { SQLInputValue } from "node:sqlite";
import type { SearchPlan, SearchRow, Term } from "../query.ts";
import { location, type Connection } from "./connection.ts";
import { manyEntries, newestId, runInWorker } from "./worker.ts";

type Statement = { readonly sql: string; readonly values: readonly SQLInputValue[] };

/** What is over at once is done here. Everything that may have to look at all hits runs in a worker, on a connection of its own. */
export async function search(
  plan: SearchPlan,
  { current, signal }: { readonly current: () => Connection; readonly signal?: AbortSignal },
): Promise<readonly SearchRow[]> {
  const { sql, values } = searchStatement(plan);
  const path = current().address;
  const file = location(path);
  const rows =
    file === undefined || isQuick(plan, newestId(current()))
      ? current()
          .statement(sql)
          .all(...values)
      : await runInWorker({ path, sql, values }, signal);
  return rows as SearchRow[];
}

/**
 * The newest hits of one word are read off the end of its list. Where words have to meet, or must not, the index reads on
 * until they do: a range of ids does not stop it. The beginning of a word is looked for among all words there are.
 */
function isQuick(
  { terms, order, folder, session_uuid, before_id, limit, offset }: SearchPlan,
  newest: number,
): boolean {
  if (order !== "newest" || folder !== undefined || session_uuid !== undefined) return false;
  if (terms.some((term) => term.unspaced || term.prefix)) return false;
  if (newest < manyEntries) return true;
  const oneWord = terms.length === 1 && terms[0]?.words.length === 1;
  return oneWord && newest - (before_id ?? newest) < manyEntries && offset + limit <= manyHits;
}

function searchStatement(plan: SearchPlan): Statement {
  const match = matchExpression(plan.terms);
  // Asked by the name the index has for it: it begins there and not at the newest.
  const id = match === undefined ? "m.id" : "f.rowid";
  const conditions: Statement[] = [
    ...(match === undefined
      ? [{ sql: searchableKinds, values: [] }]
      : [{ sql: "messages_search MATCH ?", values: [match] }]),
    ...plan.terms.filter((term) => term.unspaced).map(likeCondition),
    ...(plan.before_id === undefined ? [] : [{ sql: `${id} < ?`, values: [plan.before_id] }]),
    ...(plan.folder === undefined ? [] : [{ sql: "s.folder = ?", values: [plan.folder] }]),
    ...(plan.session_uuid === undefined ? [] : [{ sql: "s.uuid = ?", values: [plan.session_uuid] }]),
  ];
  // CROSS JOIN: in this order and no other. The index hands out its hits by id, and reading stops at the limit.
  const from =
    match === undefined
      ? "messages m CROSS JOIN sessions s ON s.id = m.session_id"
      : "messages_search f CROSS JOIN messages m ON m.id = f.rowid CROSS JOIN sessions s ON s.id = m.session_id";
  const order = match !== undefined && plan.order === "best" ? "f.rank, f.rowid DESC" : `${id} DESC`;
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

/** Rows that are read one by one on the way to a page. */
const manyHits = 1_000;
