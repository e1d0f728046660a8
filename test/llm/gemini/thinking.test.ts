import { describe, expect, test } from "vitest";
import type { ModelInfo, ThinkingConfig, ThinkingLevel } from "../../../src/core/index.ts";
import { plan } from "../../../src/llm/protocols/gemini/thinking.ts";
import { argon, flash20, flash25, flash3, gemma, lite25, pro25, pro3 } from "./support.ts";

function configOf(model: ModelInfo, thinking: ThinkingConfig): unknown {
  return plan(model, thinking, {}).parameters;
}

const levelRows: readonly [ModelInfo, ThinkingLevel, string, number][] = [
  [argon, "none", "LOW", 24_384],
  [argon, "low", "LOW", 24_384],
  [argon, "med", "MEDIUM", 41_384],
  [argon, "high", "HIGH", 65_536],
  [argon, "max", "HIGH", 65_536],
  [flash3, "none", "MINIMAL", 24_384],
  [flash3, "low", "LOW", 24_384],
  [flash3, "med", "MEDIUM", 41_384],
  [flash3, "high", "HIGH", 65_536],
  [pro3, "none", "LOW", 24_384],
  [pro3, "low", "LOW", 24_384],
  [pro3, "med", "HIGH", 65_536],
  [pro3, "high", "HIGH", 65_536],
  [gemma, "none", "MINIMAL", 24_384],
  [gemma, "low", "MINIMAL", 24_384],
  [gemma, "med", "HIGH", 32_768],
  [gemma, "high", "HIGH", 32_768],
];

const budgetRows: readonly [ModelInfo, ThinkingLevel, number, number][] = [
  [pro25, "none", 128, 16_512],
  [pro25, "low", 11_008, 27_392],
  [pro25, "med", 21_888, 38_272],
  [pro25, "high", 32_768, 49_152],
  [pro25, "max", 32_768, 49_152],
  [flash25, "low", 8_192, 24_576],
  [flash25, "med", 16_384, 32_768],
  [flash25, "high", 24_576, 40_960],
  [lite25, "low", 8_533, 24_917],
  [lite25, "med", 16_554, 32_938],
  [lite25, "high", 24_576, 40_960],
];

describe("plan", () => {
  test.each(levelRows)("B14 $0.id/%s sends the level as a word", (model, level, thinkingLevel, maxOutputTokens) => {
    expect(configOf(model, { level })).toEqual({
      generationConfig: { thinkingConfig: { thinkingLevel, includeThoughts: true }, maxOutputTokens },
    });
  });

  test.each(budgetRows)("B14 $0.id/%s sends tokens", (model, level, thinkingBudget, maxOutputTokens) => {
    expect(configOf(model, { level })).toEqual({
      generationConfig: { thinkingConfig: { thinkingBudget, includeThoughts: true }, maxOutputTokens },
    });
  });

  test("off is sent as zero, without thoughts to include", () => {
    expect(configOf(flash25, { level: "none" })).toEqual({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 }, maxOutputTokens: 16_384 },
    });
  });

  test("a model that is off when nothing is said gets nothing", () => {
    expect(configOf(lite25, { level: "none" })).toEqual({ generationConfig: { maxOutputTokens: 16_384 } });
  });

  test("a model without thinking gets its output limit only", () => {
    const planned = plan(flash20, { level: "high" }, { max_output_tokens: 100 });
    expect(planned.parameters).toEqual({ generationConfig: { maxOutputTokens: 100 } });
    expect(planned.warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
  });

  test("without a summary no thoughts are asked for", () => {
    expect(configOf(flash3, { level: "low", include_summary: false })).toEqual({
      generationConfig: { thinkingConfig: { thinkingLevel: "LOW" }, maxOutputTokens: 24_384 },
    });
    expect(configOf(pro25, { level: "low", include_summary: false })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 11_008 } },
    });
    expect(JSON.stringify(configOf(pro25, { include_summary: false }))).not.toContain("includeThoughts");
  });

  test("a budget of one's own: exact, dynamic, clamped, refused", () => {
    expect(configOf(pro25, { budget_tokens: 2_000 })).toEqual({
      generationConfig: { thinkingConfig: { thinkingBudget: 2_000, includeThoughts: true }, maxOutputTokens: 18_384 },
    });
    expect(configOf(pro25, { budget_tokens: -1 })).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: -1, includeThoughts: true } },
    });
    expect(configOf(flash25, { budget_tokens: 0 })).toEqual({
      generationConfig: { thinkingConfig: { thinkingBudget: 0 }, maxOutputTokens: 16_384 },
    });
    expect(plan(pro25, { budget_tokens: 1 }, {}).warnings.map(({ code }) => code)).toEqual(["budget_clamped"]);
    expect(() => plan(flash3, { budget_tokens: 1_000 }, {})).toThrow(/no thinking budgets/);
  });

  test("a level and a budget never stand together", () => {
    for (const model of [argon, flash3, pro3, pro25, flash25, lite25, gemma, flash20]) {
      for (const level of ["none", "low", "med", "high", "max"] as const) {
        const text = JSON.stringify(configOf(model, { level }));
        expect(text.includes("thinkingLevel") && text.includes("thinkingBudget")).toBe(false);
      }
    }
  });

  test("an unknown level is refused before anything is sent", () => {
    const unknown = "hgih" as ThinkingLevel;
    expect(() => plan(flash3, { level: unknown }, {})).toThrow(/not a thinking level/);
  });
});
