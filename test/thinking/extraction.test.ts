// Where these differ from the original plan, by what the providers really send:
// - Claude's thinking block has its text in `thinking`, beside a `signature` that has to go back.
// - OpenAI sends a `reasoning` item with a summary; `reasoning_content` is the field of compatible servers.
// - Gemini marks parts with `thought: true`; there is no `content.thoughts`.
// - Claude counts thinking inside `output_tokens`; `output_tokens_details.thinking_tokens` says how much.
// - The Responses API says `output_tokens` and `output_tokens_details.reasoning_tokens`.
// - Gemini's `candidatesTokenCount` does not hold the thoughts, so nothing is subtracted.

import { describe, expect, test } from "vitest";
import type { Usage } from "../../src/core/index.ts";
import { anthropic, answer, compatible, decodeBody, google, openai, thought, type ThinkingAnswer } from "./bodies.ts";

describe("extraction", () => {
  test("test_thinking_extraction_anthropic", () => {
    const { message, end } = decodeBody(anthropic);
    expect(message.content).toMatchObject([
      { type: "thinking", text: thought, opaque: { provider: "anthropic", model: "claude-sonnet-4-5" } },
      { type: "text", text: answer },
    ]);
    expect(JSON.stringify(message.content[0])).toContain("signedbyitsmaker");
    expect(end).toMatchObject({ type: "done", finish_reason: "stop" });
  });

  test("test_thinking_extraction_openai", () => {
    const { message } = decodeBody(openai);
    expect(message.content).toMatchObject([
      { type: "thinking", text: thought, opaque: { provider: "openai", model: "gpt-5-mini" } },
      { type: "text", text: answer },
    ]);
    expect(JSON.stringify(message.content[0])).toContain("encryptedbyitsmaker");
    expect(decodeBody(compatible).message.content).toMatchObject([
      { type: "thinking", text: thought },
      { type: "text", text: answer },
    ]);
  });

  test("test_thinking_extraction_google", () => {
    const { message } = decodeBody(google);
    expect(message.content).toMatchObject([
      { type: "thinking", text: thought },
      { type: "text", text: answer },
    ]);
  });
});

describe("token accounting", () => {
  test("test_thinking_tokens_anthropic", () => {
    expect(usageOf(anthropic)).toMatchObject({
      input_tokens: 50,
      output_tokens: 60,
      thinking_tokens: 40,
      total_tokens: 150,
    });
  });

  test("test_thinking_tokens_openai", () => {
    const expected = { input_tokens: 50, output_tokens: 100, thinking_tokens: 20, total_tokens: 170 };
    expect(usageOf(openai)).toMatchObject(expected);
    expect(usageOf(compatible)).toMatchObject(expected);
  });

  test("test_thinking_tokens_google", () => {
    expect(usageOf(google)).toMatchObject({
      input_tokens: 50,
      output_tokens: 100,
      thinking_tokens: 20,
      total_tokens: 170,
    });
  });
});

function usageOf(recorded: ThinkingAnswer): Usage {
  const { end } = decodeBody(recorded);
  if (end.type === "error") throw new Error(end.error.message);
  const { usage } = end;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens } = usage;
  expect(usage.total_tokens).toBe(
    input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + thinking_tokens,
  );
  return usage;
}
