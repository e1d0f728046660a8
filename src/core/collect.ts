import type { DoneEvent, ErrorEvent, StreamEvent } from "./events.ts";
import type { JsonObject } from "./json.ts";
import type { AssistantBlock, AssistantMessage, Citation, Opaque, Origin, ToolCallId } from "./messages.ts";

/**
 * Builds a message from events, whoever spoke. Text is kept in pieces and joined on demand,
 * so that the cost of an event does not depend on how much came before.
 */
export type Collector = {
  readonly add: (event: StreamEvent) => void;
  /** The message as far as it has arrived. Marked `incomplete` until `done`. */
  readonly message: () => AssistantMessage;
  readonly end: () => DoneEvent | ErrorEvent | undefined;
  /** The model that answered, once it has said so. */
  readonly model: () => string | undefined;
  readonly request_id: () => string | undefined;
};

type Draft =
  | { readonly type: "text" | "thinking"; readonly pieces: string[]; citations?: Citation[]; opaque?: Opaque }
  | {
      readonly type: "tool_call";
      readonly id: ToolCallId;
      readonly name: string;
      readonly pieces: string[];
      done?: { readonly arguments: JsonObject; readonly arguments_text?: string; readonly invalid?: true };
      opaque?: Opaque;
    }
  | { readonly type: "provider"; readonly opaque: Opaque };

export function createCollector(origin: Origin): Collector {
  const drafts = new Map<number, Draft>();
  let end: DoneEvent | ErrorEvent | undefined;
  let model: string | undefined;
  let request_id: string | undefined;

  const addText = (type: "text" | "thinking", block: number, text: string): void => {
    const draft = drafts.get(block);
    if (draft === undefined) drafts.set(block, { type, pieces: [text] });
    else if (draft.type === type) draft.pieces.push(text);
  };
  const addCitation = (block: number, citation: Citation): void => {
    const draft = drafts.get(block);
    if (draft?.type === "text") (draft.citations ??= []).push(citation);
  };
  const addOpaque = (block: number, opaque: Opaque): void => {
    const draft = drafts.get(block);
    if (draft === undefined) drafts.set(block, { type: "provider", opaque });
    else if (draft.type !== "provider") draft.opaque = opaque;
  };

  return {
    add(event) {
      switch (event.type) {
        case "text_delta":
          return addText("text", event.block_index, event.text);
        case "thinking_delta":
          return addText("thinking", event.block_index, event.text);
        case "tool_call_start":
          drafts.set(event.block_index, { type: "tool_call", id: event.id, name: event.name, pieces: [] });
          return;
        case "tool_call_delta": {
          const draft = drafts.get(event.block_index);
          if (draft?.type === "tool_call") draft.pieces.push(event.json_fragment);
          return;
        }
        case "tool_call_done": {
          const draft = drafts.get(event.block_index);
          const { type: _type, block_index: _block, ...done } = event;
          if (draft?.type === "tool_call") {
            draft.done = done;
            draft.pieces.length = 0;
          }
          return;
        }
        case "citation":
          return addCitation(event.block_index, event.citation);
        case "opaque":
          return addOpaque(event.block_index, event.opaque);
        case "start":
          model = event.model;
          request_id = event.request_id;
          return;
        case "fallback":
          // What the failed model may have said of itself is not true of the next.
          model = undefined;
          request_id = undefined;
          return;
        case "done":
        case "error":
          end ??= event;
      }
    },
    message() {
      const content = [...drafts.entries()].sort(([left], [right]) => left - right).map(([, draft]) => blockOf(draft));
      return { role: "assistant", content, origin, ...(end?.type === "done" ? {} : { incomplete: true }) };
    },
    end: () => end,
    model: () => model,
    request_id: () => request_id,
  };
}

function blockOf(draft: Draft): AssistantBlock {
  if (draft.type === "provider") return draft;
  const opaque = draft.opaque === undefined ? {} : { opaque: draft.opaque };
  if (draft.type !== "tool_call") {
    const citations = draft.citations === undefined ? {} : { citations: draft.citations };
    return { type: draft.type, text: draft.pieces.join(""), ...citations, ...opaque };
  }
  const { id, name } = draft;
  // A call that was never finished is kept for the record, but never as one that could be run.
  const done = draft.done ?? { arguments: {}, arguments_text: draft.pieces.join(""), invalid: true };
  return { type: "tool_call", id, name, ...done, ...opaque };
}
