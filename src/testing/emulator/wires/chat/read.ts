/** The Chat Completions request, read without trust. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import type { Exchange } from "../../exchange.ts";
import { listOf, numberOf, objectOf, objectsOf, once, parseJson, textOf } from "../../json.ts";
import { segmentOf, type Segment } from "../../tokens.ts";
import type { MockMessage, MockRequest } from "../../types.ts";
import { effortOf, readModel, type OpenAiContext } from "../openai.ts";
import { neutralChoice } from "../responses/read.ts";

export type ChatContext = OpenAiContext & {
  readonly messages: readonly JsonObject[];
  readonly tools: readonly JsonObject[];
  /** The effort in force, and the one that was named. */
  readonly effort: string;
  readonly effort_sent: JsonValue | undefined;
  readonly segments: () => readonly Segment[];
};

export function readChat(exchange: Exchange): ChatContext {
  const { body } = exchange;
  const model = readModel(exchange);
  const messages = objectsOf(body["messages"]);
  const tools = objectsOf(body["tools"]);
  return {
    exchange,
    body,
    ...model,
    messages,
    tools,
    effort: effortOf(model.model, effortSent(exchange)),
    effort_sent: effortSent(exchange),
    segments: once(() => [...tools, ...messages].map((part) => segmentOf(part))),
  };
}

/** Some servers take the effort inside an object, which may also switch thinking off. */
function effortSent({ body, route }: Exchange): JsonValue | undefined {
  const flat = body["reasoning_effort"];
  if (route.dialect.quirks.reasoning_object !== true) return flat;
  const reasoning = objectOf(body["reasoning"]);
  return reasoning["enabled"] === false ? "none" : (flat ?? reasoning["effort"]);
}

export function callsOf(message: JsonObject): readonly JsonObject[] {
  return objectsOf(message["tool_calls"]);
}

export function neutralRequest(context: ChatContext): MockRequest {
  const { body, model, exchange, effort } = context;
  const format = objectOf(body["response_format"]);
  const stop = body["stop"];
  const limit = numberOf(body["max_completion_tokens"]) ?? numberOf(body["max_tokens"]);
  return {
    wire: "chat",
    dialect: exchange.route.dialect.name,
    model: textOf(body["model"]),
    stream: body["stream"] === true,
    system: context.messages
      .filter((message) => message["role"] === "system" || message["role"] === "developer")
      .map((message) => contentText(message["content"]))
      .join("\n\n"),
    messages: context.messages.map(neutralMessage),
    tools: context.tools.map((tool) => {
      const declared = objectOf(tool["function"]);
      return { name: textOf(declared["name"]), schema: objectOf(declared["parameters"]) };
    }),
    tool_choice: neutralChoice(body["tool_choice"]),
    thinking: {
      on: model.efforts.length > 0 && effort !== "none",
      shown:
        exchange.route.dialect.quirks.reasoning_field !== undefined &&
        objectOf(body["reasoning"])["exclude"] !== true &&
        body["include_reasoning"] !== false,
    },
    max_tokens: limit ?? model.max_output,
    stop_sequences: (typeof stop === "string" ? [stop] : listOf(stop).map(textOf)).filter(Boolean),
    ...(format["type"] === "json_schema" ? { format_schema: objectOf(objectOf(format["json_schema"])["schema"]) } : {}),
    body,
  };
}

function neutralMessage(message: JsonObject): MockMessage {
  const role = textOf(message["role"]);
  const text = contentText(message["content"]);
  if (role === "tool" || role === "function") {
    const id = textOf(message["tool_call_id"]) || textOf(message["name"]);
    return { role: "tool", text: "", tool_calls: [], tool_results: [{ id, text, is_error: false }] };
  }
  const calls = callsOf(message).map((call) => {
    const called = objectOf(call["function"]);
    const given = textOf(called["arguments"]) || "{}";
    return { id: textOf(call["id"]), name: textOf(called["name"]), arguments: parseJson(given) ?? given };
  });
  const neutral = role === "user" || role === "assistant" ? role : "system";
  return { role: neutral, text, tool_calls: calls, tool_results: [] };
}

function contentText(content: JsonValue | undefined): string {
  if (typeof content === "string") return content;
  return objectsOf(content)
    .map((part) => textOf(part["text"]))
    .join("\n");
}
