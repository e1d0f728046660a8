import {
  createCollector,
  type AssistantMessage,
  type DoneEvent,
  type ErrorEvent,
  type JsonObject,
  type Message,
  type ModelInfo,
  type OutputLimits,
  type Request,
  type StreamEvent,
  type ThinkingConfig,
  type ThinkingSpec,
} from "../../../src/core/index.ts";
import type { Call, DecoderContext, Target } from "../../../src/llm/adapter.ts";
import { messages as adapter } from "../../../src/llm/protocols/messages/index.ts";
import { createWriter } from "../../../src/llm/writer.ts";
import { loadRecordings, type Recording, type RecordingFile } from "../../recordings/load.ts";

export { adapter };

/** The recordings of this wire, whoever served it. */
export const wireRecordings: readonly RecordingFile[] = loadRecordings().filter(
  ({ recording }) => /^(anthropic-)?messages$/.test(recording.api) && recording.provider !== "bedrock",
);

const efforts = ["low", "medium", "high", "xhigh", "max"] as const;
const specs = {
  budget: { kind: "budget", min: 1024, max: 64_000, can_disable: true, omitted: "off" },
  adaptive: { kind: "adaptive", efforts, off: "disabled", omitted: "on" },
  optional: {
    kind: "adaptive",
    efforts: ["low", "medium", "high", "max"],
    off: "disabled",
    omitted: "off",
    budget: { min: 1024, max: 128_000 },
  },
  bound: { kind: "adaptive", efforts, off: "never", omitted: "on", bound: true },
  between_tools: { kind: "adaptive", efforts, off: "between_tools", omitted: "on", bound: true },
  none: { kind: "none" },
} as const satisfies { readonly [name: string]: ThinkingSpec };

export type ModelKind = keyof typeof specs;

export function model(kind: ModelKind, capabilities: Partial<ModelInfo["capabilities"]> = {}): ModelInfo {
  const old = kind === "budget" || kind === "optional" || kind === "none";
  return {
    id: `claude-test-${kind}`,
    provider: "anthropic",
    display_name: "Test",
    aliases: [`claude-test-${kind}-20260101`],
    context_tokens: 200_000,
    output_tokens_max: old ? 64_000 : 128_000,
    thinking: specs[kind],
    capabilities: {
      tools: true,
      vision: true,
      streaming: true,
      sampling: old ? "without_thinking" : "never",
      forced_tools: old ? "without_thinking" : "always",
      stop_sequences: true,
      ...capabilities,
    },
  };
}

export function targetFor(info: ModelInfo, thinking: ThinkingConfig = {}, limits: OutputLimits = {}): Target {
  return {
    provider: "anthropic",
    api: "messages",
    model: info,
    base_url: "https://api.test",
    stream: true,
    plan: adapter.plan(info, thinking, limits),
    quirks: {},
  };
}

/** Encodes a conversation for a model, with the level in `request.thinking`. */
export function encode(info: ModelInfo, request: Omit<Request, "model">): Call & { readonly body: JsonObject } {
  const call = adapter.encode({ ...request, model: info.id }, targetFor(info, request.thinking));
  if (call.body === undefined) throw new Error("no body");
  return { ...call, body: call.body };
}

export function bodyOf(info: ModelInfo, request: Omit<Request, "model">): JsonObject {
  return encode(info, request).body;
}

export type Decoded = {
  readonly events: readonly StreamEvent[];
  readonly message: AssistantMessage;
  readonly end: DoneEvent | ErrorEvent;
};

/** Runs frames (objects, or text as it stands) through a decoder; `end` is called unless the stream ended itself. */
export function decodeFrames(frames: readonly (JsonObject | string)[], options: Partial<DecoderContext> = {}): Decoded {
  return decodeWith((decoder) => {
    for (const frame of frames) {
      const event = typeof frame === "string" ? undefined : String(frame["type"]);
      decoder.frame(typeof frame === "string" ? frame : JSON.stringify(frame), event);
    }
    decoder.end();
  }, options);
}

export function decodeBody(body: unknown, options: Partial<DecoderContext> = {}): Decoded {
  return decodeWith((decoder) => decoder.body(body), options);
}

