import type { JsonObject } from "../../../src/core/index.ts";
import type { Recording } from "../load.ts";
import { argumentsOf, framesOf, sealedIn, usageOf, type PlainCall, type PlainUsage, type Reading } from "./reading.ts";

type Block = JsonObject & {
  type: string;
  text?: string;
  thinking?: string;
  signature?: string;
  data?: string;
  id?: string;
  name?: string;
  input?: JsonObject;
  input_text?: string;
};
type WireUsage = {
  input_tokens?: number | null;
  cache_read_input_tokens?: number | null;
  cache_creation_input_tokens?: number | null;
  output_tokens?: number | null;
  output_tokens_details?: { thinking_tokens?: number | null } | null;
};
type Message = { content: Block[]; stop_reason: string | null; usage?: WireUsage };
type Frame =
  | { type: "message_start"; message: Message }
  | { type: "content_block_start"; index: number; content_block: Block }
  | { type: "content_block_delta"; index: number; delta: Block & { partial_json?: string } }
  | { type: "message_delta"; delta: { stop_reason?: string | null }; usage?: WireUsage }
  | { type: "error" | "ping" | "content_block_stop" | "message_stop" }
  | ({ type: "message" } & Message);

/** Anthropic Messages: blocks by number, deltas appended to them; usage fields that are null keep their last value. */
export function readMessages(response: Recording["response"]): Reading {
  const blocks: Block[] = [];
  let usage: WireUsage = {};
  let raw_finish = "";
  let failed = false;
  const addUsage = (next: WireUsage | undefined): void => {
    const reported = Object.entries(next ?? {}).filter(([, value]) => value !== null);
    usage = { ...usage, ...Object.fromEntries(reported) };
  };
  for (const frame of framesOf<Frame>(response)) {
    if (frame.type === "message") {
      blocks.push(...frame.content);
      addUsage(frame.usage);
      raw_finish = frame.stop_reason ?? "";
    } else if (frame.type === "message_start") addUsage(frame.message.usage);
    else if (frame.type === "content_block_start") blocks[frame.index] = { ...frame.content_block };
    else if (frame.type === "content_block_delta") append(blocks[frame.index], frame.delta);
    else if (frame.type === "message_delta") {
      addUsage(frame.usage);
      raw_finish = frame.delta.stop_reason ?? raw_finish;
    } else if (frame.type === "error") failed = true;
  }
  return {
    text: blocks.map((block) => (block.type === "text" ? (block.text ?? "") : "")).join(""),
    thinking: blocks.map((block) => (block.type === "thinking" ? (block.thinking ?? "") : "")).join(""),
    tool_calls: blocks.filter((block) => block.type === "tool_use").map(callOf),
    usage: readUsage(usage),
    raw_finish,
    sealed: blocks.flatMap((block) => (block.type === "redacted_thinking" ? [block.data ?? ""] : sealedIn(block))),
    refused: false,
    failed,
  };
}

function append(block: Block | undefined, delta: Block & { partial_json?: string }): void {
  if (block === undefined) return;
  if (delta.type === "text_delta") block.text = (block.text ?? "") + (delta.text ?? "");
  if (delta.type === "thinking_delta") block.thinking = (block.thinking ?? "") + (delta.thinking ?? "");
  if (delta.type === "signature_delta") block.signature = (block.signature ?? "") + (delta.signature ?? "");
  if (delta.type === "input_json_delta") block.input_text = (block.input_text ?? "") + (delta.partial_json ?? "");
}

function callOf(block: Block): PlainCall {
  const { id = "", name = "", input = {}, input_text } = block;
  return { id, name, arguments: input_text ? argumentsOf(input_text) : input };
}

function readUsage(usage: WireUsage): PlainUsage | null {
  if (Object.keys(usage).length === 0) return null;
  const thinking_tokens = usage.output_tokens_details?.thinking_tokens ?? 0;
  return usageOf({
    input_tokens: usage.input_tokens ?? 0,
    cache_read_tokens: usage.cache_read_input_tokens ?? 0,
    cache_write_tokens: usage.cache_creation_input_tokens ?? 0,
    output_tokens: (usage.output_tokens ?? 0) - thinking_tokens,
    thinking_tokens,
  });
}
