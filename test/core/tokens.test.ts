import { describe, expect, test } from "vitest";
import { messageTokens, tokensOf, totalTokensOf, user, type Conversation, type Message } from "../../src/core/index.ts";

const call: Message = {
  role: "assistant",
  content: [
    { type: "thinking", text: "t".repeat(40) },
    { type: "text", text: "a".repeat(80) },
    { type: "tool_call", id: "1", name: "read", arguments: { path: "/a/b", lines: [1, 2], deep: { yes: true } } },
  ],
  origin: { provider: "p", api: "a", model: "m" },
};

describe("about how many tokens", () => {
  test("four characters make one, and every message a few", () => {
    expect(messageTokens(user("x".repeat(400)))).toBe(104);
    expect(totalTokensOf({ messages: [user("x".repeat(400)), user("")] })).toBe(108);
  });

  test("arguments weigh what they would as text", () => {
    const rough = messageTokens(call);
    const exact = messageTokens(call, (text) => text.length / 4);
    expect(Math.abs(rough - exact)).toBeLessThan(4);
  });

  test("system and tools count apart from messages", () => {
    const conversation: Conversation = {
      system: [{ type: "text", text: "s".repeat(40) }],
      tools: [{ name: "read", description: "d".repeat(40), parameters: { type: "object" } }],
      messages: [],
    };
    const { system, tools, messages } = tokensOf(conversation);
    expect([system, messages]).toEqual([10, 0]);
    expect(tools).toBeGreaterThan(12);
  });

  test("pictures and documents weigh something, texts what they say", () => {
    const weigh = (block: Extract<Message, { role: "user" }>["content"][number]): number =>
      messageTokens({ role: "user", content: [block] }) - messageTokens({ role: "user", content: [] });
    expect(weigh({ type: "image", media_type: "image/png", data: "AAAA" })).toBe(1_500);
    expect(weigh({ type: "document", url: "https://example.com/a.pdf" })).toBe(1_500);
    expect(weigh({ type: "document", media_type: "text/plain", data: "A".repeat(4_000) })).toBe(750);
    expect(weigh({ type: "document", media_type: "application/pdf", data: "A".repeat(400_000) })).toBe(7_500);
  });

  test("results of tools count with all they hold", () => {
    const content = [{ type: "text" as const, text: "r".repeat(40) }];
    const tool: Message = {
      role: "tool",
      content: [{ type: "tool_result", tool_call_id: "1", content, is_error: false }],
    };
    expect(messageTokens(tool)).toBe(14);
  });
});
