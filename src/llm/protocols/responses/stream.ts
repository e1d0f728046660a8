import {
  isJsonObject,
  own,
  parseJson,
  unreportedUsage,
  type ErrorInfo,
  type FinishReason,
  type JsonObject,
  type Usage,
} from "../../../core/index.ts";
import type { Decoder, DecoderContext } from "../../adapter.ts";
import { cutOff } from "../../writer.ts";
import { openAiError, requestIdIn } from "../openai-errors.ts";
import { unreadable } from "./errors.ts";
import { createItems, type Items } from "./items.ts";
import { textIn, type TextPart, type ThinkingPart } from "./kinds.ts";
import { responsesQuirks } from "./quirks.ts";
import { readCost, readUsage, usageExtras } from "./usage.ts";

/** Reads what this API streams, or sends in one piece, into events. */
export function decoder(context: DecoderContext): Decoder {
  const { out } = context;
  const answer = createAnswer(context);
  return {
    frame(data, name = "") {
      const text = data.trim();
      if (text === "" || out.ended()) return;
      if (text === "[DONE]") return answer.end(cutOff());
      const json = parseJson(text);
      if (json === undefined) return answer.end(unreadable(`a frame is not JSON: ${text.slice(0, 80)}`));
      if (!isJsonObject(json)) return;
      // A server that cannot stream may still frame its whole answer.
      if (json["type"] === undefined && json["object"] === "response") answer.whole(json);
      else answer.event(textIn(json, "type") || name, json);
    },
    body(json) {
      if (!isJsonObject(json)) answer.end(unreadable("it is not a JSON object"));
      else if (json["object"] === "response" || Array.isArray(json["output"])) answer.whole(json);
      else answer.event("error", json);
    },
    end() {
      if (!out.ended()) answer.end(cutOff());
    },
    usage: answer.usage,
  };
}

type Answer = {
  readonly event: (type: string, json: JsonObject) => void;
  readonly whole: (response: JsonObject) => void;
  /** Ends an answer that its server did not end. */
  readonly end: (error: ErrorInfo) => void;
  readonly usage: () => Usage | undefined;
};

function createAnswer({ out, newId, provider, model, headers, now, quirks: given }: DecoderContext): Answer {
  const quirks = responsesQuirks(given);
  const items = createItems({ out, newId, quirks, opaque: (data) => ({ provider, model, data }) });
  let usage: Usage | undefined;

  const start = (response: JsonObject): void => {
    if (!out.started()) out.start(textIn(response, "model") || model, requestIdIn(headers));
  };
  const end = (error: ErrorInfo): void => {
    items.flush();
    out.error(error, usage);
  };
  const fail = (said: JsonObject): void => end(openAiError(said, { status: 200, headers, now }));

  const finish = (response: JsonObject, status: string): void => {
    start(response);
    const raw = objectIn(response, "usage");
    if (Object.keys(raw).length > 0) usage = readUsage(raw);
    items.finish(response["output"]);
    const { error } = response;
    if (isJsonObject(error) || (typeof error === "string" && error !== "")) return fail({ error });
    const reason = textIn(objectIn(response, "incomplete_details"), "reason");
    out.done({
      finish_reason: finishReason(status, reason, { items, complete: out.hasCompleteToolCall() }),
      raw_finish_reason: reason || status,
      usage: usage ?? unreportedUsage,
      cost_usd: readCost(raw, quirks),
      provider_data: providerData(response, raw),
    });
  };

  return {
    event(type, json) {
      const handler = own(itemEvents, type);
      if (handler !== undefined) {
        start({});
        return handler(items, json);
      }
      const ending = own(endings, type);
      const response = objectIn(json, "response");
      if (ending !== undefined) finish(response, textIn(response, "status") || ending);
      else if (type === "error" || (json["type"] === undefined && (json["error"] ?? json["detail"]) !== undefined))
        fail(json);
      else if (type.startsWith("response.")) start(response);
    },
    whole: (response) => finish(response, textIn(response, "status") || "completed"),
    end,
    usage: () => usage,
  };
}

