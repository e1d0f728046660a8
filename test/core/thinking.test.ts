import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  budgetOf,
  decideThinking,
  efforts,
  isThinkingLevel,
  parseThinkingLevel,
  thinkingLevels,
  type Effort,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingDecision,
  type ThinkingSpec,
} from "../../src/core/index.ts";

describe("levels", () => {
  test.each([
    ["none", "none"],
    ["low", "low"],
    ["med", "med"],
    ["high", "high"],
    ["max", "max"],
    ["min", "none"],
    ["off", "none"],
    ["medium", "med"],
    ["HIGH", "high"],
    ["Off", "none"],
  ])("%s is read as %s", (text, level) => {
    expect(parseThinkingLevel(text)).toBe(level);
  });

  test.each(["", "hihg", "minimal", "xhigh", "3", "-1", "constructor"])("%s is not a level", (text) => {
    expect(parseThinkingLevel(text)).toBeUndefined();
  });

  test("the words for input only are never levels themselves", () => {
    expect(["min", "off", "medium", undefined, 1].filter(isThinkingLevel)).toEqual([]);
  });

  test("an unknown level is refused, not guessed", () => {
    const config = JSON.parse('{ "level": "ultra" }') as ThinkingConfig;
    expect(decideThinking(model(budget(1024, 64_000)), config, {})).toEqual({
      problem: '"ultra" is not a thinking level; use one of none, low, med, high, max',
    });
  });
});

describe("budgets", () => {
  test.each([
    ["Sonnet and Opus 4.5", 1_024, 64_000, [1_024, 22_016, 43_008, 64_000]],
    ["Haiku 4.5 and Sonnet 3.7", 1_024, 32_000, [1_024, 11_349, 21_674, 32_000]],
    ["Gemini 2.5 Pro", 128, 32_768, [128, 11_008, 21_888, 32_768]],
    ["Gemini 2.5 Flash", 0, 24_576, [0, 8_192, 16_384, 24_576]],
    ["Gemini 2.5 Flash-Lite", 512, 24_576, [512, 8_533, 16_554, 24_576]],
  ])("%s: %d to %d", (_name, min, max, expected) => {
    expect((["none", "low", "med", "high"] as const).map((level) => budgetOf({ min, max }, level))).toEqual(expected);
    expect(budgetOf({ min, max }, "max")).toBe(max);
  });

  test("none is left out where that means off, said where it does not, and the minimum where it cannot be", () => {
    const off = decide(budget(1024, 64_000), { level: "none" });
    expect(off).toMatchObject({ setting: { type: "absent" }, level_applied: "none", warnings: [] });
    expect(off).toMatchObject({ output_limit: 16_384, calculated_budget: 1024 });
    const said = decide(budget(0, 24_576, { omitted: "on" }), { level: "none" });
    expect(said).toMatchObject({ setting: { type: "off" }, warnings: [] });
    const forced = decide(budget(128, 32_768, { can_disable: false }), { level: "none" });
    expect(forced).toMatchObject({ setting: { type: "budget", tokens: 128 }, level_applied: "none" });
    expect(forced.warnings).toEqual([
      {
        code: "cannot_disable",
        message: "This model does not support disabling thinking; sent: 128 tokens (minimum)",
      },
    ]);
  });

  test("the default level is med", () => {
    expect(decide(budget(1024, 64_000), {})).toMatchObject({ level_asked: "med", calculated_budget: 43_008 });
  });

  test("max is high, and says so", () => {
    const decided = decide(budget(1024, 64_000), { level: "max" }, {}, 100_000);
    expect(decided).toMatchObject({ level_applied: "high", setting: { type: "budget", tokens: 64_000 } });
    expect(decided.warnings.map(({ code }) => code)).toEqual(["level_moved"]);
  });

  test("the request keeps room for the answer and says when that cost thinking", () => {
    const decided = decide(budget(1024, 64_000), { level: "high" }, {}, 64_000);
    expect(decided).toMatchObject({
      calculated_budget: 64_000,
      setting: { type: "budget", tokens: 64_000 - 16_384 },
      output_limit: 64_000,
    });
    expect(decided.warnings).toEqual([
      {
        code: "budget_reduced",
        message:
          "Thinking reduced from 64,000 tokens to 47,616 tokens: the model writes 64,000 tokens at most, 16,384 tokens kept for the answer",
      },
    ]);
  });

  test("a small answer leaves the budget whole", () => {
    const decided = decide(budget(1024, 64_000), { level: "low" }, { max_output_tokens: 500 }, 64_000);
    expect(decided).toMatchObject({ setting: { tokens: 22_016 }, output_limit: 22_516, warnings: [] });
  });

  test("an answer as large as the model can write leaves the minimum", () => {
    const decided = decide(budget(1024, 64_000), { level: "med" }, { max_output_tokens: 64_000 }, 64_000);
    expect(decided).toMatchObject({ setting: { tokens: 1024 }, output_limit: 64_000 });
  });

  test("a long conversation holds the budget down and says so", () => {
    const limits = { context_tokens: 150_001 };
    const decided = decide(budget(1024, 64_000), { level: "high" }, limits, 64_000);
    expect(decided).toMatchObject({ setting: { tokens: 10_000 }, calculated_budget: 64_000, output_limit: 26_384 });
    expect(decided.warnings).toEqual([
      {
        code: "long_context",
        message: "Thinking held to 10,000 tokens: the conversation is longer than 150,000 tokens",
      },
    ]);
    expect(decide(budget(1024, 64_000), { level: "low" }, { context_tokens: 150_000 })).toMatchObject({
      setting: { tokens: 22_016 },
    });
    const own = { context_tokens: 9_000, long_context_above_tokens: 8_000, long_context_budget_tokens: 100 };
    expect(decide(budget(1024, 64_000), { level: "low" }, own)).toMatchObject({ setting: { tokens: 1024 } });
  });
});

