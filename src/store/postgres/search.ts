import { sql, type RawBuilder } from "kysely";
import type { Database } from "../engine.ts";
import type { SearchPlan, SearchRow, Term } from "../query.ts";

/**
 * Newest first in two steps: common words are found among the newest messages at once, rare ones by the index. Left to
 * itself the planner takes one way for both, and one of them reads everything.
 */
export async function search(plan: SearchPlan, db: Database): Promise<readonly SearchRow[]> {
  const query = tsquery(plan.terms);
  if (query === undefined) return rowsFrom(db, plan, { source: searchable });
  if (plan.order === "newest" && plan.offset === 0) {
    const recent = sql`(SELECT * FROM messages ${before(plan)} ORDER BY id DESC LIMIT ${sql.lit(recentMax)})`;
    const rows = await rowsFrom(db, plan, { source: recent, query });
    if (rows.length === plan.limit) return rows;
  }
  return rowsFrom(db, plan, { source: hits(plan, query), ...(plan.order === "best" ? { rank: query } : {}) });
}

type Found = {
  readonly source: RawBuilder<unknown>;
  /** What the source has not looked for yet. */
  readonly query?: RawBuilder<unknown>;
  readonly rank?: RawBuilder<unknown>;
};

async function rowsFrom(db: Database, plan: SearchPlan, { source, query, rank }: Found): Promise<readonly SearchRow[]> {
  const conditions = [
    ...(query === undefined ? [] : [sql`m.search @@ ${query}`]),
    ...plan.terms.filter((term) => term.unspaced).map(likeCondition),
    ...(plan.before_id === undefined ? [] : [sql`m.id < ${plan.before_id}`]),
    ...(plan.folder === undefined ? [] : [sql`s.folder = ${plan.folder}`]),
    ...(plan.session_uuid === undefined ? [] : [sql`s.uuid = ${plan.session_uuid}`]),
  ];
  const where = conditions.length === 0 ? sql`` : sql`WHERE ${sql.join(conditions, sql` AND `)}`;
  const order = rank === undefined ? sql`m.id DESC` : sql`ts_rank_cd(m.search, ${rank}) DESC, m.id DESC`;
  const { rows } = await sql<SearchRow>`
    SELECT m.id, m.uuid, m.kind, left(m.content, 65536) AS content, m.created_at, m.agent_uuid,
      s.uuid AS session_uuid, s.folder, s.title
    FROM ${source} AS m JOIN sessions AS s ON s.id = m.session_id
    ${where} ORDER BY ${order} LIMIT ${plan.limit} OFFSET ${plan.offset}`.execute(db);
  return rows;
}

/** What the index finds. Where nothing else is asked, only the newest of it is read. */
function hits(plan: SearchPlan, query: RawBuilder<unknown>): RawBuilder<unknown> {
  if (plan.order === "best") return rankable(plan, query);
  const alone =
    plan.order === "newest" &&
    plan.folder === undefined &&
    plan.session_uuid === undefined &&
    !plan.terms.some((term) => term.unspaced);
  const newest = alone ? sql`ORDER BY id DESC LIMIT ${plan.limit + plan.offset}` : sql``;
  const older = plan.before_id === undefined ? sql`` : sql`AND id < ${plan.before_id}`;
  return sql`(
    WITH hits AS MATERIALIZED (SELECT id FROM messages WHERE search @@ ${query} ${older}),
      chosen AS MATERIALIZED (SELECT id FROM hits ${newest})
    SELECT messages.* FROM chosen JOIN messages USING (id))`;
}

/**
 * To rank means to read: of a word that is nearly everywhere the newest hits are enough, and the planner knows from its
 * statistics how to come by them.
 */
function rankable({ folder, session_uuid, before_id }: SearchPlan, query: RawBuilder<unknown>): RawBuilder<unknown> {
  const conditions = [
    sql`search @@ ${query}`,
    ...(folder === undefined ? [] : [sql`session_id IN (SELECT id FROM sessions WHERE folder = ${folder})`]),
    ...(session_uuid === undefined ? [] : [sql`session_id IN (SELECT id FROM sessions WHERE uuid = ${session_uuid})`]),
    ...(before_id === undefined ? [] : [sql`id < ${before_id}`]),
  ];
  const where = sql.join(conditions, sql` AND `);
  return sql`(SELECT * FROM messages WHERE ${where} ORDER BY id DESC LIMIT ${sql.lit(rankedMax)})`;
}

function before({ before_id }: SearchPlan): RawBuilder<unknown> {
  return before_id === undefined ? sql`` : sql`WHERE id < ${before_id}`;
}

function tsquery(terms: readonly Term[]): RawBuilder<unknown> | undefined {
  const spaced = terms.filter((term) => !term.unspaced);
  if (!spaced.some((term) => !term.excluded)) return undefined;
  const text = spaced.map((term) => (term.excluded ? `!(${phrase(term)})` : `(${phrase(term)})`)).join(" & ");
  return sql`to_tsquery('simple', ${text})`;
}

/** Letters without their accents, as the index has them; words hold no quotes. */
function phrase({ words, prefix }: Term): string {
  const quoted = words.map((word) => `'${word.normalize("NFD").replace(/[\u0300-\u036F]/g, "")}'`);
  return `${quoted.join(" <-> ")}${prefix ? ":*" : ""}`;
}

function likeCondition({ words, excluded }: Term): RawBuilder<unknown> {
  const pattern = `%${words.join("%")}%`;
  return excluded ? sql`m.content NOT LIKE ${pattern}` : sql`m.content LIKE ${pattern}`;
}

const recentMax = 2_000;
const rankedMax = 10_000;
const searchable = sql.raw(
  "(SELECT * FROM messages WHERE content IS NOT NULL AND kind IN ('user', 'assistant', 'tool_result', 'mail', 'compact', 'capture', 'command'))",
);
