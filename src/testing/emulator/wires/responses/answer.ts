/** The answer of the Responses wire: one response object, or the events that build it item by item. */
import type { JsonObject, JsonValue } from "../../../../core/json.ts";
import { commentFrame, dataFrame, namedFrame, obfuscation } from "../../frames.ts";
import { numberOf, objectOf, once, textOf } from "../../json.ts";
import { hex, uuid, type Random } from "../../random.ts";
import type { CallBlock, TextBlock, ThinkingBlock, Turn, TurnBlock } from "../../turn.ts";
import type { ResponsesContext } from "./read.ts";
import { encryptionClaim } from "./rules-items.ts";
import { cacheDetails, costOf } from "./usage.ts";

const storedMax = 1_000;
const rememberedMax = 20_000;

export type Writer = {
  readonly context: ResponsesContext;
  readonly random: Random;
  readonly noise: Random | undefined;
  readonly id: () => string;
  readonly created: number;
};

export function makeWriter(context: ResponsesContext): Writer {
  const { random, world } = context.exchange;
  const { quirks } = context.exchange.route.dialect;
  const quiet = world.options.noise === false;
  const unpadded = objectOf(context.body["stream_options"])["include_obfuscation"] === false;
  return {
    context,
    random,
    noise: quiet || unpadded || quirks.padding !== true ? undefined : random,
    id: once(() => (quirks.ids === "uuid" ? uuid(random) : `resp_${random.letters(48, hex)}`)),
    created: Math.floor(world.now() / 1_000),
  };
}

export function wholeAnswer(writer: Writer, turn: Turn): JsonObject {
  const output = turn.blocks.map((block, index) => finishedItem(writer, planItem(writer, turn, block, index)));
  return finish(writer, turn, output);
}

export function* streamAnswer(writer: Writer, turn: Turn): Iterable<string> {
  const { quirks } = writer.context.exchange.route.dialect;
  let number = 0;
  if (quirks.comment !== undefined) yield commentFrame(quirks.comment);
  const send = (type: string, fields: JsonObject): string =>
    namedFrame(type, JSON.stringify({ type, sequence_number: number++, ...fields }));
  const open = responseObject(writer, turn, { status: "in_progress", output: [], usage: null });
  yield send("response.created", { response: open });
  yield send("response.in_progress", { response: open });
  const output: JsonObject[] = [];
  for (const [output_index, block] of turn.blocks.entries()) {
    const item = planItem(writer, turn, block, output_index);
    yield send("response.output_item.added", { output_index, item: openedItem(writer, item) });
    for (const [type, fields] of itemEvents(writer, item)) {
      yield send(type, { item_id: item.id, output_index, ...fields });
    }
    yield send("response.output_item.done", { output_index, item: finishedItem(writer, item) });
    // The closing object carries its own encryption of the same reasoning: equal in meaning, not in bytes.
    output.push(finishedItem(writer, item));
  }
  const response = finish(writer, turn, output);
  yield send(`response.${textOf(response["status"])}`, { response });
  if (quirks.done_after_responses === true) yield dataFrame("[DONE]");
}

export function failedFrames(writer: Writer, error: JsonObject, form: "nested" | "flat" | "failed_only"): string[] {
  const code = error["code"] ?? "server_error";
  const message = error["message"];
  const failed = responseObject(writer, undefined, {
    status: "failed",
    output: [],
    usage: null,
    error: { code, message },
  });
  const last = namedFrame("response.failed", JSON.stringify({ type: "response.failed", response: failed }));
  if (form === "failed_only") return [last];
  const event = form === "flat" ? { type: "error", code, message, param: null } : { type: "error", error };
  return [namedFrame("error", JSON.stringify(event)), last];
}

type Item = { readonly id: string; readonly block: TurnBlock; readonly call_id: string; readonly phase?: string };

function planItem(writer: Writer, turn: Turn, block: TurnBlock, index: number): Item {
  const { random, context } = writer;
  const prefix = block.type === "thinking" ? "rs_" : block.type === "text" ? "msg_" : "fc_";
  const id = prefix + random.letters(48, hex);
  const call_id = block.type === "tool_call" ? (block.id ?? `call_${random.letters(24)}`) : "";
  if (block.type !== "text" || !context.model.phases) return { id, block, call_id };
  // Text before a call comments on the work; the last text is the answer.
  const before = turn.blocks.slice(index + 1).some((later) => later.type !== "thinking");
  return { id, block, call_id, phase: block.phase ?? (before ? "commentary" : "final_answer") };
}

