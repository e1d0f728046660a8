import { openAgents, type OpenOptions } from "../agent/index.ts";
import { problemText } from "../config/index.ts";
import { thinkingLevels } from "../core/index.ts";
import { IkigaiError, knownModels } from "../llm/index.ts";
import { defaultIdleTimeoutMs } from "../llm/settings.ts";
import type { Opened, Services, SessionChoice } from "../repl/index.ts";
import { isStoreError, openStore, StoreError, type OutboxState, type Store } from "../store/index.ts";
import { openTools, type AgentTools } from "./agent-tools.ts";
import { agentWorld, defaultModel, projectRoot } from "./agent-world.ts";
import type { Io } from "./io.ts";
import { plural } from "./layout.ts";
import { historyServices } from "./repl-history.ts";
import { machineServices } from "./repl-machine.ts";
import type { Front } from "./repl-services.ts";
import { toolRows } from "./repl-tools.ts";
import { currentSecrets, hider, placeOf, scriptKey, scriptPrefix } from "./stored.ts";
import { keyFor, openWorld, type World } from "./world.ts";

/** Everything that takes time to load: models, agents, tools, the history. It is loaded once the first picture is there. */
export type Machinery = Omit<Services, keyof Front | "onUnwritten">;

export async function openMachinery(
  io: Io,
  own: {
    readonly folder: string;
    readonly history_size: number;
    readonly model?: string;
    /** Whether the history can be written has changed. */
    readonly outboxChanged: () => void;
  },
): Promise<Machinery> {
  const { folder, history_size } = own;
  const world = await openWorld(io);
  const secrets = currentSecrets(world);
  const hide = (text: string): string => hider(secrets())(text);
  const problems = world.problems.map((problem) => hide(problemText(problem)));
  const place = placeOf(world);
  let outboxState: (() => OutboxState) | undefined;
  const store = once(async () => {
    try {
      const opened = await openStore({ ...place, unwritable: "shelter", secrets });
      outboxState = opened.outbox.state;
      opened.outbox.onState(own.outboxChanged);
      problems.push(...opened.warnings.map(({ message }) => hide(message)));
      return opened;
    } catch (error) {
      throw isStoreError(error) ? new StoreError(error.kind, hide(error.message), error.code) : error;
    }
  });
  const leaving = new AbortController();
  const tools = once(() => openTools(world, { root: projectRoot(folder), cwd: folder, signal: leaving.signal }));
  let simulated = false;
  const modelFor = async (): Promise<string> => {
    const chosen = own.model ?? (await realModel(world));
    simulated = chosen === undefined;
    return chosen ?? simulatedModel;
  };
  return {
    get without_key() {
      return simulated;
    },
    get unwritten() {
      // More may wait than when it was last told of.
      const { failure, waiting } = outboxState?.() ?? { waiting: 0 };
      return failure === undefined ? undefined : waiting;
    },
    problems,
    open: (which) => openSession(which, { world, io, folder, store, tools, modelFor, hide, wanted: own.model }),
    ...historyServices({ store, world, io, hide, folder, history_size }),
    ...machineServices(folder, world.env),
    models: () => modelRows(world),
    tools: async () => toolRows((await tools()).tools, world.config.get("permissions") ?? [], folder),
    idleTimeoutMs: (provider) => idleTimeout(world, provider),
    hide,
    async close() {
      leaving.abort();
      // What was never opened, or could not be, needs no closing.
      await tools.opened()?.then(({ close }) => close(), nothing);
      const lost = (await store.opened()?.then((opened) => opened.close(), nothing)) ?? [];
      if (lost.length > 0) io.stderr(`ikigai: ${plural(lost.length, "entry", "entries")} could not be written\n`);
    },
  };
}

type Once<Value> = (() => Promise<Value>) & { readonly opened: () => Promise<Value> | undefined };

function once<Value>(open: () => Promise<Value>): Once<Value> {
  let promise: Promise<Value> | undefined;
  return Object.assign(() => (promise ??= open()), { opened: () => promise });
}

type Session = {
  readonly world: World;
  readonly io: Io;
  readonly folder: string;
  readonly store: () => Promise<Store>;
  readonly tools: () => Promise<AgentTools>;
  readonly modelFor: () => Promise<string>;
  readonly hide: (text: string) => string;
  /** Asked for on the command line: also where a conversation goes on. */
  readonly wanted: string | undefined;
};

