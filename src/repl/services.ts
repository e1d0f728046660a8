import type { Agents } from "../agent/index.ts";
import type { LogEntry, ThinkingLevel, UserBlock } from "../core/index.ts";

/** What the REPL needs of the machine and of the history beyond agents; given in, so that a test can be the world. */
export type Services = {
  readonly version: string;
  /** What a person types to start the program; absent: `ikigai`. */
  readonly program?: string;
  /** The folder the program was started in, whole, and as a person reads it: `~/proj (main)`. */
  readonly folder: string;
  readonly folder_label: string;
  /** `db sqlite`, `db postgres example.org/ikigai`. */
  readonly store_label: string;
  /** How much waits because the history cannot be written at the moment; absent: it can be. */
  readonly unwritten?: number | undefined;
  /** Calls back when that has changed. Returns how to stop. */
  readonly onUnwritten?: (listener: () => void) => () => void;
  /** No key was found: `sim` answers until one is added. */
  readonly without_key: boolean;
  /** Said once at the start: what is strange in the configuration, tools that cannot be used. */
  readonly problems: readonly string[];
  readonly preferences: Preferences;
  readonly now: () => number;

  /** Opens a session: the folder's last one, one by its id (or the beginning of it), or a new one. */
  readonly open: (which: SessionChoice) => Promise<Opened>;
  readonly sessions: (which: {
    readonly everywhere: boolean;
    readonly limit: number;
  }) => Promise<readonly SessionRow[]>;
  /** The newest entries of an agent, or those before one: oldest first, forks and their parents as one. */
  readonly page: (agent_uuid: string, range: { readonly before?: string; readonly limit: number }) => Promise<Page>;
  /** One entry, whole: items keep only the end of what is long. */
  readonly entry: (uuid: string) => Promise<LogEntry>;
  readonly search: (text: string, limit: number) => Promise<readonly FoundRow[]>;
  /** Writes the conversation of an agent into a file and says where and what was left out. */
  readonly exportTo: (request: {
    readonly agent_uuid: string;
    readonly format: "markdown" | "html" | "jsonl";
    readonly path?: string;
  }) => Promise<readonly string[]>;
  readonly usageLines: (session_uuid: string) => Promise<readonly string[]>;

  /** Small things a screen remembers of a session: scroll positions, drafts, who was looked at. */
  readonly recall: (session_uuid: string) => Promise<string | undefined>;
  readonly remember: (session_uuid: string, state: string) => Promise<void>;
  /** What was typed in this folder, oldest first. */
  readonly typed: () => Promise<readonly string[]>;
  readonly keepTyped: (text: string) => Promise<void>;

  readonly models: () => Promise<readonly ModelRow[]>;
  /** Every tool there is, with what becomes of a call of it by the rules in force. */
  readonly tools?: () => Promise<readonly ToolRow[]>;
  /** How long a provider may be silent before its request is given up. */
  readonly idleTimeoutMs: (provider: string) => number;
  /** Paths below the folder that begin like this, for completion; folders end in `/`. */
  readonly paths: (prefix: string, limit: number) => Promise<readonly string[]>;
  /** A file as a part of a message. Throws an error that can be shown. */
  readonly attach: (path: string) => Promise<UserBlock>;
  /** Runs a person's own command in the folder. Never throws for a command that fails. */
  readonly shell: (
    command: string,
    how: { readonly signal: AbortSignal; readonly output: (text: string) => void },
  ) => Promise<{ readonly exit_code: number | null; readonly output: string }>;
  /** `$EDITOR` on a text. The terminal is its own meanwhile. Undefined: nothing was written. */
  readonly edit: (text: string) => Promise<string | undefined>;
  /** Takes keys out of what is shown. */
  readonly hide: (text: string) => string;
  readonly close: () => Promise<void>;
};

export type SessionChoice =
  | { readonly which: "last" | "new" }
  | { readonly which: "id"; readonly id: string; readonly take_over?: boolean };

export type Opened = {
  readonly agents: Agents;
  /** Something was there before. */
  readonly resumed: boolean;
  /** What a person should know of it: agents that run elsewhere, answers that were cut off. */
  readonly notes: readonly string[];
  /** What turns out only after a while: tools that cannot be used. */
  readonly later?: Promise<readonly string[]>;
};

export type Page = {
  readonly entries: readonly LogEntry[];
  /** There are older ones; `before` of the next page is the uuid of the first entry. */
  readonly older: boolean;
};

export type SessionRow = {
  readonly uuid: string;
  readonly title: string;
  readonly folder: string;
  readonly updated_at: number;
  readonly agents: number;
  readonly cost_usd: number;
  readonly unpriced: number;
};

export type FoundRow = {
  readonly session_uuid: string;
  readonly agent_uuid: string;
  readonly created_at: number;
  readonly kind: string;
  readonly excerpt: string;
};

export type ModelRow = {
  /** What a person types: `claude-opus-5-5`, `openrouter:vendor/model`. */
  readonly name: string;
  readonly provider: string;
  /** There is a key for it, or it needs none. */
  readonly usable: boolean;
  readonly levels: readonly ThinkingLevel[];
  readonly context_tokens?: number;
  /** Dollars for a million tokens; absent: not known, shown as `?`. */
  readonly input_price?: number;
  readonly output_price?: number;
};

export type ToolRow = {
  readonly name: string;
  /** One sentence. */
  readonly description: string;
  /** `reads inside the project, asks outside`, `asks`, `never`. */
  readonly permission: string;
};

export type Preferences = {
  readonly keys: { readonly [action: string]: readonly string[] };
  readonly theme: "dark" | "light" | "auto";
  readonly mouse: boolean;
  readonly thinking: ThinkingView;
  readonly history_size: number;
};

/** How thinking is shown: whole, as one line, not at all. */
export const thinkingViews = ["shown", "collapsed", "hidden"] as const;
export type ThinkingView = (typeof thinkingViews)[number];
