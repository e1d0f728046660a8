import {
  isJsonObject,
  type AssistantBlock,
  type JsonObject,
  type Loss,
  type Opaque,
  type ToolCallBlock,
} from "../../../core/index.ts";
import { textIn } from "./kinds.ts";
import type { ResponsesQuirks } from "./quirks.ts";
import type { WireCall, WireMessage } from "./wire.ts";

/** What a turn needs to know of the request it is part of. */
export type ReplayContext = {
  readonly provider: string;
  /** All names of the model that will read this. */
  readonly models: readonly string[];
  readonly quirks: ResponsesQuirks;
  /** Ids that earlier items carry: each may stand once. */
  readonly used_ids: Set<string>;
  readonly losses: Loss[];
};

/**
 * An assistant turn as the items it was made of, in their order. What this model did not make, or did not finish, has
 * no item: it goes as plain text and plain calls.
 */
export function replayTurn(
  content: readonly AssistantBlock[],
  message_index: number,
  context: ReplayContext,
): readonly JsonObject[] {
  const entries = group(inOutputOrder(content, context));
  const lose = (code: Loss["code"], message: string): void =>
    void context.losses.push({ code, message, message_index });
  const kept: Entry[] = [];
  const dropTrailingReasoning = (): void => {
    while (kept.at(-1)?.type === "reasoning") {
      kept.pop();
      lose("unsupported_block", "Reasoning that nothing followed was left out: the API refuses it alone");
    }
  };
  // The API links items to the reasoning before them by their ids: once something is missing, the rest must not be named.
  let orphaned = false;
  let expected = 0;
  for (const entry of entries) {
    if (entry.output_index !== undefined) {
      orphaned ||= entry.output_index > expected;
      expected = entry.output_index + 1;
    }
    const refused = refusal(entry, entries, { orphaned, quirks: context.quirks });
    if (refused !== undefined) {
      // Where a server wants none of its thinking back, leaving it out loses nothing worth telling.
      if (entry.type !== "reasoning" || context.quirks.reasoning_replay !== "none") lose(...refused);
      if (entry.type === "call") dropTrailingReasoning();
      orphaned = true;
      continue;
    }
    if (entry.type === "reasoning") orphaned = false;
    kept.push(orphaned ? { ...entry, item: withoutKey(entry.item, "id") } : entry);
  }
  dropTrailingReasoning();
  return kept.map(({ item }) => named(item, context));
}

/** `made`: what the decoder kept of the item that a block was read from. */
type Part = { readonly block: AssistantBlock; readonly made?: Made };
type Made = { readonly output_index: number; readonly item: JsonObject; readonly data: JsonObject };
type Entry = {
  /** `own`: text and calls of ours, which need no id; `call` and `hosted`: the API's own tools, which do. */
  readonly type: "reasoning" | "own" | "call" | "hosted";
  readonly output_index?: number;
  readonly item: JsonObject;
};

function inOutputOrder(content: readonly AssistantBlock[], context: ReplayContext): readonly Part[] {
  let last = -1;
  return content
    .map((block) => {
      const made = "opaque" in block ? madeBy(block.opaque, context) : undefined;
      last = made?.output_index ?? last;
      return { block, order: last, ...(made === undefined ? {} : { made }) };
    })
    .sort((left, right) => left.order - right.order);
}

/** Opaque data of another model, or of another API of the same one, is not ours to read. */
function madeBy(opaque: Opaque | undefined, { provider, models }: ReplayContext): Made | undefined {
  if (opaque === undefined || opaque.provider !== provider || !models.includes(opaque.model)) return undefined;
  const { data } = opaque;
  const { output_index, item } = data;
  return typeof output_index === "number" && isJsonObject(item) ? { output_index, item, data } : undefined;
}

/** The parts of one message item become one item again. */
function group(parts: readonly Part[]): readonly Entry[] {
  const entries: Entry[] = [];
  let open: { readonly index: number; readonly content: JsonObject[] } | undefined;
  for (const { block, made } of parts) {
    if (block.type === "text" && made !== undefined) {
      const part = outputPart(block.text, made.data["part"]);
      if (open?.index === made.output_index) {
        open.content.push(part);
        continue;
      }
      open = { index: made.output_index, content: [part] };
      const item = { ...typed(made.item, "message"), content: open.content };
      entries.push({ type: "own", output_index: made.output_index, item });
      continue;
    }
    open = undefined;
    entries.push(...entryFor(block, made));
  }
  return entries;
}

