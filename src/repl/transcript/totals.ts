import { addUsage, type LogEntry, type Usage } from "../../core/index.ts";
import { addItem, type Log, type Turn } from "./state.ts";

export function newTurn({ created_at }: LogEntry): Turn {
  return { started_at: created_at, ended_at: created_at, requests: 0, cost_usd: 0, unpriced: 0 };
}

export function count(
  log: Log,
  { created_at }: LogEntry,
  { usage, cost_usd }: { readonly usage?: Usage | undefined; readonly cost_usd?: number | undefined },
): void {
  const turn = (log.turn ??= { ended_at: created_at, requests: 0, cost_usd: 0, unpriced: 0 });
  turn.ended_at = created_at;
  if (usage === undefined) return;
  turn.requests += 1;
  turn.usage = turn.usage === undefined ? usage : addUsage(turn.usage, usage);
  if (cost_usd === undefined) turn.unpriced += 1;
  else turn.cost_usd += cost_usd;
}

export function showTotals(log: Log): void {
  const { turn, last } = log;
  if (log.totals !== undefined || turn?.usage === undefined || last === undefined) return;
  const { usage, requests, started_at, ended_at, unpriced, cost_usd } = turn;
  const item = addItem(
    log,
    last,
    {
      type: "exchange",
      usage,
      requests,
      ...(unpriced > 0 ? {} : { cost_usd }),
      ...(started_at === undefined ? {} : { duration_ms: ended_at - started_at }),
    },
    ":totals",
  );
  if (item.type !== "exchange") return;
  log.totals = item;
  if (started_at === undefined && log.first_totals === undefined) log.first_totals = { item, ended_at };
}

export function hideTotals(log: Log): void {
  if (log.totals === undefined) return;
  log.list.remove(log.totals);
  if (log.first_totals?.item === log.totals) delete log.first_totals;
  delete log.totals;
}

export function closeTurn(log: Log): void {
  showTotals(log);
  delete log.totals;
  delete log.turn;
}
