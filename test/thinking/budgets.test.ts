// Where these differ from the original plan:
// - The levels are none, low, med, high and max; `min` is still read, as none. None of the plan's budgets changed.
// - None sends nothing on Claude 4.5 (off), so 1,024 is only the result of the calculation.
// - GPT-5 cannot be switched off: none is its lowest effort, `minimal`, with a warning; "none" would be refused.
// - Gemini 3 Flash has four levels, so none is MINIMAL and med is MEDIUM. The plan's LOW, LOW, HIGH, HIGH is Gemini 3 Pro.
// - high is what the calculation gives; the request keeps it below `max_tokens` and says so when that costs something.

import { describe, expect, test } from "vitest";
import { explain } from "../../src/llm/index.ts";
import { calculatedBudget, fourLevels } from "./requests.ts";

describe("budgets", () => {
  test("test_thinking_budget_anthropic", async () => {
    for (const model of ["claude-sonnet-4-5", "claude-opus-4-5"]) {
      const budgets = await Promise.all(fourLevels.map((level) => calculatedBudget(`${model}/${level}`)));
      expect(budgets).toEqual([1_024, 22_016, 43_008, 64_000]);
    }
    const haiku = await Promise.all(fourLevels.map((level) => calculatedBudget(`claude-haiku-4-5/${level}`)));
    expect(haiku).toEqual([1_024, 11_349, 21_674, 32_000]);
    expect(await calculatedBudget("claude-sonnet-4-5/min")).toBe(1_024);
  });

  test("test_thinking_budget_openai", async () => {
    for (const model of ["gpt-5", "gpt-5-mini", "gpt-5-nano"]) {
      const plans = await Promise.all(fourLevels.map((level) => explain(`${model}/${level}`)));
      expect(plans.map(({ parameters }) => parameters["reasoning"])).toEqual([
        { effort: "minimal", summary: "auto" },
        { effort: "low", summary: "auto" },
        { effort: "medium", summary: "auto" },
        { effort: "high", summary: "auto" },
      ]);
      expect(plans.map(({ warnings }) => warnings.length)).toEqual([1, 0, 0, 0]);
      expect(plans.map(({ calculated_budget }) => calculated_budget)).toEqual([null, null, null, null]);
    }
    expect((await explain("gpt-6-sol/none")).parameters["reasoning"]).toEqual({ effort: "none" });
  });

  test("test_thinking_budget_google", async () => {
    const levelsOf = async (model: string): Promise<readonly unknown[]> => {
      const plans = await Promise.all(fourLevels.map((level) => explain(`${model}/${level}`)));
      return plans.map(({ parameters }) => thinkingLevel(parameters["generationConfig"]));
    };
    expect(await levelsOf("gemini-3.0-pro")).toEqual(["LOW", "LOW", "HIGH", "HIGH"]);
    expect(await levelsOf("gemini-3.0-flash")).toEqual(["MINIMAL", "LOW", "MEDIUM", "HIGH"]);
    expect(await levelsOf("gemini-4-argon")).toEqual(["LOW", "LOW", "MEDIUM", "HIGH"]);
    const budgets = (model: string): Promise<readonly unknown[]> =>
      Promise.all(fourLevels.map((level) => calculatedBudget(`${model}/${level}`)));
    expect(await budgets("gemini-2.5-pro")).toEqual([128, 11_008, 21_888, 32_768]);
    expect(await budgets("gemini-2.5-flash")).toEqual([0, 8_192, 16_384, 24_576]);
    expect(await budgets("gemini-2.5-flash-lite")).toEqual([512, 8_533, 16_554, 24_576]);
  });

  test("test_thinking_max_budget", async () => {
    expect(await calculatedBudget("claude-sonnet-4-5/high")).toBe(64_000);
    expect(await calculatedBudget("claude-opus-4-5/high")).toBe(64_000);
    expect(await calculatedBudget("claude-haiku-4-5/high")).toBe(32_000);
    expect(await calculatedBudget("gemini-2.5-flash-lite/high")).toBe(24_576);
    expect((await explain("gpt-5/high")).parameters["reasoning"]).toMatchObject({ effort: "high" });
    const { parameters } = await explain("gemini-3.0-flash/high");
    expect(thinkingLevel(parameters["generationConfig"])).toBe("HIGH");

    const sent = await explain("claude-sonnet-4-5/high");
    expect(sent.parameters).toEqual({ thinking: { type: "enabled", budget_tokens: 47_616 }, max_tokens: 64_000 });
    expect(sent.warnings.map(({ code }) => code)).toEqual(["budget_reduced"]);
    const short = await explain("claude-sonnet-4-5/high", { max_output_tokens: 1_000 });
    expect(short.parameters).toEqual({ thinking: { type: "enabled", budget_tokens: 63_000 }, max_tokens: 64_000 });
  });
});

function thinkingLevel(generationConfig: unknown): unknown {
  return (generationConfig as { thinkingConfig?: { thinkingLevel?: string } }).thinkingConfig?.thinkingLevel;
}