function decodeWith(
  feed: (decoder: ReturnType<typeof adapter.decoder>) => void,
  options: Partial<DecoderContext>,
): Decoded {
  const model = options.model ?? "claude-test-budget";
  const collector = createCollector({ provider: "anthropic", api: "messages", model });
  const events: StreamEvent[] = [];
  let ids = 0;
  const out = createWriter((event) => {
    events.push(event);
    collector.add(event);
  });
  const context: DecoderContext = {
    out,
    newId: () => `made_${ids++}`,
    provider: "anthropic",
    model,
    headers: new Headers({ "request-id": "req_1" }),
    quirks: {},
    now: 0,
    ...options,
  };
  feed(adapter.decoder(context));
  const end = collector.end();
  if (end === undefined) throw new Error("no end");
  return { events, message: collector.message(), end };
}

/** The frames of an answer with these blocks, as the API streams them: small pieces, then the ending. */
export function framesOf(content: readonly JsonObject[], stop_reason = "end_turn"): readonly JsonObject[] {
  return [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-answered",
        content: [],
        usage: { input_tokens: 10, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index) => [
      { type: "content_block_start", index, content_block: startOf(block) },
      ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index },
    ]),
    { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage: { output_tokens: 7 } },
    { type: "message_stop" },
  ];
}

function startOf(block: JsonObject): JsonObject {
  if (block["type"] === "text") return { ...block, text: "" };
  if (block["type"] === "thinking") return { ...block, thinking: "", signature: "" };
  if (block["type"] === "tool_use" || block["type"] === "server_tool_use") return { ...block, input: {} };
  return block;
}

function deltasOf(block: JsonObject): readonly JsonObject[] {
  const { type, text, thinking, signature, input } = block;
  if (type === "text") return pieces(text).map((piece) => ({ type: "text_delta", text: piece }));
  if (type === "thinking") {
    return [
      ...pieces(thinking).map((piece) => ({ type: "thinking_delta", thinking: piece })),
      ...pieces(signature).map((piece) => ({ type: "signature_delta", signature: piece })),
    ];
  }
  if (type !== "tool_use" && type !== "server_tool_use") return [];
  const json = JSON.stringify(input) === "{}" ? "" : JSON.stringify(input);
  return ["", ...pieces(json)].map((piece) => ({ type: "input_json_delta", partial_json: piece }));
}

function pieces(value: unknown): readonly string[] {
  return String(value).match(/[^]{1,5}/g) ?? [];
}

/** The messages of a body without their cache markers, which wander from turn to turn. */
export function withoutMarkers(value: unknown): string {
  return JSON.stringify(value, (key, inner: unknown) => (key === "cache_control" ? undefined : inner));
}

export function markersIn(body: JsonObject): readonly string[] {
  const found: string[] = [];
  const visit = (value: unknown, path: string): void => {
    if (typeof value !== "object" || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key === "cache_control") found.push(`${path} ${JSON.stringify(inner)}`);
      else visit(inner, path === "" ? key : `${path}.${key}`);
    }
  };
  visit(body, "");
  return found;
}

export const foreign = { provider: "elsewhere", api: "chat", model: "gpt-foreign" } as const;

export function own(info: ModelInfo): AssistantMessage["origin"] {
  return { provider: "anthropic", api: "messages", model: info.id };
}

export function assistant(
  origin: AssistantMessage["origin"],
  ...content: AssistantMessage["content"][number][]
): AssistantMessage {
  return { role: "assistant", content, origin };
}

export function signed(info: ModelInfo, text: string, extra: JsonObject = {}): AssistantMessage["content"][number] {
  const data = { type: "thinking", signature: `sig-of-${text}`, ...extra };
  return { type: "thinking", text, opaque: { provider: "anthropic", model: info.id, data } };
}

export function call(id: string, name = "look", args: JsonObject = {}): AssistantMessage["content"][number] {
  return { type: "tool_call", id, name, arguments: args };
}

export function result(id: string, text = "done"): Message {
  return {
    role: "tool",
    content: [{ type: "tool_result", tool_call_id: id, content: [{ type: "text", text }], is_error: false }],
  };
}

export function responseText(recording: Recording): string {
  const { sse, body } = recording.response;
  return sse ?? JSON.stringify(body);
}
