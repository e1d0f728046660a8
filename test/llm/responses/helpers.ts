import type {
  AssistantMessage,
  JsonObject,
  Message,
  ModelInfo,
  OutputLimits,
  Request,
  StreamEvent,
  ThinkingConfig,
  ToolMessage,
} from "../../../src/core/index.ts";
import { isJsonObject, project, user } from "../../../src/core/index.ts";
import type { Call, Quirks, Target } from "../../../src/llm/adapter.ts";
import { decodeResponse, type DecodedResponse } from "../../../src/llm/decode.ts";
import { responses } from "../../../src/llm/protocols/responses/index.ts";

/** A model that thinks with every effort and can be switched off, unless told otherwise. */
export function thinkingModel(fields: Partial<ModelInfo> = {}): ModelInfo {
  return {
    id: "gpt-6-sol",
    provider: "openai",
    display_name: "GPT-6 Sol",
    aliases: [],
    context_tokens: 1_050_000,
    output_tokens_max: 128_000,
    thinking: { kind: "effort", efforts: ["none", "low", "medium", "high", "xhigh", "max"] },
    capabilities: {
      tools: true,
      vision: true,
      streaming: true,
      sampling: "without_thinking",
      forced_tools: "always",
      stop_sequences: false,
    },
    ...fields,
  };
}

export function plainModel(fields: Partial<ModelInfo> = {}): ModelInfo {
  const model = thinkingModel();
  return {
    ...model,
    id: "gpt-4.1",
    display_name: "GPT-4.1",
    output_tokens_max: 32_768,
    thinking: { kind: "none" },
    capabilities: { ...model.capabilities, sampling: "always" },
    ...fields,
  };
}

export type EncodeOptions = {
  readonly model?: ModelInfo;
  readonly thinking?: ThinkingConfig;
  readonly limits?: OutputLimits;
  readonly quirks?: Quirks;
  readonly stream?: boolean;
};

export function targetFor(options: EncodeOptions = {}): Target {
  const { model = thinkingModel(), thinking = {}, limits = {}, quirks = {}, stream = true } = options;
  const plan = responses.plan(model, thinking, limits, quirks);
  return { provider: model.provider, api: "responses", model, base_url: "https://api.test/v1", stream, plan, quirks };
}

export function encode(conversation: Partial<Request>, options: EncodeOptions = {}): Call {
  const target = targetFor(options);
  return responses.encode({ messages: [user("hello")], ...conversation, model: target.model.id }, target);
}

/** The history as this model may see it, encoded. */
export function encodeProjected(messages: readonly Message[], options: EncodeOptions = {}): Call {
  const { provider, model, quirks } = targetFor(options);
  const projected = project(messages, responses.projection({ provider, model, quirks }));
  return encode({ messages: projected.messages }, options);
}

export function bodyOf(call: Call): JsonObject {
  return call.body ?? {};
}

export function inputOf(call: Call): readonly JsonObject[] {
  const input = bodyOf(call)["input"];
  return Array.isArray(input) ? input.filter(isJsonObject) : [];
}

export type DecodeOptions = {
  readonly quirks?: Quirks;
  readonly headers?: Readonly<Record<string, string>>;
  readonly model?: string;
  readonly provider?: string;
  readonly pieces?: readonly string[];
};

/** Frames as a server would send them, decoded as a live answer would be. */
export function decode(frames: readonly (JsonObject | string)[], options: DecodeOptions = {}): DecodedResponse {
  return decodeText(frames.map(frameText).join(""), "sse", options);
}

export function decodeBody(body: unknown, options: DecodeOptions = {}): DecodedResponse {
  return decodeText(JSON.stringify(body), "json", options);
}

export function decodeText(text: string, framing: "sse" | "json", options: DecodeOptions = {}): DecodedResponse {
  const { quirks = {}, headers = {}, model = "gpt-6-sol", provider = "openai", pieces } = options;
  let made = 0;
  return decodeResponse(
    responses,
    { provider, api: "responses", model, status: 200, headers, text, framing, quirks },
    { newId: () => `made_${made++}`, now: 0, ...(pieces === undefined ? {} : { pieces }) },
  );
}

export function frameText(frame: JsonObject | string): string {
  if (typeof frame === "string") return `data: ${frame}\n\n`;
  const { type } = frame;
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(frame)}\n\n`;
}

export function eventTypes(events: readonly StreamEvent[]): readonly string[] {
  return events.map((event) => event.type);
}

export function answerTo(message: AssistantMessage, text = "done"): ToolMessage {
  return {
    role: "tool",
    content: message.content.flatMap((block) =>
      block.type === "tool_call"
        ? [{ type: "tool_result", tool_call_id: block.id, content: [{ type: "text", text }], is_error: false } as const]
        : [],
    ),
  };
}

/** What a final response says besides its output. */
export function finalResponse(fields: JsonObject = {}): JsonObject {
  return {
    id: "resp_1",
    object: "response",
    status: "completed",
    model: "gpt-6-sol-2026-10-01",
    error: null,
    incomplete_details: null,
    output: [],
    usage: {
      input_tokens: 100,
      input_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
      output_tokens: 30,
      output_tokens_details: { reasoning_tokens: 20 },
      total_tokens: 130,
    },
    ...fields,
  };
}
