import { describe, expect, test } from "vitest";
import { efforts } from "../../../src/core/index.ts";
import { allModels, files, known } from "./files.ts";

describe("the registry", () => {
  test.each(Object.entries(files))("%s says when and from what it was made", (provider, file) => {
    expect(file.generated).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    expect(file.sources.length).toBeGreaterThan(1);
    expect(file.models.filter((model) => model.provider !== provider)).toEqual([]);
  });

  test.each(Object.entries(files))("%s gives every name to one model only", (_provider, { models }) => {
    const names = models.flatMap(({ id, aliases, spellings = [] }) => [id, ...aliases, ...spellings]);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test("names successors that exist and days that are days", () => {
    for (const { id, successor, retires_at } of allModels) {
      if (successor !== undefined)
        expect(
          allModels.map((model) => model.id),
          id,
        ).toContain(successor);
      if (retires_at !== undefined) expect(new Date(retires_at).toISOString().slice(0, 10), id).toBe(retires_at);
    }
  });

  test("holds sane numbers", () => {
    for (const { id, context_tokens, output_tokens_max, prices, price_tiers = [] } of allModels) {
      expect(context_tokens, id).toBeGreaterThan(0);
      expect(output_tokens_max, id).toBeGreaterThan(0);
      expect(output_tokens_max, id).toBeLessThanOrEqual(context_tokens);
      for (const price of [prices, ...price_tiers]) {
        for (const amount of Object.values(price ?? {})) expect(amount, id).toBeGreaterThanOrEqual(0);
        if (price?.cache_read !== undefined) expect(price.cache_read, id).toBeLessThanOrEqual(price.input);
      }
      expect(price_tiers.length === 0 || prices !== undefined, id).toBe(true);
    }
  });

  test("holds thinking that can be decided about", () => {
    for (const { id, thinking, output_tokens_max } of allModels) {
      if (thinking.kind === "budget") {
        expect(thinking.min, id).toBeLessThan(thinking.max);
        expect(thinking.max, id).toBeLessThanOrEqual(output_tokens_max);
      }
      const words = thinking.kind === "level" ? thinking.levels : "efforts" in thinking ? thinking.efforts : undefined;
      // From weakest to strongest, and at least one that is not off.
      expect(words, id).toEqual(words && efforts.filter((word) => words.includes(word)));
      if (words !== undefined)
        expect(
          words.filter((word) => word !== "none"),
          id,
        ).not.toEqual([]);
    }
  });
});

/** Input and output prices, context and output ceiling as the providers publish them, copied by hand. */
const published: readonly [id: string, input: number, output: number, context: number, ceiling: number][] = [
  ["claude-fable-5-2", 8, 40, 1_000_000, 128_000],
  ["claude-mythos-5-2", 8, 40, 1_000_000, 128_000],
  ["claude-fable-5-1", 10, 50, 1_000_000, 128_000],
  ["claude-mythos-5-1", 10, 50, 1_000_000, 128_000],
  ["claude-fable-5", 10, 50, 1_000_000, 128_000],
  ["claude-mythos-5", 10, 50, 1_000_000, 128_000],
  ["claude-opus-5-5", 4, 20, 1_000_000, 128_000],
  ["claude-opus-5", 5, 25, 1_000_000, 128_000],
  ["claude-opus-4-8", 5, 25, 1_000_000, 128_000],
  ["claude-opus-4-7", 5, 25, 1_000_000, 128_000],
  ["claude-opus-4-6", 5, 25, 1_000_000, 128_000],
  ["claude-opus-4-5", 5, 25, 200_000, 64_000],
  ["claude-sonnet-5-5", 2, 10, 1_000_000, 128_000],
  ["claude-sonnet-5", 2, 10, 1_000_000, 128_000],
  ["claude-sonnet-4-6", 3, 15, 1_000_000, 128_000],
  ["claude-sonnet-4-5", 3, 15, 200_000, 64_000],
  ["claude-haiku-5-5", 0.1, 0.5, 1_000_000, 128_000],
  ["claude-haiku-4-5", 1, 5, 200_000, 64_000],
  ["claude-opus-4-1", 15, 75, 200_000, 32_000],
  ["claude-opus-4-0", 15, 75, 200_000, 32_000],
  ["claude-sonnet-4-0", 3, 15, 200_000, 64_000],
  ["claude-3-7-sonnet-20250219", 3, 15, 200_000, 64_000],
  ["gpt-6-astra", 10, 50, 1_050_000, 128_000],
  ["gpt-6.1-sol", 2, 10, 1_050_000, 128_000],
  ["gpt-6.1-terra", 1, 5, 1_050_000, 128_000],
  ["gpt-6-sol", 2, 10, 1_050_000, 128_000],
  ["gpt-6-luna", 0.1, 0.5, 1_050_000, 128_000],
  ["gpt-5.6-sol", 4, 20, 1_050_000, 128_000],
  ["gpt-5.6-terra", 2, 12, 1_050_000, 128_000],
  ["gpt-5.6-luna", 0.2, 1.2, 1_050_000, 128_000],
  ["gpt-5.5", 5, 30, 1_050_000, 128_000],
  ["gpt-5.5-pro", 30, 180, 1_050_000, 128_000],
  ["gpt-5.4-pro", 30, 180, 1_050_000, 128_000],
  ["gpt-5.2-pro", 21, 168, 400_000, 128_000],
  ["gpt-5.4", 2.5, 15, 1_050_000, 128_000],
  ["gpt-5.4-mini", 0.75, 4.5, 400_000, 128_000],
  ["gpt-5.4-nano", 0.2, 1.25, 400_000, 128_000],
  ["gpt-5.3-codex", 1.75, 14, 400_000, 128_000],
  ["gpt-5.2", 1.75, 14, 400_000, 128_000],
  ["gpt-5.1", 1.25, 10, 400_000, 128_000],
  ["gpt-5", 1.25, 10, 400_000, 128_000],
  ["gpt-5-mini", 0.25, 2, 400_000, 128_000],
  ["gpt-5-nano", 0.05, 0.4, 400_000, 128_000],
  ["gpt-5-pro", 15, 120, 400_000, 128_000],
  ["gpt-4.1", 2, 8, 1_047_576, 32_768],
  ["gpt-4.1-mini", 0.4, 1.6, 1_047_576, 32_768],
  ["gpt-4.1-nano", 0.1, 0.4, 1_047_576, 32_768],
  ["gpt-4o", 2.5, 10, 128_000, 16_384],
  ["gpt-4o-mini", 0.15, 0.6, 128_000, 16_384],
  ["o3", 2, 8, 200_000, 100_000],
  ["o1", 15, 60, 200_000, 100_000],
  ["o3-mini", 1.1, 4.4, 200_000, 100_000],
  ["o4-mini", 1.1, 4.4, 200_000, 100_000],
  ["gemini-4-argon", 2, 10, 1_048_576, 65_536],
  ["gemini-3.8-flash", 0.75, 3.75, 1_048_576, 65_536],
  ["gemini-3.7-flash", 0.75, 3.75, 1_048_576, 65_536],
  ["gemini-3.6-flash", 0.75, 3.75, 1_048_576, 65_536],
  ["gemini-3.5-flash", 1.5, 9, 1_048_576, 65_536],
  ["gemini-3.5-flash-lite", 0.3, 2.5, 1_048_576, 65_536],
  ["gemini-3.1-pro-preview", 2, 12, 1_048_576, 65_536],
  ["gemini-3.1-flash-lite", 0.25, 1.5, 1_048_576, 65_536],
  ["gemini-3-flash-preview", 0.5, 3, 1_048_576, 65_536],
  ["gemini-3-pro-preview", 2, 12, 1_048_576, 65_536],
  ["gemini-2.5-pro", 1.25, 10, 1_048_576, 65_536],
  ["gemini-2.5-flash", 0.3, 2.5, 1_048_576, 65_536],
  ["gemini-2.5-flash-lite", 0.1, 0.4, 1_048_576, 65_536],
  ["gemma-4-31b-it", 0, 0, 262_144, 32_768],
  ["gemma-4-26b-a4b-it", 0, 0, 262_144, 32_768],
  ["grok-4.7", 2, 6, 500_000, 500_000],
  ["grok-4.6", 2, 6, 500_000, 500_000],
  ["grok-4.5", 2, 6, 500_000, 500_000],
  ["grok-4.3", 1.25, 2.5, 1_000_000, 30_000],
  ["grok-4.20-0309-reasoning", 1.25, 2.5, 1_000_000, 1_000_000],
  ["grok-4.20-0309-non-reasoning", 1.25, 2.5, 1_000_000, 1_000_000],
  ["grok-build-0.1", 1, 2, 256_000, 230_400],
  ["muse-wonder-1.0", 4, 20, 1_048_576, 131_072],
  ["muse-spark-1.3", 1.25, 4.25, 1_048_576, 131_072],
  ["muse-spark-1.2", 1.25, 4.25, 1_048_576, 131_072],
  ["muse-spark-1.1", 1.25, 4.25, 1_048_576, 131_072],
  ["muse-spark-1.3-contributor", 0.1, 0.2, 1_048_576, 131_072],
  ["muse-spark-1.2-contributor", 0.1, 0.2, 1_048_576, 131_072],
  ["anthropic/claude-opus-5.5", 4, 20, 1_000_000, 128_000],
  ["anthropic/claude-sonnet-5.5", 2, 10, 1_000_000, 128_000],
  ["anthropic/claude-haiku-5.5", 0.1, 0.5, 1_000_000, 128_000],
  ["openai/gpt-6-astra", 10, 50, 1_050_000, 128_000],
  ["openai/gpt-6.1-sol", 2, 10, 1_050_000, 128_000],
  ["meta-llama/llama-4-maverick", 0.1875, 0.6525, 128_000, 16_384],
  ["meta-llama/llama-3.3-70b-instruct", 0.1, 0.32, 131_072, 16_384],
  ["openai/gpt-oss-120b", 0.15, 0.6, 131_072, 65_536],
];

describe("facts", () => {
  test.each(published)("%s: $%d in, $%d out, %d context, %d output", (id, ...facts) => {
    const { prices, context_tokens, output_tokens_max } = known(id);
    expect([prices?.input, prices?.output, context_tokens, output_tokens_max]).toEqual(facts);
  });

  test.each([
    ["claude-sonnet-4-5", "2026-11-30"],
    ["claude-opus-4-1", "2026-08-05"],
    ["claude-opus-4-0", "2026-05-14"],
    ["claude-sonnet-4-0", "2026-05-14"],
    ["claude-3-7-sonnet-20250219", "2026-02-19"],
    ["gpt-5", "2026-12-11"],
    ["gpt-5-mini", "2026-12-11"],
    ["gpt-5-nano", "2026-12-11"],
    ["o3", "2026-12-11"],
    ["o1", "2026-10-23"],
    ["o3-mini", "2026-10-23"],
    ["o4-mini", "2026-10-23"],
    ["gpt-4.1-nano", "2026-10-23"],
    ["gpt-4.1", "2027-01-14"],
    ["gpt-4o", "2027-01-14"],
    ["gpt-4o-mini", "2027-01-14"],
    ["gpt-5.1", "2027-04-01"],
    ["gpt-5.4-nano", "2027-04-01"],
    ["o1-mini", "2025-10-27"],
    ["o1-preview", "2025-07-28"],
    ["chatgpt-4o-latest", "2026-02-17"],
    ["codex-mini-latest", "2026-02-12"],
    ["gemini-3-pro-preview", "2026-03-09"],
    ["grok-3", "2026-05-15"],
    ["grok-4-0709", "2026-05-15"],
    ["grok-4-fast-reasoning", "2026-05-15"],
    ["grok-4-1-fast-reasoning", "2026-05-15"],
    ["grok-code-fast-1", "2026-05-15"],
    ["Llama-4-Maverick-17B-128E-Instruct-FP8", "2026-07-06"],
    ["Llama-4-Scout-17B-16E-Instruct-FP8", "2026-07-06"],
    ["Llama-3.3-70B-Instruct", "2026-07-06"],
    ["Llama-3.3-8B-Instruct", "2026-07-06"],
  ])("%s ends on %s and names what follows it", (id, day) => {
    expect(known(id)).toMatchObject({ retires_at: day, successor: expect.any(String) });
  });

  test("models nobody has published a price for have none", () => {
    expect(["gemini-4-carbon", "muse-ember-1.0"].map((id) => known(id).prices)).toEqual([undefined, undefined]);
  });

  test("models that refuse a forced tool, sampling or stop words say so", () => {
    const refusing = (field: "sampling" | "forced_tools"): readonly string[] =>
      files.anthropic.models.filter(({ capabilities }) => capabilities[field] === "never").map(({ id }) => id);
    expect(refusing("forced_tools")).toEqual([
      "claude-fable-5-2",
      "claude-mythos-5-2",
      "claude-opus-5-5",
      "claude-sonnet-5-5",
      "claude-fable-5-1",
      "claude-mythos-5-1",
    ]);
    expect(refusing("sampling")).not.toContain("claude-opus-4-6");
    expect(refusing("sampling")).toContain("claude-opus-4-7");
    expect(known("gpt-6.1-sol").capabilities).toMatchObject({ sampling: "never", stop_sequences: false });
    expect(known("gpt-5.1").capabilities.sampling).toBe("without_thinking");
    expect(known("gpt-4o").capabilities).toMatchObject({ sampling: "always", stop_sequences: true });
    // A recorded request with tools was refused.
    expect(known("gpt-5-chat-latest").capabilities.tools).toBe(false);
    expect(known("muse-spark-1.3").capabilities.forced_tools).toBe("never");
    expect(known("anthropic/claude-opus-5.5").capabilities.forced_tools).toBe("never");
  });

  test("models that bind their thinking to what came before it", () => {
    const bound = allModels.filter(({ thinking }) => thinking.kind === "adaptive" && thinking.bound === true);
    expect(bound.map(({ id }) => id)).toEqual([
      "claude-fable-5-2",
      "claude-mythos-5-2",
      "claude-opus-5-5",
      "claude-sonnet-5-5",
      "claude-haiku-5-5",
      "claude-fable-5-1",
      "claude-mythos-5-1",
    ]);
  });
});
