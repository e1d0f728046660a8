import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { DecoderContext } from "../../adapter.ts";

/**
 * Puts tool calls together from what servers send: whole or in pieces, by index, by id, by both or by neither. A call
 * is known by its index until another id comes with that index; ids that are missing or taken are replaced.
 */
export type ToolCalls = {
  readonly push: (delta: JsonObject) => void;
  /** Each entry of a whole message is a call of its own. */
  readonly pushWhole: (call: JsonObject) => void;
  /** Ends all calls. `cut`: the answer ran into its limit, so the last call may lack its end. */
  readonly close: (how: { readonly cut: boolean }) => void;
  readonly count: () => number;
  /** After `close`: whether every call has arguments that can be used. */
  readonly allComplete: () => boolean;
};

type Call = {
  readonly index: number | undefined;
  /** The server's id; empty where it gave none. */
  readonly given_id: string;
  readonly custom: boolean;
  /** Not written yet as long as neither a name nor arguments have come. */
  block?: number;
  name: string;
  readonly pieces: string[];
  readonly brackets: Brackets;
  extra?: JsonObject;
  /** Set at the end: the arguments can be used. */
  complete?: boolean;
};

export function createToolCalls(context: DecoderContext): ToolCalls {
  const { out } = context;
  const calls: Call[] = [];
  const usedIds = new Set<string>();

  const begin = (said: Said): Call => {
    const call: Call = {
      index: said.index,
      given_id: said.id,
      custom: said.custom,
      name: "",
      pieces: [],
      brackets: newBrackets(),
    };
    calls.push(call);
    return call;
  };
  const write = (call: Call, said: Said): void => {
    if (call.name === "") call.name = said.name;
    if (call.block === undefined && (call.name !== "" || said.text !== "")) {
      const id = call.given_id !== "" && !usedIds.has(call.given_id) ? call.given_id : context.newId();
      usedIds.add(id);
      call.block = out.openToolCall(id, call.name);
    }
    if (said.extra !== undefined) call.extra = { ...call.extra, ...said.extra };
    if (said.text === "" || call.block === undefined) return;
    call.pieces.push(said.text);
    // What a custom tool gets is free text and no JSON: it is handed out whole, at the end.
    if (!call.custom) out.toolDelta(call.block, said.text);
  };
  const finish = (call: Call, cut: boolean): void => {
    if (call.block === undefined) return;
    const text = call.pieces.join("");
    // No arguments at all is a legal call, unless the answer stopped just here.
    if (cut && text.trim() === "") return;
    call.complete = call.custom || ["", "null"].includes(text.trim()) || isObject(text);
    out.toolDone(call.block, call.custom ? { input: text } : undefined);
    const data = { ...(call.custom ? { type: "custom" } : {}), ...call.extra };
    if (Object.keys(data).length > 0) {
      out.opaque(call.block, { provider: context.provider, model: context.model, data });
    }
  };

  return {
    push(delta) {
      const said = read(delta);
      write(belongsTo(said, calls) ?? begin(said), said);
    },
    pushWhole(call) {
      const said = read(call);
      write(begin(said), said);
    },
    close({ cut }) {
      calls.forEach((call, place) => finish(call, cut && place === calls.length - 1));
    },
    count: () => calls.filter(({ block }) => block !== undefined).length,
    allComplete: () => calls.every(({ block, complete }) => block === undefined || complete === true),
  };
}

type Said = {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly text: string;
  readonly custom: boolean;
  readonly extra: JsonObject | undefined;
};

function read(delta: JsonObject): Said {
  const { index, id, type, extra_content } = delta;
  const custom = isJsonObject(delta["custom"]) ? delta["custom"] : undefined;
  const body = custom ?? (isJsonObject(delta["function"]) ? delta["function"] : {});
  return {
    index: typeof index === "number" ? index : undefined,
    id: typeof id === "string" ? id : "",
    name: typeof body["name"] === "string" ? body["name"] : "",
    text: textOf(custom === undefined ? body["arguments"] : body["input"]),
    custom: custom !== undefined || type === "custom",
    extra: isJsonObject(extra_content) ? { extra_content } : undefined,
  };
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  return isJsonObject(value) ? JSON.stringify(value) : "";
}

/** The call that a fragment continues, or nothing where it begins a new one. */
function belongsTo(said: Said, calls: readonly Call[]): Call | undefined {
  const { index, id, name } = said;
  const last = index === undefined ? calls.at(-1) : calls.findLast((call) => call.index === index);
  if (last === undefined) return undefined;
  if (id !== "") {
    const same = calls.findLast((call) => call.given_id === id && (index === undefined || call.index === index));
    if (same !== undefined) return startsOver(said, same) ? undefined : same;
    // An id that comes late belongs to a call that has none yet; otherwise another id is another call.
    return last.given_id === "" && name === "" ? last : undefined;
  }
  return startsOver(said, last) ? undefined : last;
}

/** A name on a call whose arguments are already whole begins the next one: servers without ids, or with one for all. */
function startsOver(said: Said, call: Call): boolean {
  return said.name !== "" && call.name !== "" && isClosed(call);
}

/** How far the brackets of a call's arguments were followed. Each character is looked at once, however often one asks. */
type Brackets = { piece: number; depth: number; seen: boolean; in_string: boolean; escaped: boolean };

function newBrackets(): Brackets {
  return { piece: 0, depth: 0, seen: false, in_string: false, escaped: false };
}

/** Every bracket that was opened is closed again. */
function isClosed({ pieces, brackets }: Call): boolean {
  for (; brackets.piece < pieces.length; brackets.piece++) follow(pieces[brackets.piece] ?? "", brackets);
  return brackets.seen && brackets.depth === 0 && !brackets.in_string;
}

function follow(text: string, brackets: Brackets): void {
  for (const character of text) {
    if (brackets.escaped) brackets.escaped = false;
    else if (brackets.in_string && character === "\\") brackets.escaped = true;
    else if (character === '"') brackets.in_string = !brackets.in_string;
    else if (!brackets.in_string && (character === "{" || character === "[")) {
      brackets.depth += 1;
      brackets.seen = true;
    } else if (!brackets.in_string && (character === "}" || character === "]")) brackets.depth -= 1;
  }
}

function isObject(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch {
    return false;
  }
}
