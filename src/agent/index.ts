import { user, type Message, type ModelChoice } from "../core/index.ts";
import { estimate, type Estimate } from "../llm/index.ts";
import type { View } from "../store/index.ts";
import { perform, type CommandInput, type CommandName, type CommandResult } from "./commands.ts";
import { choiceOf, conversationOf, specOf, toolsOf } from "./conversation.ts";
import { append, CommandError, findAgent, noTotals, setState, type Engine, type Live, type Totals } from "./engine.ts";
import type { AgentEvent, AgentState, TurnEnd } from "./events.ts";
import { createFollower } from "./follow.ts";
import { createGate } from "./gate.ts";
import { load } from "./load.ts";
import { chooseModel, somethingToSay } from "./models.ts";
import { createPurse } from "./purse.ts";
import { createQuestions } from "./questions.ts";
import { coordinationTools } from "./tools/coordinate.ts";
import { treeTotals } from "./totals.ts";
import { addReopened, reopen } from "./reopen.ts";
import { end, liveFrom } from "./tree.ts";
import { interrupt, wake } from "./work.ts";
import type { World } from "./world.ts";

export type { CommandInput, CommandName, CommandResult, Commands } from "./commands.ts";
export type { Compaction } from "./compact.ts";
export { CommandError, type Totals } from "./engine.ts";
export { agentStates, eventTable, limitNames, type AgentEvent, type AgentState, type TurnEnd } from "./events.ts";
export { readPinned, readPrompt } from "./prompt.ts";
export type { ChangedFile } from "./files.ts";
export type { Switched } from "./models.ts";
export type { Waited, WaitStatus } from "./post.ts";
export { defaultLimits, type AgentLimits, type Limits, type Permissions, type Verdict, type World } from "./world.ts";

/** The agents of one session: commands in, events out. The screen, `-p` and the server are clients of this. */
export type Agents = {
  readonly session_uuid: string;
  /** The session's first agent. */
  readonly root_uuid: string;
  readonly command: <Name extends CommandName>(command: CommandInput<Name>) => Promise<CommandResult<Name>>;
  /** Calls back for everything that happens, at once and in order. Returns how to stop. */
  readonly subscribe: (listener: (event: AgentEvent) => void) => () => void;
  readonly list: () => readonly AgentSummary[];
  /** Costs nothing for what is not looked at: messages and entries are put together when they are read. */
  readonly view: (agent_uuid: string) => AgentView;
  /** Reads a long log into memory, as the next turn would. */
  readonly load: (agent_uuid: string) => Promise<void>;
  /** What is in force, newest first, in pages as large as one likes; nothing of it stays in memory. */
  readonly history: (agent_uuid: string) => Promise<HistoryPages>;
  /** What the next request would read, with this text added to it. */
  readonly estimate: (agent_uuid: string, text?: string) => Promise<Estimate>;
  /** Resolves when the agent has nothing to do. */
  readonly settled: (agent_uuid: string) => Promise<void>;
  /** Ends everything that runs and gives the agents up; the store stays open. */
  readonly close: () => Promise<void>;
};

export type AgentSummary = {
  readonly uuid: string;
  readonly parent_uuid?: string;
  readonly name?: string;
  readonly depth: number;
  readonly state: AgentState;
  /** How its last turn ended; absent where it has had none. */
  readonly outcome?: TurnEnd["outcome"];
  readonly model?: ModelChoice;
  readonly queued: number;
  /** What waited when an earlier run ended and was never said; `unqueue` gives it back. */
  readonly unsent?: readonly string[];
  /** Lines of a task for a child that is being written; absent: none is. */
  readonly captured?: number;
  readonly totals: Totals;
  /** With all its descendants. */
  readonly tree_totals: Totals;
  /** How full the window was at the last answer. */
  readonly context?: { readonly tokens: number; readonly window_tokens: number };
  /** Runs in another process. */
  readonly owner?: { readonly pid: number; readonly host: string };
};

/** `older`: the next older entries, oldest first; empty when there are no more. */
export type HistoryPages = Pick<View, "older" | "marks">;

export type AgentView = AgentSummary & {
  /** Whether `messages` and `entries` are all that is in force; of a long log opened again, the newest until `load`. */
  readonly whole: boolean;
  readonly messages: readonly Message[];
  readonly entries: ReturnType<Live["replay"]["entries"]>;
  readonly tools: readonly string[];
  readonly pins: readonly string[];
  readonly system: string;
};

export type OpenOptions = {
  /** A session to go on with; a new one without. */
  readonly session_uuid?: string;
  /** Also takes agents that run in another process. */
  readonly take_over?: boolean;
};

export async function openAgents(world: World, options: OpenOptions = {}): Promise<Agents> {
  const { store } = world;
  const session_uuid = options.session_uuid ?? (await store.sessions.create({ folder: world.cwd })).uuid;
  const engine = await createEngine(world, session_uuid);
  const rows = await store.agents.list(session_uuid);
  await reopen(engine, rows, options);
  const root =
    [...engine.agents.values()].find(({ parent_uuid }) => parent_uuid === undefined) ?? (await newRoot(engine));
  const stopWatching = watch(engine);
  for (const live of engine.agents.values()) wake(engine, live);
  return {
    session_uuid,
    root_uuid: root.uuid,
    command: async (command) => {
      if (engine.closing) throw new CommandError("the program is ending");
      return perform(engine, command);
    },
    subscribe: engine.listen,
    list: () => [...engine.agents.values()].map((live) => summaryOf(engine, live)),
    view: (agent_uuid) => viewOf(engine, findAgent(engine, agent_uuid)),
    load: async (agent_uuid) => load(engine, findAgent(engine, agent_uuid)),
    history: (agent_uuid) => store.history.view(findAgent(engine, agent_uuid).uuid),
    estimate: (agent_uuid, text) => estimateFor(engine, findAgent(engine, agent_uuid), text),
    async settled(agent_uuid) {
      const live = findAgent(engine, agent_uuid);
      while (live.working !== undefined) await live.working;
    },
    close: () => close(engine, stopWatching),
  };
}

