import { describe, expect, test } from "vitest";
import { createCollector, type StreamEvent } from "../../src/core/index.ts";

const origin = { provider: "p", api: "a", model: "m" };
const opaque = { provider: "p", model: "m", data: { signature: "s" } };
const usage = {
  input_tokens: 1,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 1,
  thinking_tokens: 0,
  total_tokens: 2,
};

function collect(events: readonly StreamEvent[]) {
  const collector = createCollector(origin);
  for (const event of events) collector.add(event);
  return collector;
}

describe("collector", () => {
  test("joins deltas by block and keeps the order of blocks, not of events", () => {
    const { message } = collect([
      { type: "thinking_delta", block_index: 0, text: "a" },
      { type: "text_delta", block_index: 2, text: "x" },
      { type: "tool_call_start", block_index: 1, id: "c", name: "f" },
      { type: "thinking_delta", block_index: 0, text: "b" },
      { type: "tool_call_delta", block_index: 1, json_fragment: "{}" },
      { type: "tool_call_done", block_index: 1, arguments: {} },
      { type: "opaque", block_index: 0, opaque },
      { type: "done", finish_reason: "tool_use", raw_finish_reason: "tool_use", usage },
    ]);
    expect(message()).toEqual({
      role: "assistant",
      origin,
      content: [
        { type: "thinking", text: "ab", opaque },
        { type: "tool_call", id: "c", name: "f", arguments: {} },
        { type: "text", text: "x" },
      ],
    });
  });

  test("an empty delta opens a block; opaque alone makes a provider block", () => {
    const { message } = collect([
      { type: "thinking_delta", block_index: 0, text: "" },
      { type: "opaque", block_index: 0, opaque },
      { type: "opaque", block_index: 1, opaque },
    ]);
    expect(message().content).toEqual([
      { type: "thinking", text: "", opaque },
      { type: "provider", opaque },
    ]);
  });

  test("a call that never ended is invalid and keeps its text", () => {
    const { message } = collect([
      { type: "tool_call_start", block_index: 0, id: "c", name: "f" },
      { type: "tool_call_delta", block_index: 0, json_fragment: '{"a":' },
    ]);
    expect(message().content).toEqual([
      { type: "tool_call", id: "c", name: "f", arguments: {}, arguments_text: '{"a":', invalid: true },
    ]);
    expect(message().incomplete).toBe(true);
  });
});
