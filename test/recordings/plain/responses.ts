import type { JsonObject } from "../../../src/core/index.ts";
import type { Recording } from "../load.ts";
import { argumentsOf, framesOf, sealedIn, usageOf, type PlainCall, type PlainUsage, type Reading } from "./reading.ts";

type Part = { type: string; text?: string; refusal?: string };
type Item = JsonObject & {
  type: string;
  call_id?: string;
  name?: string;
  arguments?: string;
  input?: string;
  content?: Part[] | null;
  summary?: Part[];
};
type WireUsage = {
  input_tokens: number;
  input_tokens_details?: { cached_tokens?: number | null; cache_write_tokens?: number | null } | null;
  output_tokens: number;
  output_tokens_details?: { reasoning_tokens?: number | null } | null;
  total_tokens?: number | null;
};
type Response = {
  status: string;
  output?: Item[];
  error?: unknown;
  incomplete_details?: { reason?: string } | null;
  usage?: WireUsage | null;
};
type Frame = { type?: string; output_index?: number; item?: Item; response?: Response };

/** OpenAI Responses: the items as `output_item.done` gives them, which is the word that counts; deltas only announce it. */
export function readResponses(response: Recording["response"]): Reading {
  const items: Item[] = [];
  let final: Response | undefined;
  let failed = false;
  for (const frame of framesOf<Frame & Response>(response)) {
    if (frame.type === undefined) {
      final = frame;
      items.push(...(frame.output ?? []));
    }
    if (frame.type === "response.output_item.done" && frame.item) items[frame.output_index ?? 0] = frame.item;
    if (frame.type === "error" || frame.type === "response.failed") failed = true;
    if (frame.response) final = frame.response;
  }
  const parts = items.flatMap((item) => (item?.type === "message" ? (item.content ?? []) : []));
  return {
    text: parts.map(partText).join(""),
    thinking: items.map((item) => (item?.type === "reasoning" ? thinkingOf(item) : "")).join(""),
    tool_calls: items.flatMap((item) => (item ? callOf(item) : [])),
    usage: readUsage(final?.usage),
    raw_finish: final?.incomplete_details?.reason ?? final?.status ?? "",
    sealed: items.flatMap(sealedIn),
    refused: parts.length > 0 && parts.every((part) => part.type === "refusal"),
    failed: failed || Boolean(final?.error),
  };
}

function partText(part: Part): string {
  return part.text ?? part.refusal ?? "";
}

/** Summary parts are separate paragraphs; open-weight servers give the reasoning itself instead. */
function thinkingOf(item: Item): string {
  const summary = item.summary ?? [];
  return (summary.length > 0 ? summary : (item.content ?? [])).map(partText).join("\n\n");
}

function callOf(item: Item): readonly PlainCall[] {
  const { call_id = "", name = "" } = item;
  if (item.type === "function_call") return [{ id: call_id, name, arguments: argumentsOf(item.arguments ?? "") }];
  if (item.type === "custom_tool_call") return [{ id: call_id, name, arguments: { input: item.input ?? "" } }];
  return [];
}

function readUsage(usage: WireUsage | null | undefined): PlainUsage | null {
  if (!usage) return null;
  const cache_read_tokens = usage.input_tokens_details?.cached_tokens ?? 0;
  const cache_write_tokens = usage.input_tokens_details?.cache_write_tokens ?? 0;
  const thinking_tokens = usage.output_tokens_details?.reasoning_tokens ?? 0;
  return usageOf(
    {
      input_tokens: usage.input_tokens - cache_read_tokens - cache_write_tokens,
      cache_read_tokens,
      cache_write_tokens,
      output_tokens: usage.output_tokens - thinking_tokens,
      thinking_tokens,
    },
    usage.total_tokens,
  );
}
