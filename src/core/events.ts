import type { ErrorInfo } from "./errors.ts";
import type { JsonObject } from "./json.ts";
import type { Citation, Opaque, ToolCallId } from "./messages.ts";
import type { CostSource } from "./models.ts";
import type { Note } from "./notes.ts";
import type { Usage } from "./usage.ts";

export const finishReasons = ["stop", "length", "tool_use", "content_filter", "error", "unknown"] as const;
export type FinishReason = (typeof finishReasons)[number];

/**
 * What a stream says, in this order:
 *
 *     (start? fallback)*  start?  (text_delta | thinking_delta | tool_call_* | citation | opaque)*  (done | error)
 *
 * A refusal by status has no `start`; a `fallback` comes only before any content. The last event is `done` or `error`, exactly once.
 * A block is opened by its first `text_delta` or `thinking_delta` (the text may be empty) or by `tool_call_start`;
 * an `opaque` for a number that was never opened makes a `provider` block. At most one `opaque` per block, after its deltas.
 */
export type StreamEvent =
  | { readonly type: "start"; readonly model: string; readonly request_id?: string }
  | { readonly type: "text_delta"; readonly block_index: number; readonly text: string }
  | { readonly type: "thinking_delta"; readonly block_index: number; readonly text: string }
  | { readonly type: "tool_call_start"; readonly block_index: number; readonly id: ToolCallId; readonly name: string }
  | { readonly type: "tool_call_delta"; readonly block_index: number; readonly json_fragment: string }
  | {
      readonly type: "tool_call_done";
      readonly block_index: number;
      readonly arguments: JsonObject;
      readonly arguments_text?: string;
      readonly invalid?: true;
    }
  | { readonly type: "citation"; readonly block_index: number; readonly citation: Citation }
  | { readonly type: "opaque"; readonly block_index: number; readonly opaque: Opaque }
  | FallbackEvent
  | DoneEvent
  | ErrorEvent;

/** A model failed before it said anything, and the next of the chain is asked. */
export type Hop = {
  readonly from: string;
  readonly to: string;
  readonly error: ErrorInfo;
  /** What the failed exchange used, where its provider said so. */
  readonly usage?: Usage;
  readonly cost_usd?: number;
};
export type FallbackEvent = { readonly type: "fallback" } & Hop;

export type DoneEvent = {
  readonly type: "done";
  readonly finish_reason: FinishReason;
  readonly raw_finish_reason: string;
  readonly usage: Usage;
  /** Computed from the model registry, or the provider's own figure where it bills the total. Absent: price unknown. */
  readonly cost_usd?: number;
  /** Who says what it cost. */
  readonly cost_source?: CostSource;
  readonly provider_data?: JsonObject;
  /** What a person should know about this ending. */
  readonly notes?: readonly Note[];
};

export type ErrorEvent = { readonly type: "error"; readonly error: ErrorInfo; readonly usage?: Usage };
