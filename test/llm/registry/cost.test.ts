import { describe, expect, test } from "vitest";
import { costOf, usageFrom, type UsagePart } from "../../../src/core/index.ts";
import { known } from "./files.ts";

/** The arithmetic of each line was done by hand; tokens in thousands, dollars per million. */
const bills: readonly [name: string, id: string, thousands: Partial<Record<Part, number>>, dollars: number][] = [
  // 10k·4 + 2k·20 = 40 + 40 = 80 per million → 0.08
  ["input and output", "claude-opus-5-5", { input_tokens: 10, output_tokens: 2 }, 0.08],
  // thinking is output: 10k·4 + (2k + 3k)·20 = 40 + 100
  ["thinking", "claude-opus-5-5", { input_tokens: 10, output_tokens: 2, thinking_tokens: 3 }, 0.14],
  // 1k·4 + 100k·0.2 + 10k·5 + 1k·20 = 4 + 20 + 50 + 20
  [
    "cache read and write",
    "claude-opus-5-5",
    { input_tokens: 1, cache_read_tokens: 100, cache_write_tokens: 10, output_tokens: 1 },
    0.094,
  ],
  // of 10k written, 4k for an hour: 6k·5 + 4k·8 = 30 + 32
  ["an hour of cache", "claude-opus-5-5", { cache_write_tokens: 10, cache_write_1h_tokens: 4 }, 0.062],
  // Haiku 5.5, exactly 100k read: still the small price. 100k·0.1 + 10k·0.5 = 10 + 5
  ["at the edge of a tier", "claude-haiku-5-5", { input_tokens: 100, output_tokens: 10 }, 0.015],
  // 60k + 50k·cache = 110k read: the large price for all. 60k·0.5 + 50k·0.05 + 10k·2.5 = 30 + 2.5 + 25
  [
    "over the edge, by cached tokens",
    "claude-haiku-5-5",
    { input_tokens: 60, cache_read_tokens: 50, output_tokens: 10 },
    0.0575,
  ],
  // Haiku 5.5 over the edge, an hour of cache is 2 × 0.5: 110k·1
  ["the tier of an hour of cache", "claude-haiku-5-5", { cache_write_tokens: 110, cache_write_1h_tokens: 110 }, 0.11],
  // Sonnet 4.5 above 200k: 201k·6 + 1k·22.5 = 1206 + 22.5
  ["Sonnet 4.5, long", "claude-sonnet-4-5", { input_tokens: 201, output_tokens: 1 }, 1.2285],
  // GPT-6.1 Sol at 272k: 272k·2 + 1k·10 = 544 + 10
  ["GPT-6.1 Sol, not yet long", "gpt-6.1-sol", { input_tokens: 272, output_tokens: 1 }, 0.554],
  // at 300k: ×2 in, ×1.5 out: 200k·4 + 100k·0.2 + 1k·15 + 1k·15 = 800 + 20 + 30
  [
    "GPT-6.1 Sol, long",
    "gpt-6.1-sol",
    { input_tokens: 200, cache_read_tokens: 100, output_tokens: 1, thinking_tokens: 1 },
    0.85,
  ],
  // a cache write of GPT-5.6 Sol: 8k·5 = 40; 2k·4 = 8; 1k·20 = 20
  ["GPT-5.6 Sol writes its cache", "gpt-5.6-sol", { input_tokens: 2, cache_write_tokens: 8, output_tokens: 1 }, 0.068],
  // Gemini 3.1 Pro above 200k: 250k·4 + 4k·18 = 1000 + 72
  [
    "Gemini 3.1 Pro, long",
    "gemini-3.1-pro-preview",
    { input_tokens: 250, output_tokens: 1, thinking_tokens: 3 },
    1.072,
  ],
  // Gemini 4 Argon has no tier: 250k·2 + 1k·10
  ["Gemini 4 Argon", "gemini-4-argon", { input_tokens: 250, output_tokens: 1 }, 0.51],
  // Grok 4.7 above 200k ×2: 201k·4 + 1k·12 = 804 + 12
  ["Grok 4.7, long", "grok-4.7", { input_tokens: 201, output_tokens: 1 }, 0.816],
  // no cache price known: cached tokens cost what others do. 10k·15 + 1k·120 = 150 + 120
  ["GPT-5 Pro has no cache price", "gpt-5-pro", { cache_read_tokens: 10, output_tokens: 1 }, 0.27],
  ["free", "gemma-4-31b-it", { input_tokens: 100, output_tokens: 100 }, 0],
];

type Part = UsagePart | "cache_write_1h_tokens";

describe("cost", () => {
  test.each(bills)("%s (%s)", (_name, id, thousands, dollars) => {
    const tokens = (part: Part): number => (thousands[part] ?? 0) * 1_000;
    const usage = usageFrom({
      input_tokens: tokens("input_tokens"),
      cache_read_tokens: tokens("cache_read_tokens"),
      cache_write_tokens: tokens("cache_write_tokens"),
      output_tokens: tokens("output_tokens"),
      thinking_tokens: tokens("thinking_tokens"),
      cache_write_1h_tokens: tokens("cache_write_1h_tokens"),
    });
    expect(costOf(usage, known(id))).toBeCloseTo(dollars, 10);
  });

  test("without a known price is not known", () => {
    const usage = usageFrom({
      input_tokens: 1,
      cache_read_tokens: 0,
      cache_write_tokens: 0,
      output_tokens: 1,
      thinking_tokens: 0,
    });
    expect(costOf(usage, known("gemini-4-carbon"))).toBeUndefined();
  });

  test("with several tiers takes the highest that was passed, in any order", () => {
    const usage = (input_tokens: number) =>
      usageFrom({ input_tokens, cache_read_tokens: 0, cache_write_tokens: 0, output_tokens: 0, thinking_tokens: 0 });
    const model = {
      prices: { input: 1, output: 1 },
      price_tiers: [
        { above_input_tokens: 200, input: 3, output: 1 },
        { above_input_tokens: 100, input: 2, output: 1 },
      ],
    };
    expect([100, 101, 201].map((tokens) => costOf(usage(tokens), model))).toEqual([100e-6, 202e-6, 603e-6]);
  });

  test("an hour of cache without its own price costs what writing costs, and that what reading costs", () => {
    const usage = usageFrom({
      input_tokens: 0,
      cache_read_tokens: 0,
      cache_write_tokens: 1_000_000,
      output_tokens: 0,
      thinking_tokens: 0,
      cache_write_1h_tokens: 500_000,
    });
    expect(costOf(usage, { prices: { input: 2, output: 0, cache_write: 3 } })).toBe(3);
    expect(costOf(usage, { prices: { input: 2, output: 0 } })).toBe(2);
  });
});
