import {
  documentText,
  fingerprint,
  isJsonObject,
  type AssistantBlock,
  type AssistantMessage,
  type CacheHint,
  type DocumentBlock,
  type ImageBlock,
  type JsonObject,
  type Loss,
  type Message,
  type Opaque,
  type ThinkingBlock,
  type ToolCallBlock,
  type ToolMessage,
  type UserBlock,
} from "../../../core/index.ts";
import { mendedObject } from "./mend.ts";
import { legalName } from "./tools.ts";
import {
  imageTypes,
  type ImageType,
  type WireBlock,
  type WireDocument,
  type WireImage,
  type WireInput,
  type WireMessage,
  type WireText,
  type WireToolResult,
} from "./wire.ts";

export type History = {
  readonly messages: readonly WireMessage[];
  /** Blocks whose writer asked for a cache breakpoint. */
  readonly hints: ReadonlyMap<WireBlock, CacheHint>;
  readonly losses: readonly Loss[];
  /** Fingerprint of everything in front of the answer. */
  readonly prefix_hash: string;
};

export type HistoryOptions = {
  readonly provider: string;
  /** The model reads its thinking only behind the very prefix it was made for. */
  readonly bound: boolean;
  /** What stands in front of the messages: tools and system, as text. */
  readonly before: string;
};

/**
 * Messages in wire words. Results become a user message of their own, also when the user speaks next: the server joins
 * neighbours of one role, and what was sent once stays as it was (prompt caches depend on that).
 */
export function encodeHistory(messages: readonly Message[], options: HistoryOptions): History {
  const losses: Loss[] = [];
  const hints = new Map<WireBlock, CacheHint>();
  const wire: WireMessage[] = [];
  const unanswered = unansweredServerCalls(messages);
  let prefix_hash = fingerprint(options.before);
  messages.forEach((message, message_index) => {
    const place: Place = { ...options, message_index, losses, hints, prefix_hash, unanswered };
    const encoded = encodeMessage(message, place, message_index === messages.length - 1);
    if (encoded.content.length === 0) return;
    wire.push(encoded);
    // A chain, so that each message is read once however long the history is.
    if (options.bound) prefix_hash = fingerprint(prefix_hash + JSON.stringify(encoded));
  });
  return { messages: wire, hints, losses, prefix_hash };
}

/** A block as it goes into the body. */
export function unwrap(block: WireBlock): JsonObject {
  return block.type === "raw" ? block.block : block;
}

type Place = HistoryOptions & {
  readonly message_index: number;
  readonly losses: Loss[];
  readonly hints: Map<WireBlock, CacheHint>;
  readonly prefix_hash: string;
  readonly unanswered: ReadonlySet<JsonObject>;
};

function encodeMessage(message: Message, place: Place, isLast: boolean): WireMessage {
  switch (message.role) {
    case "user":
      return { role: "user", content: message.content.flatMap((block) => encodeUserBlock(block, place)) };
    case "tool":
      return { role: "user", content: encodeResults(message, place) };
    case "assistant":
      return { role: "assistant", content: encodeTurn(message, place, isLast) };
  }
}

function encodeUserBlock(block: UserBlock, place: Place): WireInput[] {
  const wire = encodeInput(block, place);
  if (wire === undefined) return [];
  if (block.cache_hint !== undefined) place.hints.set(wire, block.cache_hint);
  return [wire];
}

function encodeInput(block: UserBlock, place: Place): WireInput | undefined {
  switch (block.type) {
    case "text":
      return encodeText(block.text);
    case "image":
      return encodeImage(block, place);
    case "document":
      return encodeDocument(block, place);
  }
}

/** The API refuses text without a visible character. */
export function encodeText(text: string): WireText | undefined {
  return text.trim() === "" ? undefined : { type: "text", text: text.toWellFormed() };
}

function encodeImage(image: ImageBlock, { losses, message_index }: Place): WireImage | WireText {
  const source = "url" in image ? (inlineData(image.url) ?? image) : image;
  if ("url" in source) return { type: "image", source: { type: "url", url: source.url } };
  const { media_type, data } = source;
  if (isImageType(media_type)) return { type: "image", source: { type: "base64", media_type, data } };
  const message = `An image was left out: ${media_type} is not one of ${imageTypes.join(", ")}`;
  losses.push({ code: "unsupported_block", message, message_index });
  return { type: "text", text: `[image left out: ${media_type} cannot be read]` };
}

/** PDF by data or address, and text. */
function encodeDocument(block: DocumentBlock, place: Place): WireDocument | WireText | undefined {
  const title = block.title === undefined || block.title === "" ? {} : { title: block.title.toWellFormed() };
  const inline = "url" in block ? inlineData(block.url) : block;
  if (inline === undefined) {
    return "url" in block ? { type: "document", source: { type: "url", url: block.url }, ...title } : undefined;
  }
  const { media_type, data } = inline;
  if (media_type === "application/pdf") {
    return { type: "document", source: { type: "base64", media_type, data }, ...title };
  }
  const text = documentText({ type: "document", media_type, data });
  if (text !== undefined) {
    if (text.trim() === "") return undefined;
    return {
      type: "document",
      source: { type: "text", media_type: "text/plain", data: text.toWellFormed() },
      ...title,
    };
  }
  const message = `A document was left out: ${media_type} is neither PDF nor text`;
  place.losses.push({ code: "unsupported_block", message, message_index: place.message_index });
  return { type: "text", text: `[document left out: ${media_type} cannot be read]` };
}