async function createEngine(world: World, session_uuid: string): Promise<Engine> {
  const listeners = new Set<(event: AgentEvent) => void>();
  const { store, limits, now } = world;
  const coordination = coordinationTools(() => engine);
  const engine: Engine = {
    world,
    session_uuid,
    agents: new Map(),
    get tools() {
      return [...world.tools, ...coordination];
    },
    gate: createGate(limits.running_max),
    purse: await createPurse({ store, session_uuid, limits, now }),
    questions: createQuestions(),
    counter: createGate(1),
    accepted_models: new Set(),
    emit(event) {
      for (const listener of listeners) listener(event);
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    background: new Set(),
    closing: false,
  };
  return engine;
}

async function newRoot(engine: Engine): Promise<Live> {
  const { store, model } = engine.world;
  const choice = model === undefined ? undefined : await chooseModel(engine, model, undefined);
  const row = await store.agents.create(engine.session_uuid, { ...choice });
  await store.ownership.claim(row.uuid);
  const live = liveFrom(row, { replay: await store.history.replay(row.uuid), depth: 0 });
  engine.agents.set(live.uuid, live);
  if (choice !== undefined) await append(engine, live, [{ kind: "model", data: choice }]);
  return live;
}

/** Letters wake; whoever was killed from another process is ended here. */
function watch(engine: Engine): () => void {
  const { store } = engine.world;
  const wakeAll = (): void => {
    for (const live of engine.agents.values()) if (live.state !== "dead") wake(engine, live);
  };
  const follow = createFollower(engine, (row) => addReopened(engine, row, { take_over: false, totals: noTotals }));
  const stopListening = store.changes.onChange(({ what, agent_uuid }) => {
    if (what !== "mail" && what !== "checkpoint") follow();
    if (what !== undefined && what !== "mail") return;
    const live = agent_uuid === undefined ? undefined : engine.agents.get(agent_uuid);
    if (live !== undefined) wake(engine, live);
    else if (agent_uuid === undefined) wakeAll();
  });
  const timer = setInterval(() => void lookForKilled(engine), lookForKilledMs).unref();
  return () => {
    stopListening();
    clearInterval(timer);
  };
}

async function lookForKilled(engine: Engine): Promise<void> {
  const running = [...engine.agents.values()].filter(({ turn }) => turn !== undefined);
  if (running.length === 0 || engine.closing) return;
  const rows = await engine.world.store.agents.list(engine.session_uuid).catch(() => []);
  const killed = new Set(rows.filter(({ status }) => status === "killed").map(({ uuid }) => uuid));
  for (const live of running) if (killed.has(live.uuid)) end(engine, live);
}

function summaryOf(engine: Engine, live: Live): AgentSummary {
  const { uuid, parent_uuid, name, depth, totals, last, owner, queue } = live;
  // A turn that has begun and not yet asked is work, too.
  const state = live.turn !== undefined && live.state === "idle" ? "streaming" : live.state;
  const { model } = live.replay.settings();
  return {
    uuid,
    ...(parent_uuid === undefined ? {} : { parent_uuid }),
    ...(name === undefined ? {} : { name }),
    depth,
    state,
    ...(live.outcome === undefined ? {} : { outcome: live.outcome }),
    ...(model === undefined ? {} : { model }),
    queued: queue.length,
    ...(live.unsent.length === 0 ? {} : { unsent: live.unsent }),
    ...(live.capture === undefined ? {} : { captured: live.capture.length }),
    totals,
    tree_totals: treeTotals(engine, uuid),
    ...(last === undefined ? {} : { context: { tokens: last.usage.total_tokens, window_tokens: last.window_tokens } }),
    ...(owner === undefined ? {} : { owner }),
  };
}

function viewOf(engine: Engine, live: Live): AgentView {
  const { system, pins } = live.replay.settings();
  return {
    ...summaryOf(engine, live),
    whole: live.unread === undefined,
    get messages() {
      return live.replay.messages();
    },
    get entries() {
      return live.replay.entries();
    },
    tools: toolsOf(engine, live).map(({ definition }) => definition.name),
    pins,
    system: system.map(({ text }) => text).join("\n\n"),
  };
}

async function estimateFor(engine: Engine, live: Live, text = ""): Promise<Estimate> {
  await load(engine, live);
  const conversation = await conversationOf(engine, live);
  const added = text.trim() === "" ? somethingToSay : user(text);
  const { last } = live;
  return estimate(
    specOf(choiceOf(live)),
    { ...conversation, messages: [...conversation.messages, added] },
    { ...engine.world.llm, ...(last === undefined ? {} : { last }) },
  );
}

async function close(engine: Engine, stopWatching: () => void): Promise<void> {
  engine.closing = true;
  stopWatching();
  const { store } = engine.world;
  const agents = [...engine.agents.values()];
  await Promise.all(agents.map((live) => interrupt(live, "exit")));
  for (const live of agents) await live.working;
  while (engine.background.size > 0) await Promise.all(engine.background);
  for (const live of agents) {
    if (live.owner !== undefined || live.state === "dead") continue;
    setState(engine, live, "idle");
    await store.ownership.release(live.uuid);
  }
  while (engine.background.size > 0) await Promise.all(engine.background);
}

const lookForKilledMs = 500;
