import type { ErrorInfo } from "./errors.ts";
import type { FinishReason, Hop } from "./events.ts";
import type { JsonObject } from "./json.ts";
import {
  textOf,
  type AssistantBlock,
  type AssistantMessage,
  type Message,
  type Origin,
  type TextBlock,
  type ToolCallId,
  type ToolResultBlock,
  type UserBlock,
  type UserMessage,
} from "./messages.ts";
import type { Loss, Note } from "./notes.ts";
import type { ThinkingLevel } from "./thinking.ts";
import type { Usage } from "./usage.ts";

/** The version of what `data` looks like. Entries of an older one are read for ever. */
export const logVersion = 1;

/**
 * Something that happened to an agent. The log only grows: clearing, rewinding and compacting are entries like any other,
 * and what is in force is found by reading them (`createReplay`).
 */
export type LogEntry = EntryBody & {
  readonly uuid: string;
  readonly agent_uuid: string;
  readonly version: number;
  /** Milliseconds since 1970. */
  readonly created_at: number;
  /** Its place in the database: larger than that of every older entry of the agent. Absent until it is written. */
  readonly id?: number;
};

/** `content` is text a person can read and search; everything else is `data`. Neither is there when it has nothing to say. */
export type EntryBody =
  /** From here on nothing older is in force. */
  | Body<"clear">
  | Body<"system", string, BlocksData<TextBlock> | undefined>
  | Body<"user", string, BlocksData<UserBlock> | undefined>
  | Body<"assistant", string, AssistantData>
  /** A call is about to be run. The call itself is a block of the answer before it. */
  | Body<"tool_call", undefined, ToolCallData>
  | Body<"tool_result", string, ToolResultData>
  /** A place to return to; `content` is its label. */
  | Body<"mark", string | undefined>
  /** In force is again what was in force right after the target. */
  | Body<"rewind", string | undefined, TargetData>
  /** `content` stands for everything before the target; without one, for everything before this entry. */
  | Body<"compact", string, Partial<TargetData> & Spent>
  /** A child was made; it knows this log up to its own fork point. `content` is the prompt it got. */
  | Body<"fork", string | undefined, ForkData>
  | Body<"agent_killed", string | undefined, { readonly by_uuid?: string } | undefined>
  | Body<"interrupted", string | undefined, InterruptedData>
  /** What a person typed that was not meant for the model. */
  | Body<"command", string, JsonObject | undefined>
  /** A task written for a child that does not exist yet. The agent does not see it. */
  | Body<"capture", string, JsonObject | undefined>
  | Body<"mail", string, MailData>
  | Body<"pin", string>
  /** Without `content`: everything that was pinned. */
  | Body<"unpin", string | undefined>
  /** What answers from now on. */
  | Body<"model", undefined, ModelChoice>
  | Body<"toolset", undefined, { readonly tools: readonly string[] }>
  /** A tool changed the file at `content`. */
  | Body<"file_change", string, FileChangeData>;

export type EntryKind = EntryBody["kind"];

export function isEntryKind(kind: unknown): kind is EntryKind {
  return typeof kind === "string" && Object.hasOwn(entryKinds, kind);
}

const entryKinds: { readonly [kind in EntryKind]: true } = {
  clear: true,
  system: true,
  user: true,
  assistant: true,
  tool_call: true,
  tool_result: true,
  mark: true,
  rewind: true,
  compact: true,
  fork: true,
  agent_killed: true,
  interrupted: true,
  command: true,
  capture: true,
  mail: true,
  pin: true,
  unpin: true,
  model: true,
  toolset: true,
  file_change: true,
};

type Body<Kind extends string, Content = undefined, Data = undefined> = {
  readonly kind: Kind;
} & (Content extends string ? { readonly content: Content } : { readonly content?: string }) &
  (undefined extends Data ? { readonly data?: Exclude<Data, undefined> } : { readonly data: Data });

/** Left out where the blocks are one plain text, which is then `content`. */
export type BlocksData<Block> = { readonly blocks: readonly Block[] };

export type TargetData = { readonly target_uuid: string };

/** What an exchange with a model cost. The store keeps these in columns of their own. */
export type Spent = {
  readonly provider?: string;
  readonly model?: string;
  readonly usage?: Usage;
  /** Absent: the price is not known. */
  readonly cost_usd?: number;
};

export type AssistantData = Spent &
  Origin & {
    /** What was asked for, and what was sent for it. */
    readonly thinking_level?: ThinkingLevel;
    readonly thinking_level_applied?: ThinkingLevel;
    /** The readable thinking of all blocks together. */
    readonly thinking?: string;
    /** The answer whole and in order, with its maker's own data. */
    readonly blocks: readonly AssistantBlock[];
    /** The turn failed or was interrupted; what arrived until then is here. */
    readonly incomplete?: true;
    readonly finish_reason?: FinishReason;
    readonly raw_finish_reason?: string;
    readonly latency_ms?: number;
    readonly error?: ErrorInfo;
    readonly request_id?: string;
    /** The model that answered, where it says more than the one that was asked for. */
    readonly answered_model?: string;
    readonly notes?: readonly Note[];
    readonly losses?: readonly Loss[];
    /** The models of a chain that failed before this one answered. */
    readonly hops?: readonly Hop[];
  };