function inlineData(url: string): { media_type: string; data: string } | undefined {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return media_type === undefined || data === undefined ? undefined : { media_type, data };
}

function isImageType(media_type: string): media_type is ImageType {
  return imageTypes.some((known) => known === media_type);
}

/** Results first; a failed one may hold text only, so all else of it follows after all results. */
function encodeResults(message: ToolMessage, place: Place): (WireToolResult | WireInput)[] {
  const moved: WireInput[] = [];
  const results = message.content.map((result) => {
    const content = result.content.flatMap((block) => encodeUserBlock(block, place));
    const kept = result.is_error ? content.filter((block) => block.type === "text") : content;
    if (result.is_error) moved.push(...content.filter((block) => block.type !== "text"));
    const wire: WireToolResult = {
      type: "tool_result",
      tool_use_id: result.tool_call_id,
      ...(kept.length > 0 ? { content: kept } : {}),
      ...(result.is_error ? { is_error: true } : {}),
    };
    if (result.cache_hint !== undefined) place.hints.set(wire, result.cache_hint);
    return wire;
  });
  return [...results, ...moved];
}

function encodeTurn(message: AssistantMessage, place: Place, isLast: boolean): WireBlock[] {
  const content = message.content.flatMap((block, block_index) =>
    encodeAssistantBlock(block, message, { ...place, block_index }),
  );
  const last = content.at(-1);
  // An answer to be continued may not end in blanks. (Models that bind their thinking take no such beginnings.)
  if (isLast && !place.bound && last?.type === "text") last.text = last.text.trimEnd();
  return content;
}

type BlockPlace = Place & { readonly block_index: number };

function encodeAssistantBlock(block: AssistantBlock, message: AssistantMessage, place: BlockPlace): WireBlock[] {
  const data = ownData(block.opaque, place);
  switch (block.type) {
    case "text": {
      const text = encodeText(block.text);
      if (text === undefined) return [];
      return [data === undefined ? text : { type: "raw", block: { ...text, ...data } }];
    }
    case "thinking":
      return encodeThinking(block, data, place);
    case "tool_call":
      return [encodeToolCall(block, message, data, place)];
    case "provider":
      return data === undefined || isLeftUnanswered(data, place) ? [] : [{ type: "raw", block: data }];
  }
}

/** Nobody else's data is ever sent, whatever the history says. */
function ownData(opaque: Opaque | undefined, place: Place): JsonObject | undefined {
  return opaque?.provider === place.provider ? opaque.data : undefined;
}

function encodeThinking(block: ThinkingBlock, data: JsonObject | undefined, place: BlockPlace): WireBlock[] {
  const { message_index, block_index, losses } = place;
  const { prefix_hash, signature, data: redacted } = data ?? {};
  if (place.bound && typeof prefix_hash === "string" && prefix_hash !== place.prefix_hash) {
    const message = "Thinking was left out: what stood before it has changed";
    losses.push({ code: "broken_prefix", message, message_index, block_index });
    return [];
  }
  if (data?.["type"] === "redacted_thinking" && typeof redacted === "string") {
    return [{ type: "redacted_thinking", data: redacted }];
  }
  if (typeof signature === "string") return [{ type: "thinking", thinking: block.text, signature }];
  losses.push({ code: "unsigned_thinking", message: "Unsigned thinking was left out", message_index, block_index });
  return [];
}

function encodeToolCall(
  block: ToolCallBlock,
  message: AssistantMessage,
  data: JsonObject | undefined,
  place: Place,
): WireBlock {
  const { id } = block;
  const name = legalName(block.name);
  const own = message.origin.provider === place.provider;
  // Its own words come back to it exactly; others' calls in the cleaned form that the tool saw.
  const input = mendedObject((own ? parseObject(block.arguments_text) : undefined) ?? block.arguments);
  const wire = { type: "tool_use", id, name, input } as const;
  return data === undefined ? wire : { type: "raw", block: { ...wire, ...data } };
}

function parseObject(text: string | undefined): JsonObject | undefined {
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}

function isLeftUnanswered(data: JsonObject, { unanswered, losses, message_index, block_index }: BlockPlace): boolean {
  if (!unanswered.has(data)) return false;
  const message = `An unfinished call of the server's own ${String(data["name"])} was left out`;
  losses.push({ code: "half_tool_call", message, message_index, block_index });
  return true;
}

/**
 * A paused turn may end on a call the server has not answered yet; sent back as the last message it is continued.
 * Once the user has spoken instead, it will never be answered, and the API refuses it.
 */
function unansweredServerCalls(messages: readonly Message[]): ReadonlySet<JsonObject> {
  const answered = new Set<unknown>();
  const open: JsonObject[] = [];
  let next: Message["role"] | undefined;
  for (const message of messages.toReversed()) {
    if (message.role !== "assistant") next = message.role;
    for (const block of message.content) {
      if (block.type !== "provider") continue;
      const { data } = block.opaque;
      if (data["tool_use_id"] !== undefined) answered.add(data["tool_use_id"]);
      else if (String(data["type"]).endsWith("_tool_use") && next === "user") open.push(data);
    }
  }
  return new Set(open.filter((data) => !answered.has(data["id"])));
}