function openedItem(writer: Writer, item: Item): JsonObject {
  const { id, block } = item;
  switch (block.type) {
    case "thinking":
      if (saysThinking(writer)) return { id, type: "reasoning", status: "in_progress", summary: [], content: [] };
      return { id, type: "reasoning", ...encrypted(writer, "unfinished"), summary: [] };
    case "text":
      return { id, type: "message", status: "in_progress", content: [], ...phaseOf(item), role: "assistant" };
    case "tool_call":
      return {
        id,
        type: "function_call",
        status: "in_progress",
        arguments: "",
        call_id: item.call_id,
        name: block.name,
      };
  }
}

function finishedItem(writer: Writer, item: Item): JsonObject {
  const { id, block } = item;
  switch (block.type) {
    case "thinking":
      if (saysThinking(writer))
        return { id, type: "reasoning", status: "completed", summary: [], content: [reasoningPart(block.text)] };
      return { id, type: "reasoning", ...encrypted(writer, "reasoning"), summary: summaryOf(block) };
    case "text":
      return {
        id,
        type: "message",
        status: "completed",
        content: [textPart(block, block.text)],
        ...phaseOf(item),
        role: "assistant",
      };
    case "tool_call":
      return {
        id,
        type: "function_call",
        status: block.cut ? "incomplete" : "completed",
        arguments: callText(block),
        call_id: item.call_id,
        name: block.name,
      };
  }
}

function* itemEvents(writer: Writer, item: Item): Iterable<[string, JsonObject]> {
  switch (item.block.type) {
    case "thinking":
      yield* saysThinking(writer) ? reasoningEvents(item.block) : summaryEvents(writer, item.block);
      return;
    case "text":
      yield* textEvents(writer, item.block);
      return;
    case "tool_call":
      yield* callEvents(writer, item.block);
  }
}

function saysThinking(writer: Writer): boolean {
  return writer.context.exchange.route.dialect.quirks.reasoning_text === true;
}

function reasoningPart(text: string): JsonObject {
  return { type: "reasoning_text", text };
}

function* reasoningEvents(block: ThinkingBlock): Iterable<[string, JsonObject]> {
  const place = { content_index: 0 };
  yield ["response.content_part.added", { ...place, part: reasoningPart("") }];
  for (const delta of block.pieces) yield ["response.reasoning_text.delta", { ...place, delta }];
  yield ["response.reasoning_text.done", { ...place, text: block.text }];
  yield ["response.content_part.done", { ...place, part: reasoningPart(block.text) }];
}

function* summaryEvents(writer: Writer, block: ThinkingBlock): Iterable<[string, JsonObject]> {
  if (block.text === "") return;
  const place = { summary_index: 0 };
  yield ["response.reasoning_summary_part.added", { ...place, part: { type: "summary_text", text: "" } }];
  for (const delta of block.pieces) {
    yield ["response.reasoning_summary_text.delta", { ...place, delta, ...obfuscation(writer.noise) }];
  }
  yield ["response.reasoning_summary_text.done", { ...place, text: block.text }];
  yield ["response.reasoning_summary_part.done", { ...place, part: { type: "summary_text", text: block.text } }];
}

function* textEvents(writer: Writer, block: TextBlock): Iterable<[string, JsonObject]> {
  const place = { content_index: 0 };
  const kind = block.refusal ? "refusal" : "output_text";
  const extra = block.refusal ? {} : { logprobs: [] };
  yield ["response.content_part.added", { ...place, part: textPart(block, "") }];
  for (const delta of block.pieces) {
    yield [`response.${kind}.delta`, { ...place, delta, ...extra, ...obfuscation(writer.noise) }];
  }
  for (const [annotation_index, annotation] of annotationsOf(block).entries()) {
    yield ["response.output_text.annotation.added", { ...place, annotation_index, annotation }];
  }
  yield [`response.${kind}.done`, { ...place, [block.refusal ? "refusal" : "text"]: block.text, ...extra }];
  yield ["response.content_part.done", { ...place, part: textPart(block, block.text) }];
}

function* callEvents(writer: Writer, block: CallBlock): Iterable<[string, JsonObject]> {
  const whole = writer.context.exchange.route.dialect.quirks.whole_tool_calls === true;
  const pieces = whole || block.text === "" ? [callText(block)] : block.pieces;
  for (const delta of pieces) {
    yield ["response.function_call_arguments.delta", { delta, ...obfuscation(writer.noise) }];
  }
  yield ["response.function_call_arguments.done", { arguments: callText(block) }];
}

