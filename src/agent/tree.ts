import type { ModelChoice, Replay } from "../core/index.ts";
import type { Agent } from "../store/index.ts";
import { specOf } from "./conversation.ts";
import {
  adopt,
  append,
  CommandError,
  inBackground,
  noTotals,
  setState,
  type Engine,
  type Live,
  type Totals,
} from "./engine.ts";
import { chooseModel } from "./models.ts";
import { descendantsOf } from "./totals.ts";
import { interrupt, say } from "./work.ts";
import { rulesFrom, type Rule } from "./permissions/index.ts";
import type { AgentLimits } from "./world.ts";

export type ForkOptions = {
  /** MODEL or MODEL/LEVEL for each child; none: one child like its parent. */
  readonly models?: readonly string[];
  readonly prompt?: string;
  readonly name?: string;
  /** Any entry of the parent's log; default: where it stands. */
  readonly at_uuid?: string;
  readonly limits?: AgentLimits;
  readonly tools?: readonly string[];
  /** Rules for it and everything below it, beside those for all. They can only take away. */
  readonly restrict?: readonly Rule[];
  /** Made by an agent: it is told what came out. */
  readonly reports?: boolean;
  /** Whoever forks says the prompt to the children, after telling of them. */
  readonly held?: boolean;
};

/** A child, and what it knew when it began. */
export type Forked = { readonly child: Live; readonly born: Replay };

/** Children that know what their parent knows. Nothing is copied in the store. */
export async function fork(engine: Engine, parent: Live, options: ForkOptions): Promise<readonly Forked[]> {
  const { models = [] } = options;
  refuseNonsense(options);
  const wanted = Math.max(1, models.length);
  refuseTooMany(engine, parent, wanted);
  const before = parent.replay.settings().model;
  const choices = await Promise.all(models.map((spec) => chooseModel(engine, spec, before)));
  const children: Forked[] = [];
  for (let index = 0; index < wanted; index++) {
    children.push(await makeChild(engine, parent, choices[index] ?? before, options));
  }
  return children;
}

function refuseNonsense({ limits = {} }: ForkOptions): void {
  const { budget_usd, requests_max, depth_max } = limits;
  if (budget_usd !== undefined && !(budget_usd >= 0)) throw new CommandError("a budget is an amount of US dollars");
  if (requests_max !== undefined && !(Number.isInteger(requests_max) && requests_max > 0)) {
    throw new CommandError("the number of requests is a whole number above 0");
  }
  if (depth_max !== undefined && !(Number.isInteger(depth_max) && depth_max >= 0)) {
    throw new CommandError("the depth of forks is a whole number");
  }
}

function refuseTooMany(engine: Engine, parent: Live, wanted: number): void {
  const { limits } = engine.world;
  const depth = parent.depth + 1;
  for (let one: Live | undefined = parent; one !== undefined; one = engine.agents.get(one.parent_uuid ?? "")) {
    const most = one.limits.depth_max;
    if (most !== undefined && depth - one.depth > most) throw tooDeep(engine, parent, most);
  }
  if (depth > limits.depth_max) throw tooDeep(engine, parent, limits.depth_max);
  const alive = [...engine.agents.values()].filter(({ state }) => state !== "dead").length;
  if (alive + wanted <= limits.agents_max) return;
  const message = `there are ${alive} agents, ${limits.agents_max} at most; kill some`;
  engine.emit({ type: "limit_reached", agent_uuid: parent.uuid, limit: "agents", message });
  throw new CommandError(message);
}

function tooDeep(engine: Engine, parent: Live, most: number): CommandError {
  const message = `forks go ${most} generations deep, no deeper`;
  engine.emit({ type: "limit_reached", agent_uuid: parent.uuid, limit: "depth", message });
  return new CommandError(message);
}

