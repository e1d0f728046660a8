import { describe, expect, test } from "vitest";
import { costReport, usageFrom, type Expense } from "../../src/core/index.ts";

function usage(input: number, output: number) {
  return usageFrom({
    input_tokens: input,
    cache_read_tokens: 0,
    cache_write_tokens: 0,
    output_tokens: output,
    thinking_tokens: 0,
  });
}

describe("what a conversation cost", () => {
  const expenses: readonly Expense[] = [
    { provider: "a", model: "a-1", usage: usage(100, 10), cost_usd: 0.25, cost_source: "registry" },
    { provider: "a", model: "a-2", usage: usage(200, 20), cost_usd: 0.5, cost_source: "registry" },
    { provider: "b", model: "b-1", usage: usage(300, 30), cost_usd: 1, cost_source: "provider" },
    { provider: "a", model: "a-1", usage: usage(400, 40), cost_usd: 0.125, cost_source: "registry" },
    { provider: "c", model: "c-1", usage: usage(500, 50) },
    { provider: "b", model: "b-1" },
  ];

  test("in all: what is known, what was billed, and what nobody knows", () => {
    expect(costReport(expenses).total).toEqual({
      exchanges: 6,
      cost_usd: 1.875,
      billed_usd: 1,
      unpriced: 2,
      usage: usage(1_500, 150),
    });
  });

  test("by provider and by model, the dearest first", () => {
    const { providers, models } = costReport(expenses);
    expect(providers.map(({ provider, cost_usd, unpriced }) => [provider, cost_usd, unpriced])).toEqual([
      ["b", 1, 1],
      ["a", 0.875, 0],
      ["c", 0, 1],
    ]);
    expect(models.map(({ model, exchanges, cost_usd }) => [model, exchanges, cost_usd])).toEqual([
      ["b-1", 2, 1],
      ["a-2", 1, 0.5],
      ["a-1", 2, 0.375],
      ["c-1", 1, 0],
    ]);
  });

  test("of nothing is nothing", () => {
    expect(costReport([])).toEqual({
      total: { exchanges: 0, cost_usd: 0, billed_usd: 0, unpriced: 0 },
      providers: [],
      models: [],
    });
  });
});
