import { isJsonObject, type JsonObject, type Opaque } from "../../../core/index.ts";
import type { DecoderContext } from "../../adapter.ts";
import { createWrittenTexts, type WrittenText } from "./citations.ts";
import { createPartialArguments, type PartialArguments } from "./partial-args.ts";

/** Turns the parts of one answer into blocks, in order, however they are spread over chunks. */
export type PartReader = {
  readonly add: (part: unknown) => void;
  /** The answer is over; a call still open is whole where the model stopped by itself. */
  readonly close: (how: "whole" | "cut") => void;
  /** The text blocks so far, with what they say where that is kept. */
  readonly texts: () => readonly WrittenText[];
};

type OpenText = { readonly kind: "text" | "thinking"; readonly block: number };
type OpenCall = { readonly block: number; readonly given: PartialArguments; extras: JsonObject };

export function createPartReader(context: DecoderContext): PartReader {
  const { out, newId, provider, model } = context;
  const ids = new Set<string>();
  let text: OpenText | undefined;
  let call: OpenCall | undefined;
  const texts = createWrittenTexts(context.keeps_text === true);
  const seal = (data: JsonObject): Opaque => ({ provider, model, data });

  const closeCall = (how: "whole" | "cut"): void => {
    if (call === undefined) return;
    const { block, given, extras } = call;
    call = undefined;
    // Without its last brace it cannot be taken for a complete call.
    const written = JSON.stringify(given.value()).slice(0, how === "whole" ? undefined : -1);
    out.toolDelta(block, written);
    out.toolDone(block, how === "whole" ? given.value() : written);
    if (Object.keys(extras).length > 0) out.opaque(block, seal(extras));
  };

  const addText = (kind: "text" | "thinking", piece: string, extras: JsonObject): void => {
    const write = (block: number): void => {
      if (kind === "thinking") return out.thinking(block, piece);
      out.text(block, piece);
      texts.add(block, piece);
    };
    const open = (): number => (kind === "text" ? out.openText() : out.openThinking());
    if (Object.keys(extras).length === 0) {
      if (piece === "") return;
      if (text?.kind !== kind) text = { kind, block: open() };
      return write(text.block);
    }
    // A signed part goes back as it came: by itself, empty or not.
    const block = open();
    write(block);
    out.opaque(block, seal(extras));
    text = undefined;
  };

  const startCall = (name: string, functionCall: JsonObject, extras: JsonObject): void => {
    closeCall("whole");
    const { id, args } = functionCall;
    const own = typeof id === "string" && id !== "" ? id : undefined;
    const chosen = own === undefined || ids.has(own) ? newId() : own;
    ids.add(chosen);
    call = {
      block: out.openToolCall(chosen, name),
      given: createPartialArguments(isJsonObject(args) ? args : {}),
      // An id the provider does not know is not sent back to it.
      extras: own === undefined ? { ...extras, id_missing: true } : extras,
    };
  };

  const addCall = (functionCall: JsonObject, extras: JsonObject): void => {
    text = undefined;
    const { name, partialArgs, willContinue } = functionCall;
    if (typeof name === "string" && name !== "") startCall(name, functionCall, extras);
    else if (call !== undefined) call.extras = { ...call.extras, ...extras };
    call?.given.add(partialArgs);
    // Pieces follow while it says so; the last one, or an empty call, says nothing.
    if (willContinue !== true) closeCall("whole");
  };

  return {
    add(part) {
      if (!isJsonObject(part)) return;
      const { text: piece, thought, functionCall } = part;
      const extras = extrasOf(part);
      const kind = thought === true ? "thinking" : "text";
      if (isJsonObject(functionCall)) return addCall(functionCall, extras);
      if (typeof piece === "string") return addText(kind, piece, extras);
      if (Object.keys(extras).some((key) => key !== "thoughtSignature")) {
        text = undefined;
        out.provider(seal(part));
      } else if (extras["thoughtSignature"] !== undefined) addText(kind, "", extras);
    },
    close: closeCall,
    texts: texts.all,
  };
}

/** What a part holds besides what is read from it: mostly nothing. */
function extrasOf(part: JsonObject): JsonObject {
  for (const key in part) {
    if (key === "text" || key === "thought" || key === "functionCall") continue;
    const { text: _text, thought: _thought, functionCall: _call, ...extras } = part;
    return extras;
  }
  return nothing;
}

const nothing: JsonObject = {};