describe("exact budgets", () => {
  const spec = budget(1024, 64_000);

  test("are taken as they are", () => {
    expect(decide(spec, { level: "med", budget_tokens: 5_000 })).toMatchObject({
      setting: { type: "budget", tokens: 5_000 },
      calculated_budget: 5_000,
      level_applied: "med",
      output_limit: 21_384,
      warnings: [],
    });
  });

  test.each([
    [10, 1_024],
    [0, 1_024],
    [70_000, 64_000],
  ])("%d is moved into the range with a warning", (wanted, sent) => {
    const decided = decide(spec, { budget_tokens: wanted }, {}, 100_000);
    expect(decided).toMatchObject({ setting: { tokens: sent }, calculated_budget: sent });
    expect(decided.warnings.map(({ code }) => code)).toEqual(["budget_clamped"]);
  });

  test("are thinking even beside none, and none where they are zero", () => {
    expect(decide(spec, { level: "none", budget_tokens: 2_000 }).level_applied).toBe("low");
    expect(decide(budget(0, 24_576), { level: "high", budget_tokens: 0 })).toMatchObject({
      setting: { type: "budget", tokens: 0 },
      level_applied: "none",
      output_limit: 16_384,
    });
  });

  test("of an adaptive model that also takes budgets", () => {
    expect(decide(adaptive({ budget: { min: 1024, max: 128_000 } }), { budget_tokens: 3_000 })).toMatchObject({
      setting: { type: "budget", tokens: 3_000 },
    });
  });

  test("-1 lets the model decide, where it can", () => {
    const dynamic = budget(128, 32_768, { dynamic: true });
    expect(decide(dynamic, { budget_tokens: -1 }, {}, 65_536)).toMatchObject({
      setting: { type: "budget", tokens: -1 },
      calculated_budget: -1,
      output_limit: 49_152,
      warnings: [],
    });
    expect(decide(dynamic, { budget_tokens: -1 }, { context_tokens: 200_000 })).toMatchObject({
      setting: { type: "budget", tokens: 10_000 },
    });
  });

  test.each<[string, ThinkingSpec, number, string]>([
    ["no budgets", { kind: "effort", efforts: ["low"] }, 5_000, "m has no thinking budgets"],
    ["no budgets, adaptive", adaptive({}), 5_000, "m has no thinking budgets"],
    ["no thinking", { kind: "none" }, 5_000, "m has no thinking budgets"],
    ["no -1", spec, -1, "m has no dynamic thinking budget (-1)"],
    ["no -1, adaptive", adaptive({ budget: { min: 1024, max: 2048 } }), -1, "m has no dynamic thinking budget (-1)"],
    ["not whole", spec, 10.5, "10.5 is not a thinking budget"],
    ["below -1", spec, -2, "-2 is not a thinking budget"],
  ])("are an error: %s", (_name, wrong, budget_tokens, start) => {
    const decided = decideThinking(model(wrong), { budget_tokens }, {});
    expect("problem" in decided && decided.problem.startsWith(start)).toBe(true);
  });
});

