import { addUsage, type AgentStatus, type LogEntry, type Replay, type Usage } from "../core/index.ts";
import type { LastExchange } from "../llm/index.ts";
import type { NewEntry } from "../store/index.ts";
import type { AgentEvent, AgentState, TurnEnd } from "./events.ts";
import type { Gate } from "./gate.ts";
import type { Purse } from "./purse.ts";
import type { Questions } from "./questions.ts";
import type { FileKnowledge, Tool } from "./tools/types.ts";
import type { AgentLimits, World } from "./world.ts";

/** What all agents of a session share. */
export type Engine = {
  readonly world: World;
  readonly session_uuid: string;
  readonly agents: Map<string, Live>;
  readonly tools: readonly Tool[];
  readonly gate: Gate;
  readonly purse: Purse;
  readonly questions: Questions;
  /** Held by whoever asks for more money. */
  readonly counter: Gate;
  /** Models without a known price that may be used all the same. */
  readonly accepted_models: Set<string>;
  readonly emit: (event: AgentEvent) => void;
  /** Returns how to stop. */
  readonly listen: (listener: (event: AgentEvent) => void) => () => void;
  /** Work nobody waits for, until the end. */
  readonly background: Set<Promise<unknown>>;
  closing: boolean;
};

/** One agent in this process. What is durable of it is in the store. */
export type Live = {
  readonly uuid: string;
  readonly parent_uuid?: string;
  readonly depth: number;
  readonly name?: string;
  readonly limits: AgentLimits;
  /** Its last words of a turn go to its parent, unless it has written itself. */
  readonly reports: boolean;
  readonly created_at: number;
  replay: Replay;
  /** What was added while only the newest part of its log is in memory; absent: all that is in force is. */
  unread?: LogEntry[];
  loading?: Promise<void>;
  /** The largest id of its own entries that is known here. */
  seen_id: number;
  state: AgentState;
  status: AgentStatus;
  /** What was said while it worked. */
  readonly queue: Input[];
  /** What waited when an earlier run ended, and whether anything is written down of what waits. */
  unsent: readonly string[];
  kept: boolean;
  turn?: Turn;
  /** A turn that was about to begin was interrupted: it ends as soon as it has. */
  stop_next?: { readonly reason: "user" | "exit"; readonly ended: (() => void)[] };
  /** The loop that takes one piece of work after the other; `again`: there may be more. */
  working?: Promise<void>;
  again: boolean;
  totals: Totals;
  /** The newest answer, for knowing how full the window is. */
  last?: LastExchange & { readonly window_tokens: number };
  /** How its last turn ended; absent where none has, or where that was taken back. */
  outcome?: TurnEnd["outcome"];
  /** Warnings it has given already. */
  readonly warned: Set<string>;
  readonly files: FileKnowledge;
  /** A task being written for a child. */
  capture?: string[];
  /** It runs in another process: it can be looked at. */
  owner?: { readonly pid: number; readonly host: string };
};

/** A line of a person, the wish to go on with what is there, or something else that takes a turn of its own. */
export type Input = {
  readonly text: string;
  readonly entry?: NewEntry;
  readonly run?: (signal: AbortSignal) => Promise<void>;
};

export type Turn = {
  readonly controller: AbortController;
  readonly started_at: number;
  totals: Totals;
  /** Whether it holds a place among those that work. */
  placed: boolean;
  /** Whether it has written to its parent. */
  wrote: boolean;
  /** Who wants to know when it is over. */
  readonly ended: (() => void)[];
};

export type Totals = {
  readonly requests: number;
  readonly usage?: Usage;
  readonly cost_usd: number;
  readonly unpriced: number;
};

export const noTotals: Totals = { requests: 0, cost_usd: 0, unpriced: 0 };

