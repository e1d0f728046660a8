import { isJsonObject, own, parseJson, type Citation, type JsonObject, type JsonValue } from "../../../core/index.ts";
import type { DecoderContext } from "../../adapter.ts";

/** The content blocks of one answer, from their start to their stop. */
export type Blocks = {
  readonly start: (index: JsonValue | undefined, block: JsonObject) => void;
  readonly delta: (index: JsonValue | undefined, delta: JsonObject) => void;
  readonly stop: (index: JsonValue | undefined) => void;
  /** The answer is over. `cut`: by the length limit, so that a call at its end may be only half of one. */
  readonly end: (cut: boolean) => void;
  readonly any: () => boolean;
  /** Whether there is a call that we have to answer. */
  readonly calledUs: () => boolean;
};

/** A block between its start and its stop. `data` is what will go into `opaque`. */
type Open = {
  readonly type: "text" | "thinking" | "redacted" | "tool_use" | "raw";
  readonly block: number;
  readonly data: Record<string, JsonValue | undefined>;
  /** Fragments of a signature, or of the input of a tool that is not ours. */
  readonly pieces: string[];
  readonly citations: JsonValue[];
  /** Whether something of it was written already. */
  wrote: boolean;
};

export function createBlocks(context: DecoderContext): Blocks {
  const { out } = context;
  const open = new Map<number, Open>();
  const callIds = new Set<string>();
  let latest = -1;
  let calledUs = false;
  /** A call whose input came whole and not in fragments: whether it is complete shows only in what follows. */
  let held: Open | undefined;

  const release = (cut: boolean): void => {
    if (held !== undefined) closeCall(context, held, cut);
    held = undefined;
  };
  const close = (index: number): void => {
    const block = open.get(index);
    if (block === undefined) return;
    open.delete(index);
    release(false);
    if (block.type === "tool_use" && !block.wrote) held = block;
    else closers[block.type](context, block);
  };
  const start = (given: JsonValue | undefined, content: JsonObject): Open => {
    const index = typeof given === "number" ? given : latest + 1;
    close(index);
    release(false);
    latest = index;
    const type = typeOf(content);
    if (type === "tool_use") calledUs ||= isForUs(content);
    const opened = openers[type](context, content, callIds);
    open.set(index, opened);
    return opened;
  };
  const startUnannounced = (index: number, { type }: JsonObject): Open | undefined => {
    const content = own(blockForDelta, type);
    return content === undefined ? undefined : start(index, content);
  };
  return {
    start,
    delta(index, delta) {
      const at = typeof index === "number" ? index : latest;
      const block = open.get(at) ?? startUnannounced(at, delta);
      if (block !== undefined) appenders[block.type](context, block, delta);
    },
    stop: (index) => close(typeof index === "number" ? index : latest),
    end(cut) {
      for (const index of open.keys()) close(index);
      release(cut);
    },
    any: () => latest >= 0,
    calledUs: () => calledUs && out.hasCompleteToolCall(),
  };
}

function typeOf({ type }: JsonObject): Open["type"] {
  if (type === "text" || type === "thinking" || type === "tool_use") return type;
  return type === "redacted_thinking" ? "redacted" : "raw";
}

/** A call that code on the server made is answered by us too, but an answer that ends after it was not waiting for us. */
function isForUs({ caller }: JsonObject): boolean {
  return !isJsonObject(caller) || caller["type"] === "direct";
}

type Opener = (context: DecoderContext, content: JsonObject, callIds: Set<string>) => Open;

const openers: { readonly [type in Open["type"]]: Opener } = {
  text: ({ out }, { type: _type, text, citations, ...rest }) => {
    const opened = newBlock("text", out.openText(), known(rest));
    if (Array.isArray(citations)) opened.citations.push(...citations);
    if (isText(text)) writeText({ out }, opened, text);
    return opened;
  },
  thinking: ({ out }, { thinking, signature }) => {
    const opened = newBlock("thinking", out.openThinking(), {});
    if (isText(signature)) opened.pieces.push(signature);
    if (isText(thinking)) writeThinking({ out }, opened, thinking);
    return opened;
  },
  redacted: ({ out }, { data }) => newBlock("redacted", out.openThinking(), { data }),
  tool_use: ({ out, newId }, { type: _type, id, name, input, ...rest }, callIds) => {
    // Without an id, or with one that was used already, the answer could not find its call.
    const callId = isText(id) && !callIds.has(id) ? id : newId();
    callIds.add(callId);
    return newBlock("tool_use", out.openToolCall(callId, isText(name) ? name : ""), { ...known(rest), input });
  },
  // The number is taken now, so that the block keeps its place; it is written when it is whole.
  raw: ({ out }, content) => newBlock("raw", out.openText(), content),
};

