import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { DecoderContext } from "../../adapter.ts";
import type { ChatQuirks } from "./quirks.ts";
import { createCitations } from "./citations.ts";
import { createDetailsMerger, detailsIn, readableOf, type DetailsMerger } from "./reasoning-details.ts";
import { createThinkTags } from "./think-tags.ts";

/** Text and thinking of an answer as blocks. A change of kind opens the next block, since this wire marks none. */
export type Content = {
  /** What one delta, or a whole message, holds besides tool calls. */
  readonly push: (delta: JsonObject, how: { readonly whole: boolean }) => void;
  /** What a chunk says beside its choices: some list their sources there. */
  readonly chunk: (chunk: JsonObject) => void;
  /** A tool call stands here; text after it is another block. */
  readonly interrupt: () => void;
  readonly close: () => void;
  readonly refused: () => boolean;
};

type Open = { readonly kind: "text" | "thinking"; readonly block: number };

export function createContent(context: DecoderContext, quirks: Pick<ChatQuirks, "think_tags">): Content {
  const { out, provider, model } = context;
  let open: Open | undefined;
  let refused = false;
  const texts = new Set<number>();
  const citations = createCitations();
  let seals: JsonObject = {};

  const write = (kind: Open["kind"], text: string): void => {
    if (text === "") return;
    if (open?.kind !== kind) open = { kind, block: kind === "text" ? out.openText() : out.openThinking() };
    if (kind === "thinking") return out.thinking(open.block, text);
    texts.add(open.block);
    out.text(open.block, text);
  };
  const text = (piece: string): void => write("text", piece);
  const thinking = (piece: string): void => write("thinking", piece);
  const tags = quirks.think_tags ? createThinkTags({ text, thinking }) : undefined;
  const visible = (piece: string): void => (tags === undefined ? text(piece) : tags.push(piece));

  const details = detailBlocks(context, () => {
    open = undefined;
  });

  return {
    push(delta, { whole }) {
      const fragments = detailsIn(delta["reasoning_details"]);
      // The plain field repeats what the details say; it counts only where they say nothing readable.
      if (!fragments.some((fragment) => readableOf(fragment) !== "")) thinking(plainReasoning(delta));
      for (const fragment of fragments) {
        details.push(fragment);
        if (whole) details.flush();
      }
      for (const field of sealFields) if (hasValue(delta[field])) seals = { ...seals, [field]: delta[field] };
      citations.annotations(delta["annotations"]);
      const { content, refusal } = delta;
      if (typeof content === "string") visible(content);
      else if (Array.isArray(content)) for (const part of content) pushPart(part, { visible, thinking });
      if (typeof refusal === "string" && refusal !== "") {
        refused = true;
        text(refusal);
      }
    },
    chunk: citations.sources,
    interrupt() {
      tags?.flush();
      open = undefined;
    },
    close() {
      tags?.flush();
      details.flush();
      citations.handOut(out, texts);
      if (Object.keys(seals).length === 0) return;
      const opaque = { provider, model, data: { message: seals } };
      const last = [...texts].at(-1);
      if (last === undefined) out.provider(opaque);
      else out.opaque(last, opaque);
    },
    refused: () => refused,
  };
}

/** Each merged entry of `reasoning_details` is a thinking block of its own. */
function detailBlocks({ out, provider, model }: DecoderContext, onOpen: () => void): DetailsMerger {
  let detail: { readonly block: number; written: boolean } | undefined;
  return createDetailsMerger({
    open() {
      onOpen();
      detail = { block: out.openThinking(), written: false };
    },
    text(piece) {
      if (detail === undefined) return;
      out.thinking(detail.block, piece);
      detail.written = true;
    },
    close(entry) {
      if (detail === undefined) return;
      if (!detail.written) out.thinking(detail.block, "");
      out.opaque(detail.block, { provider, model, data: { reasoning_detail: entry } });
      detail = undefined;
    },
  });
}

function hasValue(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

/** Servers differ in the name, and some send the same text under two. */
function plainReasoning(delta: JsonObject): string {
  for (const field of ["reasoning_content", "reasoning", "reasoning_text"]) {
    const text = delta[field];
    if (typeof text === "string" && text !== "") return text;
  }
  return "";
}

type PartSink = { readonly visible: (text: string) => void; readonly thinking: (text: string) => void };

function pushPart(part: unknown, sink: PartSink): void {
  if (!isJsonObject(part)) return;
  const { type, text, thinking, summary } = part;
  if (type === "thinking" || type === "reasoning") sink.thinking(joined(thinking ?? summary ?? text));
  else if (typeof text === "string") sink.visible(text);
}

/** A string, or a list of parts that have one. */
function joined(value: unknown): string {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return "";
  return value.map((part) => (isJsonObject(part) && typeof part["text"] === "string" ? part["text"] : "")).join("");
}

/** Signatures that stand on the message and not on a part of it. */
const sealFields = ["extra_content", "thought_signature", "reasoning_opaque"];
