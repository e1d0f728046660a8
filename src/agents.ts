import { setTimeout as wait } from "node:timers/promises";
import { defaultLimits, readPinned, type Limits, type World } from "./agent/index.ts";
import { sessionPermissions, type Rule } from "./agent/permissions/index.ts";
import { toolEnvironment, type Tool } from "./agent/tools/index.ts";
import type { Store } from "./store/index.ts";

/** Agents for programs: what the terminal application is built on. Needs Node. */
export {
  CommandError,
  defaultLimits,
  openAgents,
  type AgentEvent,
  type Agents,
  type AgentState,
  type AgentSummary,
  type AgentView,
  type CommandInput,
  type CommandName,
  type CommandResult,
  type Limits,
  type OpenOptions,
  type TurnEnd,
  type World,
} from "./agent/index.ts";
export type { Rule } from "./agent/permissions/index.ts";
export { builtInTools, type Tool, type ToolContext, type ToolIntent, type ToolOutcome } from "./agent/tools/index.ts";
export { openStore, type Store } from "./store/index.ts";

export type WorldOptions = Pick<World, "model" | "unattended"> & {
  /** Where everything is written down: `await openStore({ path })`. */
  readonly store: Store;
  /** Settings, providers and `fetch`, as for every call of the library. */
  readonly llm?: World["llm"];
  /** What models may call; `builtInTools()` has files, commands, searching and the web. None without. */
  readonly tools?: readonly Tool[];
  /** What tools may do without asking, what never. */
  readonly rules?: readonly Rule[];
  readonly limits?: Partial<Limits>;
  /** The beginning of every agent's system prompt. */
  readonly system?: string;
  /** The folder tools work in, and may read. */
  readonly cwd?: string;
};

/** A world for `openAgents` that lacks nothing. Where nobody answers questions, say so: `unattended: "deny"`. */
export function createWorld(options: WorldOptions): World {
  const { store, llm = {}, tools = [], rules = [], system, cwd = process.cwd(), model, unattended } = options;
  const { HOME: home } = process.env;
  const alone = unattended === undefined ? {} : { unattended };
  return {
    store,
    llm,
    ...(model === undefined ? {} : { model }),
    limits: { ...defaultLimits, ...options.limits },
    tools,
    permissions: sessionPermissions({
      rules,
      context: { root: cwd, cwd, ...(home === undefined ? {} : { home }) },
      ...alone,
    }),
    tool_env: toolEnvironment(process.env),
    cwd,
    root: cwd,
    now: Date.now,
    prompt: async () => (system === undefined ? [] : [{ type: "text", text: system }]),
    readPin: (path) => readPinned(cwd, path),
    ...alone,
    sleep: (delay_ms, signal) => wait(delay_ms, undefined, { signal }).catch(() => undefined),
  };
}
