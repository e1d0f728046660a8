import {
  isJsonObject,
  type Citation,
  type JsonObject,
  type JsonValue,
  type Opaque,
  type ToolCallId,
} from "../../../core/index.ts";
import type { BlockWriter } from "../../writer.ts";

/** What the items of one answer share. */
export type ItemContext = {
  readonly out: BlockWriter;
  /** The provider's id for a call, or one of ours where it is missing or taken. */
  readonly callId: (given: string) => ToolCallId;
  readonly opaque: (data: JsonObject) => Opaque;
};

/** One output item on its way to blocks: whatever may arrive of it, in pieces or whole. */
export type Item = {
  readonly kind: Kind;
  readonly added?: (item: JsonObject) => void;
  readonly thinking?: (part: ThinkingPart, text: string) => void;
  readonly text?: (part: TextPart, text: string) => void;
  /** The whole text of a part, for servers that send no deltas. */
  readonly wholeText?: (part: TextPart, text: string) => void;
  readonly toolDelta?: (fragment: string) => void;
  readonly toolWhole?: (whole: string) => void;
  /** The item as it goes into the record: its word counts over all that was streamed of it. */
  readonly done: (item: JsonObject) => void;
  /** The answer is over: hands out what waited for it. `final` is the item of the final response, where there is one. */
  readonly finish?: (final: JsonObject | undefined) => void;
  /** The answer was cut off: hands out what is known to be whole. */
  readonly flush?: () => void;
  readonly isCall?: () => boolean;
  readonly says?: () => { readonly text: boolean; readonly refusal: boolean };
};

export type Kind = "reasoning" | "message" | "function_call" | "custom_tool_call" | "other";
export type ThinkingPart = { readonly source: "summary" | "content"; readonly index: number };
export type TextPart = { readonly index: number; readonly refusal: boolean };

export function kindNamed(type: unknown): Kind {
  return type === "reasoning" || type === "message" || type === "function_call" || type === "custom_tool_call"
    ? type
    : "other";
}

export function newItem(kind: Kind, output_index: number, context: ItemContext): Item {
  return makers[kind](output_index, context);
}

function reasoning(output_index: number, { out, opaque }: ItemContext): Item {
  const block = out.openThinking();
  const pen = createPen((text) => out.thinking(block, text));
  let last: ThinkingPart | undefined;
  let held: JsonObject | undefined;
  const handOut = (item: JsonObject): void => {
    held = undefined;
    out.opaque(block, opaque({ item, output_index }));
  };
  return {
    kind: "reasoning",
    thinking(part, text) {
      // A summary and the reasoning itself say the same thing twice: what comes first is shown.
      if (last !== undefined && last.source !== part.source) return;
      pen.write((last !== undefined && last.index !== part.index ? "\n\n" : "") + text);
      last = part;
    },
    done(item) {
      pen.complete(reasoningText(item));
      if (textIn(item, "encrypted_content") === "") held = item;
      else handOut(item);
    },
    finish(final) {
      if (held === undefined) return;
      // Some servers give the encrypted content only with the final response.
      const encrypted_content = final === undefined ? "" : textIn(final, "encrypted_content");
      handOut(encrypted_content === "" ? held : { ...held, encrypted_content });
    },
    flush() {
      if (held !== undefined) handOut(held);
    },
  };
}

function message(output_index: number, { out, opaque }: ItemContext): Item {
  const written = new Map<number, { readonly block: number; readonly pen: Pen }>();
  const said = { text: false, refusal: false };
  const at = ({ index, refusal }: TextPart): { readonly block: number; readonly pen: Pen } => {
    const known = written.get(index);
    if (known !== undefined) return known;
    said[refusal ? "refusal" : "text"] = true;
    const block = out.openText();
    const made = { block, pen: createPen((text) => out.text(block, text)) };
    written.set(index, made);
    return made;
  };
  return {
    kind: "message",
    text: (part, text) => at(part).pen.write(text),
    wholeText: (part, text) => at(part).pen.complete(text),
    done(item) {
      const { content, ...rest } = item;
      const parts = partsOf(content);
      if (parts.length === 0 && written.size === 0) out.provider(opaque({ item, output_index }));
      parts.forEach((part, content_index) => {
        const { text, rest: other } = splitPart(part);
        const { block, pen } = at({ index: content_index, refusal: part["type"] === "refusal" });
        pen.complete(text);
        for (const citation of citationsOf(part)) out.citation(block, citation);
        out.opaque(block, opaque({ item: rest, part: other, output_index, content_index }));
      });
    },
    says: () => said,
  };
}

function functionCall(output_index: number, { out, callId, opaque }: ItemContext): Item {
  const call = openedOnceNamed(out, callId);
  let whole: string | undefined;
  let isDone = false;
  return {
    kind: "function_call",
    added: call.added,
    toolDelta: call.delta,
    toolWhole(text) {
      whole = text;
    },
    done(item) {
      isDone = true;
      const { call_id: _id, name: _name, arguments: given, ...rest } = item;
      const block = call.open(item);
      const text = isJsonObject(given) || (typeof given === "string" && given !== "") ? given : whole || undefined;
      // Cut off before its first argument: left open, since no arguments at all would read as a whole call.
      const isCut = item["status"] === "incomplete" && text === undefined && !call.hasDeltas();
      if (!isCut) out.toolDone(block, text);
      out.opaque(block, opaque({ item: rest, output_index }));
    },
    finish() {
      // The arguments are known to be whole although the item itself was never repeated.
      const block = call.block();
      if (!isDone && block !== undefined && whole) out.toolDone(block, whole);
    },
    isCall: () => call.block() !== undefined,
  };
}

