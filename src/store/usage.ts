import { sql, type RawBuilder } from "kysely";
import type { Context } from "./context.ts";
import type { Engine } from "./engine.ts";

/** Tokens and money of some exchanges together. */
export type UsageRow = {
  readonly provider?: string;
  readonly model?: string;
  readonly agent_uuid?: string;
  readonly session_uuid?: string;
  /** A day where the reader lives: `2026-01-31`. */
  readonly day?: string;
  readonly requests: number;
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly thinking_tokens: number;
  readonly total_tokens: number;
  /** What is known; `unpriced` says how many exchanges are missing in it. */
  readonly cost_usd: number;
  readonly unpriced: number;
};

export type UsageBy = "provider" | "model" | "agent" | "session" | "day";

export type UsageOptions = {
  /** How it is split up. Nothing: one row for everything. */
  readonly by?: readonly UsageBy[];
  readonly since?: number;
  readonly until?: number;
  readonly agent_uuids?: readonly string[];
  readonly session_uuid?: string;
  readonly session_uuids?: readonly string[];
  /** The day of a moment; default: in the time zone of this machine. */
  readonly dayOf?: (time: number) => string;
};

export type UsageReport = (options?: UsageOptions) => Promise<readonly UsageRow[]>;

export function createUsage({ engine }: Context): UsageReport {
  return async (options = {}) => {
    const by = new Set(options.by);
    const rows = await sums(engine, options, by);
    return by.has("day") ? joinDays(rows, options.dayOf ?? localDay) : rows.map(({ quarter: _quarter, ...row }) => row);
  };
}

type SumRow = UsageRow & { readonly quarter?: number };

async function sums(engine: Engine, options: UsageOptions, by: ReadonlySet<UsageBy>): Promise<readonly SumRow[]> {
  const keys = [
    ...(by.has("provider") ? [{ name: "provider", column: sql`m.provider` }] : []),
    ...(by.has("model") ? [{ name: "model", column: sql`m.model` }] : []),
    ...(by.has("agent") ? [{ name: "agent_uuid", column: sql`m.agent_uuid` }] : []),
    ...(by.has("session") ? [{ name: "session_uuid", column: sql`s.uuid` }] : []),
    // Days begin at different moments for different readers, but always at a quarter of an hour.
    ...(by.has("day") ? [{ name: "quarter", column: sql`m.created_at / 900000` }] : []),
  ];
  const conditions = [
    sql`m.provider IS NOT NULL`,
    ...(options.since === undefined ? [] : [sql`m.created_at >= ${options.since}`]),
    ...(options.until === undefined ? [] : [sql`m.created_at < ${options.until}`]),
    ...(options.agent_uuids === undefined ? [] : [oneOf(sql`m.agent_uuid`, options.agent_uuids)]),
    ...(options.session_uuid === undefined ? [] : [sql`s.uuid = ${options.session_uuid}`]),
    ...(options.session_uuids === undefined ? [] : [oneOf(sql`s.uuid`, options.session_uuids)]),
  ];
  const sessions = by.has("session") || options.session_uuid !== undefined || options.session_uuids !== undefined;
  const join = sessions
    ? sql`JOIN agents AS a ON a.uuid = m.agent_uuid JOIN sessions AS s ON s.id = a.session_id`
    : sql``;
  const selected = keys.map(({ name, column }) => sql`${column} AS ${sql.ref(name)},`);
  const group = keys.length === 0 ? sql`` : sql`GROUP BY ${sql.join(keys.map(({ column }) => column))}`;
  const query = sql<SumRow>`
    SELECT ${sql.join(selected, sql` `)}
      count(*) AS requests,
      coalesce(sum(m.input_tokens), 0) AS input_tokens,
      coalesce(sum(m.cache_read_tokens), 0) AS cache_read_tokens,
      coalesce(sum(m.cache_write_tokens), 0) AS cache_write_tokens,
      coalesce(sum(m.output_tokens), 0) AS output_tokens,
      coalesce(sum(m.thinking_tokens), 0) AS thinking_tokens,
      coalesce(sum(m.cost_usd), 0) AS cost_usd,
      count(*) - count(m.cost_usd) AS unpriced
    FROM messages AS m ${join} WHERE ${sql.join(conditions, sql` AND `)}
    ${group} ORDER BY cost_usd DESC, requests DESC`;
  // What belongs to some agents is read off the index; anything else may look at all of it.
  const few = options.session_uuid !== undefined || options.agent_uuids !== undefined;
  const rows = few ? (await query.execute(engine.db)).rows : await engine.readAll(query);
  return rows.map((row) => ({
    ...row,
    total_tokens:
      row.input_tokens + row.cache_read_tokens + row.cache_write_tokens + row.output_tokens + row.thinking_tokens,
  }));
}

function oneOf(column: RawBuilder<unknown>, uuids: readonly string[]): RawBuilder<unknown> {
  return uuids.length === 0 ? sql`FALSE` : sql`${column} IN (${sql.join([...uuids])})`;
}

function joinDays(rows: readonly SumRow[], dayOf: (time: number) => string): readonly UsageRow[] {
  const joined = new Map<string, UsageRow>();
  for (const { quarter = 0, ...row } of rows) {
    const day = dayOf(quarter * 900_000);
    const key = JSON.stringify([day, row.provider, row.model, row.agent_uuid, row.session_uuid]);
    const before = joined.get(key);
    joined.set(key, before === undefined ? { ...row, day } : added(before, row));
  }
  return [...joined.values()].sort((left, right) => (left.day ?? "").localeCompare(right.day ?? ""));
}

function added(left: UsageRow, right: UsageRow): UsageRow {
  return { ...left, ...Object.fromEntries(amounts.map((amount) => [amount, left[amount] + right[amount]])) };
}

function localDay(time: number): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

const amounts = [
  "requests",
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "thinking_tokens",
  "total_tokens",
  "cost_usd",
  "unpriced",
] as const;