function newBlock(type: Open["type"], block: number, data: JsonObject): Open {
  return { type, block, data: { ...data }, pieces: [], citations: [], wrote: false };
}

type Appender = (context: DecoderContext, block: Open, delta: JsonObject) => void;

const appenders: { readonly [type in Open["type"]]: Appender } = {
  text: (context, block, { text, citation }) => {
    if (isText(text)) writeText(context, block, text);
    if (citation !== undefined) block.citations.push(citation);
  },
  thinking: (context, block, { thinking, signature }) => {
    if (isText(thinking)) writeThinking(context, block, thinking);
    if (isText(signature)) block.pieces.push(signature);
  },
  redacted: () => {},
  tool_use: ({ out }, block, { partial_json }) => {
    if (!isText(partial_json)) return;
    block.wrote = true;
    out.toolDelta(block.block, partial_json);
  },
  raw: (_context, block, { type: _type, partial_json, ...fields }) => {
    if (isText(partial_json)) block.pieces.push(partial_json);
    for (const [name, value] of Object.entries(fields)) block.data[name] = grown(block.data[name], value);
  },
};

type Closer = (context: DecoderContext, block: Open) => void;

const closers: { readonly [type in Open["type"]]: Closer } = {
  text: (context, block) => {
    if (!block.wrote) writeText(context, block, "");
    const { data, citations } = block;
    for (const citation of citations.flatMap(readCitation)) context.out.citation(block.block, citation);
    if (citations.length > 0) writeOpaque(context, block, { ...data, citations });
    else if (Object.keys(data).length > 0) writeOpaque(context, block, data);
  },
  thinking: (context, block) => {
    if (!block.wrote) writeThinking(context, block, "");
    const signature = block.pieces.join("");
    if (signature !== "") writeOpaque(context, block, { type: "thinking", signature, ...binding(context) });
  },
  redacted: (context, block) => {
    writeThinking(context, block, "");
    writeOpaque(context, block, { type: "redacted_thinking", ...block.data, ...binding(context) });
  },
  tool_use: (context, block) => closeCall(context, block, false),
  raw: (context, block) => {
    const input = parseJson(block.pieces.join(""));
    writeOpaque(context, block, input === undefined ? block.data : { ...block.data, input });
  },
};

function closeCall(context: DecoderContext, block: Open, cut: boolean): void {
  const { input, ...extra } = block.data;
  const whole = block.wrote ? undefined : isJsonObject(input) ? input : {};
  // A call that the length limit ended is kept as the half it is, without its closing bracket.
  context.out.toolDone(block.block, cut && whole !== undefined ? JSON.stringify(whole).slice(0, -1) : whole);
  if (Object.keys(extra).length > 0) writeOpaque(context, block, extra);
}

function writeText({ out }: Pick<DecoderContext, "out">, block: Open, text: string): void {
  block.wrote = true;
  out.text(block.block, text);
}

function writeThinking({ out }: Pick<DecoderContext, "out">, block: Open, text: string): void {
  block.wrote = true;
  out.thinking(block.block, text);
}

function writeOpaque({ out, provider, model }: DecoderContext, { block }: Open, data: JsonObject): void {
  out.opaque(block, { provider, model, data });
}

/** Those of the web. Places in documents of the request have no address; they stay in the raw form only. */
function readCitation(raw: JsonValue): readonly Citation[] {
  if (!isJsonObject(raw)) return [];
  const { url, source, title, cited_text } = raw;
  const address = isText(url) ? url : isText(source) && URL.canParse(source) ? source : undefined;
  if (address === undefined) return [];
  return [{ url: address, ...(isText(title) ? { title } : {}), ...(isText(cited_text) ? { cited_text } : {}) }];
}

/** What ties thinking to what stood before it, on models that check. */
function binding({ prefix_hash }: DecoderContext): JsonObject {
  return prefix_hash === undefined ? {} : { prefix_hash };
}

/** How a field of an unknown block grows: text and lists get longer, anything else is replaced. */
function grown(earlier: JsonValue | undefined, more: JsonValue | undefined): JsonValue | undefined {
  if (typeof earlier === "string" && typeof more === "string") return earlier + more;
  if (Array.isArray(earlier) && Array.isArray(more)) return [...earlier, ...more];
  return more ?? earlier;
}

function known(fields: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Some gateways leave out the start of a block. */
const blockForDelta: { readonly [type: string]: JsonObject | undefined } = {
  text_delta: { type: "text", text: "" },
  citations_delta: { type: "text", text: "" },
  thinking_delta: { type: "thinking", thinking: "" },
  signature_delta: { type: "thinking", thinking: "" },
};
