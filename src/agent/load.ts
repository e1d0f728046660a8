import { createReplay, messagesOf, type LogEntry, type Replay } from "../core/index.ts";
import { modelInfo } from "../llm/index.ts";
import type { Agent } from "../store/index.ts";
import { specOf } from "./conversation.ts";
import type { Engine, Live } from "./engine.ts";

/** An agent of an earlier run as it is opened: its settings and its newest entries. Costs the same however long it is. */
export async function openReplay(
  engine: Engine,
  { uuid, status }: Agent,
): Promise<{ readonly replay: Replay; readonly whole: boolean }> {
  const view = await engine.world.store.history.view(uuid);
  const entries = await view.older(tailEntries);
  const killed = status === "killed" || status === "reaped";
  const replay = createReplay({ entries, settings: await view.settings(), killed });
  return { replay, whole: entries.length < tailEntries };
}

/** Reads what is in force of an agent's log and not in memory yet. Undefined: all of it is. */
export function load(engine: Engine, live: Live): Promise<void> | undefined {
  if (live.unread === undefined) return undefined;
  live.loading ??= readWhole(engine, live).finally(() => delete live.loading);
  return live.loading;
}

async function readWhole(engine: Engine, live: Live): Promise<void> {
  const read = await engine.world.store.history.replay(live.uuid);
  const shared = sharedEntries(engine, live);
  const entries = read.entries().map((entry) => shared.get(entry.uuid) ?? entry);
  const replay = createReplay({ entries, settings: read.settings(), killed: read.killed() });
  const { unread = [] } = live;
  const known = new Set(entries.map(({ uuid }) => uuid));
  // Only what came after the newest that was read: anything older may be out of force by now.
  const newest = unread.findLastIndex(({ uuid }) => known.has(uuid));
  for (const entry of unread.slice(newest + 1)) replay.add(entry);
  live.replay = replay;
  delete live.unread;
  const last = await lastExchange(engine, entries);
  // What was told at the opening counted only the messages that had been read.
  if (last !== undefined) live.last = last;
}

/** Agents that were forked from each other hold what they have in common once. */
function sharedEntries(engine: Engine, live: Live): ReadonlyMap<string, LogEntry> {
  const others = [...engine.agents.values()].filter((other) => other !== live && other.unread === undefined);
  return new Map(others.flatMap(({ replay }) => replay.entries().map((entry) => [entry.uuid, entry] as const)));
}

/** How full the window was at the newest answer; not known where it was shortened since. */
export async function lastExchange(engine: Engine, entries: readonly LogEntry[]): Promise<Live["last"]> {
  const at = entries.findLastIndex((entry) => entry.kind === "assistant" && entry.data.usage !== undefined);
  const answer = entries[at];
  if (answer?.kind !== "assistant" || answer.data.usage === undefined || answer.data.incomplete) return undefined;
  const answered_at = answer.id ?? 0;
  if (entries.some(({ kind, id = 0 }) => kind === "compact" && id > answered_at)) return undefined;
  const info = await modelInfo(specOf(answer.data), engine.world.llm).catch(() => undefined);
  return {
    usage: answer.data.usage,
    messages: messagesOf(entries.slice(0, at + 1)).length,
    window_tokens: info?.context_tokens ?? 0,
  };
}

/** How an agent's last turn ended, as its log tells it: what was before a fork are its parent's. */
export function lastOutcome(entries: readonly LogEntry[], agent_uuid: string): Live["outcome"] {
  const end = entries.findLast(
    (entry) => entry.agent_uuid === agent_uuid && (entry.kind === "assistant" || entry.kind === "interrupted"),
  );
  if (end?.kind !== "assistant") return end === undefined ? undefined : "interrupted";
  return end.data.error === undefined ? "done" : "failed";
}

const tailEntries = 50;
