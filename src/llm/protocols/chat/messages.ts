import {
  documentAsText,
  documentName,
  isJsonObject,
  type AssistantMessage,
  type CacheHint,
  type DocumentBlock,
  type Message,
  type Note,
  type Request,
  type ToolCallBlock,
  type ToolMessage,
  type UserBlock,
} from "../../../core/index.ts";
import type { ChatQuirks } from "./quirks.ts";
import type {
  WireAssistant,
  WireCacheControl,
  WireCall,
  WireMessage,
  WirePart,
  WireReasoning,
  WireSeals,
  WireText,
  WireThinking,
  WireTool,
  WireUser,
} from "./wire.ts";

export type MessageContext = {
  readonly quirks: ChatQuirks;
  readonly system_role: "system" | "developer" | "first_user";
  /** Absent: this model takes no marks. */
  readonly cache_control: WireCacheControl | undefined;
  /** Said after the system prompt. */
  readonly format_words: string | undefined;
  readonly notes: Note[];
};

/** The whole history in wire words, the system prompt first. Appending to it only appends to the result. */
export function encodeMessages(request: Request, context: MessageContext): readonly WireMessage[] {
  const system = (request.system ?? []).map(({ text }) => text.toWellFormed());
  const prompt = [...system, context.format_words ?? ""].filter((text) => text !== "").join("\n\n");
  const names = callNames(request.messages);
  const messages = request.messages.flatMap((message) => encodeMessage(message, { ...context, names }));
  const whole = prompt === "" ? messages : withSystem(prompt, messages, context);
  const merged = context.quirks.merge_user_messages ? mergeUsers(whole) : whole;
  return context.quirks.assistant_after_tool ? merged.flatMap(bridged) : merged;
}

function bridged(message: WireMessage, place: number, messages: readonly WireMessage[]): readonly WireMessage[] {
  const follows = message.role === "user" && messages[place - 1]?.role === "tool";
  return follows ? [{ role: "assistant", content: "OK" }, message] : [message];
}

type NamedContext = MessageContext & { readonly names: ReadonlyMap<string, string> };

function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_call"));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function withSystem(prompt: string, messages: readonly WireMessage[], context: MessageContext): readonly WireMessage[] {
  const { system_role, cache_control } = context;
  if (system_role !== "first_user") {
    const marked: WireText[] = [{ type: "text", text: prompt, cache_control }];
    return [{ role: system_role, content: cache_control === undefined ? prompt : marked }, ...messages];
  }
  const [first, ...rest] = messages;
  if (first?.role !== "user") return [{ role: "user", content: prompt }, ...messages];
  return [{ ...first, content: joinContent(prompt, first.content) }, ...rest];
}

function encodeMessage(message: Message, context: NamedContext): readonly WireMessage[] {
  switch (message.role) {
    case "user": {
      const content = userContent(message.content, context);
      return content === undefined ? [] : [{ role: "user", content }];
    }
    case "assistant": {
      const encoded = assistantMessage(message, context);
      return encoded === undefined ? [] : [encoded];
    }
    case "tool":
      return toolMessages(message, context);
  }
}

/** One text is a string; anything else is a list of parts. Undefined: nothing to say. */
function userContent(blocks: readonly UserBlock[], context: MessageContext): WireUser["content"] | undefined {
  const kept = blocks.map(readable).filter((block) => block.type !== "text" || block.text !== "");
  if (kept.length === 0) return undefined;
  const texts = kept.filter((block) => block.type === "text");
  const marked = context.cache_control !== undefined && kept.some(({ cache_hint }) => cache_hint !== undefined);
  const plain = texts.length === kept.length && !marked && (texts.length === 1 || context.quirks.plain_content);
  if (plain) return texts.map(({ text }) => text).join("\n\n");
  return kept.map((block) => ({ ...encodePart(block, context), ...markOf(block.cache_hint, context) }));
}

/** A text document goes as text everywhere. */
function readable(block: UserBlock): UserBlock {
  const text = block.type === "document" ? documentAsText(block) : undefined;
  if (text === undefined) return block;
  return { type: "text", text, ...(block.cache_hint === undefined ? {} : { cache_hint: block.cache_hint }) };
}

function encodePart(block: UserBlock, context: MessageContext): WirePart {
  if (block.type === "text") return { type: "text", text: block.text };
  if (block.type === "document") return encodeDocument(block, context);
  if ("data" in block) {
    return { type: "image_url", image_url: { url: `data:${block.media_type};base64,${block.data}` } };
  }
  if (context.quirks.image_urls) return { type: "image_url", image_url: { url: block.url } };
  noteOnce(context, "image_url_unsupported", "This server fetches no images; the address is sent as text");
  return { type: "text", text: `[image at ${block.url}]` };
}

function encodeDocument(block: DocumentBlock, context: MessageContext): WirePart {
  const filename = documentName(block);
  if ("data" in block) {
    return { type: "file", file: { filename, file_data: `data:${block.media_type};base64,${block.data}` } };
  }
  if (context.quirks.documents === "all") return { type: "file", file: { filename, file_data: block.url } };
  const message = "This server fetches no documents, it needs their data; the address is sent as text";
  noteOnce(context, "document_url_unsupported", message);
  return { type: "text", text: `[document at ${block.url}]` };
}

function noteOnce({ notes }: MessageContext, code: string, message: string): void {
  if (!notes.some((note) => note.code === code)) notes.push({ code, message });
}

function markOf(
  hint: CacheHint | undefined,
  { cache_control }: MessageContext,
): { readonly cache_control?: WireCacheControl } {
  if (hint === undefined || cache_control === undefined) return {};
  return { cache_control: hint === "long" ? { ...cache_control, ttl: "1h" } : cache_control };
}

