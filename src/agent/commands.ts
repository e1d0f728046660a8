import { textOf, userEntry, type CacheImpact, type JsonObject, type LogEntry, type UserBlock } from "../core/index.ts";
import type { Letter } from "../store/index.ts";
import { compact, type Compaction } from "./compact.ts";
import { toolsOf } from "./conversation.ts";
import { append, CommandError, findAgent, type Engine, type Live } from "./engine.ts";
import { changedFiles, restoreFiles, type ChangedFile } from "./files.ts";
import { claim } from "./follow.ts";
import { load } from "./load.ts";
import { forkLines, switchModel, withImpact, type Switched } from "./models.ts";
import { send, waitFor, type Waited } from "./post.ts";
import { takeQueue } from "./queue.ts";
import { fork, kill, reap, type ForkOptions } from "./tree.ts";
import { interrupt, say, wake } from "./work.ts";

/** Everything a client can ask for: what it says, and what it gets back. `agent_uuid` may be the beginning of an id. */
export type Commands = {
  /** Something for the model. While it works, it waits for its turn. */
  readonly say: Command<{ readonly content: string | readonly UserBlock[] }, { readonly queued: boolean }>;
  /** Takes back what was said and has not begun, also in an earlier run. */
  readonly unqueue: Command<unknown, { readonly texts: readonly string[] }>;
  /** Ends the running turn, and only that. Done when the agent is ready again. */
  readonly interrupt: Command<unknown, { readonly interrupted: boolean }>;
  readonly model: Command<
    { readonly model: string; readonly thinking_budget?: number; readonly fallback?: readonly string[] },
    Switched
  >;
  readonly fork: Command<Omit<ForkOptions, "reports">, Forked>;
  readonly kill: Command<unknown, { readonly killed: readonly string[] }>;
  readonly reap: Command<unknown, { readonly reaped: readonly string[] }>;
  /** Mail to the agent, from a person or from another agent. */
  readonly send: Command<{ readonly text: string; readonly from_uuid?: string }, Letter>;
  readonly wait: Command<
    { readonly from?: readonly string[]; readonly timeout_ms: number; readonly signal?: AbortSignal },
    Waited
  >;
  readonly mark: Command<{ readonly label?: string }, { readonly entry: LogEntry }>;
  /** Back to a mark (the newest without a label) or to any entry. Files are named, and brought back if wanted. */
  readonly rewind: Command<
    { readonly label?: string; readonly to_uuid?: string; readonly restore_files?: boolean },
    { readonly entry: LogEntry; readonly files: readonly ChangedFile[] }
  >;
  readonly clear: Command<unknown, { readonly entry: LogEntry }>;
  /** Instead of what was there; empty: nothing. */
  readonly system: Command<{ readonly text: string }, Changed>;
  readonly pin: Command<{ readonly path: string }, Changed & { readonly pins: readonly string[] }>;
  readonly unpin: Command<{ readonly path?: string }, Changed & { readonly pins: readonly string[] }>;
  /** The tools it may use; all without names. */
  readonly toolset: Command<{ readonly tools?: readonly string[] }, Changed & { readonly tools: readonly string[] }>;
  readonly compact: Command<{ readonly instructions?: string }, Compaction>;
  /** The last turn again, on another model if one is named. */
  readonly retry: Command<{ readonly model?: string }, { readonly entry: LogEntry }>;
  readonly approve: Command<
    { readonly approval_id: string; readonly scope?: "once" | "session" | "always" },
    { readonly settled: boolean }
  >;
  readonly deny: Command<{ readonly approval_id: string; readonly reason?: string }, { readonly settled: boolean }>;
  /** A task for a child that the agent does not see. Without text it begins. */
  readonly capture: Command<{ readonly text?: string }, { readonly lines: number }>;
  /** What was captured is thrown away. */
  readonly cancel: Command<unknown, { readonly lines: number }>;
  /** Runs an agent here that runs in another process, which from then on only looks at it. */
  readonly take_over: Command<unknown, { readonly taken: boolean }>;
  /** Writes down what a person typed that was not meant for the model. */
  readonly note: Command<{ readonly text: string; readonly data?: JsonObject }, { readonly entry: LogEntry }>;
};

/** What the provider has to read again because of it. */
type Changed = { readonly cache: CacheImpact };

export type Forked = {
  readonly children: readonly string[];
  /** What each of them is, in words, a line each. */
  readonly lines: readonly string[];
  /** What was asked of them, also where it was captured before. */
  readonly prompt?: string;
};

type Command<Input, Result> = { readonly input: { readonly agent_uuid: string } & Input; readonly result: Result };

