/** The answer of the Messages wire: one body, or the events that build it. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import { namedFrame, paddedJson } from "../../frames.ts";
import { objectOf, once, parseJson, textOf } from "../../json.ts";
import { base58, type Random } from "../../random.ts";
import type { CallBlock, TextBlock, ThinkingBlock, Turn, TurnBlock } from "../../turn.ts";
import type { Citation } from "../../types.ts";
import type { MessagesContext } from "./read.ts";
import { droppedBlocks } from "./rules-thinking.ts";

export type Writer = {
  readonly context: MessagesContext;
  readonly random: Random;
  readonly noise: Random | undefined;
  readonly id: () => string;
  readonly signature: (block: ThinkingBlock) => string;
};

export function makeWriter(context: MessagesContext): Writer {
  const { random, world } = context.exchange;
  const prefix = once(() => context.prefixes().at(-1) ?? "");
  return {
    context,
    random,
    noise: world.options.noise === false ? undefined : random,
    id: once(() => `msg_01${random.letters(22, base58)}`),
    signature: (block) =>
      world.signatures.sign(
        {
          shape: "anthropic",
          kind: block.form === "redacted" ? "redacted" : "thinking",
          model: context.model.id,
          prefix: prefix(),
          content: block.text,
        },
        random.letters(12),
      ),
  };
}

export function wholeAnswer(writer: Writer, turn: Turn): JsonObject {
  const usage = usageOf(turn);
  return {
    ...startMessage(writer, turn),
    content: turn.blocks.map((block) => wholeBlock(writer, block)),
    stop_reason: stopReason(turn),
    stop_sequence: turn.stop_sequence ?? null,
    stop_details: stopDetails(turn),
    usage: { ...usage, output_tokens: turn.usage.output + turn.usage.thinking },
  };
}

export function* streamAnswer(writer: Writer, turn: Turn): Iterable<string> {
  const send = (type: string, fields: JsonObject): string =>
    namedFrame(type, paddedJson({ type, ...fields }, writer.noise));
  const first = { ...startMessage(writer, turn), usage: { ...openingUsage(turn), output_tokens: 1 } };
  yield send("message_start", { message: first });
  let pinged = false;
  for (const [index, block] of turn.blocks.entries()) {
    yield send("content_block_start", { index, content_block: blockStart(writer, block) });
    if (!pinged && writer.noise !== undefined) yield keepAlive();
    pinged = true;
    for (const delta of blockDeltas(writer, block)) yield send("content_block_delta", { index, delta });
    yield send("content_block_stop", { index });
  }
  const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usageOf(turn);
  yield send("message_delta", {
    delta: {
      stop_reason: stopReason(turn),
      stop_sequence: turn.stop_sequence ?? null,
      stop_details: stopDetails(turn),
    },
    usage: {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens: turn.usage.output + turn.usage.thinking,
      output_tokens_details: { thinking_tokens: turn.usage.thinking },
    },
    ...transformations(writer),
  });
  yield send("message_stop", {});
}

export function keepAlive(): string {
  return namedFrame("ping", '{"type": "ping"}');
}

function startMessage(writer: Writer, turn: Turn): JsonObject {
  return {
    model: turn.model ?? textOf(writer.context.body["model"]),
    id: writer.id(),
    type: "message",
    role: "assistant",
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    ...transformations(writer),
  };
}

function transformations(writer: Writer): JsonObject {
  const dropped = droppedBlocks(writer.context);
  return dropped.length === 0 ? {} : { input_transformations: dropped };
}

function usageOf(turn: Turn): JsonObject {
  return { ...openingUsage(turn), output_tokens_details: { thinking_tokens: turn.usage.thinking } };
}

function openingUsage(turn: Turn): JsonObject {
  const { input, cache } = turn.usage;
  return {
    input_tokens: input,
    cache_creation_input_tokens: cache.written,
    cache_read_input_tokens: cache.read,
    cache_creation: {
      ephemeral_5m_input_tokens: cache.written - cache.written_1h,
      ephemeral_1h_input_tokens: cache.written_1h,
    },
    service_tier: "standard",
    inference_geo: "global",
  };
}

function stopReason(turn: Turn): string {
  if (turn.raw_finish !== undefined) return turn.raw_finish;
  if (turn.stop_sequence !== undefined) return "stop_sequence";
  return { stop: "end_turn", length: "max_tokens", tool_use: "tool_use", content_filter: "refusal" }[turn.finish];
}

function stopDetails(turn: Turn): JsonValue {
  if (stopReason(turn) !== "refusal") return null;
  return { type: "refusal", category: "general_harms", explanation: "The request was declined." };
}

function wholeBlock(writer: Writer, block: TurnBlock): JsonObject {
  switch (block.type) {
    case "thinking":
      if (block.form === "redacted") return { type: "redacted_thinking", data: writer.signature(block) };
      return { type: "thinking", thinking: block.text, signature: writer.signature(block) };
    case "text":
      return { type: "text", text: block.text, citations: citationsOf(block) };
    case "tool_call": {
      // A call cut by the limit has no complete object; the provider sends what it could read.
      const input = objectOf(parseJson(block.text === "" ? "{}" : block.text));
      return { type: "tool_use", ...callIdentity(writer, block), input, caller: { type: "direct" } };
    }
  }
}

function callIdentity(writer: Writer, block: CallBlock): JsonObject {
  return { id: block.id ?? `toolu_01${writer.random.letters(22, base58)}`, name: block.name };
}

function citationsOf(block: TextBlock): JsonValue {
  return block.citations.length === 0 ? null : block.citations.map(citation);
}

function citation(source: Citation): JsonObject {
  return {
    type: "web_search_result_location",
    url: source.url,
    title: source.title ?? source.url,
    cited_text: source.cited_text ?? "",
    encrypted_index: "Eo8BCioIAhgB",
  };
}

function blockStart(writer: Writer, block: TurnBlock): JsonObject {
  switch (block.type) {
    case "thinking":
      if (block.form === "redacted") return { type: "redacted_thinking", data: writer.signature(block) };
      return { type: "thinking", thinking: "", signature: "" };
    case "text":
      return { type: "text", text: "", ...(block.citations.length === 0 ? {} : { citations: [] }) };
    case "tool_call":
      return { type: "tool_use", ...callIdentity(writer, block), input: {}, caller: { type: "direct" } };
  }
}

function* blockDeltas(writer: Writer, block: TurnBlock): Iterable<JsonObject> {
  switch (block.type) {
    case "thinking":
      if (block.form === "redacted") return;
      if (block.form === "omitted") yield { type: "thinking_delta", thinking: "" };
      for (const thinking of block.pieces) yield { type: "thinking_delta", thinking };
      yield { type: "signature_delta", signature: writer.signature(block) };
      return;
    case "text":
      for (const text of block.pieces) yield { type: "text_delta", text };
      for (const source of block.citations) yield { type: "citations_delta", citation: citation(source) };
      return;
    case "tool_call":
      yield { type: "input_json_delta", partial_json: "" };
      for (const partial_json of block.pieces) yield { type: "input_json_delta", partial_json };
  }
}
