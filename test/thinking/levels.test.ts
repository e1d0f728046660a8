// Where these differ from the original plan:
// - Levels are words, so a wrong one is a word too: it is refused as `invalid_argument` before anything is sent.
// - There are models without thinking (GPT-4o): the level is ignored and the person is told.
// - Some of the plan's models go by newer ids: gemini-3.0-flash is gemini-3-flash-preview, gemini-3.0-pro is
//   gemini-3-pro-preview.

import { describe, expect, test } from "vitest";
import { user, type Conversation, type Message } from "../../src/core/index.ts";
import { explain, project } from "../../src/llm/index.ts";
import { anthropic, answer, decodeBody, google, openai, thought, type ThinkingAnswer } from "./bodies.ts";
import { bodyFor } from "./requests.ts";

describe("levels", () => {
  test("test_thinking_level_transition", async () => {
    const steps: readonly [ThinkingAnswer, readonly [object, object]][] = [
      [
        anthropic,
        [
          { thinking: { type: "enabled", budget_tokens: 22_016 } },
          { thinking: { type: "enabled", budget_tokens: 47_616 } },
        ],
      ],
      [openai, [{ reasoning: { effort: "low" } }, { reasoning: { effort: "high" } }]],
      [
        google,
        [
          { generationConfig: { thinkingConfig: { thinkingLevel: "LOW" } } },
          { generationConfig: { thinkingConfig: { thinkingLevel: "HIGH" } } },
        ],
      ],
    ];
    for (const [recorded, [low, high]] of steps) {
      const first: readonly Message[] = [user("6 × 7?")];
      const before = await project(first, `${recorded.model}/low`);
      expect(before.body).toMatchObject(low);
      const next = [...first, decodeBody(recorded).message, user("And 7 × 8?")];
      const after = await project(next, `${recorded.model}/high`);
      expect(after.body).toMatchObject(high);
      expect(after.url).toBe(before.url);
      expect(after.body?.["model"]).toBe(before.body?.["model"]);
      expect(after.losses).toEqual([]);
      const sent = JSON.stringify(after.body);
      for (const text of ["6 × 7?", answer, "And 7 × 8?"]) expect(sent).toContain(text);
    }
  });

  test("thinking goes back to its maker whatever the level is now", async () => {
    const messages = [user("6 × 7?"), decodeBody(anthropic).message, user("And 7 × 8?")];
    const body = await bodyFor("claude-sonnet-4-5/high", { messages });
    expect(JSON.stringify(body["messages"])).toContain(thought);
    expect(JSON.stringify(body["messages"])).toContain("signedbyitsmaker");
    expect(JSON.stringify(await bodyFor("gpt-5-mini/high", { messages }))).not.toContain("signedbyitsmaker");
  });

  test("test_thinking_unsupported_model", async () => {
    const { parameters, warnings, level_applied } = await explain("gpt-4o/high");
    expect(parameters).toEqual({ max_output_tokens: 16_384 });
    expect(level_applied).toBe("none");
    expect(warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
    expect(await bodyFor("gpt-4o/high")).not.toHaveProperty("reasoning");

    const supported = {
      reasoning: ["gpt-5-nano", "gpt-5-mini", "gpt-5"],
      thinking: ["claude-haiku-4-5", "claude-sonnet-4-5", "claude-opus-4-5"],
      generationConfig: ["gemini-2.5-flash-lite", "gemini-3.0-flash", "gemini-3.0-pro"],
    };
    for (const [field, models] of Object.entries(supported)) {
      for (const model of models) {
        const plan = await explain(`${model}/med`);
        expect(plan.parameters).toHaveProperty(field);
        expect(plan.warnings.map(({ code }) => code)).not.toContain("thinking_unsupported");
      }
    }
  });

  test("an invalid level is refused before anything is sent", async () => {
    const thinking = JSON.parse('{ "level": -1 }') as NonNullable<Conversation["thinking"]>;
    for (const model of ["claude-sonnet-4-5", "gpt-5-mini", "gemini-3-flash"]) {
      await expect(bodyFor(model, { thinking })).rejects.toMatchObject({ category: "invalid_argument" });
      await expect(explain(`${model}/hihg`)).rejects.toMatchObject({ category: "invalid_argument" });
    }
  });

  test("a budget is an error on models without budgets", async () => {
    await expect(explain("gpt-5-mini", { thinking_budget: 5_000 })).rejects.toMatchObject({
      category: "invalid_argument",
    });
    const { parameters } = await explain("claude-sonnet-4-5/med", { thinking_budget: 5_000 });
    expect(parameters).toEqual({ thinking: { type: "enabled", budget_tokens: 5_000 }, max_tokens: 21_384 });
  });
});