function entryFor(block: AssistantBlock, made: Made | undefined): readonly Entry[] {
  const place = made === undefined ? {} : { output_index: made.output_index };
  if (block.type === "tool_call") return [{ type: "own", ...place, item: callItem(block, made?.item) }];
  if (block.type === "text") {
    const item: WireMessage = { role: "assistant", content: block.text };
    return block.text === "" ? [] : [{ type: "own", item }];
  }
  if (made === undefined) return [];
  if (block.type === "thinking") return [{ type: "reasoning", ...place, item: reasoningItem(made.item) }];
  return [{ type: textIn(made.item, "type").endsWith("_call") ? "call" : "hosted", ...place, item: made.item }];
}

/** Why an item cannot go back, or nothing. */
function refusal(
  { type, item }: Entry,
  entries: readonly Entry[],
  { orphaned, quirks }: { readonly orphaned: boolean; readonly quirks: ResponsesQuirks },
): readonly [code: Loss["code"], message: string] | undefined {
  if (type === "reasoning") {
    const isSealed = textIn(item, "encrypted_content") !== "";
    const goes = { none: false, encrypted: isSealed, any: isSealed || hasContent(item) }[quirks.reasoning_replay];
    return goes ? undefined : ["unsigned_thinking", "Reasoning without its encrypted content was left out"];
  }
  if (type === "own") return undefined;
  const name = textIn(item, "type");
  if (name === "message") return hasContent(item) ? undefined : ["empty_message", "An empty message was left out"];
  if (orphaned) return ["unsupported_block", `A ${name} whose reasoning is missing was left out`];
  if (type === "call" && needsResult(item) && !entries.some((entry) => isResultOf(entry.item, item))) {
    return ["unsupported_block", `A ${name} without its result was left out`];
  }
  return undefined;
}

function hasContent(item: JsonObject): boolean {
  return Array.isArray(item["content"]) && item["content"].length > 0;
}

/** Calls that the API leaves to its client, and refuses in a history where they have no result. */
function needsResult(call: JsonObject): boolean {
  return textIn(call, "call_id") !== "" && call["execution"] !== "server";
}

function isResultOf(item: JsonObject, call: JsonObject): boolean {
  const name = textIn(call, "type");
  const results = [`${name}_output`, name.replace(/_call$/, "_output")];
  return item["call_id"] === call["call_id"] && results.includes(textIn(item, "type"));
}

/** `summary` must be there even when it is empty, and an empty encrypted content must not. */
function reasoningItem(item: JsonObject): JsonObject {
  const { encrypted_content, ...rest } = typed(item, "reasoning");
  const isSealed = typeof encrypted_content === "string" && encrypted_content !== "";
  const summary = Array.isArray(item["summary"]) ? item["summary"] : [];
  return { ...rest, summary, ...(isSealed ? { encrypted_content } : {}) };
}

function callItem(block: ToolCallBlock, made: JsonObject | undefined): JsonObject {
  const { id: call_id, name } = block;
  const text = block.arguments_text ?? JSON.stringify(block.arguments);
  if (made === undefined) {
    // Arguments that another model broke would be refused here.
    const item: WireCall = { type: "function_call", call_id, name, arguments: block.invalid === true ? "{}" : text };
    return item;
  }
  if (made["type"] !== "custom_tool_call") return { ...typed(made, "function_call"), call_id, name, arguments: text };
  const { input } = block.arguments;
  return { ...made, call_id, name, input: typeof input === "string" ? input : textIn(made, "input") };
}

function outputPart(text: string, kept: unknown): JsonObject {
  const { logprobs: _logprobs, ...part }: JsonObject = isJsonObject(kept) ? kept : {};
  if (part["type"] === "refusal") return { ...part, refusal: text };
  if (part["type"] !== undefined && part["type"] !== "output_text") return part;
  return { ...part, type: "output_text", text, annotations: part["annotations"] ?? [] };
}

/** An id may stand once in a request, even where its maker gave it to several items. */
function named(item: JsonObject, { used_ids, quirks }: ReplayContext): JsonObject {
  const id = textIn(item, "id");
  const isLegal = quirks.item_ids && id !== "" && id.length <= quirks.item_id_length_max;
  if (!isLegal || used_ids.has(id)) return withoutKey(item, "id");
  used_ids.add(id);
  return item;
}

function typed(item: JsonObject, usual: string): JsonObject {
  return { ...item, type: textIn(item, "type") || usual };
}

function withoutKey(item: JsonObject, key: string): JsonObject {
  return Object.hasOwn(item, key) ? Object.fromEntries(Object.entries(item).filter(([name]) => name !== key)) : item;
}
