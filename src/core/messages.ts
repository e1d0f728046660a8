import type { JsonObject } from "./json.ts";

/** A tool call's id as its provider gave it, or 22 characters of base64url where the provider gives none. */
export type ToolCallId = string;

/**
 * Data that only its maker can read: signatures, encrypted reasoning, item ids, citations.
 * Kept byte for byte on the block it belongs to and never shown to another provider.
 */
export type Opaque = {
  readonly provider: string;
  /** The model id that was asked for. */
  readonly model: string;
  readonly data: JsonObject;
};

/** Asks the provider to remember everything up to and including this block: minutes ("short") or an hour and more ("long"). */
export type CacheHint = "short" | "long";

export type TextBlock = {
  readonly type: "text";
  readonly text: string;
  /** What the answer leans on, where its provider says so. */
  readonly citations?: readonly Citation[];
  readonly cache_hint?: CacheHint;
  readonly opaque?: Opaque;
};

/** A page on the web. `start` and `end` are places in the text of the block; absent: the whole block, or unknown. */
export type Citation = {
  readonly url: string;
  readonly title?: string;
  /** Words of the page. */
  readonly cited_text?: string;
  readonly start?: number;
  readonly end?: number;
};

/** Either base64 data with its media type, or an address the provider fetches itself. */
export type ImageBlock = {
  readonly type: "image";
  readonly cache_hint?: CacheHint;
} & ({ readonly media_type: string; readonly data: string } | { readonly url: string; readonly media_type?: string });

/** A PDF or a text: base64 data with its media type, or an address the provider fetches itself. */
export type DocumentBlock = {
  readonly type: "document";
  readonly title?: string;
  readonly cache_hint?: CacheHint;
} & ({ readonly media_type: string; readonly data: string } | { readonly url: string; readonly media_type?: string });

/** Empty text with `opaque` is legal: the provider kept its thoughts to itself but wants the block back. */
export type ThinkingBlock = { readonly type: "thinking"; readonly text: string; readonly opaque?: Opaque };

export type ToolCallBlock = {
  readonly type: "tool_call";
  readonly id: ToolCallId;
  readonly name: string;
  readonly arguments: JsonObject;
  /** The provider's own text, kept when `JSON.stringify(arguments)` differs from it or when it does not parse. */
  readonly arguments_text?: string;
  /** The arguments never became a JSON object: broken, or cut off before their end. Such a call is not run. */
  readonly invalid?: true;
  readonly opaque?: Opaque;
};

export type ToolResultBlock = {
  readonly type: "tool_result";
  readonly tool_call_id: ToolCallId;
  readonly content: readonly UserBlock[];
  readonly is_error: boolean;
  readonly cache_hint?: CacheHint;
};

/** Kept, replayed to its maker in its place, never interpreted. */
export type ProviderBlock = { readonly type: "provider"; readonly opaque: Opaque };

export type UserBlock = TextBlock | ImageBlock | DocumentBlock;
export type AssistantBlock = TextBlock | ThinkingBlock | ToolCallBlock | ProviderBlock;

/** Who wrote an assistant message. `model` is the id that was asked for. */
export type Origin = { readonly provider: string; readonly api: string; readonly model: string };

export type UserMessage = { readonly role: "user"; readonly content: readonly UserBlock[] };
export type AssistantMessage = {
  readonly role: "assistant";
  readonly content: readonly AssistantBlock[];
  readonly origin: Origin;
  /** The turn failed or was interrupted; what arrived until then is here. */
  readonly incomplete?: true;
};
export type ToolMessage = { readonly role: "tool"; readonly content: readonly ToolResultBlock[] };

/** The role decides which blocks may appear, so no adapter has to check. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

export function user(text: string): UserMessage {
  return { role: "user", content: [{ type: "text", text }] };
}

export function toolResult(tool_call_id: ToolCallId, text: string, is_error = false): ToolResultBlock {
  return { type: "tool_result", tool_call_id, content: [{ type: "text", text }], is_error };
}

/** The visible text of a message, without thinking, calls and results. */
export function textOf(message: Message): string {
  return message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