export type CommandName = keyof Commands;
export type CommandInput<Name extends CommandName> = { readonly type: Name } & Commands[Name]["input"];
export type CommandResult<Name extends CommandName> = Commands[Name]["result"];

export function perform<Name extends CommandName>(
  engine: Engine,
  command: CommandInput<Name>,
): Promise<CommandResult<Name>> {
  const handler: Handler<Name> = handlers[command.type];
  const live = findAgent(engine, command.agent_uuid);
  const run = (): Promise<CommandResult<Name>> => handler({ engine, live, input: command });
  const forOthers = alsoForOthers.has(command.type);
  if (!forOthers && live.state === "dead") {
    throw new CommandError(`agent ${live.uuid} is dead; its history can be read and forked`);
  }
  if (!forOthers && live.owner !== undefined) return claimOrRefuse(engine, live).then(() => perform(engine, command));
  const loading = withoutHistory.has(command.type) ? undefined : load(engine, live);
  return loading === undefined ? run() : loading.then(run);
}

type Handler<Name extends CommandName> = (call: {
  readonly engine: Engine;
  readonly live: Live;
  readonly input: Commands[Name]["input"];
}) => Promise<CommandResult<Name>>;

async function claimOrRefuse(engine: Engine, live: Live): Promise<void> {
  if (await claim(engine, live, { take_over: false })) return;
  const { uuid, owner } = live;
  const where = owner === undefined ? "" : ` (${owner.pid} on ${owner.host})`;
  throw new CommandError(`agent ${uuid} runs in another process${where}; it can be taken over`);
}

async function one(engine: Engine, live: Live, entry: Parameters<typeof append>[2][number]): Promise<LogEntry> {
  const [written] = await append(engine, live, [entry]);
  if (written === undefined) throw new CommandError("the history took nothing");
  return written;
}

async function runRewind({ engine, live, input }: Parameters<Handler<"rewind">>[0]) {
  refuseBusy(live);
  const { label, to_uuid, restore_files = false } = input;
  const target = to_uuid ?? live.replay.mark(label)?.uuid;
  if (target === undefined) {
    throw new CommandError(label === undefined ? "there is no mark" : `there is no mark ${JSON.stringify(label)}`);
  }
  const files = await changedFiles(live.replay.entries(), target);
  const text = label === undefined ? {} : { content: label };
  const entry = await one(engine, live, { kind: "rewind", ...text, data: { target_uuid: target } });
  delete live.last;
  return { entry, files: restore_files ? await restoreFiles(engine, files) : files };
}

async function runRetry({ engine, live, input }: Parameters<Handler<"retry">>[0]) {
  refuseBusy(live);
  const entries = live.replay.entries();
  const said = entries.findLastIndex(({ kind }) => kind === "user" || kind === "mail");
  const last = entries[said];
  if (last === undefined) throw new CommandError("nothing has been said yet");
  if (input.model !== undefined) await switchModel(engine, live, { model: input.model });
  const entry = await one(engine, live, { kind: "rewind", data: { target_uuid: last.uuid } });
  say(engine, live, { text: last.content ?? "" });
  return { entry };
}

async function runToolset({ engine, live, input }: Parameters<Handler<"toolset">>[0]) {
  await engine.world.toolsReady?.();
  const parent = live.parent_uuid === undefined ? undefined : engine.agents.get(live.parent_uuid);
  const known = engine.tools.map(({ definition }) => definition.name);
  const allowed = parent === undefined ? known : toolsOf(engine, parent).map(({ definition }) => definition.name);
  const { tools = allowed } = input;
  const stranger = tools.find((name) => !known.includes(name));
  if (stranger !== undefined) throw new CommandError(`no such tool: ${stranger}; there are ${known.join(", ")}`);
  const forbidden = tools.find((name) => !allowed.includes(name));
  if (forbidden !== undefined) {
    throw new CommandError(`${forbidden} is not for this agent: the one it was forked from may not use it`);
  }
  const cache = await withImpact(engine, live, () => one(engine, live, { kind: "toolset", data: { tools } }));
  return { cache, tools };
}

function refuseBusy(live: Live): void {
  if (live.turn !== undefined || live.queue.length > 0) throw new CommandError("the agent works; interrupt it first");
}

async function runFork({ engine, live, input }: Parameters<Handler<"fork">>[0]) {
  const { agent_uuid: _agent, ...options } = input;
  const prompt = options.prompt ?? live.capture?.join("\n");
  const asked = prompt === undefined || prompt === "" ? {} : { prompt };
  const forks = await fork(engine, live, { ...options, ...asked });
  delete live.capture;
  const lines: string[] = [];
  for (const made of forks) lines.push(...(await forkLines(engine, live, { ...made, prompt: asked.prompt })));
  return { children: forks.map(({ child }) => child.uuid), lines, ...asked };
}

