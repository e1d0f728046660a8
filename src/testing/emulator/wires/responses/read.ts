/** The Responses request, read without trust. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import type { Exchange } from "../../exchange.ts";
import { has, listOf, numberOf, objectOf, objectsOf, once, parseJson, textOf } from "../../json.ts";
import { segmentOf, type Segment } from "../../tokens.ts";
import type { MockMessage, MockRequest } from "../../types.ts";
import { effortOf, readModel, type OpenAiContext } from "../openai.ts";

export type ResponsesContext = OpenAiContext & {
  /** What was sent; a string is one user message. */
  readonly items: readonly JsonObject[];
  /** With what the server kept in front of it. */
  readonly history: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  readonly effort: string;
  /** Items and responses are kept on the server. */
  readonly stores: boolean;
  readonly segments: () => readonly Segment[];
};

export function readResponses(exchange: Exchange): ResponsesContext {
  const { body, world } = exchange;
  const model = readModel(exchange);
  const items = itemsOf(body["input"]);
  const before = world.stored.get(textOf(body["previous_response_id"])) ?? [];
  const history = [...before, ...items];
  const tools = objectsOf(body["tools"]);
  return {
    exchange,
    body,
    ...model,
    items,
    history,
    tools,
    effort: effortOf(model.model, objectOf(body["reasoning"])["effort"]),
    stores: body["store"] !== false,
    segments: once(() => segmentsOf(body, tools, history)),
  };
}

function itemsOf(input: JsonValue | undefined): readonly JsonObject[] {
  if (typeof input === "string") return [{ type: "message", role: "user", content: input }];
  return objectsOf(input);
}

/** Shorthand messages have no type. */
export function typeOf(item: JsonObject): string {
  return textOf(item["type"]) || (has(item, "role") ? "message" : "");
}

function segmentsOf(
  body: JsonObject,
  tools: readonly JsonObject[],
  history: readonly JsonObject[],
): readonly Segment[] {
  const segments = tools.map((tool) => segmentOf(tool));
  if (has(body, "instructions")) segments.push(segmentOf({ instructions: body["instructions"] }));
  for (const item of history) segments.push(segmentOf(item));
  return segments;
}

export function neutralRequest(context: ResponsesContext): MockRequest {
  const { body, model, exchange, effort } = context;
  const { quirks } = exchange.route.dialect;
  const format = objectOf(objectOf(body["text"])["format"]);
  const summary = objectOf(body["reasoning"])["summary"] ?? objectOf(body["reasoning"])["generate_summary"];
  return {
    wire: "responses",
    dialect: exchange.route.dialect.name,
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    system: textOf(body["instructions"]),
    messages: context.history.map(neutralItem),
    tools: context.tools
      .filter((tool) => tool["type"] === "function")
      .map((tool) => ({ name: textOf(tool["name"]), schema: objectOf(tool["parameters"]) })),
    tool_choice: neutralChoice(body["tool_choice"]),
    thinking: {
      on: model.efforts.length > 0 && effort !== "none",
      shown: typeof summary === "string" || quirks.summary_always === true || quirks.reasoning_text === true,
    },
    max_tokens: numberOf(body["max_output_tokens"]) ?? model.max_output,
    stop_sequences: [],
    ...(format["type"] === "json_schema" ? { format_schema: objectOf(format["schema"]) } : {}),
    body,
  };
}

export function neutralChoice(choice: JsonValue | undefined): MockRequest["tool_choice"] {
  if (choice === "none" || choice === "required") return choice;
  const chosen = objectOf(choice);
  if (chosen["type"] === "allowed_tools") return chosen["mode"] === "required" ? "required" : "auto";
  const name = textOf(chosen["name"]) || textOf(objectOf(chosen["function"])["name"]);
  return name === "" ? "auto" : { name };
}

function neutralItem(item: JsonObject): MockMessage {
  const none = { text: "", tool_calls: [], tool_results: [] };
  const id = textOf(item["call_id"]);
  switch (typeOf(item)) {
    case "message": {
      const role = textOf(item["role"]);
      const neutral = role === "assistant" || role === "user" ? role : "system";
      return { ...none, role: neutral, text: contentText(item["content"]) };
    }
    case "function_call":
    case "custom_tool_call": {
      const text = textOf(item["arguments"]) || "{}";
      const call = { id, name: textOf(item["name"]), arguments: parseJson(text) ?? text };
      return { ...none, role: "assistant", tool_calls: [call] };
    }
    case "function_call_output":
    case "custom_tool_call_output":
      return {
        ...none,
        role: "tool",
        tool_results: [{ id, text: contentText(item["output"]), is_error: false }],
      };
    default:
      return { ...none, role: "assistant" };
  }
}

function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return listOf(content)
    .map((part) => textOf(objectOf(part)["text"]))
    .join("\n");
}
