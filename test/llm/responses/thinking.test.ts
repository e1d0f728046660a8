import { describe, expect, test } from "vitest";
import type { ModelInfo, ThinkingConfig } from "../../../src/core/index.ts";
import { openai } from "../../../src/llm/providers/openai.ts";
import { plan } from "../../../src/llm/protocols/responses/thinking.ts";
import { plainModel, thinkingModel } from "./helpers.ts";

const models = await openai.models();
const modelNamed = (id: string): ModelInfo => {
  const model = models.find((candidate) => candidate.id === id);
  if (model === undefined) throw new Error(`${id} is not in the registry`);
  return model;
};

describe("a level in this API's words", () => {
  test.each<[string, ThinkingConfig, object, number, readonly string[]]>([
    ["gpt-6.1-sol", {}, { effort: "medium", summary: "auto" }, 16_384 + 25_000, []],
    ["gpt-6.1-sol", { level: "none" }, { effort: "low", summary: "auto" }, 16_384 + 8_000, ["cannot_disable"]],
    ["gpt-6.1-sol", { level: "max" }, { effort: "max", summary: "auto" }, 16_384 + 64_000, []],
    ["gpt-6-sol", { level: "none" }, { effort: "none" }, 16_384, []],
    ["gpt-6-sol", { level: "high", include_summary: false }, { effort: "high" }, 16_384 + 64_000, []],
    ["gpt-5", { level: "none" }, { effort: "minimal", summary: "auto" }, 16_384 + 8_000, ["cannot_disable"]],
    ["gpt-5.1", { level: "max" }, { effort: "high", summary: "auto" }, 16_384 + 64_000, ["level_moved"]],
    ["gpt-5.2", { level: "max" }, { effort: "xhigh", summary: "auto" }, 16_384 + 64_000, []],
    ["gpt-5-pro", { level: "low" }, { effort: "high", summary: "auto" }, 16_384 + 64_000, ["level_moved"]],
    ["o3", { level: "low" }, { effort: "low", summary: "auto" }, 16_384 + 8_000, []],
  ])("%s %j", (...[id, thinking, reasoning, max_output_tokens, warnings]) => {
    const planned = plan(modelNamed(id), thinking, {});
    expect(planned.parameters).toEqual({ reasoning, max_output_tokens });
    expect(planned.warnings.map(({ code }) => code)).toEqual(warnings);
  });

  test("a model without thinking is told only its limit, and no less than 16", () => {
    expect(plan(modelNamed("gpt-4.1"), {}, {}).parameters).toEqual({ max_output_tokens: 16_384 });
    expect(plan(plainModel(), { level: "high" }, { max_output_tokens: 3 })).toMatchObject({
      parameters: { max_output_tokens: 16 },
      level_applied: "none",
      warnings: [{ code: "thinking_unsupported" }],
    });
  });

  test("what cannot be is refused before anything is sent", () => {
    expect(() => plan(thinkingModel(), { budget_tokens: 1000 }, {})).toThrow(/no thinking budgets/);
    const level: string = "loud";
    expect(() => plan(thinkingModel(), { level: level as "low" }, {})).toThrow(/not a thinking level/);
  });

  test("servers without a summary or without levels get none", () => {
    expect(plan(thinkingModel(), { level: "low" }, {}, { reasoning_summary: false }).parameters["reasoning"]).toEqual({
      effort: "low",
    });
    expect(plan(thinkingModel(), { level: "low" }, {}, { reasoning: false }).parameters).toEqual({
      max_output_tokens: 16_384,
    });
    const trait = thinkingModel({ traits: { reasoning_summary: false } });
    expect(plan(trait, { level: "low" }, {}).parameters["reasoning"]).toEqual({ effort: "low" });
  });

  test("a gateway's budget models get their budget", () => {
    const thinking = { kind: "budget", min: 1024, max: 64_000, can_disable: true, omitted: "off" } as const;
    const model = thinkingModel({ thinking, output_tokens_max: 128_000 });
    expect(plan(model, { level: "low" }, {}).parameters).toEqual({
      reasoning: { max_tokens: 22_016, summary: "auto" },
      max_output_tokens: 38_400,
    });
    expect(plan(model, { level: "none" }, {}).parameters).toEqual({ max_output_tokens: 16_384 });
  });
});
