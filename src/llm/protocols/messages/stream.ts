import {
  errorInfo,
  isJsonObject,
  own,
  parseJson,
  type FinishReason,
  type JsonObject,
  type JsonValue,
  type Usage,
} from "../../../core/index.ts";
import type { Decoder, DecoderContext } from "../../adapter.ts";
import { cutOff } from "../../writer.ts";
import { createBlocks, type Blocks } from "./blocks.ts";
import { decodeError } from "./errors.ts";
import { mergeUsage, readUsage } from "./usage.ts";

/** Named frames in, events out. A whole body goes through the same steps as if it had been streamed. */
export function decoder(context: DecoderContext): Decoder {
  const { out } = context;
  const state: State = { context, blocks: createBlocks(context), facts: {}, usage: undefined, raw_finish_reason: "" };
  const fail = (text: string): void =>
    out.error(decodeError({ status: 200, headers: context.headers, text, now: context.now }), usageOf(state));
  return {
    frame(data, event) {
      const text = data.trim();
      if (out.ended() || text === "" || text === "[DONE]") return;
      const parsed = parseJson(text);
      if (parsed === undefined) return out.error(brokenFrame, usageOf(state));
      if (!isJsonObject(parsed)) return;
      if (isError(parsed, event)) return fail(text);
      const type = parsed["type"] ?? event;
      // Nearly every frame: comparing a string that was just parsed is cheaper than looking it up.
      if (type === "content_block_delta") onDelta(state, parsed);
      else own(handlers, type)?.(state, parsed);
    },
    body(json) {
      if (!isJsonObject(json) || isError(json)) return fail(JSON.stringify(json));
      if (!Array.isArray(json["content"])) return fail(JSON.stringify(json));
      readWhole(state, json, json["content"]);
    },
    end() {
      if (!out.ended()) out.error(cutOff(), usageOf(state));
    },
    usage: () => usageOf(state),
  };
}

type State = {
  readonly context: DecoderContext;
  readonly blocks: Blocks;
  /** What the message says of itself besides its content: id, container, stop details … */
  facts: JsonObject;
  usage: JsonObject | undefined;
  raw_finish_reason: string;
};

type Handler = (state: State, event: JsonObject) => void;

/** Names that are not here say nothing we need: `ping`, and what will be invented. */
const handlers: { readonly [event: string]: Handler | undefined } = {
  message_start: onMessageStart,
  content_block_start: ({ blocks }, { index, content_block }) => {
    if (isJsonObject(content_block)) blocks.start(index, content_block);
  },
  content_block_delta: onDelta,
  content_block_stop: ({ blocks }, { index }) => blocks.stop(index),
  message_delta: onMessageDelta,
  message_stop: onMessageStop,
};

function onDelta({ blocks }: State, { index, delta }: JsonObject): void {
  if (isJsonObject(delta)) blocks.delta(index, delta);
}

function onMessageStart(state: State, { message }: JsonObject): void {
  if (!isJsonObject(message)) return;
  const { context, blocks, facts } = state;
  const { id } = message;
  // Seen from a gateway that tried again behind our back: what was shown is not what comes now.
  if (blocks.any() && facts["id"] !== undefined && facts["id"] !== id) {
    return context.out.error(cutOff("the server began a second answer"), usageOf(state));
  }
  const model = message["model"];
  const request_id = context.headers.get("request-id") ?? undefined;
  context.out.start(typeof model === "string" && model !== "" ? model : context.model, request_id);
  state.facts = { ...facts, ...factsOf(message) };
  state.usage = mergeUsage(state.usage, message["usage"]);
}

function onMessageDelta(state: State, event: JsonObject): void {
  const { delta, usage, ...rest } = event;
  const ending = isJsonObject(delta) ? delta : {};
  if (typeof ending["stop_reason"] === "string") state.raw_finish_reason = ending["stop_reason"];
  state.facts = { ...state.facts, ...factsOf(rest), ...factsOf(ending) };
  state.usage = mergeUsage(state.usage, usage);
}

function onMessageStop(state: State): void {
  const { context, blocks, raw_finish_reason, usage, facts } = state;
  const finish_reason = own(finishReasons, raw_finish_reason) ?? "unknown";
  blocks.end(finish_reason === "length");
  const cost = usage?.["cost"];
  context.out.done({
    // Calls for us to answer, whatever the reason says; but not a turn that the server itself goes on with.
    finish_reason:
      finish_reason === "stop" && raw_finish_reason !== "pause_turn" && blocks.calledUs() ? "tool_use" : finish_reason,
    raw_finish_reason,
    usage: readUsage(usage ?? {}),
    cost_usd: typeof cost === "number" ? cost : undefined,
    provider_data: usage === undefined ? facts : { ...facts, usage },
  });
}

function readWhole(state: State, message: JsonObject, content: readonly JsonValue[]): void {
  const { content: _content, stop_reason, usage, ...rest } = message;
  onMessageStart(state, { message: rest });
  content.forEach((block, index) => {
    if (!isJsonObject(block)) return;
    state.blocks.start(index, block);
    state.blocks.stop(index);
  });
  onMessageDelta(state, { delta: { stop_reason }, usage });
  onMessageStop(state);
}

/** Everything that is known and said nowhere else. */
function factsOf(source: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(source).filter(([name, value]) => value !== null && value !== undefined && !toldElsewhere.has(name)),
  );
}

function usageOf({ usage }: State): Usage | undefined {
  return usage === undefined ? undefined : readUsage(usage);
}

function isError(parsed: JsonObject, event?: string): boolean {
  return (
    parsed["type"] === "error" || event === "error" || (parsed["type"] === undefined && parsed["error"] !== undefined)
  );
}

const brokenFrame = errorInfo({
  category: "server",
  message: "The stream broke: a frame is not JSON",
  provider_code: "malformed_frame",
});

const toldElsewhere: ReadonlySet<string> = new Set(["type", "role", "model", "content", "stop_reason", "usage"]);

const finishReasons: { readonly [stop_reason: string]: FinishReason | undefined } = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool_use",
  refusal: "content_filter",
  sensitive: "content_filter",
};
