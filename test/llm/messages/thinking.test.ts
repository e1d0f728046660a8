import { describe, expect, test } from "vitest";
import { thinkingLevels, user, type ThinkingLevel } from "../../../src/core/index.ts";
import { Failure } from "../../../src/llm/failure.ts";
import { adapter, bodyOf, model, type ModelKind } from "./support.ts";

const parametersOf = (kind: ModelKind, level: ThinkingLevel): unknown =>
  adapter.plan(model(kind), { level }, {}).parameters;

describe("B14 plan", () => {
  test.each<[ModelKind, ThinkingLevel, object]>([
    ["budget", "none", { max_tokens: 16_384 }],
    ["budget", "low", { thinking: { type: "enabled", budget_tokens: 22_016 }, max_tokens: 38_400 }],
    ["budget", "med", { thinking: { type: "enabled", budget_tokens: 43_008 }, max_tokens: 59_392 }],
    ["budget", "high", { thinking: { type: "enabled", budget_tokens: 47_616 }, max_tokens: 64_000 }],
    ["adaptive", "none", { thinking: { type: "disabled" }, max_tokens: 16_384 }],
    ["adaptive", "low", effort("low", 24_384)],
    ["adaptive", "med", effort("medium", 41_384)],
    ["adaptive", "high", effort("high", 80_384)],
    ["adaptive", "max", effort("max", 80_384)],
    ["optional", "none", { max_tokens: 16_384 }],
    ["bound", "none", effort("low", 24_384)],
    [
      "between_tools",
      "none",
      { thinking: { type: "between_tools" }, output_config: { effort: "low" }, max_tokens: 24_384 },
    ],
    ["none", "high", { max_tokens: 16_384 }],
  ])("%s/%s", (kind, level, parameters) => {
    expect(parametersOf(kind, level)).toEqual(parameters);
  });

  test("a summary that is not wanted is not asked for", () => {
    const { parameters } = adapter.plan(model("adaptive"), { level: "low", include_summary: false }, {});
    expect(parameters["thinking"]).toEqual({ type: "adaptive", display: "omitted" });
  });

  test("an exact budget on a model that thinks adaptively and has budgets", () => {
    const { parameters } = adapter.plan(model("optional"), { level: "high", budget_tokens: 5000 }, {});
    expect(parameters).toEqual({ thinking: { type: "enabled", budget_tokens: 5000 }, max_tokens: 21_384 });
  });

  test.each([
    [{ budget_tokens: 5000 }, "adaptive"],
    [{ level: JSON.parse('"hard"') as ThinkingLevel }, "budget"],
  ] as const)("what cannot be is refused: %j on %s", (thinking, kind) => {
    expect(() => adapter.plan(model(kind), thinking, {})).toThrow(Failure);
    try {
      adapter.plan(model(kind), thinking, {});
    } catch (error) {
      expect(error).toMatchObject({ info: { category: "invalid_argument", retryable: false } });
    }
  });

  test.each(["budget", "adaptive", "optional", "bound", "between_tools", "none"] as const)(
    "B16 the request for %s carries the plan's parameters and nothing else of the kind",
    (kind) => {
      for (const level of thinkingLevels) {
        const { thinking, output_config, max_tokens } = bodyOf(model(kind), {
          messages: [user("hi")],
          thinking: { level },
        });
        const sent = Object.fromEntries(
          Object.entries({ thinking, output_config, max_tokens }).filter(([, value]) => value !== undefined),
        );
        expect(sent).toEqual(parametersOf(kind, level));
      }
    },
  );
});

function effort(word: string, max_tokens: number): object {
  return { thinking: { type: "adaptive", display: "summarized" }, output_config: { effort: word }, max_tokens };
}
