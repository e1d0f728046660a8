import { addUsage, type LogEntry, type Usage } from "../../core/index.ts";
import type { ItemBody } from "./items.ts";
import type { ItemList, MutableOf } from "./list.ts";
import { lastLogged, type Log, type Turn } from "./state.ts";

export function newTurn({ created_at }: LogEntry): Turn {
  return { started_at: created_at, ended_at: created_at, requests: 0, cost_usd: 0, unpriced: 0 };
}

export function count(
  log: Log,
  { created_at, uuid }: LogEntry,
  { usage, cost_usd }: { readonly usage?: Usage | undefined; readonly cost_usd?: number | undefined },
): void {
  const turn = (log.turn ??= { ended_at: created_at, requests: 0, cost_usd: 0, unpriced: 0 });
  turn.ended_at = created_at;
  turn.entry_uuid = uuid;
  reach(log);
  if (usage === undefined) return;
  turn.requests += 1;
  turn.usage = turn.usage === undefined ? usage : addUsage(turn.usage, usage);
  if (cost_usd === undefined) turn.unpriced += 1;
  else turn.cost_usd += cost_usd;
}

/** The turn goes as far as to the last item. It may have begun on an older page. */
export function reach(log: Log): void {
  log.turn ??= { ended_at: 0, requests: 0, cost_usd: 0, unpriced: 0 };
  log.turn.after = lastLogged(log);
}

/** Two parts of one turn. */
export function joined(older: Turn, newer: Turn | undefined): Turn {
  if (newer === undefined) return older;
  const { started_at, usage } = older;
  const both = usage === undefined || newer.usage === undefined ? (usage ?? newer.usage) : addUsage(usage, newer.usage);
  const entry_uuid = newer.entry_uuid ?? older.entry_uuid;
  return {
    ...(started_at === undefined ? {} : { started_at }),
    ended_at: newer.entry_uuid === undefined ? older.ended_at : newer.ended_at,
    requests: older.requests + newer.requests,
    cost_usd: older.cost_usd + newer.cost_usd,
    unpriced: older.unpriced + newer.unpriced,
    ...(both === undefined ? {} : { usage: both }),
    ...(entry_uuid === undefined ? {} : { entry_uuid }),
    after: newer.after ?? older.after,
  };
}

type Totals = ItemBody & { readonly type: "exchange" };

/** What a turn used, if anything is known of it. */
export function totalsBody(turn: Turn | undefined): Totals | undefined {
  if (turn?.usage === undefined) return undefined;
  const { usage, requests, started_at, ended_at, unpriced, cost_usd } = turn;
  return {
    type: "exchange",
    usage,
    requests,
    ...(unpriced > 0 ? {} : { cost_usd }),
    ...(started_at === undefined ? {} : { duration_ms: ended_at - started_at }),
  };
}

export function showTotals(log: Log, lists: readonly ItemList[] = [log.list]): void {
  const { turn } = log;
  const body = log.totals === undefined ? totalsBody(turn) : undefined;
  if (body === undefined || turn?.entry_uuid === undefined) return;
  log.totals = insertTotals(lists, turn, body);
}

/** Behind the last item of the turn; nowhere, if that was rewound. */
export function insertTotals(lists: readonly ItemList[], turn: Turn, body: Totals): MutableOf<"exchange"> | undefined {
  const { entry_uuid = "", after } = turn;
  const item: MutableOf<"exchange"> = { id: `${entry_uuid}:totals`, version: 1, entry_uuid, ...body };
  for (const { items, insertAt } of lists) {
    const index = after === undefined ? -1 : items.lastIndexOf(after);
    if (after !== undefined && index === -1) continue;
    insertAt(index + 1, [item]);
    return item;
  }
  return undefined;
}

export function hideTotals(log: Log): void {
  if (log.totals === undefined) return;
  log.list.remove(log.totals);
  delete log.totals;
}

export function closeTurn(log: Log): void {
  showTotals(log);
  const { turn, totals: item } = log;
  log.first_turn ??= { turn, item };
  delete log.totals;
  delete log.turn;
}
