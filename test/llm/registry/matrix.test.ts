import { existsSync, readFileSync, writeFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  efforts,
  isJsonObject,
  thinkingLevels,
  type JsonObject,
  type JsonValue,
  type ModelInfo,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingLevel,
  type ThinkingPlan,
} from "../../../src/core/index.ts";
import { files } from "./files.ts";
import { wires, type Wire } from "./wires.ts";

const goldenFile = new URL("golden/thinking-matrix.txt", import.meta.url);
const loaded = await wires();
const cells = loaded.flatMap((wire) => wire.models.map((model) => ({ wire, model })));

describe("B14 thinking", () => {
  test("every model of the registry is here", () => {
    const here = new Set(cells.map(({ model }) => model));
    const missing = Object.values(files).flatMap(({ models }) => models.filter((model) => !here.has(model)));
    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  test("every model × every level is what the golden file says", () => {
    const text = [heading, ...loaded.map(wireText)].join("\n");
    if (process.env["UPDATE_GOLDEN"] === "1") writeFileSync(goldenFile, text);
    expect(existsSync(goldenFile) ? readFileSync(goldenFile, "utf8") : "").toBe(text);
  });

  test("none is never stronger than low, and levels are monotone", () => {
    for (const { wire, model } of cells) {
      const strengths = thinkingLevels.map((level) => strengthOf(plan(wire, model, { level })));
      expect(strengths, `${wire.api} ${model.id}`).toEqual(strengths.toSorted((left, right) => left - right));
    }
  });

  test("no value is illegal", () => {
    for (const { wire, model } of cells) {
      const { thinking } = model;
      const words = thinking.kind === "level" ? thinking.levels : "efforts" in thinking ? thinking.efforts : [];
      for (const level of thinkingLevels) {
        const sent = wordsIn(plan(wire, model, { level }).parameters);
        // A budget model behind a server that takes words only is told the level's own word.
        const legal: readonly string[] = thinking.kind === "budget" ? efforts : words;
        expect(
          sent.filter((word) => !legal.includes(word)),
          `${wire.api} ${model.id}/${level}`,
        ).toEqual([]);
        if (thinking.kind === "none") expect(sent, model.id).toEqual([]);
      }
    }
  });

  test("the level applied is said, and a warning stands where it is not the level asked for", () => {
    for (const { wire, model } of cells) {
      for (const level of thinkingLevels) {
        const { level_asked, level_applied, warnings } = plan(wire, model, { level });
        expect(level_asked).toBe(level);
        if (level_applied !== level) expect(warnings, `${model.id}/${level}`).not.toEqual([]);
      }
    }
  });

  test("budget < output limit ≤ ceiling for any output that may be asked for", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...cells),
        fc.constantFrom(...thinkingLevels),
        fc.integer({ min: 1, max: 2_000_000 }),
        fc.nat(2_000_000),
        ({ wire, model }, level, max_output_tokens, context_tokens) => {
          const { parameters } = plan(wire, model, { level }, { max_output_tokens, context_tokens });
          const { reasoning: _reasoning, ...rest } = parameters;
          const [limit = NaN] = numbersAt(rest, limitFields);
          expect(budgetIn(parameters)).toBeLessThan(limit);
          // A wire may refuse answers shorter than a few words.
          expect(limit).toBeLessThanOrEqual(Math.max(model.output_tokens_max, 16));
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test("the same plan twice is the same", () => {
    for (const { wire, model } of cells) expect(plan(wire, model, {})).toEqual(plan(wire, model, {}));
  });
});

const heading = `What each thinking level becomes on each model: exact wire parameters and warnings.
Compared by matrix.test.ts beside this folder; UPDATE_GOLDEN=1 writes it anew. An arrow shows the level whose setting is
sent where it is not the one asked for. The default is the level taken when none is named.
`;

function wireText(wire: Wire): string {
  return `\n=== ${wire.provider} ${wire.api}\n\n${wire.models.map((model) => modelText(wire, model)).join("\n")}`;
}

function modelText(wire: Wire, model: ModelInfo): string {
  const lines = [undefined, ...thinkingLevels].flatMap((level) => planLines(level, plan(wire, model, configOf(level))));
  return `${model.id}\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

function planLines(level: ThinkingLevel | undefined, planned: ThinkingPlan): readonly string[] {
  const asked = level ?? `default ${planned.level_asked}`;
  const applied = planned.level_applied === planned.level_asked ? "" : `→ ${planned.level_applied}`;
  const budget = planned.calculated_budget === null ? "" : ` (table: ${planned.calculated_budget})`;
  return [
    `${asked.padEnd(13)}${applied.padEnd(7)}${JSON.stringify(planned.parameters)}${budget}`,
    ...planned.warnings.map(({ code, message }) => `${" ".repeat(20)}! ${code}: ${message}`),
  ];
}

function plan(wire: Wire, model: ModelInfo, config: ThinkingConfig, limits: OutputLimits = {}): ThinkingPlan {
  return wire.adapter.plan(model, config, limits, wire.quirks);
}

function configOf(level: ThinkingLevel | undefined): ThinkingConfig {
  return level === undefined ? {} : { level };
}

const limitFields = ["max_tokens", "max_output_tokens", "max_completion_tokens", "maxOutputTokens"];
const budgetFields = ["budget_tokens", "thinkingBudget"];
const wordFields = ["effort", "reasoning_effort", "thinkingLevel", "think"];

/** Off is weakest, then words by their rank, then budgets by their size; one model uses only one of the two. */
function strengthOf({ parameters }: ThinkingPlan): number {
  const words = wordsIn(parameters).map((word) => efforts.findIndex((effort) => effort === word));
  return Math.max(budgetIn(parameters), ...words);
}

function budgetIn(parameters: JsonObject): number {
  const routed = numbersAt(parameters["reasoning"] ?? null, ["max_tokens"]);
  return Math.max(-1, ...routed, ...numbersAt(parameters, budgetFields));
}

function wordsIn(parameters: JsonValue): readonly string[] {
  return valuesAt(parameters, wordFields).flatMap((value) => (typeof value === "string" ? [value.toLowerCase()] : []));
}

function numbersAt(parameters: JsonValue, fields: readonly string[]): readonly number[] {
  return valuesAt(parameters, fields).flatMap((value) => (typeof value === "number" ? [value] : []));
}

function valuesAt(value: JsonValue | undefined, fields: readonly string[]): readonly JsonValue[] {
  if (!isJsonObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(fields.includes(key) && inner !== undefined && !isJsonObject(inner) ? [inner] : []),
    ...valuesAt(inner, fields),
  ]);
}
