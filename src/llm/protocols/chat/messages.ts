import {
  isJsonObject,
  type AssistantMessage,
  type CacheHint,
  type ImageBlock,
  type JsonObject,
  type JsonValue,
  type Message,
  type Note,
  type Request,
  type TextBlock,
  type ToolCallBlock,
  type ToolMessage,
  type UserBlock,
} from "../../../core/index.ts";
import type { ChatQuirks } from "./quirks.ts";

export type MessageContext = {
  readonly quirks: ChatQuirks;
  readonly system_role: "system" | "developer" | "first_user";
  /** Absent: this model takes no marks. */
  readonly cache_control: JsonObject | undefined;
  readonly notes: Note[];
};

/** The whole history in wire words, the system prompt first. Appending to it only appends to the result. */
export function encodeMessages(request: Request, context: MessageContext): readonly JsonObject[] {
  const system = (request.system ?? []).map(({ text }) => text.toWellFormed()).filter((text) => text !== "");
  const prompt = system.join("\n\n");
  const names = callNames(request.messages);
  const messages = request.messages.flatMap((message) => encodeMessage(message, { ...context, names }));
  const whole = prompt === "" ? messages : withSystem(prompt, messages, context);
  const merged = context.quirks.merge_user_messages ? mergeUsers(whole) : whole;
  return context.quirks.assistant_after_tool ? merged.flatMap(bridged) : merged;
}

function bridged(message: JsonObject, place: number, messages: readonly JsonObject[]): readonly JsonObject[] {
  const follows = message["role"] === "user" && messages[place - 1]?.["role"] === "tool";
  return follows ? [{ role: "assistant", content: "OK" }, message] : [message];
}

type NamedContext = MessageContext & { readonly names: ReadonlyMap<string, string> };

function callNames(messages: readonly Message[]): ReadonlyMap<string, string> {
  const calls = messages.flatMap(({ content }) => content.filter((block) => block.type === "tool_call"));
  return new Map(calls.map(({ id, name }) => [id, name]));
}

function withSystem(prompt: string, messages: readonly JsonObject[], context: MessageContext): readonly JsonObject[] {
  const { system_role, cache_control } = context;
  if (system_role !== "first_user") {
    const content = cache_control === undefined ? prompt : [{ type: "text", text: prompt, cache_control }];
    return [{ role: system_role, content }, ...messages];
  }
  const [first, ...rest] = messages;
  if (first?.["role"] !== "user") return [{ role: "user", content: prompt }, ...messages];
  return [{ ...first, content: joinContent(prompt, first["content"]) }, ...rest];
}