function customToolCall(output_index: number, { out, callId, opaque }: ItemContext): Item {
  const call = openedOnceNamed(out, callId);
  let whole = "";
  return {
    kind: "custom_tool_call",
    added: call.added,
    // Such a tool takes text; as a fragment of `{"input": "…"}` it reads like every other call.
    toolDelta: (text) => call.delta((call.hasDeltas() ? "" : `{"input":"`) + JSON.stringify(text).slice(1, -1)),
    toolWhole(text) {
      whole = text;
    },
    done(item) {
      const { call_id: _id, name: _name, input: given, ...rest } = item;
      const block = call.open(item);
      const input = typeof given === "string" ? given : whole;
      // Any text could be a whole input; only the status tells. An open call is never run.
      const isCut = item["status"] === "incomplete";
      if (!isCut) {
        if (call.hasDeltas()) call.delta(`"}`);
        out.toolDone(block, { input });
      }
      out.opaque(block, opaque({ item: isCut ? { ...rest, input } : rest, output_index }));
    },
    isCall: () => call.block() !== undefined,
  };
}

/** Kept whole and sent back; what is streamed of it is not read. */
function other(output_index: number, { out, opaque }: ItemContext): Item {
  return { kind: "other", done: (item) => void out.provider(opaque({ item, output_index })) };
}

type Pen = { readonly write: (text: string) => void; readonly complete: (whole: string) => void };

/** Writes pieces, and at the end what a server that thins out its deltas has not sent of the whole. */
function createPen(write: (text: string) => void): Pen {
  let count = 0;
  let last: string | undefined;
  const put = (text: string): void => {
    count += text.length;
    if (text !== "" || last === undefined) last = text;
    write(text);
  };
  return {
    write: put,
    complete(whole) {
      if (last === undefined) return put(whole);
      const follows = whole.length > count && whole.slice(count - last.length, count) === last;
      if (follows) put(whole.slice(count));
    },
  };
}

type NamedCall = {
  readonly added: (item: JsonObject) => void;
  readonly open: (item: JsonObject) => number;
  readonly delta: (fragment: string) => void;
  readonly hasDeltas: () => boolean;
  readonly block: () => number | undefined;
};

/** A call can be announced once its name and id are known; fragments that come before that wait. */
function openedOnceNamed(out: BlockWriter, callId: ItemContext["callId"]): NamedCall {
  const early: string[] = [];
  let block: number | undefined;
  let hasDeltas = false;
  const open = (item: JsonObject): number => {
    if (block !== undefined) return block;
    const opened = out.openToolCall(callId(textIn(item, "call_id")), textIn(item, "name"));
    block = opened;
    early.forEach((fragment) => out.toolDelta(opened, fragment));
    return opened;
  };
  return {
    added(item) {
      if (textIn(item, "name") !== "" && textIn(item, "call_id") !== "") open(item);
    },
    open,
    delta(fragment) {
      if (fragment === "") return;
      hasDeltas = true;
      if (block === undefined) early.push(fragment);
      else out.toolDelta(block, fragment);
    },
    hasDeltas: () => hasDeltas,
    block: () => block,
  };
}

function reasoningText(item: JsonObject): string {
  const summary = partsOf(item["summary"]);
  return (summary.length > 0 ? summary : partsOf(item["content"])).map((part) => textIn(part, "text")).join("\n\n");
}

function partsOf(content: JsonValue | undefined): readonly JsonObject[] {
  if (typeof content === "string") return [{ type: "output_text", text: content, annotations: [] }];
  return Array.isArray(content) ? content.filter(isJsonObject) : [];
}

/** The text of a part, and the rest of it, which goes back beside the text. */
function splitPart(part: JsonObject): { readonly text: string; readonly rest: JsonObject } {
  const { text, refusal, ...rest } = part;
  if (part["type"] === "refusal") return { text: typeof refusal === "string" ? refusal : "", rest };
  return { text: typeof text === "string" ? text : "", rest: part["type"] === "output_text" ? rest : part };
}

/** Those of the web; files of the account have no address. */
function citationsOf({ annotations }: JsonObject): readonly Citation[] {
  const list = Array.isArray(annotations) ? annotations.filter(isJsonObject) : [];
  return list.flatMap((annotation): readonly Citation[] => {
    const { type, start_index: start, end_index: end } = annotation;
    const [url, title] = [textIn(annotation, "url"), textIn(annotation, "title")];
    if (type !== "url_citation" || url === "") return [];
    const hasPlace = typeof start === "number" && typeof end === "number" && end > start;
    return [{ url, ...(title === "" ? {} : { title }), ...(hasPlace ? { start, end } : {}) }];
  });
}

export function textIn(json: JsonObject, key: string): string {
  const value = json[key];
  return typeof value === "string" ? value : "";
}

const makers: { readonly [kind in Kind]: (output_index: number, context: ItemContext) => Item } = {
  reasoning,
  message,
  function_call: functionCall,
  custom_tool_call: customToolCall,
  other,
};
