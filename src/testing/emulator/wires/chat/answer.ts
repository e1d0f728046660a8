/** The answer of the Chat wire: one completion, or chunks of it. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import { dataFrame, obfuscation } from "../../frames.ts";
import { objectOf, once, textOf } from "../../json.ts";
import { alphanumeric, type Random } from "../../random.ts";
import type { CallBlock, TextBlock, ThinkingBlock, Turn } from "../../turn.ts";
import { cacheDetails } from "../responses/usage.ts";
import type { ChatContext } from "./read.ts";

export type Writer = {
  readonly context: ChatContext;
  readonly random: Random;
  readonly noise: Random | undefined;
  readonly id: () => string;
  readonly created: number;
};

export function makeWriter(context: ChatContext): Writer {
  const { random, world } = context.exchange;
  const unpadded = objectOf(context.body["stream_options"])["include_obfuscation"] === false;
  return {
    context,
    random,
    noise: world.options.noise === false || unpadded ? undefined : random,
    id: once(() => `chatcmpl-${random.letters(29, alphanumeric)}`),
    created: Math.floor(world.now() / 1_000),
  };
}

export function wholeAnswer(writer: Writer, turn: Turn): JsonObject {
  const texts = textsOf(turn);
  const calls = callsOf(turn).map((block) => wholeCall(writer, block));
  const spoken = texts.filter((block) => !block.refusal);
  const content = spoken.map((block) => block.text).join("");
  const refusal = texts.filter((block) => block.refusal).map((block) => block.text);
  const message = {
    role: "assistant",
    content: spoken.length === 0 ? null : content,
    refusal: refusal.length === 0 ? null : refusal.join(""),
    ...reasoningFields(writer, thoughtsOf(turn)),
    annotations: texts.flatMap(annotationsOf),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  };
  return {
    ...envelope(writer, turn, "chat.completion"),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(writer, turn) }],
    usage: usageOf(writer, turn),
    system_fingerprint: null,
  };
}

export function* streamAnswer(writer: Writer, turn: Turn): Iterable<string> {
  const usage = objectOf(writer.context.body["stream_options"])["include_usage"] === true;
  const send = (delta: JsonObject, finish: JsonValue = null): string =>
    chunk(writer, turn, { choices: [{ index: 0, delta, finish_reason: finish }], ...(usage ? { usage: null } : {}) });
  const spoken = textsOf(turn).length > 0;
  yield send({ role: "assistant", content: spoken ? "" : null, refusal: null });
  let call = 0;
  for (const block of turn.blocks) {
    if (block.type === "thinking") {
      for (const piece of block.pieces) {
        const fields = reasoningFields(writer, [{ ...block, text: piece }]);
        if (Object.keys(fields).length > 0) yield send(fields);
      }
    } else if (block.type === "text") {
      for (const piece of block.pieces) yield send(block.refusal ? { refusal: piece } : { content: piece });
      if (block.citations.length > 0) yield send({ annotations: annotationsOf(block) });
    } else {
      for (const delta of callDeltas(writer, block, call++)) yield send({ tool_calls: [delta] });
    }
  }
  yield send({}, finishReason(writer, turn));
  if (usage) yield chunk(writer, turn, { choices: [], usage: usageOf(writer, turn) });
  yield dataFrame("[DONE]");
}

function chunk(writer: Writer, turn: Turn, fields: JsonObject): string {
  const head = { ...envelope(writer, turn, "chat.completion.chunk"), system_fingerprint: null };
  return dataFrame(JSON.stringify({ ...head, ...fields, ...obfuscation(writer.noise) }));
}

function envelope(writer: Writer, turn: Turn, object: string): JsonObject {
  return {
    id: writer.id(),
    object,
    created: writer.created,
    model: turn.model ?? textOf(writer.context.body["model"]),
    service_tier: "default",
  };
}

function* callDeltas(writer: Writer, block: CallBlock, index: number): Iterable<JsonObject> {
  const whole = wholeCall(writer, block);
  if (writer.context.exchange.route.dialect.quirks.whole_tool_calls === true) {
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

function reasoningFields(writer: Writer, blocks: readonly ThinkingBlock[]): JsonObject {
  const field = writer.context.exchange.route.dialect.quirks.reasoning_field;
  const text = blocks.map((block) => block.text).join("");
  return field === undefined || text === "" ? {} : { [field]: text };
}

function annotationsOf(block: TextBlock): readonly JsonObject[] {
  return block.citations.map((source) => ({
    type: "url_citation",
    url_citation: { start_index: 0, end_index: block.text.length, title: source.title ?? source.url, url: source.url },
  }));
}

function finishReason(writer: Writer, turn: Turn): string {
  if (turn.raw_finish !== undefined) return turn.raw_finish;
  // Named by the request, a call ends the turn with "stop".
  const named = objectOf(writer.context.body["tool_choice"])["type"] === "function";
  const call = named ? "stop" : "tool_calls";
  const refused = textsOf(turn).some((block) => block.refusal);
  return { stop: "stop", length: "length", tool_use: call, content_filter: refused ? "stop" : "content_filter" }[
    turn.finish
  ];
}

function usageOf(writer: Writer, turn: Turn): JsonObject {
  const { input, cache, output, thinking } = turn.usage;
  const { model, exchange } = writer.context;
  const prompt = input + cache.read + cache.written;
  const apart = exchange.route.dialect.quirks.completion_excludes_reasoning === true;
  return {
    prompt_tokens: prompt,
    completion_tokens: apart ? output : output + thinking,
    total_tokens: prompt + output + thinking,
    prompt_tokens_details: { ...cacheDetails(model, cache), audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: thinking,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  };
}

function textsOf(turn: Turn): readonly TextBlock[] {
  return turn.blocks.filter((block) => block.type === "text");
}

function callsOf(turn: Turn): readonly CallBlock[] {
  return turn.blocks.filter((block) => block.type === "tool_call");
}

function thoughtsOf(turn: Turn): readonly ThinkingBlock[] {
  return turn.blocks.filter((block) => block.type === "thinking");
}