/** Undefined where a message would have neither text nor calls, which servers refuse. */
function assistantMessage(message: AssistantMessage, { quirks }: NamedContext): WireAssistant | undefined {
  const calls = message.content.filter((block) => block.type === "tool_call").map(encodeCall);
  const text = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
  if (text === "" && calls.length === 0) return undefined;
  const parts = quirks.echo_reasoning_field === "content_parts" ? contentParts(message) : undefined;
  return {
    role: "assistant",
    ...(parts === undefined ? plainContent(text, quirks) : { content: parts }),
    ...sealsOf(message),
    ...reasoningFields(message, quirks, calls.length > 0),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
}

/** Fields of the whole message that only its maker can read. */
function sealsOf(message: AssistantMessage): WireSeals {
  return message.content.reduce<WireSeals>((seals, block) => {
    const seal = block.type === "tool_call" ? undefined : block.opaque?.data["message"];
    if (!isJsonObject(seal)) return seals;
    const { extra_content, thought_signature, reasoning_opaque } = seal;
    return {
      ...seals,
      ...(extra_content === undefined ? {} : { extra_content }),
      ...(thought_signature === undefined ? {} : { thought_signature }),
      ...(reasoning_opaque === undefined ? {} : { reasoning_opaque }),
    };
  }, {});
}

function plainContent(text: string, quirks: ChatQuirks): Pick<WireAssistant, "content"> {
  if (text !== "") return { content: text };
  if (quirks.empty_content === "omit") return {};
  return { content: quirks.empty_content === "null" ? null : "" };
}

/** Thinking as parts of the content, in its place. Undefined where there is none. */
function contentParts(message: AssistantMessage): (WireText | WireThinking)[] | undefined {
  if (!message.content.some((block) => block.type === "thinking" && block.text !== "")) return undefined;
  return message.content.flatMap((block): (WireText | WireThinking)[] => {
    if (block.type === "text" && block.text !== "") return [{ type: "text", text: block.text }];
    if (block.type !== "thinking" || block.text === "") return [];
    return [{ type: "thinking", thinking: [{ type: "text", text: block.text }] }];
  });
}

/** What the server gave as details goes back as details and not a second time as text. */
function reasoningFields(message: AssistantMessage, quirks: ChatQuirks, hasCalls: boolean): WireReasoning {
  const thinking = message.content.filter((block) => block.type === "thinking");
  const details = thinking.flatMap(({ opaque }) => opaque?.data["reasoning_detail"] ?? []);
  if (quirks.reasoning_details && details.length > 0) return { reasoning_details: details };
  const text = thinking.map((block) => block.text).join("");
  if (text === "" && !(quirks.echo_reasoning_required && hasCalls)) return {};
  switch (quirks.echo_reasoning_field) {
    case "reasoning_content":
      return { reasoning_content: text };
    case "reasoning":
      return { reasoning: text };
    case "reasoning_text":
      return { reasoning_text: text };
    case "content_parts":
    case "none":
      return {};
  }
}

function encodeCall({ id, name, arguments: parsed, arguments_text, invalid, opaque }: ToolCallBlock): WireCall {
  const { type, extra_content } = opaque?.data ?? {};
  const { input } = parsed;
  if (type === "custom") return { id, type, custom: { name, input: typeof input === "string" ? input : "" } };
  // Torn arguments would be refused by every server that parses the history; their call has an error for a result.
  const exact = invalid !== true && arguments_text !== undefined && isObjectText(arguments_text);
  const text = exact ? arguments_text : JSON.stringify(parsed);
  const sealed = extra_content === undefined ? {} : { extra_content };
  return { id, type: "function", function: { name, arguments: text }, ...sealed };
}

/** One message per result. Images and documents have no place in them and follow in a message of their own. */
function toolMessages(message: ToolMessage, context: NamedContext): readonly WireMessage[] {
  const { quirks, names } = context;
  const images: UserBlock[] = [];
  const results = message.content.map((result): WireTool => {
    const blocks = result.content.map(readable);
    const text = blocks.flatMap((block) => (block.type === "text" && block.text !== "" ? block.text : []));
    const aside = blocks.filter((block) => block.type !== "text");
    const name = names.get(result.tool_call_id);
    const what = aside.some((block) => block.type === "document") ? "documents" : "images";
    if (aside.length > 0) {
      const heading = `${what === "images" ? "Images" : "Documents"} from ${name ?? result.tool_call_id}:`;
      images.push({ type: "text", text: heading }, ...aside);
    }
    const nothing = aside.length > 0 ? `(${what} in the next message)` : "(no output)";
    const content = text.length > 0 ? text.join("\n") : nothing;
    const mark = markOf(result.cache_hint, context);
    return {
      role: "tool",
      tool_call_id: result.tool_call_id,
      ...(quirks.tool_result_name && name !== undefined ? { name } : {}),
      content: "cache_control" in mark ? [{ type: "text", text: content, ...mark }] : content,
    };
  });
  const shown = userContent(images, context);
  return shown === undefined ? results : [...results, { role: "user", content: shown }];
}

function mergeUsers(messages: readonly WireMessage[]): readonly WireMessage[] {
  const merged: WireMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === "user" && last?.role === "user") {
      merged[merged.length - 1] = { ...last, content: joinContent(last.content, message.content) };
    } else {
      merged.push(message);
    }
  }
  return merged;
}

function joinContent(left: WireUser["content"], right: WireUser["content"]): WireUser["content"] {
  if (typeof left === "string" && typeof right === "string") return `${left}\n\n${right}`;
  return [...partsOf(left), ...partsOf(right)];
}

function partsOf(content: WireUser["content"]): readonly WirePart[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
