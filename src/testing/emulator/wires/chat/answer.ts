/** The answer of the Chat wire: one completion, or chunks of it. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import type { Quirks } from "../../dialect.ts";
import { commentFrame, dataFrame, obfuscation } from "../../frames.ts";
import { objectOf, once, textOf } from "../../json.ts";
import { uuid, type Random } from "../../random.ts";
import type { CallBlock, TextBlock, ThinkingBlock, Turn } from "../../turn.ts";
import { cacheDetails, costOf } from "../responses/usage.ts";
import type { ChatContext } from "./read.ts";
import { sealDetail, textDetail } from "./reasoning-details.ts";

export type Writer = {
  readonly context: ChatContext;
  readonly quirks: Quirks;
  readonly random: Random;
  readonly noise: Random | undefined;
  readonly id: () => string;
  readonly created: number;
};

export function makeWriter(context: ChatContext): Writer {
  const { random, world, route } = context.exchange;
  const { quirks } = route.dialect;
  const unpadded = objectOf(context.body["stream_options"])["include_obfuscation"] === false;
  const padded = quirks.padding === true && world.options.noise !== false && !unpadded;
  return {
    context,
    quirks,
    random,
    noise: padded ? random : undefined,
    id: once(() => answerId(quirks, random)),
    created: Math.floor(world.now() / 1_000),
  };
}

function answerId(quirks: Quirks, random: Random): string {
  switch (quirks.ids) {
    case "uuid":
      return uuid(random);
    case "gen":
      return `gen-${random.between(1_790_000_000, 1_799_999_999)}-${random.letters(20)}`;
    case "short":
      return `chatcmpl-${random.between(100, 999)}`;
    default:
      return `chatcmpl-${random.letters(29)}`;
  }
}

export function wholeAnswer(writer: Writer, turn: Turn): JsonObject {
  const texts = turn.blocks.filter((block) => block.type === "text");
  const calls = turn.blocks.filter((block) => block.type === "tool_call").map((block) => wholeCall(writer, block));
  const spoken = texts.filter((block) => !block.refusal);
  const refusal = texts.filter((block) => block.refusal).map((block) => block.text);
  const message = {
    role: "assistant",
    content: spoken.length === 0 ? null : spoken.map((block) => block.text).join(""),
    refusal: refusal.length === 0 ? null : refusal.join(""),
    ...wholeThinking(writer, turn),
    annotations: texts.flatMap(annotationsOf),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelope(writer, turn, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, ...finishFields(writer, turn) }],
    usage: usageOf(writer, turn),
    system_fingerprint: null,
  };
}

export function* streamAnswer(writer: Writer, turn: Turn): Iterable<string> {
  const { quirks } = writer;
  const asked = objectOf(writer.context.body["stream_options"])["include_usage"] === true;
  const reports = asked && quirks.usage_with_finish !== true;
  if (quirks.comment !== undefined) yield commentFrame(quirks.comment);
  const send = (delta: JsonObject, more: JsonObject = {}): string => {
    const everywhere = quirks.role_everywhere === true ? { role: "assistant", content: "" } : {};
    const open = quirks.finish_key_late === true ? {} : { finish_reason: null };
    const native = quirks.native_finish === true ? { native_finish_reason: null } : {};
    const choice = { index: 0, delta: { ...everywhere, ...delta }, ...open, ...native, ...more };
    return chunk(writer, turn, { choices: [choice], ...(reports ? { usage: null } : {}) });
  };
  const spoken = turn.blocks.some((block) => block.type === "text");
  yield send({ role: "assistant", content: spoken ? "" : null, ...(quirks.padding === true ? { refusal: null } : {}) });
  for (const delta of deltasOf(writer, turn)) yield send(delta);
  yield send({}, finishFields(writer, turn));
  if (quirks.usage_with_finish === true) {
    const choice = { index: 0, delta: { role: "assistant", content: "" }, ...finishFields(writer, turn) };
    yield chunk(writer, turn, { choices: [choice], usage: usageOf(writer, turn) });
  } else if (asked) yield chunk(writer, turn, { choices: [], usage: usageOf(writer, turn) });
  yield dataFrame("[DONE]");
}

/** Where the router speaks for the upstream, an error ends the turn like a finish reason. */
export function errorChunk(writer: Writer, body: JsonObject): string {
  if (writer.quirks.error_as_chunk !== true) return dataFrame(JSON.stringify(body));
  const choice = {
    index: 0,
    delta: { role: "assistant", content: "" },
    finish_reason: "error",
    native_finish_reason: null,
  };
  const head = { id: writer.id(), object: "chat.completion.chunk", created: writer.created };
  return dataFrame(JSON.stringify({ ...head, choices: [choice], error: body["error"] }));
}

function* deltasOf(writer: Writer, turn: Turn): Iterable<JsonObject> {
  let calls = 0;
  let thoughts = 0;
  for (const block of turn.blocks) {
    switch (block.type) {
      case "thinking":
        yield* thinkingDeltas(writer, block, thoughts++);
        break;
      case "text":
        for (const piece of block.pieces) yield block.refusal ? { refusal: piece } : { content: piece };
        if (block.citations.length > 0) yield { annotations: annotationsOf(block) };
        break;
      case "tool_call":
        for (const delta of callDeltas(writer, block, calls++)) yield { tool_calls: [delta] };
    }
  }
}