function encodeMessage(message: Message, context: NamedContext): readonly JsonObject[] {
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
function userContent(blocks: readonly UserBlock[], context: MessageContext): JsonValue | undefined {
  const kept = blocks.filter((block) => block.type !== "text" || block.text !== "");
  if (kept.length === 0) return undefined;
  const texts = kept.filter((block) => block.type === "text");
  const marked = context.cache_control !== undefined && kept.some(({ cache_hint }) => cache_hint !== undefined);
  const plain = texts.length === kept.length && !marked && (texts.length === 1 || context.quirks.plain_content);
  if (plain) return texts.map(({ text }) => text).join("\n\n");
  return kept.map((block) => ({ ...encodePart(block, context), ...markOf(block.cache_hint, context) }));
}

function encodePart(block: TextBlock | ImageBlock, context: MessageContext): JsonObject {
  if (block.type === "text") return { type: "text", text: block.text };
  if ("data" in block) {
    return { type: "image_url", image_url: { url: `data:${block.media_type};base64,${block.data}` } };
  }
  if (context.quirks.image_urls) return { type: "image_url", image_url: { url: block.url } };
  const message = "This server fetches no images; the address is sent as text";
  if (!context.notes.some((note) => note.code === "image_url_unsupported")) {
    context.notes.push({ code: "image_url_unsupported", message });
  }
  return { type: "text", text: `[image at ${block.url}]` };
}

function markOf(hint: CacheHint | undefined, { cache_control }: MessageContext): JsonObject {
  if (hint === undefined || cache_control === undefined) return {};
  return { cache_control: hint === "long" ? { ...cache_control, ttl: "1h" } : cache_control };
}

/** Undefined where a message would have neither text nor calls, which servers refuse. */
function assistantMessage(message: AssistantMessage, { quirks }: NamedContext): JsonObject | undefined {
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
function sealsOf(message: AssistantMessage): JsonObject {
  return message.content.reduce<JsonObject>((seals, block) => {
    const seal = block.type === "tool_call" ? undefined : block.opaque?.data["message"];
    return isJsonObject(seal) ? { ...seals, ...seal } : seals;
  }, {});
}

function plainContent(text: string, quirks: ChatQuirks): JsonObject {
  if (text !== "") return { content: text };
  if (quirks.empty_content === "omit") return {};
  return { content: quirks.empty_content === "null" ? null : "" };
}

/** Thinking as parts of the content, in its place. Undefined where there is none. */
function contentParts(message: AssistantMessage): readonly JsonObject[] | undefined {
  if (!message.content.some((block) => block.type === "thinking" && block.text !== "")) return undefined;
  return message.content.flatMap((block): readonly JsonObject[] => {
    if (block.type === "text" && block.text !== "") return [{ type: "text", text: block.text }];
    if (block.type !== "thinking" || block.text === "") return [];
    return [{ type: "thinking", thinking: [{ type: "text", text: block.text }] }];
  });
}

/** What the server gave as details goes back as details and not a second time as text. */
function reasoningFields(message: AssistantMessage, quirks: ChatQuirks, hasCalls: boolean): JsonObject {
  const thinking = message.content.filter((block) => block.type === "thinking");
  const details = thinking.flatMap(({ opaque }) => opaque?.data["reasoning_detail"] ?? []);
  if (quirks.reasoning_details && details.length > 0) return { reasoning_details: details };
  const field = quirks.echo_reasoning_field;
  if (field === "none" || field === "content_parts") return {};
  const text = thinking.map((block) => block.text).join("");
  return text !== "" || (quirks.echo_reasoning_required && hasCalls) ? { [field]: text } : {};
}

function encodeCall({ id, name, arguments: parsed, arguments_text, invalid, opaque }: ToolCallBlock): JsonObject {
  const { type, ...extra } = opaque?.data ?? {};
  const { input } = parsed;
  if (type === "custom") return { id, type, custom: { name, input: typeof input === "string" ? input : "" } };
  // Torn arguments would be refused by every server that parses the history; their call has an error for a result.
  const text =
    invalid === true || arguments_text === undefined || !isObjectText(arguments_text) ? undefined : arguments_text;
  return { id, type: "function", function: { name, arguments: text ?? JSON.stringify(parsed) }, ...extra };
}

/** One message per result. Images have no place in them and follow in a message of their own. */
function toolMessages(message: ToolMessage, context: NamedContext): readonly JsonObject[] {
  const { quirks, names } = context;
  const images: UserBlock[] = [];
  const results = message.content.map((result): JsonObject => {
    const text = result.content.flatMap((block) => (block.type === "text" && block.text !== "" ? block.text : []));
    const pictures = result.content.filter((block) => block.type === "image");
    const name = names.get(result.tool_call_id);
    if (pictures.length > 0)
      images.push({ type: "text", text: `Images from ${name ?? result.tool_call_id}:` }, ...pictures);
    const nothing = pictures.length > 0 ? "(images in the next message)" : "(no output)";
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

function mergeUsers(messages: readonly JsonObject[]): readonly JsonObject[] {
  const merged: JsonObject[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message["role"] === "user" && last?.["role"] === "user") {
      merged[merged.length - 1] = { ...last, content: joinContent(last["content"], message["content"]) };
    } else {
      merged.push(message);
    }
  }
  return merged;
}

function joinContent(left: JsonValue | undefined, right: JsonValue | undefined): JsonValue {
  if (typeof left === "string" && typeof right === "string") return `${left}\n\n${right}`;
  return [...partsOf(left), ...partsOf(right)];
}

function partsOf(content: JsonValue | undefined): readonly JsonValue[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return Array.isArray(content) ? content : [];
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
