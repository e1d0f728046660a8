import { parseArgs } from "node:util";
import type { Store, UsageBy, UsageRow } from "../store/index.ts";
import { UsageError, type Io } from "./io.ts";
import { bar, count, inkFor, money, oneLine, plural, table, type Column } from "./layout.ts";
import { takeInAbandoned, withHistory } from "./stored.ts";

export async function runUsage(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      by: { type: "string" },
      since: { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  if (positionals.length > 0) throw new UsageError(`usage takes no names; try --by ${positionals[0] ?? ""}`);
  const by = values.by === undefined ? undefined : keysFrom(values.by);
  const since = values.since === undefined ? {} : { since: timeFrom(values.since, new Date()) };
  return withHistory(io, {
    empty: () => {
      if (values.json) io.stdout("[]\n");
      return 0;
    },
    run: async ({ store, hide }) => {
      await takeInAbandoned(store, io);
      if (values.json) {
        io.stdout(hide(`${JSON.stringify(await store.usage({ ...since, by: by ?? defaultKeys }))}\n`));
        return 0;
      }
      io.stdout(hide(await report(store, { since, by, io })));
      return 0;
    },
  });
}

function keysFrom(text: string): readonly UsageBy[] {
  return text.split(",").map((word) => {
    const key = usageKeys.find((known) => known === word.trim());
    if (key === undefined) throw new UsageError(`--by takes ${usageKeys.join(", ")}, not "${word}"`);
    return key;
  });
}

/** Days are those of the reader's clock. */
export function timeFrom(text: string, now: Date): number {
  const ago = /^(\d+)\s*([hd])$/.exec(text.trim());
  if (ago !== null) return now.getTime() - Number(ago[1]) * (ago[2] === "h" ? hourMs : 24 * hourMs);
  if (text.trim() === "today") return new Date(now.getFullYear(), now.getMonth(), now.getDate()).getTime();
  const date = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text.trim());
  const [year, month, day] = (date ?? []).slice(1).map(Number);
  const time = new Date(year ?? Number.NaN, (month ?? 0) - 1, day);
  if (Number.isNaN(time.getTime()) || time.getMonth() + 1 !== month || time.getDate() !== day)
    throw new UsageError(`--since takes today, 7d, 12h or a date like 2026-01-31, not "${text}"`);
  return time.getTime();
}

type ReportOptions = {
  readonly since: { readonly since?: number };
  readonly by: readonly UsageBy[] | undefined;
  readonly io: Io;
};

async function report(store: Store, { since, by, io }: ReportOptions): Promise<string> {
  const [total] = await store.usage(since);
  if (total === undefined || total.requests === 0) return "No model was asked anything in this time.\n";
  const ink = inkFor(io);
  const parts: string[] = [totalText(total)];
  for (const keys of by === undefined ? standardTables : [by]) {
    const rows = await store.usage({ ...since, by: keys });
    const [head = "", ...lines] = await usageTable(store, { keys, rows, io });
    parts.push([ink.faint(head), ...lines].join("\n"));
  }
  return `${parts.join("\n\n")}\n`;
}

function totalText(row: UsageRow): string {
  const read = row.input_tokens + row.cache_write_tokens;
  const tokens = `${count(row.total_tokens)} tokens: ${count(read)} in, ${count(row.cache_read_tokens)} cached, ${count(row.output_tokens)} out, ${count(row.thinking_tokens)} thinking`;
  const missing = row.unpriced === 0 ? "" : ` (no price is known for ${plural(row.unpriced, "answer")})`;
  return `${plural(row.requests, "answer")}, ${moneyOf(row)}${missing}\n${tokens}`;
}

async function usageTable(
  store: Store,
  { keys, rows, io }: { readonly keys: readonly UsageBy[]; readonly rows: readonly UsageRow[]; readonly io: Io },
): Promise<readonly string[]> {
  const shown = keys.includes("day") ? rows.slice(-rowsMax) : mostFirst(rows).slice(0, rowsMax);
  const weight = rows.some((row) => row.cost_usd > 0) ? costOf : tokensOf;
  const most = Math.max(...shown.map(weight));
  const names = await namesOf(store, keys, shown);
  const cells = shown.map((row, index) => [
    ...(names[index] ?? []),
    count(row.requests),
    count(row.total_tokens),
    moneyOf(row),
    bar(weight(row), most, barColumns),
  ]);
  const left = rows.length - shown.length;
  const columns = [...keys.map((key) => keyColumns[key]), ...amountColumns];
  const more =
    left === 0 ? [] : [`… and ${count(left)} ${keys.includes("day") ? "earlier" : "smaller"}; --json has all`];
  return [...table(columns, cells, io.screen?.columns), ...more];
}

function mostFirst(rows: readonly UsageRow[]): readonly UsageRow[] {
  return rows.toSorted((left, right) => right.cost_usd - left.cost_usd || right.total_tokens - left.total_tokens || 0);
}

async function namesOf(
  store: Store,
  keys: readonly UsageBy[],
  rows: readonly UsageRow[],
): Promise<readonly (readonly string[])[]> {
  const names: string[][] = [];
  for (const row of rows) {
    const cells: string[] = [];
    for (const key of keys) cells.push(oneLine(await nameOf(store, key, row)));
    names.push(cells);
  }
  return names;
}

async function nameOf(store: Store, key: UsageBy, row: UsageRow): Promise<string> {
  switch (key) {
    case "provider":
      return row.provider ?? "";
    case "model":
      return row.model ?? "";
    case "day":
      return row.day ?? "";
    case "agent": {
      const { name, session_uuid } = await store.agents.get(row.agent_uuid ?? "");
      return `${name ?? "agent"} ${(row.agent_uuid ?? "").slice(0, 8)} of ${session_uuid.slice(0, 8)}`;
    }
    case "session": {
      const { title, folder } = await store.sessions.find(row.session_uuid ?? "");
      return `${(row.session_uuid ?? "").slice(0, 8)} ${title ?? folder ?? ""}`;
    }
  }
}

function moneyOf({ cost_usd, unpriced, requests }: UsageRow): string {
  return money({ cost_usd, unpriced, total: requests });
}

const costOf = (row: UsageRow): number => row.cost_usd;
const tokensOf = (row: UsageRow): number => row.total_tokens;

const usageKeys: readonly UsageBy[] = ["provider", "model", "agent", "session", "day"];
const defaultKeys: readonly UsageBy[] = ["provider", "model", "agent", "day"];
const standardTables: readonly (readonly UsageBy[])[] = [["provider"], ["model"], ["agent"], ["day"]];
const rowsMax = 20;
const barColumns = 20;
const hourMs = 3_600_000;

const keyColumns: { readonly [key in UsageBy]: Column } = {
  provider: { title: "PROVIDER", max: 20 },
  model: { title: "MODEL", max: 36 },
  agent: { title: "AGENT", max: 48 },
  session: { title: "CONVERSATION", max: 48 },
  day: { title: "DAY" },
};

const amountColumns: readonly Column[] = [
  { title: "ANSWERS", align: "right" },
  { title: "TOKENS", align: "right" },
  { title: "COST", align: "right" },
  { title: "" },
];
