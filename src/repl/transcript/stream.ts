import type { Citation, StreamEvent } from "../../core/index.ts";
import { blockKey, citationKey, citationsText, hopText, providerText } from "./answer.ts";
import { callBody } from "./calls.ts";
import { change, type MutableItem } from "./list.ts";
import { announce, type Log } from "./state.ts";
import { beginningOf } from "./pieces.ts";

/** An answer while it arrives: its blocks are items at once, and become what the log says when its entry comes. */
export type Stream = {
  readonly hear: (event: StreamEvent) => void;
  readonly discard: () => void;
  /** The entry of the answer is here, or none will come. */
  readonly settled: () => void;
};

type Context = {
  readonly log: Log;
  readonly now: () => number;
  readonly state: {
    hops: number;
    blocks: Map<number, Block>;
    /** The place a block will have in its answer: some of them show nothing. */
    ranks: Map<number, number>;
    open?: Block | undefined;
  };
};

type Block = { readonly item: MutableItem; readonly started_at: number; citations?: Citation[] };

export function createStream(log: Log, now: () => number): Stream {
  const context: Context = { log, now, state: { hops: 0, blocks: new Map(), ranks: new Map() } };
  const { state } = context;
  const reset = (): void => {
    state.blocks = new Map();
    state.ranks = new Map();
    state.open = undefined;
    state.hops = 0;
  };
  const discard = (): void => {
    for (const { item } of state.blocks.values()) if (item.type === "tool") log.calls.delete(item.tool_call_id);
    log.list.discardArriving();
    reset();
  };
  return {
    hear(event) {
      // Asked again without a word: what came before is not part of this answer.
      if (event.type === "start" && state.blocks.size > 0) discard();
      if ("block_index" in event && !state.ranks.has(event.block_index)) {
        state.ranks.set(event.block_index, state.ranks.size);
      }
      hear(context, event);
    },
    discard,
    settled() {
      close(context);
      reset();
    },
  };
}

function hear(context: Context, event: StreamEvent): void {
  const { log, state } = context;
  switch (event.type) {
    case "text_delta":
      return addText(context, "text", event.block_index, event.text);
    case "thinking_delta":
      return addText(context, "thinking", event.block_index, event.text);
    case "tool_call_start":
    case "tool_call_delta":
    case "tool_call_done":
      return hearCall(context, event);
    case "citation":
      return addCitation(context, event.block_index, event.citation);
    case "opaque": {
      const item = state.blocks.get(event.block_index)?.item;
      if (item !== undefined) return;
      const text = providerText({ type: "provider", opaque: event.opaque });
      if (text !== undefined) open(context, event.block_index, { type: "extra", text });
      return;
    }
    case "fallback":
      log.list.addArriving(`h${state.hops}`, { type: "warning", message: hopText(event) });
      state.hops += 1;
      return;
    case "done":
    case "error":
      close(context);
      return;
    case "start":
      return;
  }
}

function addText(context: Context, type: "text" | "thinking", index: number, text: string): void {
  const { state } = context;
  const known = state.blocks.get(index);
  if (known === undefined) {
    // The first piece of many an answer is empty.
    if (text === "" && type === "text") return;
    const body =
      type === "text"
        ? ({ type, text, growing: true, incomplete: false } as const)
        : ({ type, text, growing: true, sealed: text === "" } as const);
    open(context, index, body);
    return;
  }
  const { item } = known;
  if (item.type === "text") change(item, { text: item.text + text });
  else if (item.type === "thinking") change(item, { text: item.text + text, sealed: item.sealed && text === "" });
}

function hearCall(context: Context, event: Extract<StreamEvent, { type: `tool_call_${string}` }>): void {
  const { log, state } = context;
  if (event.type === "tool_call_start") {
    const { id, name } = event;
    const block = { type: "tool_call", id, name, arguments: {}, arguments_text: "" } as const;
    const { item } = open(context, event.block_index, { ...callBody(block, log.folder), summary: name });
    if (item.type === "tool") log.calls.set(id, { item, ran: false });
    return;
  }
  const item = state.blocks.get(event.block_index)?.item;
  if (item?.type !== "tool") return;
  if (event.type === "tool_call_delta") {
    const whole = item.arguments_text.length >= argumentsKept;
    change(item, whole ? {} : { arguments_text: item.arguments_text + event.json_fragment });
    return;
  }
  const { arguments: args, arguments_text } = event;
  const { tool_call_id: id, name } = item;
  const text = arguments_text === undefined ? {} : { arguments_text };
  const { summary, arguments_text: shown } = callBody(
    { type: "tool_call", id, name, arguments: args, ...text },
    log.folder,
  );
  change(item, { summary, arguments_text: beginningOf(shown, argumentsKept) });
}

function addCitation(context: Context, index: number, citation: Citation): void {
  const block = context.state.blocks.get(index);
  if (block === undefined) return;
  const citations = (block.citations ??= []);
  citations.push(citation);
  const text = citationsText(citations);
  const key = citationKey(rankOf(context, index));
  const item = context.log.list.arriving(key);
  if (item?.type === "extra") change(item, { text });
  else context.log.list.addArriving(key, { type: "extra", text });
}

/** A new block; the one before it is finished. */
function open(context: Context, index: number, body: Parameters<Log["list"]["addArriving"]>[1]): Block {
  const { log, state, now } = context;
  close(context);
  if (state.blocks.size === 0) sayWho(context);
  const block: Block = { item: log.list.addArriving(blockKey(rankOf(context, index)), body), started_at: now() };
  state.blocks.set(index, block);
  state.open = block;
  return block;
}

function rankOf({ state }: Context, index: number): number {
  return state.ranks.get(index) ?? index;
}

/** As far as it is known before the answer is whole; the entry knows better. */
function sayWho({ log, state }: Context): void {
  const { choice, announced } = log;
  if (choice === undefined || state.hops > 0) return;
  const { provider, model, thinking_level: level } = choice;
  const maker = { provider, model, ...(level === undefined ? {} : { level }) };
  const isNew = announce(log, maker);
  log.announced = announced;
  if (announced === undefined) delete log.announced;
  if (isNew) log.list.addArriving("maker", { type: "maker", ...maker });
}

function close({ state, now }: Context): void {
  const { open: block } = state;
  state.open = undefined;
  if (block === undefined) return;
  const { item, started_at } = block;
  if (item.type === "text") change(item, { growing: false });
  if (item.type === "thinking") change(item, { growing: false, duration_ms: now() - started_at });
}

const argumentsKept = 4_000;
