import { describe, expect, test } from "vitest";
import { ratios, summarise } from "../../bench/stats.ts";
import { digestOf, framesOf, partsOf, understoodFrom, wires, type Wire } from "../../bench/traffic.ts";
import type { Adapter } from "../../src/llm/index.ts";
import { decodeResponse } from "../../src/llm/decode.ts";
import { chat } from "../../src/llm/protocols/chat/index.ts";
import { gemini } from "../../src/llm/protocols/gemini/index.ts";
import { messages } from "../../src/llm/protocols/messages/index.ts";
import { responses } from "../../src/llm/protocols/responses/index.ts";

const adapters: { readonly [wire in Wire]: Adapter } = { messages, responses, chat, gemini };

describe("traffic", () => {
  test.each(wires)("of %s says what it is meant to say", (wire) => {
    const text = framesOf(wire, "mix-200").join("");
    const recorded = { provider: "p", api: wire, model: "m", status: 200, headers: {}, text, framing: "sse" as const };
    const { message, end } = decodeResponse(adapters[wire], recorded, { newId: () => "id", now: 0 });
    expect(end).toMatchObject({ type: "done", finish_reason: "tool_use" });
    const said = { text: "", thinking: "", arguments: "" };
    for (const block of message.content) {
      if (block.type === "text" || block.type === "thinking") said[block.type] += block.text;
      else if (block.type === "tool_call") said.arguments += JSON.stringify(block.arguments);
    }
    const sent = understoodFrom(partsOf(wire, "mix-200"));
    expect(said).toEqual(sent);
    expect(digestOf(said)).toBe(digestOf(sent));
    expect(digestOf({ ...said, text: `${said.text}.` })).not.toBe(digestOf(sent));
  });

  test("is the same in every process, and as long as its name says", () => {
    expect(framesOf("messages", "text-50")).toEqual(framesOf("messages", "text-50"));
    for (const wire of wires) {
      expect(partsOf(wire, "text-2000").flatMap(({ deltas }) => deltas)).toHaveLength(2000);
      const size = understoodFrom(partsOf(wire, "arguments-1048576")).arguments.length;
      expect(size / 1048576).toBeCloseTo(1, 2);
    }
  });

  test("leaves out of a comparison only what a driver cannot read", () => {
    const sent = understoodFrom(partsOf("chat", "mix-200"));
    expect(digestOf({ ...sent, thinking: "" }, ["thinking"])).toBe(digestOf(sent, ["thinking"]));
    expect(digestOf({ ...sent, text: "" }, ["thinking"])).not.toBe(digestOf(sent, ["thinking"]));
  });
});

describe("figures", () => {
  test("are medians with their quarters", () => {
    expect(summarise([5, 1, 2, 4, 3])).toEqual({ median: 3, low: 2, high: 4, count: 5 });
    expect(summarise([1, 2])).toEqual({ median: 1.5, low: 1.25, high: 1.75, count: 2 });
  });

  test("are compared within a round, and rounds that someone skipped do not count", () => {
    expect(ratios([2, undefined, 9], [1, 5, 3])).toEqual([2, 3]);
  });
});
