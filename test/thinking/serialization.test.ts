// Where these differ from the original plan:
// - Gemini 3 Flash has a MEDIUM, so med is that and not HIGH.
// - None sends nothing only where leaving thinking out means off (Claude 4.5, Gemini 2.5 Flash-Lite). Where it would mean
//   on, off is said; where there is no off, the lowest setting is sent with a warning.
// - There is no `thinking.include_summary`: newer Claude models have `display`, older ones always show their thinking.

import { describe, expect, test } from "vitest";
import { project } from "../../src/llm/index.ts";
import { decodeBody, anthropic, thought } from "./bodies.ts";
import { bodyFor } from "./requests.ts";

describe("serialization", () => {
  test("test_thinking_serialization_anthropic", async () => {
    const body = await bodyFor("claude-sonnet-4-5/med");
    expect(body).toMatchObject({
      model: "claude-sonnet-4-5",
      thinking: { type: "enabled", budget_tokens: 43_008 },
      max_tokens: 43_008 + 16_384,
    });
    expect(await bodyFor("claude-opus-5-5/med")).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "medium" },
      max_tokens: 41_384,
    });
  });

  test("test_thinking_serialization_openai", async () => {
    expect(await bodyFor("gpt-5-mini/med")).toMatchObject({
      model: "gpt-5-mini",
      reasoning: { effort: "medium", summary: "auto" },
      max_output_tokens: 41_384,
    });
    expect(await bodyFor("gpt-6.1-sol/max")).toMatchObject({ reasoning: { effort: "max", summary: "auto" } });
  });

  test("test_thinking_serialization_google", async () => {
    expect(await bodyFor("gemini-3.0-flash/med")).toMatchObject({
      generationConfig: {
        thinkingConfig: { thinkingLevel: "MEDIUM", includeThoughts: true },
        maxOutputTokens: 41_384,
      },
    });
    expect(await bodyFor("gemini-3-pro/med")).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingLevel: "HIGH", includeThoughts: true } },
    });
    expect(await bodyFor("gemini-2.5-flash/med")).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 16_384, includeThoughts: true } },
    });
  });

  test("test_thinking_none_skips_config", async () => {
    const claude = await bodyFor("claude-sonnet-4-5/none");
    expect(claude).not.toHaveProperty("thinking");
    expect(claude).not.toHaveProperty("output_config");
    expect(claude["max_tokens"]).toBe(16_384);
    expect(await bodyFor("gemini-2.5-flash-lite/min")).not.toHaveProperty("generationConfig.thinkingConfig");

    // Left out would mean on.
    expect(await bodyFor("claude-sonnet-5/none")).toMatchObject({ thinking: { type: "disabled" } });
    expect(await bodyFor("gpt-6-sol/off")).toMatchObject({ reasoning: { effort: "none" } });
    expect(await bodyFor("gemini-2.5-flash/none")).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 }, maxOutputTokens: 16_384 },
    });

    // There is no off.
    const cannot = await project("6 × 7?", "gpt-5-mini/none");
    expect(cannot.body).toMatchObject({ reasoning: { effort: "minimal" } });
    expect(cannot.notes.map(({ code }) => code)).toContain("cannot_disable");

    // A model that thinks anyway is heard.
    const { message, end } = decodeBody(anthropic);
    expect(message.content[0]).toMatchObject({ type: "thinking", text: thought });
    expect(end).toMatchObject({ usage: { thinking_tokens: 40 } });
  });

  test("test_thinking_summary_flag", async () => {
    const shown = { thinking: { include_summary: true } };
    const hidden = { thinking: { include_summary: false } };
    expect(await bodyFor("claude-opus-5-5/low", shown)).toMatchObject({ thinking: { display: "summarized" } });
    expect(await bodyFor("claude-opus-5-5/low", hidden)).toMatchObject({ thinking: { display: "omitted" } });
    expect(await bodyFor("claude-sonnet-4-5/low", hidden)).toMatchObject({
      thinking: { type: "enabled", budget_tokens: 22_016 },
    });
    expect((await bodyFor("gpt-5-mini/low", shown))["reasoning"]).toEqual({ effort: "low", summary: "auto" });
    expect((await bodyFor("gpt-5-mini/low", hidden))["reasoning"]).toEqual({ effort: "low" });
    expect(await bodyFor("gemini-3.0-flash/low", shown)).toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
    expect(await bodyFor("gemini-3.0-flash/low", hidden)).not.toMatchObject({
      generationConfig: { thinkingConfig: { includeThoughts: true } },
    });
  });
});