/** Takes its turn like everything else that asks a model: it waits, and it can be interrupted. */
async function runCompact({ engine, live, input }: Parameters<Handler<"compact">>[0]): Promise<Compaction> {
  const { instructions } = input;
  const wish = instructions === undefined ? {} : { instructions };
  const { promise, resolve } = Promise.withResolvers<Compaction>();
  const run = async (signal: AbortSignal): Promise<void> =>
    resolve(await compact(engine, live, { signal, keep: "nothing", ...wish }));
  say(engine, live, { text: "/compact", run });
  const stopped = live.working?.then((): Compaction => ({ compacted: false, reason: "the agent was stopped" }));
  return Promise.race([promise, stopped ?? promise]);
}

const handlers: { readonly [Name in CommandName]: Handler<Name> } = {
  async say({ engine, live, input: { content } }) {
    const blocks = typeof content === "string" ? [{ type: "text", text: content } as const] : content;
    const message = { role: "user", content: blocks } as const;
    return say(engine, live, { entry: userEntry(message), text: textOf(message) });
  },
  unqueue: async ({ engine, live }) => ({ texts: takeQueue(engine, live) }),
  interrupt: async ({ live }) => ({ interrupted: await interrupt(live) }),
  model: ({ engine, live, input }) => switchModel(engine, live, input),
  fork: runFork,
  kill: async ({ engine, live }) => ({ killed: await kill(engine, live.uuid) }),
  reap: async ({ engine }) => ({ reaped: await reap(engine) }),
  send: ({ engine, live, input: { text, from_uuid } }) =>
    send(engine, {
      to: live.uuid,
      text,
      ...(from_uuid === undefined ? {} : { from: findAgent(engine, from_uuid) }),
    }),
  wait: ({ engine, live, input: { from, timeout_ms, signal = new AbortController().signal } }) =>
    waitFor(engine, live, { timeout_ms, signal, ...(from === undefined ? {} : { from }) }),
  mark: async ({ engine, live, input: { label } }) => ({
    entry: await one(engine, live, { kind: "mark", ...(label === undefined ? {} : { content: label }) }),
  }),
  rewind: runRewind,
  async clear({ engine, live }) {
    refuseBusy(live);
    delete live.last;
    return { entry: await one(engine, live, { kind: "clear" }) };
  },
  system: async ({ engine, live, input: { text } }) => ({
    cache: await withImpact(engine, live, () => one(engine, live, { kind: "system", content: text })),
  }),
  async pin({ engine, live, input: { path } }) {
    const cache = await withImpact(engine, live, () => one(engine, live, { kind: "pin", content: path }));
    return { cache, pins: live.replay.settings().pins };
  },
  async unpin({ engine, live, input: { path } }) {
    const which = path === undefined ? {} : { content: path };
    const cache = await withImpact(engine, live, () => one(engine, live, { kind: "unpin", ...which }));
    return { cache, pins: live.replay.settings().pins };
  },
  toolset: runToolset,
  compact: runCompact,
  retry: runRetry,
  approve: async ({ engine, input: { approval_id, scope = "once" } }) => ({
    settled: engine.questions.answer(approval_id, { allowed: true, scope }),
  }),
  deny: async ({ engine, input: { approval_id, reason } }) => ({
    settled: engine.questions.answer(approval_id, { allowed: false, ...(reason === undefined ? {} : { reason }) }),
  }),
  async capture({ engine, live, input: { text } }) {
    live.capture ??= [];
    if (text !== undefined) {
      live.capture.push(text);
      await one(engine, live, { kind: "capture", content: text });
    }
    return { lines: live.capture.length };
  },
  async cancel({ live }) {
    const lines = live.capture?.length ?? 0;
    delete live.capture;
    return { lines };
  },
  async take_over({ engine, live }) {
    if (live.owner === undefined) return { taken: false };
    const taken = await claim(engine, live, { take_over: true });
    wake(engine, live);
    return { taken };
  },
  note: async ({ engine, live, input: { text, data } }) => ({
    entry: await one(engine, live, { kind: "command", content: text, ...(data === undefined ? {} : { data }) }),
  }),
};

/** What can be done with agents that are dead or run elsewhere. */
const alsoForOthers: ReadonlySet<CommandName> = new Set([
  "fork",
  "kill",
  "reap",
  "send",
  "approve",
  "deny",
  "unqueue",
  "take_over",
]);

/** What can be done before a long log is read. */
const withoutHistory: ReadonlySet<CommandName> = new Set([
  "say",
  "unqueue",
  "interrupt",
  "kill",
  "reap",
  "send",
  "wait",
  "approve",
  "deny",
  "capture",
  "cancel",
  "note",
  "mark",
  "take_over",
]);
