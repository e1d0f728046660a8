import type { ImageBlock, JsonObject, TextBlock, ToolDefinition } from "../../core/index.ts";

/** What a tool does to the world; decides the default permission and what may run side by side. */
export type ToolEffect = "read" | "write" | "command" | "network" | "coordinate" | "unknown";

/** What one call is about to touch, as far as it can be told beforehand. Permissions look at this and at nothing else. */
export type ToolIntent = {
  readonly effect: ToolEffect;
  /** Absolute, links resolved by the permission layer before a rule is applied. */
  readonly paths?: readonly string[];
  /** A shell command line as it will be run. */
  readonly command?: string;
  readonly hosts?: readonly string[];
  /** One line for a person: `edit README.md`, `$ npm test`. */
  readonly summary: string;
  /** Longer, for the approval box: a diff, the whole command. */
  readonly detail?: string;
};

export type ToolContext = {
  /** The agent on whose behalf it runs. */
  readonly agent_uuid: string;
  readonly tool_call_id: string;
  readonly cwd: string;
  /** The project's root: what lies below it may be read without asking. */
  readonly root: string;
  readonly signal: AbortSignal;
  /** Allow-listed; never the whole environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeout_ms: number;
  /** Bytes of a result that the model sees, and that are kept; where left out, as usual. */
  readonly shown_bytes?: number;
  readonly stored_bytes?: number;
  /** Output as it comes, for the screen. */
  readonly onOutput: (text: string) => void;
  /** Called before a file is changed, with what was there (null: nothing), so that it can be brought back, and what comes. */
  readonly keepPreImage: (path: string, bytes: Uint8Array | null, after?: Uint8Array) => Promise<void>;
  /** What this agent has seen of files, so that a change behind its back is noticed. */
  readonly files: FileKnowledge;
  /**
   * The real paths that were permitted (`Verdict.real_paths`). What is opened is compared with them, so that a link made
   * after the decision leads nowhere. Absent: nobody was asked, and what the call names is what it may touch.
   */
  readonly permitted_paths?: readonly string[];
};

export type FileKnowledge = {
  readonly seen: (path: string) => { readonly digest: string } | undefined;
  readonly remember: (path: string, digest: string) => void;
};

export type ToolOutcome = {
  readonly content: readonly (TextBlock | ImageBlock)[];
  readonly is_error: boolean;
  /** Facts for the screen and the log: exit code, lines changed, the diff. */
  readonly data?: JsonObject;
  /** The whole text, up to the limit of the store, where `content` shows a part of it. */
  readonly stored?: string;
};

export type Tool = {
  readonly definition: ToolDefinition;
  /** Pure but for looking at paths. Throws nothing: arguments it cannot make sense of are `unknown`, which asks. */
  readonly intent: (args: JsonObject, context: Pick<ToolContext, "cwd" | "root">) => ToolIntent;
  /** Errors are outcomes the model can act on; throws only when aborted. */
  readonly run: (args: JsonObject, context: ToolContext) => Promise<ToolOutcome>;
  /** An agent is dead: what still runs for it ends. */
  readonly release?: (agent_uuid: string) => Promise<void>;
  /** What a person who is asked is shown instead of the intent's `detail`: made only then, since it reads files. */
  readonly preview?: (
    args: JsonObject,
    context: Pick<ToolContext, "cwd" | "root" | "permitted_paths">,
  ) => Promise<string | undefined>;
};
