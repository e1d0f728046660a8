import type { JsonObject, TextBlock } from "../core/index.ts";
import type { Fetch, PrepareOptions } from "../llm/index.ts";
import type { Store } from "../store/index.ts";
import type { LimitName } from "./events.ts";
import type { Rule } from "./permissions/index.ts";
import type { Tool, ToolIntent } from "./tools/types.ts";

/** Everything agents may touch; given in, so that a test can be the world. */
export type World = {
  readonly store: Store;
  /** For every call of the library. */
  readonly llm: PrepareOptions & { readonly fetch?: Fetch };
  /** MODEL or MODEL/LEVEL for agents that have none. */
  readonly model?: string;
  readonly limits: Limits;
  /** Read for each request: servers may bring theirs later. */
  readonly tools: readonly Tool[];
  /** Requests wait for it, and nothing else does. */
  readonly toolsReady?: () => Promise<void>;
  readonly permissions: Permissions;
  /** What tools see of the environment. */
  readonly tool_env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** The project's root. */
  readonly root: string;
  readonly now: () => number;
  /** What stands before everything an agent's own log says: read anew at each turn. */
  readonly prompt: (cwd: string) => Promise<readonly TextBlock[]>;
  /** What is pinned, as text; undefined where it cannot be read. */
  readonly readPin: (path: string) => Promise<string | undefined>;
  /** More of the system prompt, for one provider. */
  readonly providerPrompt?: (provider: string) => string | undefined;
  /** Nobody can be asked: what then becomes of calls that want a permission. Money always stops. */
  readonly unattended?: "allow" | "deny";
  /** Resolves when the time is over, or earlier when aborted. */
  readonly sleep: (delay_ms: number, signal: AbortSignal) => Promise<void>;
};

export type Limits = {
  readonly max_tool_turns: number;
  readonly max_output_tokens: number;
  /** Agents that work at the same time; more wait. */
  readonly running_max: number;
  /** Agents of a session that are not dead. */
  readonly agents_max: number;
  /** Generations of forks below the first agent. */
  readonly depth_max: number;
  readonly session_usd?: number;
  readonly day_usd?: number;
  readonly tool_timeout_ms: number;
  /** Bytes of one tool result that the model sees, and that are kept. */
  readonly shown_bytes: number;
  readonly stored_bytes: number;
  /** Compacts by itself once the window is nearly full. */
  readonly compact_auto: boolean;
};

export const defaultLimits: Limits = {
  max_tool_turns: 50,
  max_output_tokens: -1,
  running_max: 8,
  agents_max: 100,
  depth_max: 4,
  session_usd: 5,
  tool_timeout_ms: 120_000,
  shown_bytes: 30_720,
  stored_bytes: 1_048_576,
  compact_auto: false,
};

/** What one agent may use up, given to it when it was forked. */
export type AgentLimits = {
  /** Of it and its descendants. */
  readonly budget_usd?: number;
  readonly requests_max?: number;
  /** Generations below it. */
  readonly depth_max?: number;
};

export type PermissionCall = {
  readonly agent_uuid: string;
  /** The agent and its ancestors: a child may never do what one of them may not. */
  readonly lineage: readonly string[];
  readonly tool: string;
  readonly intent: ToolIntent;
};

export type Verdict =
  | ({ readonly verdict: "allow" } & Permitted)
  | ({ readonly verdict: "ask"; readonly reason?: string } & Permitted)
  | { readonly verdict: "deny"; readonly reason: string };

type Permitted = {
  /** Where the paths of the call really lead: what a tool opens is compared with them. */
  readonly real_paths?: readonly string[];
  /** The rules that "always" would add, and how a person reads them. */
  readonly proposal?: readonly JsonObject[];
  readonly proposal_text?: readonly string[];
};

export type Permissions = {
  /** What the rules and earlier answers say of a call. */
  readonly decide: (call: PermissionCall) => Verdict | Promise<Verdict>;
  /** A person's yes that holds for more than this call. */
  readonly remember: (call: PermissionCall, scope: "session" | "always") => void | Promise<void>;
  /** Rules for one agent and everything below it. They can only take away from what all may. */
  readonly restrict?: (agent_uuid: string, rules: readonly Rule[]) => void;
};

/** Why an agent does not go on. */
export type Stop = { readonly limit: LimitName; readonly message: string };