function finishReason(
  status: string,
  reason: string,
  { items, complete }: { readonly items: Items; readonly complete: boolean },
): FinishReason {
  if (status === "completed") return items.hasCall() ? "tool_use" : items.onlyRefusal() ? "content_filter" : "stop";
  if (status === "failed" || status === "cancelled") return "error";
  if (status !== "incomplete") return "unknown";
  return own(incompleteReasons, reason) ?? (complete ? "tool_use" : "unknown");
}

/** What a response says about itself beyond its output. */
function providerData(response: JsonObject, usage: JsonObject): JsonObject {
  const { id, service_tier, reasoning, tool_usage } = response;
  const extras = usageExtras(usage);
  return {
    ...(typeof id === "string" ? { response_id: id } : {}),
    ...(typeof service_tier === "string" ? { service_tier } : {}),
    ...(isJsonObject(reasoning) ? { reasoning } : {}),
    ...(isJsonObject(tool_usage) ? { tool_usage } : {}),
    ...(Object.keys(extras).length > 0 ? { usage: extras } : {}),
  };
}

type ItemEvent = (items: Items, json: JsonObject) => void;

function indexOf(json: JsonObject, key = "output_index"): number | undefined {
  const value = json[key];
  return typeof value === "number" ? value : undefined;
}

function textPart(json: JsonObject, refusal = false): TextPart {
  return { index: indexOf(json, "content_index") ?? 0, refusal };
}

function thinkingPart(json: JsonObject, source: ThinkingPart["source"]): ThinkingPart {
  return { source, index: indexOf(json, source === "summary" ? "summary_index" : "content_index") ?? 0 };
}

function objectIn(json: JsonObject, key: string): JsonObject {
  const value = json[key];
  return isJsonObject(value) ? value : {};
}

/** Everything else that is streamed announces or repeats what an item's end says. */
const itemEvents: { readonly [type: string]: ItemEvent | undefined } = {
  "response.output_item.added": (items, json) => items.added(indexOf(json), objectIn(json, "item")),
  "response.output_item.done": (items, json) => items.done(indexOf(json), objectIn(json, "item")),
  "response.output_text.delta": (items, json) =>
    items.at(indexOf(json), "message")?.text?.(textPart(json), textIn(json, "delta")),
  "response.output_text.done": (items, json) =>
    items.at(indexOf(json), "message")?.wholeText?.(textPart(json), textIn(json, "text")),
  "response.refusal.delta": (items, json) =>
    items.at(indexOf(json), "message")?.text?.(textPart(json, true), textIn(json, "delta")),
  "response.refusal.done": (items, json) =>
    items.at(indexOf(json), "message")?.wholeText?.(textPart(json, true), textIn(json, "refusal")),
  "response.reasoning_summary_text.delta": (items, json) =>
    items.at(indexOf(json), "reasoning")?.thinking?.(thinkingPart(json, "summary"), textIn(json, "delta")),
  "response.reasoning_text.delta": (items, json) =>
    items.at(indexOf(json), "reasoning")?.thinking?.(thinkingPart(json, "content"), textIn(json, "delta")),
  "response.function_call_arguments.delta": (items, json) =>
    items.at(indexOf(json), "function_call")?.toolDelta?.(textIn(json, "delta")),
  "response.function_call_arguments.done": (items, json) =>
    items.at(indexOf(json), "function_call")?.toolWhole?.(textIn(json, "arguments")),
  "response.custom_tool_call_input.delta": (items, json) =>
    items.at(indexOf(json), "custom_tool_call")?.toolDelta?.(textIn(json, "delta")),
  "response.custom_tool_call_input.done": (items, json) =>
    items.at(indexOf(json), "custom_tool_call")?.toolWhole?.(textIn(json, "input")),
};

/** `response.done` comes from servers that end twice, or only so. */
const endings: { readonly [type: string]: string | undefined } = {
  "response.completed": "completed",
  "response.incomplete": "incomplete",
  "response.failed": "failed",
  "response.cancelled": "cancelled",
  "response.done": "completed",
};

const incompleteReasons: { readonly [reason: string]: FinishReason | undefined } = {
  max_output_tokens: "length",
  max_tokens: "length",
  length: "length",
  content_filter: "content_filter",
};