describe("efforts", () => {
  test.each<[string, readonly Effort[], readonly (Effort | "off")[], readonly string[]]>([
    ["all", ["none", "low", "medium", "high", "xhigh", "max"], ["off", "low", "medium", "high", "max"], []],
    ["up to xhigh", ["none", "low", "medium", "high", "xhigh"], ["off", "low", "medium", "high", "xhigh"], []],
    ["always on", ["low", "medium", "high", "max"], ["low", "low", "medium", "high", "max"], ["none"]],
    [
      "minimal first",
      ["minimal", "low", "medium", "high"],
      ["minimal", "low", "medium", "high", "high"],
      ["none", "max"],
    ],
    ["without low", ["medium", "high", "xhigh"], ["medium", "medium", "medium", "high", "xhigh"], ["none", "low"]],
    ["without medium", ["low", "high"], ["low", "low", "low", "high", "high"], ["none", "med", "max"]],
    ["one word", ["high"], ["high", "high", "high", "high", "high"], ["none", "low", "med", "max"]],
  ])("%s", (_name, legal, expected, warned) => {
    const decided = thinkingLevels.map((level) => decide({ kind: "effort", efforts: legal }, { level }));
    expect(decided.map(wordOf)).toEqual(expected);
    expect(thinkingLevels.filter((_level, index) => decided[index]?.warnings.length !== 0)).toEqual(warned);
  });

  test("a model whose words nobody knows is asked in the most common ones", () => {
    const words = thinkingLevels.map((level) => wordOf(decide({ kind: "effort", efforts: [] }, { level })));
    expect(words).toEqual(["low", "low", "low", "low", "high"]);
  });

  test("the level applied is the one whose setting is sent", () => {
    const applied = (legal: readonly Effort[]): readonly string[] =>
      thinkingLevels.map((level) => decide({ kind: "effort", efforts: legal }, { level }).level_applied);
    expect(applied(["low", "medium", "high", "xhigh", "max"])).toEqual(["low", "low", "med", "high", "max"]);
    expect(applied(["minimal", "low", "medium", "high"])).toEqual(["none", "low", "med", "high", "high"]);
    expect(applied(["high"])).toEqual(["high", "high", "high", "high", "high"]);
  });

  test("room for thinking is added to the answer, by the level applied, up to the ceiling", () => {
    const spec: ThinkingSpec = { kind: "effort", efforts: ["none", "low", "medium", "high", "max"] };
    const limits = thinkingLevels.map((level) => decide(spec, { level }, { max_output_tokens: 1_000 }).output_limit);
    expect(limits).toEqual([1_000, 9_000, 26_000, 65_000, 65_000]);
    expect(decide(spec, { level: "high" }, {}, 30_000).output_limit).toBe(30_000);
    expect(decide(spec, { level: "none" }, { max_output_tokens: 50_000 }, 30_000).output_limit).toBe(30_000);
    expect(decide({ kind: "effort", efforts: ["minimal"] }, { level: "none" }).output_limit).toBe(16_384 + 8_000);
  });
});