export function addTotals(left: Totals, right: Totals): Totals {
  const usage =
    left.usage === undefined || right.usage === undefined
      ? (left.usage ?? right.usage)
      : addUsage(left.usage, right.usage);
  return {
    requests: left.requests + right.requests,
    cost_usd: left.cost_usd + right.cost_usd,
    unpriced: left.unpriced + right.unpriced,
    ...(usage === undefined ? {} : { usage }),
  };
}

/** What an answer cost counts for its turn, its agent and the session. */
export function spend(engine: Engine, live: Live, spent: { readonly usage?: Usage; readonly cost_usd?: number }): void {
  const { usage, cost_usd } = spent;
  const totals: Totals = {
    requests: 1,
    cost_usd: cost_usd ?? 0,
    unpriced: cost_usd === undefined ? 1 : 0,
    ...(usage === undefined ? {} : { usage }),
  };
  live.totals = addTotals(live.totals, totals);
  if (live.turn !== undefined) live.turn.totals = addTotals(live.turn.totals, totals);
  engine.purse.spend(cost_usd ?? 0);
}

export async function append(engine: Engine, live: Live, entries: readonly NewEntry[]): Promise<readonly LogEntry[]> {
  const written = await engine.world.store.history.append(live.uuid, entries);
  adopt(engine, live, written);
  return written;
}

/** Entries that are in the store become part of what is known of the agent. */
export function adopt(engine: Engine, live: Live, entries: readonly LogEntry[]): void {
  for (const entry of entries) {
    live.replay.add(entry);
    live.unread?.push(entry);
    if (entry.kind === "rewind" || entry.kind === "clear") delete live.outcome;
    live.seen_id = Math.max(live.seen_id, entry.id ?? 0);
    engine.emit({ type: "entry", agent_uuid: live.uuid, entry });
  }
}

export function setState(engine: Engine, live: Live, state: AgentState): void {
  if (live.state === state || live.state === "dead") return;
  live.state = state;
  engine.emit({ type: "state", agent_uuid: live.uuid, state });
  const status = statuses[state];
  if (status === live.status) return;
  live.status = status;
  // A killed agent's row was written by whoever killed it.
  if (state !== "dead") inBackground(engine, engine.world.store.agents.update(live.uuid, { status }));
}

export function warn(engine: Engine, live: Live, code: string, message: string): void {
  const key = `${code} ${message}`;
  if (live.warned.has(key)) return;
  live.warned.add(key);
  engine.emit({ type: "warning", agent_uuid: live.uuid, code, message });
}

/** Nobody waits for it now; `close` does. What fails there has been reported by the store. */
export function inBackground(engine: Engine, work: Promise<unknown>): void {
  const done = work.catch(() => undefined).finally(() => engine.background.delete(done));
  engine.background.add(done);
}

export function findAgent(engine: Engine, uuid: string): Live {
  const exact = engine.agents.get(uuid);
  if (exact !== undefined) return exact;
  const starting =
    uuid.length < idLengthMin ? [] : [...engine.agents.values()].filter((live) => live.uuid.startsWith(uuid));
  const [only, ...more] = starting;
  if (only !== undefined && more.length === 0) return only;
  throw new CommandError(
    only === undefined ? `there is no agent ${JSON.stringify(uuid)}` : `more than one agent begins with ${uuid}`,
  );
}

/** The agent and its ancestors. */
export function lineageOf(engine: Engine, live: Live): readonly string[] {
  const parent = live.parent_uuid === undefined ? undefined : engine.agents.get(live.parent_uuid);
  if (parent !== undefined) return [live.uuid, ...lineageOf(engine, parent)];
  return live.parent_uuid === undefined ? [live.uuid] : [live.uuid, live.parent_uuid];
}

/** What was asked for cannot be done, in words for whoever asked. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

const idLengthMin = 2;

const statuses: { readonly [state in AgentState]: AgentStatus } = {
  idle: "idle",
  waiting: "waiting",
  streaming: "running",
  tool: "running",
  asking: "asking",
  dead: "killed",
};
