/** The Messages request, read without trust: what has the wrong shape reads as absent and is refused by a rule. */
import { fingerprint } from "../../../../core/hash.ts";
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import type { Exchange } from "../../exchange.ts";
import { listOf, numberOf, objectOf, objectsOf, once, textOf } from "../../json.ts";
import { findModel, permissiveModels, type MessagesModel } from "../../models.ts";
import { segmentOf, type Segment } from "../../tokens.ts";
import type { MockMessage, MockRequest } from "../../types.ts";

export const currentVersion = "2026-10-21";
export const oldVersion = "2023-06-01";

export type WireMessage = { readonly role: string; readonly blocks: readonly JsonObject[]; readonly index: number };

export type MessagesContext = {
  readonly exchange: Exchange;
  readonly body: JsonObject;
  readonly version: string;
  readonly betas: ReadonlySet<string>;
  readonly model: MessagesModel;
  readonly model_status: "known" | "unknown" | "retired";
  readonly system: readonly JsonObject[];
  /** As sent. */
  readonly messages: readonly WireMessage[];
  /** Neighbours of one role made one, as the provider does. */
  readonly turns: readonly WireMessage[];
  readonly tools: readonly JsonObject[];
  /** The thinking type in force, whether sent or implied. */
  readonly thinking_type: string;
  readonly thinking_on: boolean;
  readonly segments: () => readonly Segment[];
  /** For every number of turns a name for everything before: system prompt and turns, without cache markers. */
  readonly prefixes: () => readonly string[];
};

export function readMessages(exchange: Exchange): MessagesContext {
  const { body, incoming, world } = exchange;
  const id = textOf(body["model"]);
  const found = findModel(world.models.messages, id);
  const model = found ?? permissiveModels.messages;
  const messages = objectsOf(body["messages"]).map(readMessage);
  const sent = textOf(objectOf(body["thinking"])["type"]);
  const type = sent === "" ? model.thinking_default : sent;
  const system = blocksOf(body["system"]);
  const tools = objectsOf(body["tools"]);
  const turns = mergeTurns(messages);
  return {
    exchange,
    body,
    version: incoming.headers["anthropic-version"] ?? "",
    betas: new Set((incoming.headers["anthropic-beta"] ?? "").split(",").map((word) => word.trim())),
    model,
    model_status: found === undefined ? "unknown" : found.retired ? "retired" : "known",
    system,
    messages,
    turns,
    tools,
    thinking_type: type,
    thinking_on: type === "adaptive" || type === "enabled",
    segments: once(() => segmentsOf(body, system, messages, tools)),
    prefixes: once(() => prefixesOf(system, turns)),
  };
}

function readMessage(message: JsonObject, index: number): WireMessage {
  return { role: textOf(message["role"]), blocks: blocksOf(message["content"]), index };
}

function blocksOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return objectsOf(content);
}

function mergeTurns(messages: readonly WireMessage[]): readonly WireMessage[] {
  const turns: { role: string; blocks: JsonObject[]; index: number }[] = [];
  for (const message of messages) {
    const last = turns.at(-1);
    if (last?.role === message.role) for (const block of message.blocks) last.blocks.push(block);
    else turns.push({ ...message, blocks: [...message.blocks] });
  }
  return turns;
}

function prefixesOf(system: readonly JsonObject[], turns: readonly WireMessage[]): readonly string[] {
  let key = fingerprint(system.map((block) => textOf(block["text"])).join("\n"));
  const prefixes = [key];
  for (const turn of turns) {
    for (const block of turn.blocks) key = fingerprint(`${key}${turn.role}${plainBlock(block)}`);
    prefixes.push(key);
  }
  return prefixes;
}

function plainBlock(block: JsonObject): string {
  const content = block["type"] === "tool_result" ? blocksOf(block["content"]) : undefined;
  const plain = content === undefined ? block : { ...block, content };
  return JSON.stringify(plain, (key, value: unknown) => (key === "cache_control" ? undefined : value));
}

function segmentsOf(
  body: JsonObject,
  system: readonly JsonObject[],
  messages: readonly WireMessage[],
  tools: readonly JsonObject[],
): readonly Segment[] {
  const segments = tools.map((tool) => segmentOf(tool, markOf(tool)));
  for (const block of system) segments.push(segmentOf(block, markOf(block)));
  for (const message of messages) {
    for (const block of message.blocks) segments.push(segmentOf({ role: message.role, ...block }, markOf(block)));
  }
  const last = segments.at(-1);
  const top = markOf(body);
  if (top !== undefined && last !== undefined) segments[segments.length - 1] = { ...last, mark: top };
  return segments;
}

function markOf(block: JsonObject): "5m" | "1h" | undefined {
  const control = objectOf(block["cache_control"]);
  if (control["type"] !== "ephemeral") return undefined;
  return control["ttl"] === "1h" ? "1h" : "5m";
}

export function neutralRequest(context: MessagesContext): MockRequest {
  const { body, model, exchange } = context;
  const thinking = objectOf(body["thinking"]);
  const display = textOf(thinking["display"]) || model.display_default;
  const format = objectOf(objectOf(body["output_config"])["format"]);
  return {
    wire: "messages",
    dialect: exchange.route.dialect.name,
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    system: context.system.map((block) => textOf(block["text"])).join("\n\n"),
    messages: context.messages.map(neutralMessage),
    tools: context.tools.map((tool) => ({ name: textOf(tool["name"]), schema: objectOf(tool["input_schema"]) })),
    tool_choice: neutralChoice(objectOf(body["tool_choice"])),
    thinking: { on: context.thinking_on, shown: display === "summarized" },
    max_tokens: numberOf(body["max_tokens"]) ?? model.max_output,
    stop_sequences: listOf(body["stop_sequences"]).map(textOf).filter(Boolean),
    ...(format["type"] === "json_schema" ? { format_schema: objectOf(format["schema"]) } : {}),
    body,
  };
}

function neutralChoice(choice: JsonObject): MockRequest["tool_choice"] {
  switch (choice["type"]) {
    case "any":
      return "required";
    case "none":
      return "none";
    case "tool":
      return { name: textOf(choice["name"]) };
    default:
      return "auto";
  }
}

function neutralMessage(message: WireMessage): MockMessage {
  const of = (type: string): readonly JsonObject[] => message.blocks.filter((block) => block["type"] === type);
  return {
    role: message.role === "assistant" || message.role === "system" ? message.role : "user",
    text: of("text")
      .map((block) => textOf(block["text"]))
      .join("\n"),
    tool_calls: of("tool_use").map((block) => ({
      id: textOf(block["id"]),
      name: textOf(block["name"]),
      arguments: block["input"] ?? {},
    })),
    tool_results: of("tool_result").map((block) => ({
      id: textOf(block["tool_use_id"]),
      text: blocksOf(block["content"])
        .map((inner) => textOf(inner["text"]))
        .join("\n"),
      is_error: block["is_error"] === true,
    })),
  };
}