function* thinkingDeltas(writer: Writer, block: ThinkingBlock, index: number): Iterable<JsonObject> {
  const { quirks, context, random } = writer;
  const field = quirks.reasoning_field;
  if (field === undefined) return;
  for (const piece of block.pieces) {
    const details = quirks.reasoning_details === true ? { reasoning_details: [textDetail(context, index, piece)] } : {};
    yield { [field]: piece, ...details };
  }
  if (quirks.reasoning_details !== true) return;
  const seal = sealDetail(context, block, index, random);
  if (seal.length > 0) yield { [field]: null, reasoning_details: seal };
}

function wholeThinking(writer: Writer, turn: Turn): JsonObject {
  const { quirks, context, random } = writer;
  const blocks = turn.blocks.filter((block) => block.type === "thinking");
  const field = quirks.reasoning_field;
  if (field === undefined || blocks.length === 0) return {};
  const text = blocks.map((block) => block.text).join("");
  if (quirks.reasoning_details !== true) return text === "" ? {} : { [field]: text };
  const details = blocks.flatMap((block, index) => {
    const said = block.text === "" ? [] : [textDetail(context, index, block.text)];
    const seal = sealDetail(context, block, index, random);
    // A signature belongs to the text it signs; what is encrypted stands for itself.
    const signed = said[0] !== undefined && seal[0]?.["signature"] !== undefined;
    return signed ? [{ ...said[0], ...seal[0] }] : [...said, ...seal];
  });
  return { [field]: text, reasoning_details: details };
}

function chunk(writer: Writer, turn: Turn, fields: JsonObject): string {
  const head = { ...envelope(writer, turn, "chat.completion.chunk"), system_fingerprint: null };
  return dataFrame(JSON.stringify({ ...head, ...fields, ...obfuscation(writer.noise) }));
}

function envelope(writer: Writer, turn: Turn, object: string): JsonObject {
  const routed = writer.quirks.native_finish === true ? { provider: "Upstream" } : {};
  return {
    id: writer.id(),
    object,
    created: writer.created,
    model: turn.model ?? textOf(writer.context.body["model"]),
    ...routed,
    service_tier: "default",
  };
}

function* callDeltas(writer: Writer, block: CallBlock, index: number): Iterable<JsonObject> {
  const whole = wholeCall(writer, block);
  if (writer.quirks.whole_tool_calls === true) {
    yield { index, ...whole };
    return;
  }
  yield { index, ...whole, function: { name: block.name, arguments: "" } };
  const pieces = block.text === "" ? ["{}"] : block.pieces;
  for (const piece of pieces) yield { index, function: { arguments: piece } };
}

function wholeCall(writer: Writer, block: CallBlock): JsonObject {
  const given = block.text === "" ? "{}" : block.text;
  return {
    id: block.id ?? `call_${writer.random.letters(24)}`,
    type: "function",
    function: { name: block.name, arguments: given },
  };
}

function annotationsOf(block: TextBlock): readonly JsonObject[] {
  return block.citations.map((source) => ({
    type: "url_citation",
    url_citation: { start_index: 0, end_index: block.text.length, title: source.title ?? source.url, url: source.url },
  }));
}

function finishFields(writer: Writer, turn: Turn): JsonObject {
  const finish_reason = finishReason(writer, turn);
  return writer.quirks.native_finish === true
    ? { finish_reason, native_finish_reason: turn.finish }
    : { finish_reason };
}

function finishReason(writer: Writer, turn: Turn): JsonValue {
  if (turn.raw_finish !== undefined) return turn.raw_finish;
  // Named by the request, a call ends the turn with "stop".
  const named = objectOf(writer.context.body["tool_choice"])["type"] === "function";
  const call = named ? "stop" : "tool_calls";
  const refused = turn.blocks.some((block) => block.type === "text" && block.refusal);
  return { stop: "stop", length: "length", tool_use: call, content_filter: refused ? "stop" : "content_filter" }[
    turn.finish
  ];
}

function usageOf(writer: Writer, turn: Turn): JsonObject {
  const { input, cache, output, thinking } = turn.usage;
  const { model, exchange } = writer.context;
  const prompt = input + cache.read + cache.written;
  const apart = writer.quirks.completion_excludes_reasoning === true;
  const sums = {
    prompt_tokens: prompt,
    completion_tokens: apart ? output : output + thinking,
    total_tokens: prompt + output + thinking,
  };
  if (writer.quirks.usage_details === "none") return sums;
  const details = { ...sums, prompt_tokens_details: cacheDetails(model, cache) };
  if (writer.quirks.usage_details === "cached") return details;
  return {
    ...details,
    completion_tokens_details: {
      reasoning_tokens: thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
    ...costOf(exchange, turn.usage),
  };
}