async function openSession(which: SessionChoice, session: Session): Promise<Opened> {
  const { folder } = session;
  const store = await session.store();
  const found =
    which.which === "id"
      ? await store.sessions.find(which.id)
      : which.which === "last"
        ? await store.sessions.latest(folder, { unless: scriptPrefix })
        : undefined;
  const take_over = which.which === "id" && which.take_over === true;
  const opened = await openAt(found?.uuid, { session, store, take_over });
  const { agents } = opened;
  const owner = agents.list().find(({ uuid }) => uuid === agents.root_uuid)?.owner;
  if (owner === undefined) return opened;
  const where = `process ${owner.pid} on ${owner.host}`;
  const short = agents.session_uuid.slice(0, idLength);
  if (which.which === "id") {
    return { ...opened, notes: [`This conversation is open in ${where}: you can read along here.`, ...opened.notes] };
  }
  // Somebody has the folder's last one open, most likely the same person: they want another one here.
  await agents.close();
  const fresh = await openAt(undefined, { session, store, take_over: false });
  return {
    ...fresh,
    notes: [`The last conversation of this folder is open in ${where}; \`/resume ${short}\` shows it here, too.`],
  };
}

type Opening = { readonly session: Session; readonly store: Store; readonly take_over: boolean };

async function openAt(session_uuid: string | undefined, { session, store, take_over }: Opening): Promise<Opened> {
  const { world, io, folder, hide } = session;
  const known = session_uuid === undefined ? [] : await store.agents.list(session_uuid);
  const { tools, problems } = toolsOf(session.tools);
  const model = known.length > 0 ? {} : { model: await session.modelFor() };
  const options: OpenOptions = { take_over, ...(session_uuid === undefined ? {} : { session_uuid }) };
  const agents = await openAgents(agentWorld(world, io, { store, cwd: folder, tools, ...model }), options);
  // Whoever opens a script's conversation makes it their own.
  if (known.length > 0) await store.states.set(scriptKey(agents.session_uuid), undefined);
  const notes: string[] = [];
  const root = agents.list().find(({ uuid }) => uuid === agents.root_uuid);
  if (session.wanted !== undefined && known.length > 0 && root?.owner === undefined) {
    const { lines } = await agents.command({ type: "model", agent_uuid: agents.root_uuid, model: session.wanted });
    notes.push(...lines);
  }
  return { agents, resumed: known.length > 0, notes, later: problems.then((lines) => lines.map(hide)) };
}

/** Servers take their time: the conversation is there meanwhile. */
function toolsOf(open: () => Promise<AgentTools>): {
  readonly tools: Parameters<typeof agentWorld>[2]["tools"];
  readonly problems: Promise<readonly string[]>;
} {
  let now: AgentTools["tools"] = [];
  const problems = open().then(
    (opened) => {
      now = opened.tools;
      return opened.problems;
    },
    (error: unknown) => [error instanceof Error ? error.message : String(error)],
  );
  return { tools: { now: () => now, ready: async () => void (await problems) }, problems };
}

/** As configured, of the first provider with a key, of a local server. Undefined: there is none of them. */
async function realModel(world: World): Promise<string | undefined> {
  try {
    return await defaultModel(world);
  } catch (error) {
    if (error instanceof IkigaiError && error.category === "auth") return undefined;
    throw error;
  }
}

async function modelRows(world: World): Promise<Awaited<ReturnType<Services["models"]>>> {
  const usable = new Map(
    world.rows.map((row) => [row.name, row.key_variables.length === 0 || keyFor(world, row) !== undefined]),
  );
  const models = await knownModels(world.options());
  return models.map(({ id, provider, thinking, context_tokens, prices }) => ({
    name: id,
    provider,
    usable: usable.get(provider) === true,
    levels: thinking.kind === "none" ? [] : thinkingLevels,
    context_tokens,
    ...(prices === undefined ? {} : { input_price: prices.input, output_price: prices.output }),
  }));
}

function idleTimeout(world: World, provider: string): number {
  const { settings } = world.options();
  const chosen = settings.providers?.[provider]?.idle_timeout_ms ?? settings.idle_timeout_ms;
  return chosen ?? world.rows.find(({ name }) => name === provider)?.idle_timeout_ms ?? defaultIdleTimeoutMs;
}

const nothing = (): undefined => undefined;
const idLength = 8;

/** Shows the most of what there is: it thinks, and it calls tools when it is told to. */
const simulatedModel = "sim-think/low";