function callText(block: CallBlock): string {
  return block.text === "" ? "{}" : block.text;
}

function phaseOf(item: Item): JsonObject {
  return item.phase === undefined ? {} : { phase: item.phase };
}

function summaryOf(block: ThinkingBlock): JsonValue {
  return block.text === "" ? [] : [{ type: "summary_text", text: block.text }];
}

/** What is sent when an item is opened is not yet the encryption that can be sent back. */
function encrypted(writer: Writer, kind: "reasoning" | "unfinished"): JsonObject {
  const { context, random } = writer;
  const asked =
    Array.isArray(context.body["include"]) && context.body["include"].includes("reasoning.encrypted_content");
  const { route, world } = context.exchange;
  if (!asked && context.stores) return {};
  if (kind === "unfinished" && route.dialect.quirks.unfinished_encryption !== true) return {};
  return { encrypted_content: world.signatures.sign(encryptionClaim(context, kind), random.letters(12)) };
}

function textPart(block: TextBlock, text: string): JsonObject {
  if (block.refusal) return { type: "refusal", refusal: text };
  return { type: "output_text", annotations: text === "" ? [] : annotationsOf(block), logprobs: [], text };
}

function annotationsOf(block: TextBlock): readonly JsonObject[] {
  return block.citations.map((source) => ({
    type: "url_citation",
    start_index: 0,
    end_index: block.text.length,
    title: source.title ?? source.url,
    url: source.url,
  }));
}

function finish(writer: Writer, turn: Turn, output: readonly JsonObject[]): JsonObject {
  remember(writer, output);
  const filtered =
    turn.finish === "content_filter" && !turn.blocks.some((block) => block.type === "text" && block.refusal);
  const incomplete =
    turn.raw_finish ?? (turn.finish === "length" ? "max_output_tokens" : filtered ? "content_filter" : "");
  return responseObject(writer, turn, {
    status: incomplete === "" ? "completed" : "incomplete",
    incomplete_details: incomplete === "" ? null : { reason: incomplete },
    output,
    usage: usageOf(writer, turn),
  });
}

function remember(writer: Writer, output: readonly JsonObject[]): void {
  const { context } = writer;
  const { reasoning_of, stored } = context.exchange.world;
  let reasoning = "";
  if (reasoning_of.size > rememberedMax) reasoning_of.clear();
  for (const item of output) {
    if (item["type"] === "reasoning") reasoning = textOf(item["id"]);
    else if (reasoning !== "") reasoning_of.set(textOf(item["id"]), reasoning);
  }
  if (!context.stores) return;
  stored.set(writer.id(), [...context.history, ...output]);
  const oldest = stored.keys().next().value;
  if (stored.size > storedMax && oldest !== undefined) stored.delete(oldest);
}

function usageOf(writer: Writer, turn: Turn): JsonObject {
  const { input, cache, output, thinking } = turn.usage;
  const all = input + cache.read + cache.written;
  return {
    input_tokens: all,
    input_tokens_details: cacheDetails(writer.context.model, cache),
    output_tokens: output + thinking,
    output_tokens_details: { reasoning_tokens: thinking },
    total_tokens: all + output + thinking,
    ...costOf(writer.context.exchange, turn.usage),
  };
}

function responseObject(writer: Writer, turn: Turn | undefined, fields: JsonObject): JsonObject {
  const { body, effort, model, stores } = writer.context;
  const reasons = model.efforts.length > 0;
  return {
    id: writer.id(),
    object: "response",
    created_at: writer.created,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: body["instructions"] ?? null,
    max_output_tokens: numberOf(body["max_output_tokens"]) ?? null,
    model: turn?.model ?? textOf(body["model"]),
    parallel_tool_calls: body["parallel_tool_calls"] ?? true,
    previous_response_id: body["previous_response_id"] ?? null,
    reasoning: { effort: reasons ? effort : null, summary: objectOf(body["reasoning"])["summary"] ?? null },
    service_tier: "default",
    store: stores,
    text: { format: { type: "text" }, verbosity: "medium", ...objectOf(body["text"]) },
    tool_choice: body["tool_choice"] ?? "auto",
    tools: body["tools"] ?? [],
    truncation: "disabled",
    metadata: body["metadata"] ?? {},
    ...fields,
  };
}