export type ToolCallData = { readonly tool_call_id: ToolCallId; readonly name: string };

export type ToolResultData = {
  readonly tool_call_id: ToolCallId;
  readonly is_error: boolean;
  readonly name?: string;
  readonly blocks?: ToolResultBlock["content"];
  readonly duration_ms?: number;
  readonly exit_code?: number;
  /** What became of a file, as a unified diff. */
  readonly diff?: string;
};

export type ForkData = { readonly child_uuid: string } & Partial<ModelChoice>;

export type InterruptedData = { readonly reason: "user" | "crash" | "exit" };

export type MailData = { readonly mail_uuid: string; readonly from_uuid?: string };

export type ModelChoice = {
  readonly provider: string;
  readonly model: string;
  readonly thinking_level?: ThinkingLevel;
  readonly thinking_budget?: number;
  /** Who is asked when it cannot answer, in this order, instead of the configured chain. */
  readonly fallback?: readonly string[];
};

/** What the file held before and after: names of stored bytes. Without `before` it did not exist, without `after` it is gone. */
export type FileChangeData = {
  readonly before?: string;
  readonly after?: string;
  readonly tool_call_id?: ToolCallId;
};

export const agentStatuses = [
  "idle",
  "running",
  "waiting",
  "asking",
  "interrupted",
  "failed",
  "killed",
  "reaped",
] as const;
export type AgentStatus = (typeof agentStatuses)[number];

export function userEntry(message: UserMessage): EntryBody & { readonly kind: "user" } {
  return { kind: "user", content: textOf(message), ...blocksData(message.content) };
}

export function systemEntry(blocks: readonly TextBlock[]): EntryBody & { readonly kind: "system" } {
  return { kind: "system", content: blocks.map((block) => block.text).join("\n\n"), ...blocksData(blocks) };
}

export function assistantEntry(
  message: AssistantMessage,
  rest: Omit<AssistantData, keyof Origin | "blocks" | "thinking" | "incomplete"> = {},
): EntryBody & { readonly kind: "assistant" } {
  const thinking = message.content.flatMap((block) => (block.type === "thinking" ? [block.text] : [])).join("\n\n");
  return {
    kind: "assistant",
    content: textOf(message),
    data: {
      ...message.origin,
      ...(thinking === "" ? {} : { thinking }),
      blocks: message.content,
      ...(message.incomplete ? { incomplete: true } : {}),
      ...rest,
    },
  };
}

export function toolResultEntry(
  result: ToolResultBlock,
  rest: Omit<ToolResultData, "tool_call_id" | "is_error" | "blocks"> = {},
): EntryBody & { readonly kind: "tool_result" } {
  const { tool_call_id, is_error, content } = result;
  const text = content.map((block) => (block.type === "text" ? block.text : "")).join("");
  return { kind: "tool_result", content: text, data: { tool_call_id, is_error, ...blocksData(content).data, ...rest } };
}

/** What a model is shown of entries that are in force. Results that follow each other are one message. */
export function messagesOf(entries: readonly EntryBody[]): readonly Message[] {
  const messages: Message[] = [];
  for (const entry of entries) {
    if (entry.kind === "tool_result") {
      const last = messages.at(-1);
      const result = resultBlock(entry);
      if (last?.role === "tool") messages[messages.length - 1] = { role: "tool", content: [...last.content, result] };
      else messages.push({ role: "tool", content: [result] });
    } else {
      const message = messageOf(entry);
      if (message !== undefined) messages.push(message);
    }
  }
  return messages;
}

/** The message an entry is by itself; results are only parts of one. */
function messageOf(entry: EntryBody): Message | undefined {
  switch (entry.kind) {
    case "user":
      return { role: "user", content: entry.data?.blocks ?? [{ type: "text", text: entry.content }] };
    case "mail":
      return { role: "user", content: [{ type: "text", text: letterText(entry.content, entry.data) }] };
    case "compact":
      return { role: "user", content: [{ type: "text", text: entry.content }] };
    case "assistant": {
      const { provider, api, model, blocks, incomplete } = entry.data;
      const origin = { provider, api, model };
      return { role: "assistant", content: blocks, origin, ...(incomplete ? { incomplete } : {}) };
    }
    default:
      return undefined;
  }
}

/** Who gets a letter of another agent has to know whom to answer. A person needs no introduction. */
function letterText(text: string, { from_uuid }: MailData): string {
  return from_uuid === undefined ? text : `[Mail from agent ${from_uuid}]\n\n${text}`;
}

function resultBlock(entry: EntryBody & { readonly kind: "tool_result" }): ToolResultBlock {
  const { tool_call_id, is_error, blocks } = entry.data;
  return { type: "tool_result", tool_call_id, content: blocks ?? [{ type: "text", text: entry.content }], is_error };
}

function blocksData<Block extends { readonly type: string }>(
  blocks: readonly Block[],
): { readonly data?: BlocksData<Block> } {
  const [first, ...more] = blocks;
  const plain = first?.type === "text" && more.length === 0 && Object.keys(first).length === 2;
  return plain ? {} : { data: { blocks } };
}
