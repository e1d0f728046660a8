/** The answer of the Gemini wire: every frame is a whole response with the parts that are new. */
import type { JsonObject } from "../../../../core/json.ts";
import { crlfFrame } from "../../frames.ts";
import { objectOf, once, parseJson } from "../../json.ts";
import { base36, type Random } from "../../random.ts";
import { countTokens } from "../../tokens.ts";
import type { CallBlock, TextBlock, Turn } from "../../turn.ts";
import type { GeminiContext } from "./read.ts";
import { signedKind } from "./rules-contents.ts";

export type Writer = { readonly context: GeminiContext; readonly random: Random; readonly id: () => string };

export function makeWriter(context: GeminiContext): Writer {
  const { random } = context.exchange;
  return { context, random, id: once(() => random.letters(23)) };
}

export function wholeAnswer(writer: Writer, turn: Turn): JsonObject {
  if (turn.blocked !== undefined) return blocked(writer, turn, turn.blocked);
  const parts: JsonObject[] = [];
  for (const part of partsOf(writer, turn)) mergePart(parts, part);
  const content = parts.length === 0 ? { role: "model" } : { parts, role: "model" };
  return response(writer, turn, { content, ...finish(turn), index: 0, ...grounding(turn) }, turn.usage.output);
}

export function* streamAnswer(writer: Writer, turn: Turn): Iterable<string> {
  for (const object of objectsOfStream(writer, turn)) yield crlfFrame(JSON.stringify(object));
}

/** Without `alt=sse` a stream is one JSON array, element by element. */
export function* arrayAnswer(writer: Writer, turn: Turn): Iterable<string> {
  let first = true;
  for (const object of objectsOfStream(writer, turn)) {
    yield `${first ? "[" : ",\r\n"}${JSON.stringify(object, null, 2)}`;
    first = false;
  }
  yield "]";
}

function* objectsOfStream(writer: Writer, turn: Turn): Iterable<JsonObject> {
  if (turn.blocked !== undefined) {
    yield blocked(writer, turn, turn.blocked);
    return;
  }
  let output = 0;
  // The last chunk repeats nothing: an empty text, or the signature of the whole answer, and why it ended.
  let waiting: JsonObject | undefined;
  for (const part of partsOf(writer, turn)) {
    if (waiting !== undefined) yield response(writer, turn, candidate(waiting), output);
    const said = part["thought"] === true ? 0 : countTokens(JSON.stringify(part["text"] ?? part["functionCall"] ?? ""));
    output = Math.min(output + said, turn.usage.output);
    waiting = part;
  }
  const signedEnd = waiting !== undefined && waiting["text"] === "";
  if (waiting !== undefined && !signedEnd) yield response(writer, turn, candidate(waiting), output);
  const end = signedEnd && waiting !== undefined ? waiting : { text: "" };
  const empty = turn.blocks.length === 0;
  const content = empty ? { role: "model" } : { parts: [end], role: "model" };
  yield response(writer, turn, { content, ...finish(turn), index: 0, ...grounding(turn) }, turn.usage.output);
}

function candidate(part: JsonObject): JsonObject {
  return { content: { parts: [part], role: "model" }, index: 0 };
}

function* partsOf(writer: Writer, turn: Turn): Iterable<JsonObject> {
  const thinks = turn.usage.thinking > 0 || writer.context.model.signatures_required;
  const calls = turn.blocks.some((block) => block.type === "tool_call");
  let signed = false;
  for (const block of turn.blocks) {
    if (block.type === "thinking") {
      for (const text of block.pieces) yield { text, thought: true };
    } else if (block.type === "text") {
      for (const text of block.pieces) yield { text };
    } else {
      // Of parallel calls only the first is signed.
      const part = callPart(writer, block);
      yield thinks && !signed ? sign(writer, part) : part;
      signed = true;
    }
  }
  if (thinks && !calls && turn.blocks.some((block) => block.type === "text")) yield sign(writer, { text: "" });
}

function callPart(writer: Writer, block: CallBlock): JsonObject {
  const args = block.text === "" ? {} : { args: objectOf(parseJson(block.text)) };
  const id = writer.context.model.call_ids ? { id: block.id ?? writer.random.letters(8, base36) } : {};
  return { functionCall: { name: block.name, ...args, ...id } };
}

function sign(writer: Writer, part: JsonObject): JsonObject {
  const { context, random } = writer;
  const claim = { shape: "google", kind: signedKind(part), model: context.model.id, content: "" } as const;
  return { ...part, thoughtSignature: context.exchange.world.signatures.sign(claim, random.letters(12)) };
}

/** A whole body joins what a stream sends in pieces; a signed part stays its own. */
function mergePart(parts: JsonObject[], part: JsonObject): void {
  const last = parts.at(-1);
  const joins =
    typeof last?.["text"] === "string" &&
    typeof part["text"] === "string" &&
    last["thought"] === part["thought"] &&
    last["thoughtSignature"] === undefined;
  if (!joins || last === undefined) parts.push(part);
  else parts[parts.length - 1] = { ...last, ...part, text: `${String(last["text"])}${String(part["text"])}` };
}

function finish(turn: Turn): JsonObject {
  const calls = turn.blocks.some((block) => block.type === "tool_call");
  const reason =
    turn.raw_finish ?? { stop: "STOP", length: "MAX_TOKENS", tool_use: "STOP", content_filter: "SAFETY" }[turn.finish];
  return { finishReason: reason, ...(calls ? { finishMessage: "Model generated function call(s)." } : {}) };
}

function grounding(turn: Turn): JsonObject {
  const cited = turn.blocks.filter((block): block is TextBlock => block.type === "text" && block.citations.length > 0);
  const sources = cited.flatMap((block) => block.citations);
  if (sources.length === 0) return {};
  return {
    groundingMetadata: {
      webSearchQueries: [],
      groundingChunks: sources.map((source) => ({ web: { uri: source.url, title: source.title ?? source.url } })),
      groundingSupports: [],
    },
  };
}

function blocked(writer: Writer, turn: Turn, reason: string): JsonObject {
  const { promptTokenCount, promptTokensDetails } = usageOf(turn, 0);
  return {
    promptFeedback: { blockReason: reason },
    usageMetadata: { promptTokenCount, totalTokenCount: promptTokenCount, promptTokensDetails },
    modelVersion: turn.model ?? writer.context.model_id,
    responseId: writer.id(),
  };
}

function response(writer: Writer, turn: Turn, first: JsonObject, output: number): JsonObject {
  return {
    candidates: [first],
    usageMetadata: usageOf(turn, output),
    modelVersion: turn.model ?? writer.context.model_id,
    responseId: writer.id(),
  };
}

function usageOf(turn: Turn, output: number): JsonObject {
  const { input, cache, thinking } = turn.usage;
  const prompt = input + cache.read + cache.written;
  return {
    promptTokenCount: prompt,
    ...(output === 0 ? {} : { candidatesTokenCount: output }),
    totalTokenCount: prompt + output + thinking,
    ...(cache.read === 0 ? {} : { cachedContentTokenCount: cache.read }),
    promptTokensDetails: [{ modality: "TEXT", tokenCount: prompt }],
    ...(thinking === 0 ? {} : { thoughtsTokenCount: thinking }),
  };
}
