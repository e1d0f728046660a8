import type { JsonObject } from "../../src/core/index.ts";
import type { Adapter } from "../../src/llm/adapter.ts";
import { decodeResponse, type DecodedResponse } from "../../src/llm/decode.ts";
import { chat } from "../../src/llm/protocols/chat/index.ts";
import { gemini } from "../../src/llm/protocols/gemini/index.ts";
import { messages } from "../../src/llm/protocols/messages/index.ts";
import { responses } from "../../src/llm/protocols/responses/index.ts";

/** Answers with thinking in each wire's own words, as recorded ones look: whole and streamed. */
export type ThinkingAnswer = {
  readonly adapter: Adapter;
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly body: JsonObject;
  readonly frames: readonly JsonObject[];
};

export const thought = "First 6 times 7, then the check: 42.";
export const answer = "The answer is 42.";

/** Decoded by the code that decodes live answers. */
export function decodeBody({ adapter, provider, api, model, body }: ThinkingAnswer): DecodedResponse {
  const recorded = { provider, api, model, status: 200, headers: {}, text: JSON.stringify(body) };
  return decodeResponse(adapter, { ...recorded, framing: "json" }, clockless);
}

export function decodeFrames({ adapter, provider, api, model, frames }: ThinkingAnswer): DecodedResponse {
  const text = frames.map((frame) => `data: ${JSON.stringify(frame)}\n\n`).join("");
  const recorded = { provider, api, model, status: 200, headers: {}, text };
  return decodeResponse(adapter, { ...recorded, framing: "sse" }, clockless);
}

const clockless = { newId: () => "AAAAAAAAAAAAAAAAAAAAAA", now: 0 };

const signature = "EqQBCgIYAhIMsignedbyitsmaker";
const half = Math.floor(thought.length / 2);
const pieces = [thought.slice(0, half), thought.slice(half)];

const claudeUsage = {
  input_tokens: 50,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 100,
  output_tokens_details: { thinking_tokens: 40 },
};

export const anthropic: ThinkingAnswer = {
  adapter: messages,
  provider: "anthropic",
  api: "messages",
  model: "claude-sonnet-4-5",
  body: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "claude-sonnet-4-5-20250929",
    content: [
      { type: "thinking", thinking: thought, signature },
      { type: "text", text: answer },
    ],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: claudeUsage,
  },
  frames: [
    {
      type: "message_start",
      message: {
        id: "msg_1",
        type: "message",
        role: "assistant",
        model: "claude-sonnet-4-5-20250929",
        content: [],
        stop_reason: null,
        usage: { ...claudeUsage, output_tokens: 1, output_tokens_details: { thinking_tokens: 0 } },
      },
    },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "", signature: "" } },
    ...pieces.map((thinking) => blockDelta(0, { type: "thinking_delta", thinking })),
    blockDelta(0, { type: "signature_delta", signature }),
    { type: "content_block_stop", index: 0 },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    blockDelta(1, { type: "text_delta", text: answer }),
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn", stop_sequence: null }, usage: claudeUsage },
    { type: "message_stop" },
  ],
};

function blockDelta(index: number, delta: JsonObject): JsonObject {
  return { type: "content_block_delta", index, delta };
}

const reasoningItem = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: thought }],
  encrypted_content: "gAAAAAencryptedbyitsmaker",
};
const messageItem = {
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: answer, annotations: [] }],
};
const response = {
  id: "resp_1",
  object: "response",
  status: "completed",
  model: "gpt-5-mini-2025-08-07",
  error: null,
  incomplete_details: null,
  output: [reasoningItem, messageItem],
  usage: {
    input_tokens: 50,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 120,
    output_tokens_details: { reasoning_tokens: 20 },
    total_tokens: 170,
  },
};

export const openai: ThinkingAnswer = {
  adapter: responses,
  provider: "openai",
  api: "responses",
  model: "gpt-5-mini",
  body: response,
  frames: numbered([
    { type: "response.created", response: { ...response, status: "in_progress", output: [], usage: null } },
    {
      type: "response.output_item.added",
      output_index: 0,
      item: { ...reasoningItem, summary: [], encrypted_content: "gAAAA" },
    },
    {
      type: "response.reasoning_summary_part.added",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      part: { type: "summary_text", text: "" },
    },
    ...pieces.map((delta) => ({
      type: "response.reasoning_summary_text.delta",
      item_id: "rs_1",
      output_index: 0,
      summary_index: 0,
      delta,
    })),
    { type: "response.output_item.done", output_index: 0, item: reasoningItem },
    { type: "response.output_item.added", output_index: 1, item: { ...messageItem, content: [] } },
    {
      type: "response.content_part.added",
      item_id: "msg_1",
      output_index: 1,
      content_index: 0,
      part: { type: "output_text", text: "", annotations: [] },
    },
    { type: "response.output_text.delta", item_id: "msg_1", output_index: 1, content_index: 0, delta: answer },
    { type: "response.output_item.done", output_index: 1, item: messageItem },
    { type: "response.completed", response },
  ]),
};

function numbered(frames: readonly JsonObject[]): readonly JsonObject[] {
  return frames.map((frame, sequence_number) => ({ ...frame, sequence_number }));
}

const chatUsage = {
  prompt_tokens: 50,
  completion_tokens: 120,
  total_tokens: 170,
  completion_tokens_details: { reasoning_tokens: 20 },
};

/** The dialect of compatible servers, where thinking has a field of its own. */
export const compatible: ThinkingAnswer = {
  adapter: chat,
  provider: "local",
  api: "chat",
  model: "qwen3",
  body: {
    id: "chatcmpl-1",
    object: "chat.completion",
    model: "qwen3",
    choices: [
      {
        index: 0,
        finish_reason: "stop",
        message: { role: "assistant", content: answer, reasoning_content: thought },
      },
    ],
    usage: chatUsage,
  },
  frames: [
    chunk({ role: "assistant", content: "" }),
    ...pieces.map((reasoning_content) => chunk({ reasoning_content })),
    chunk({ content: answer }),
    { ...chunk({}), choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { ...chunk({}), choices: [], usage: chatUsage },
  ],
};

function chunk(delta: JsonObject): JsonObject {
  const choices = [{ index: 0, delta, finish_reason: null }];
  return { id: "chatcmpl-1", object: "chat.completion.chunk", model: "qwen3", choices };
}

const geminiUsage = {
  promptTokenCount: 50,
  candidatesTokenCount: 100,
  thoughtsTokenCount: 20,
  totalTokenCount: 170,
};

export const google: ThinkingAnswer = {
  adapter: gemini,
  provider: "google",
  api: "generateContent",
  model: "gemini-3-flash-preview",
  body: geminiAnswer([{ text: thought, thought: true }, { text: answer }], {
    finishReason: "STOP",
    usageMetadata: geminiUsage,
  }),
  frames: [
    ...pieces.map((text) => geminiAnswer([{ text, thought: true }], {})),
    geminiAnswer([{ text: answer }], {}),
    geminiAnswer([{ text: "" }], { finishReason: "STOP", usageMetadata: geminiUsage }),
  ],
};

function geminiAnswer(
  parts: readonly JsonObject[],
  { finishReason, usageMetadata }: { finishReason?: string; usageMetadata?: JsonObject },
): JsonObject {
  const candidate = { index: 0, content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) };
  return {
    candidates: [candidate],
    ...(usageMetadata ? { usageMetadata } : {}),
    modelVersion: "gemini-3-flash-preview",
    responseId: "r1",
  };
}