describe("adaptive models", () => {
  test.each<[string, Partial<Adaptive>, object]>([
    ["on unless told", { omitted: "on" }, { setting: { type: "off" }, level_applied: "none", warnings: [] }],
    ["off unless told", { omitted: "off" }, { setting: { type: "absent" }, level_applied: "none", warnings: [] }],
  ])("none is off: %s", (_name, more, expected) => {
    expect(decide(adaptive(more), { level: "none" })).toMatchObject({ ...expected, output_limit: 16_384 });
  });

  test("none is thinking between tools only", () => {
    const decided = decide(adaptive({ off: "between_tools" }), { level: "none" });
    expect(decided).toMatchObject({ setting: { type: "off" }, level_applied: "none", output_limit: 24_384 });
    expect(decided.warnings.map(({ code }) => code)).toEqual(["cannot_disable"]);
  });

  test("none is the weakest effort where it is always on", () => {
    const decided = decide(adaptive({ off: "never" }), { level: "none" });
    expect(decided).toMatchObject({ setting: { type: "effort", effort: "low" }, level_applied: "low" });
    expect(decided.warnings.map(({ code }) => code)).toEqual(["cannot_disable"]);
  });

  test("levels are efforts", () => {
    expect(thinkingLevels.slice(1).map((level) => wordOf(decide(adaptive({}), { level })))).toEqual([
      "low",
      "medium",
      "high",
      "max",
    ]);
  });
});

describe("Gemini levels", () => {
  test.each<[readonly Effort[], readonly Effort[]]>([
    [
      ["low", "high"],
      ["low", "low", "high", "high", "high"],
    ],
    [
      ["low", "medium", "high"],
      ["low", "low", "medium", "high", "high"],
    ],
    [
      ["minimal", "low", "medium", "high"],
      ["minimal", "low", "medium", "high", "high"],
    ],
    [
      ["minimal", "high"],
      ["minimal", "minimal", "high", "high", "high"],
    ],
    [
      ["medium", "high"],
      ["medium", "medium", "medium", "high", "high"],
    ],
    [["low"], ["low", "low", "low", "low", "low"]],
    [[], ["high", "high", "high", "high", "high"]],
  ])("%j: %j", (levels, expected) => {
    expect(thinkingLevels.map((level) => wordOf(decide({ kind: "level", levels }, { level })))).toEqual(expected);
  });
});