async function makeChild(
  engine: Engine,
  parent: Live,
  choice: ModelChoice | undefined,
  options: ForkOptions,
): Promise<Forked> {
  const { store } = engine.world;
  const { prompt, name, at_uuid, limits = {}, reports = false, held = false, tools, restrict = [] } = options;
  const row = await store.agents.fork(parent.uuid, {
    ...(at_uuid === undefined ? {} : { at_uuid }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(name === undefined ? {} : { name }),
    ...choice,
    data: { limits, reports, ...(restrict.length === 0 ? {} : { restrict: restrict.map((rule) => ({ ...rule })) }) },
  });
  await store.ownership.claim(row.uuid);
  const replay = await forkedReplay(engine, parent, row);
  const child = liveFrom(row, { replay, depth: parent.depth + 1 });
  engine.agents.set(child.uuid, child);
  restrictAgent(engine, row);
  adopt(engine, parent, await forkEntry(engine, parent, child.uuid));
  engine.emit({
    type: "forked",
    agent_uuid: parent.uuid,
    child_uuid: child.uuid,
    ...(choice === undefined ? {} : { model: specOf(choice) }),
  });
  const { system, pins, tools: inherited } = parent.replay.settings();
  const known = replay.settings();
  await append(engine, child, [
    ...(choice === undefined ? [] : [{ kind: "model", data: choice } as const]),
    ...(tools === undefined && inherited === known.tools ? [] : toolsetEntry(tools, inherited)),
    ...pins.filter((path) => !known.pins.includes(path)).map((content) => ({ kind: "pin", content }) as const),
    ...(system === known.system
      ? []
      : [{ kind: "system", content: textOfBlocks(system), data: { blocks: system } } as const]),
  ]);
  const born = child.replay.fork();
  if (prompt !== undefined && !held) say(engine, child, { entry: { kind: "user", content: prompt }, text: prompt });
  return { child, born };
}

/** In memory, what is not in force any more is known only in part, and of agents of others perhaps not the newest. */
async function forkedReplay(engine: Engine, parent: Live, row: Agent): Promise<Replay> {
  const { fork_message_uuid: at } = row;
  const isKnown = parent.owner === undefined && parent.replay.entries().some(({ uuid }) => uuid === at);
  return isKnown ? parent.replay.fork(at) : engine.world.store.history.replay(row.uuid);
}

/** What an agent was given as rules of its own holds again. */
export function restrictAgent({ world }: Engine, { uuid, data }: Agent): void {
  const restrict = data?.["restrict"];
  if (restrict !== undefined) world.permissions.restrict?.(uuid, rulesFrom(restrict));
}

async function forkEntry(engine: Engine, parent: Live, child_uuid: string) {
  const newest = { before_id: Number.MAX_SAFE_INTEGER, kinds: ["fork"], limit: forksLookedAt } as const;
  const forks = await engine.world.store.history.log(parent.uuid, newest);
  return forks.filter((entry) => entry.kind === "fork" && entry.data.child_uuid === child_uuid);
}

/** A child gets no tool its parent lacks. */
function toolsetEntry(wanted: readonly string[] | undefined, own: readonly string[] | undefined) {
  const tools =
    wanted === undefined || own === undefined ? (wanted ?? own) : wanted.filter((name) => own.includes(name));
  return tools === undefined ? [] : [{ kind: "toolset", data: { tools } } as const];
}

function textOfBlocks(blocks: readonly { readonly text: string }[]): string {
  return blocks.map(({ text }) => text).join("\n\n");
}

/** Ends an agent and everything below it, here and in other processes. */
export async function kill(
  engine: Engine,
  uuid: string,
  reason: { readonly text?: string; readonly by_uuid?: string } = {},
): Promise<readonly string[]> {
  const entries = await engine.world.store.agents.kill(uuid, reason);
  for (const entry of entries) {
    const live = engine.agents.get(entry.agent_uuid);
    if (live === undefined) continue;
    adopt(engine, live, [entry]);
    end(engine, live, reason.by_uuid);
  }
  const killed = entries.map(({ agent_uuid }) => agent_uuid);
  for (const one of killed) await engine.agents.get(one)?.working;
  return killed;
}

/** It is dead in the store; now here, too. */
export function end(engine: Engine, live: Live, by_uuid?: string): void {
  live.queue.length = 0;
  setState(engine, live, "dead");
  engine.emit({ type: "killed", agent_uuid: live.uuid, ...(by_uuid === undefined ? {} : { by_uuid }) });
  void interrupt(live);
  for (const { release } of engine.tools) if (release !== undefined) inBackground(engine, release(live.uuid));
}

/** Dead agents are put away: their log stays, the tree no longer shows them. */
export async function reap(engine: Engine): Promise<readonly string[]> {
  const { store } = engine.world;
  const dead = [...engine.agents.values()].filter(({ uuid, state }) => state === "dead" && allDead(engine, uuid));
  for (const live of dead) {
    await store.agents.update(live.uuid, { status: "reaped" });
    await store.ownership.release(live.uuid);
    engine.agents.delete(live.uuid);
  }
  return dead.map(({ uuid }) => uuid);
}

function allDead(engine: Engine, uuid: string): boolean {
  return descendantsOf(engine, uuid).every((one) => engine.agents.get(one)?.state === "dead");
}

export function liveFrom(
  row: Agent,
  known: { readonly replay: Replay; readonly depth: number; readonly whole?: boolean; readonly totals?: Totals },
): Live {
  const digests = new Map<string, string>();
  const { uuid, parent_uuid, name, created_at, data = {} } = row;
  const dead = row.status === "killed" || row.status === "reaped";
  return {
    uuid,
    ...(parent_uuid === undefined ? {} : { parent_uuid }),
    ...(name === undefined ? {} : { name }),
    created_at,
    depth: known.depth,
    limits: limitsFrom(data["limits"]),
    reports: data["reports"] === true,
    replay: known.replay,
    ...(known.whole === false ? { unread: [] } : {}),
    seen_id: newestId(known.replay, uuid),
    state: dead ? "dead" : "idle",
    status: row.status,
    queue: [],
    unsent: [],
    kept: false,
    again: false,
    totals: known.totals ?? noTotals,
    warned: new Set(),
    files: {
      seen: (path) => {
        const digest = digests.get(path);
        return digest === undefined ? undefined : { digest };
      },
      remember: (path, digest) => void digests.set(path, digest),
    },
  };
}

/** Of its own entries: those before a fork are its parent's. */
function newestId(replay: Replay, uuid: string): number {
  return replay.entries().findLast(({ agent_uuid }) => agent_uuid === uuid)?.id ?? 0;
}

function limitsFrom(value: unknown): AgentLimits {
  if (typeof value !== "object" || value === null) return {};
  const numbers = Object.entries(value).filter(([name, number]) => limitFields.has(name) && typeof number === "number");
  return Object.fromEntries(numbers);
}

/** Others may have been made in the same moment. */
const forksLookedAt = 20;

const limitFields: ReadonlySet<string> = new Set(["budget_usd", "requests_max", "depth_max"]);