describe("models without thinking", () => {
  test("ignore a level and say so", () => {
    const decided = decide({ kind: "none" }, { level: "high" });
    expect(decided).toMatchObject({ setting: { type: "absent" }, level_applied: "none", output_limit: 16_384 });
    expect(decided.warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
  });

  test("are at none without being asked, and say nothing", () => {
    expect(decide({ kind: "none" }, {})).toMatchObject({ level_asked: "none", warnings: [] });
  });
});

describe("output limits", () => {
  test.each([undefined, -1])("%s is the default", (max_output_tokens) => {
    const limits = max_output_tokens === undefined ? {} : { max_output_tokens };
    expect(decide({ kind: "none" }, {}, limits)).toMatchObject({ output_limit: 16_384 });
  });

  test.each([0, -2, 1.5, NaN])("%s is refused", (max_output_tokens) => {
    expect(decideThinking(model({ kind: "none" }), {}, { max_output_tokens })).toHaveProperty("problem");
  });

  test("include_summary is on unless switched off", () => {
    expect(decide({ kind: "none" }, {}).include_summary).toBe(true);
    expect(decide({ kind: "none" }, { include_summary: false }).include_summary).toBe(false);
  });
});

describe("for any model", () => {
  const specs = fc.oneof<fc.Arbitrary<ThinkingSpec>[]>(
    fc
      .record({ min: fc.integer({ min: 0, max: 2_000 }), more: fc.integer({ min: 1, max: 200_000 }), on: fc.boolean() })
      .map(({ min, more, on }) => budget(min, min + more, { can_disable: on, omitted: on ? "off" : "on" })),
    fc.subarray([...efforts].slice(1), { minLength: 1 }).map((legal) => ({ kind: "effort", efforts: legal })),
    fc.subarray([...efforts].slice(1), { minLength: 1 }).map((legal) => adaptive({ efforts: legal, off: "never" })),
    fc
      .subarray<Effort>(["minimal", "low", "medium", "high"], { minLength: 1 })
      .map((levels) => ({ kind: "level", levels })),
  );

  test("B14 levels are monotone, none is never stronger than low, and every word is legal", () => {
    fc.assert(
      fc.property(specs, fc.integer({ min: 4_000, max: 300_000 }), (spec, ceiling) => {
        const strengths = thinkingLevels.map((level) => strengthOf(decide(spec, { level }, {}, ceiling)));
        expect(strengths).toEqual(strengths.toSorted((left, right) => left - right));
        for (const level of thinkingLevels) {
          const word = wordOf(decide(spec, { level }, {}, ceiling));
          if (spec.kind === "level") expect(spec.levels).toContain(word);
          if (spec.kind === "effort" || spec.kind === "adaptive") expect(spec.efforts).toContain(word);
        }
      }),
    );
  });

  test("a warning stands exactly where the level was not sent as asked", () => {
    fc.assert(
      fc.property(specs, fc.constantFrom(...thinkingLevels), (spec, level) => {
        const decided = decide(spec, { level }, {}, 500_000);
        const forced = level === "none" && !["off", "absent"].includes(decided.setting.type);
        expect(decided.warnings.length > 0).toBe(forced || decided.level_applied !== level);
      }),
    );
  });

  test("min ≤ budget < output limit ≤ ceiling, whatever the answer may be", () => {
    fc.assert(
      fc.property(
        fc.record({
          min: fc.integer({ min: 0, max: 2_000 }),
          more: fc.integer({ min: 1, max: 200_000 }),
          ceiling: fc.integer({ min: 2_001, max: 200_000 }),
          max_output_tokens: fc.integer({ min: 1, max: 300_000 }),
          level: fc.constantFrom(...thinkingLevels),
          budget_tokens: fc.option(fc.integer({ min: 0, max: 300_000 }), { nil: undefined }),
        }),
        ({ min, more, ceiling, max_output_tokens, level, budget_tokens }) => {
          const spec = budget(min, min + more, { can_disable: false });
          const config = budget_tokens === undefined ? { level } : { level, budget_tokens };
          const { setting, output_limit } = decide(spec, config, { max_output_tokens }, ceiling);
          const tokens = setting.type === "budget" ? setting.tokens : -1;
          expect(tokens).toBeGreaterThanOrEqual(min);
          expect(tokens).toBeLessThan(output_limit);
          expect(output_limit).toBeLessThanOrEqual(ceiling);
        },
      ),
    );
  });
});

type Budget = Extract<ThinkingSpec, { kind: "budget" }>;
type Adaptive = Extract<ThinkingSpec, { kind: "adaptive" }>;

function budget(min: number, max: number, more: Partial<Budget> = {}): Budget {
  return { kind: "budget", min, max, can_disable: true, omitted: "off", ...more };
}

function adaptive(more: Partial<Adaptive>): Adaptive {
  return { kind: "adaptive", efforts: ["low", "medium", "high", "max"], off: "disabled", omitted: "on", ...more };
}

function model(thinking: ThinkingSpec, output_tokens_max = 128_000) {
  return { id: "m", thinking, output_tokens_max };
}

function decide(
  spec: ThinkingSpec,
  config: ThinkingConfig,
  limits: OutputLimits = {},
  ceiling = 128_000,
): ThinkingDecision {
  const decided = decideThinking(model(spec, ceiling), config, limits);
  if ("problem" in decided) throw new Error(decided.problem);
  return decided;
}

function wordOf({ setting }: ThinkingDecision): string {
  return setting.type === "effort" ? setting.effort : setting.type;
}

function strengthOf({ setting }: ThinkingDecision): number {
  if (setting.type === "budget") return setting.tokens;
  return setting.type === "effort" ? efforts.indexOf(setting.effort) : -1;
}
