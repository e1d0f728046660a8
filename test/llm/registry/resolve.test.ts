import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { thinkingLevels, type ModelInfo } from "../../../src/core/index.ts";
import { Failure } from "../../../src/llm/failure.ts";
import { unknownModel } from "../../../src/llm/families.ts";
import type { ProviderRow } from "../../../src/llm/provider.ts";
import { builtinProviders } from "../../../src/llm/registry.ts";
import { ask } from "../../../src/llm/index.ts";
import { findModel, inferProvider, modelFor, parseModelSpec, providerFor } from "../../../src/llm/resolve.ts";
import { simProvider } from "../../../src/testing/index.ts";
import { allModels, files } from "./files.ts";

const rows: readonly ProviderRow[] = [
  row("anthropic", ["claude-"], "claude-opus-5-5"),
  row("openai", ["gpt-", "chatgpt-", "codex-"], "gpt-6.1-sol"),
  row("google", ["gemini-", "gemma-"], "gemini-4-argon"),
  row("xai", ["grok-"], "grok-4.7"),
  row("meta", ["muse-", "llama-"], "muse-spark-1.3"),
  row("openrouter", []),
  row("ollama", []),
  row("sim", ["sim-"], "sim-echo"),
];

describe("MODEL/LEVEL", () => {
  test.each([
    ["claude-opus-5-5", { model: "claude-opus-5-5" }],
    ["claude-opus-5-5/high", { model: "claude-opus-5-5", level: "high" }],
    ["claude-opus-5-5/MEDIUM", { model: "claude-opus-5-5", level: "med" }],
    ["gpt-6.1-sol/off", { model: "gpt-6.1-sol", level: "none" }],
    ["gpt-6.1-sol/min", { model: "gpt-6.1-sol", level: "none" }],
    [" gemini-4-argon/max ", { model: "gemini-4-argon", level: "max" }],
    ["anthropic/claude-opus-5.5", { model: "anthropic/claude-opus-5.5" }],
    ["anthropic/claude-opus-5.5/low", { model: "anthropic/claude-opus-5.5", level: "low" }],
    ["claude-opus-5-5/hihg", { model: "claude-opus-5-5/hihg" }],
    ["gpt-oss:20b", { model: "gpt-oss:20b" }],
    ["gpt-oss:20b/low", { model: "gpt-oss:20b", level: "low" }],
    ["x/y:nitro", { model: "x/y:nitro" }],
    ["x/y:nitro/high", { model: "x/y:nitro", level: "high" }],
    ["ollama:gpt-oss:20b", { provider: "ollama", model: "gpt-oss:20b" }],
    ["Ollama:gpt-oss:20b/med", { provider: "ollama", model: "gpt-oss:20b", level: "med" }],
    ["openrouter:gpt-5/low", { provider: "openrouter", model: "gpt-5", level: "low" }],
    ["anthropic:", { provider: "anthropic", model: "claude-opus-5-5" }],
    ["anthropic", { provider: "anthropic", model: "claude-opus-5-5" }],
    ["google/low", { provider: "google", model: "gemini-4-argon", level: "low" }],
  ])("%s", (spec, expected) => {
    expect(parseModelSpec(spec, rows)).toEqual(expected);
  });

  test.each(["", "   ", "openrouter", "ollama:", "/high", "/"])("%j names no model", (spec) => {
    expect(() => parseModelSpec(spec, rows)).toThrow(/names no model/);
  });

  test("without any providers a colon means nothing", () => {
    expect(parseModelSpec("anthropic:x/low")).toEqual({ model: "anthropic:x", level: "low" });
  });

  test("any model comes back whole with any level", () => {
    fc.assert(
      fc.property(fc.constantFrom(...allModels), fc.constantFrom(...thinkingLevels), (model, level) => {
        expect(parseModelSpec(`${model.id}/${level}`, rows)).toEqual({ model: model.id, level });
        expect(parseModelSpec(`${model.provider}:${model.id}`, rows)).toEqual({
          model: model.id,
          provider: model.provider,
        });
      }),
    );
  });
});

describe("whose model it is", () => {
  test.each([
    ["claude-sonnet-9", "anthropic"],
    ["gpt-oss:20b", "openai"],
    ["chatgpt-4o-latest", "openai"],
    ["codex-mini-latest", "openai"],
    ["chat-latest", "openai"],
    ["o1", "openai"],
    ["o3-mini", "openai"],
    ["o4-mini-2025-04-16", "openai"],
    ["gemini-4-argon", "google"],
    ["gemma-4-31b-it", "google"],
    ["grok-4.7", "xai"],
    ["muse-spark-1.3", "meta"],
    ["anthropic/claude-opus-5.5", "openrouter"],
    ["~openai/gpt-sol-latest", "openrouter"],
    ["meta-llama/llama-4-maverick", "openrouter"],
    ["x/y:nitro", "openrouter"],
    ["sim-echo", "sim"],
    ["Claude-Opus-5-5", "anthropic"],
  ])("%s is of %s", (model, provider) => {
    expect(inferProvider(model, rows)?.name).toBe(provider);
    expect(providerFor({ model }, rows).name).toBe(provider);
  });

  test.each(["mistral-large", "olmo", "/x", "x/", "openai"])("%s is nobody's", (model) => {
    expect(inferProvider(model, rows)).toBeUndefined();
    expect(failure(() => providerFor({ model }, rows))).toMatchObject({ category: "not_found", retryable: false });
  });

  test("a provider that was named is taken, or named in the error", () => {
    expect(providerFor({ model: "claude-opus-5-5", provider: "openrouter" }, rows).name).toBe("openrouter");
    const info = failure(() => providerFor({ model: "m", provider: "acme" }, rows));
    expect(info.message).toBe('"acme" is not a provider; `ikigai models` lists those there are');
    const colon = failure(() => providerFor({ model: "opnai:gpt-5" }, rows));
    expect(colon.message).toContain('"opnai" is not a provider; did you mean openai?');
    const typo = failure(() => providerFor({ model: "m", provider: "antropic" }, rows));
    expect(typo.message).toMatch(/^"antropic" is not a provider; did you mean anthropic\? /);
  });

  test("the longest prefix wins, so people can take names for their own providers", () => {
    const own = [row("mine", ["claude-x-", "llama-"]), ...rows];
    expect(inferProvider("claude-x-1", own)?.name).toBe("mine");
    expect(inferProvider("claude-y-1", own)?.name).toBe("anthropic");
    expect(inferProvider("llama-4-maverick", own)?.name).toBe("mine");
  });

  test.each(["llama-4-maverick", "Llama-3.3-70B-Instruct"])("%s has no home without an address", (model) => {
    const info = failure(() => inferProvider(model, rows));
    expect(info.category).toBe("not_found");
    expect(info.message).toMatch(/2026-07-06.*OpenRouter.*local/);
    const settings = { providers: { meta: { base_url: "https://llama.example/v1" } } };
    expect(inferProvider(model, rows, settings)?.name).toBe("meta");
    expect(failure(() => inferProvider(model, rows.slice(0, 2), settings)).category).toBe("not_found");
  });
});

describe("what is known of it", () => {
  test.each([
    ["anthropic", "claude-sonnet-4-5", "claude-sonnet-4-5", ["claude-sonnet-4-5-20250929"]],
    ["anthropic", "claude-sonnet-4-5-20250929", "claude-sonnet-4-5-20250929", ["claude-sonnet-4-5"]],
    ["anthropic", "claude-sonnet-4.5", "claude-sonnet-4-5", ["claude-sonnet-4-5-20250929"]],
    ["anthropic", "claude-sonnet-4.5-20250929", "claude-sonnet-4-5-20250929", ["claude-sonnet-4-5"]],
    ["anthropic", "claude-opus-4.5-20251101", "claude-opus-4-5-20251101", ["claude-opus-4-5"]],
    ["anthropic", "claude-sonnet-4-5-20250514", "claude-sonnet-4-5", ["claude-sonnet-4-5-20250929"]],
    ["anthropic", "claude-sonnet-4", "claude-sonnet-4-0", ["claude-sonnet-4-20250514"]],
    ["anthropic", "claude-sonnet-4-20250514", "claude-sonnet-4-20250514", ["claude-sonnet-4-0"]],
    ["anthropic", "claude-3-7-sonnet", "claude-3-7-sonnet-20250219", ["claude-3-7-sonnet-latest"]],
    ["anthropic", "claude-3.7-sonnet", "claude-3-7-sonnet-20250219", ["claude-3-7-sonnet-latest"]],
    ["anthropic", "Claude-Opus-5.5", "claude-opus-5-5", []],
    [
      "anthropic",
      "claude-sonnet-4.5-20260101",
      "claude-sonnet-4-5-20260101",
      ["claude-sonnet-4-5", "claude-sonnet-4-5-20250929"],
    ],
    ["openai", "gpt-5-mini", "gpt-5-mini", ["gpt-5-mini-2025-08-07"]],
    ["openai", "gpt-5-mini-2025-08-07", "gpt-5-mini-2025-08-07", ["gpt-5-mini"]],
    ["openai", "gpt-5-mini-2027-01-01", "gpt-5-mini-2027-01-01", ["gpt-5-mini", "gpt-5-mini-2025-08-07"]],
    ["openai", "gpt-5.6", "gpt-5.6", ["gpt-5.6-sol"]],
    ["openai", "gpt-6-1-sol", "gpt-6.1-sol", []],
    ["openai", "gpt-4-0613", "gpt-4-0613", ["gpt-4"]],
    ["google", "gemini-3-pro", "gemini-3-pro-preview", []],
    ["google", "gemini-3.0-pro", "gemini-3-pro-preview", []],
    ["google", "gemini-3-flash", "gemini-3-flash-preview", []],
    ["google", "gemini-3.0-flash", "gemini-3-flash-preview", []],
    ["google", "gemini-3.1-pro", "gemini-3.1-pro-preview", ["gemini-pro-latest"]],
    ["google", "gemini-pro-latest", "gemini-pro-latest", ["gemini-3.1-pro-preview"]],
    ["google", "gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash-preview-09-2025", ["gemini-2.5-flash"]],
    ["google", "gemini-2.5-flash-001", "gemini-2.5-flash-001", ["gemini-2.5-flash"]],
    ["xai", "grok-latest", "grok-latest", ["grok-4.7"]],
    ["xai", "grok-4", "grok-4", ["grok-4-0709", "grok-4-latest"]],
    ["xai", "grok-2", "grok-2", ["grok-2-1212", "grok-2-latest"]],
    ["meta", "llama-4-maverick", "Llama-4-Maverick-17B-128E-Instruct-FP8", []],
    ["openrouter", "anthropic/claude-opus-5.5", "anthropic/claude-opus-5.5", []],
    ["openrouter", "anthropic/claude-opus-5-5", "anthropic/claude-opus-5.5", []],
    ["openrouter", "openai/gpt-oss-120b:nitro", "openai/gpt-oss-120b:nitro", ["openai/gpt-oss-120b"]],
  ] as const)("%s %s is sent as %s, also known as %j", (provider, name, id, aliases) => {
    const model = modelFor(provider, name, files[provider].models);
    expect([model.id, model.aliases, model.unknown]).toEqual([id, aliases, undefined]);
  });

  test("every id and alias is sent as it is typed, every spelling as its id", () => {
    for (const [provider, { models }] of Object.entries(files)) {
      for (const model of models) {
        expect(modelFor(provider, model.id, models)).toBe(model);
        for (const alias of model.aliases) {
          const found = modelFor(provider, alias, models);
          expect(found).toEqual({ ...model, id: alias, aliases: found.aliases });
          expect([found.id, ...found.aliases].toSorted()).toEqual([model.id, ...model.aliases].toSorted());
        }
        for (const spelling of model.spellings ?? []) expect(modelFor(provider, spelling, models)).toBe(model);
      }
    }
  });

  test("a longer name is not a snapshot of a shorter one", () => {
    expect(findModel(files.openai.models, "gpt-5-mini-turbo")).toBeUndefined();
    expect(findModel(files.openai.models, "gpt-5-minimal-2025-08-07")).toBeUndefined();
    expect(findModel(files.anthropic.models, "claude-opus-5-5-5")).toBeUndefined();
  });

  test("a free variant costs nothing, another variant what its model costs", () => {
    const { models } = files.openrouter;
    expect(modelFor("openrouter", "openai/gpt-6.1-sol:free", models)).toMatchObject({
      prices: { input: 0, output: 0 },
      price_tiers: [],
    });
    expect(modelFor("openrouter", "openai/gpt-6.1-sol:floor", models).prices?.input).toBe(2);
  });

  test("a mistyped level is refused with the nearest one", () => {
    const say = (name: string, provider: keyof typeof files = "anthropic"): string =>
      failure(() => modelFor(provider, name, files[provider].models)).message;
    expect(say("claude-opus-5-5/hihg")).toBe(
      '"hihg" is not a thinking level. Did you mean "high"? Levels: none, low, med, high, max',
    );
    expect(say("claude-opus-5.5/mde")).toContain('Did you mean "med"?');
    expect(say("claude-opus-5-5/lo")).toContain('Did you mean "low"?');
    expect(say("claude-opus-5-5/ultra")).toBe('"ultra" is not a thinking level. Levels: none, low, med, high, max');
    expect(say("claude-sonnet-4-5-20250929/")).toContain('"" is not a thinking level');
    expect(say("anthropic/claude-opus-5.5/hgih", "openrouter")).toContain('Did you mean "high"?');
    expect(failure(() => modelFor("openai", "gpt-5/x", files.openai.models)).category).toBe("invalid_argument");
    expect(modelFor("openai", "ft/x", files.openai.models).id).toBe("ft/x");
  });

  test("an unknown name is passed through, dotted Claude names with dashes", () => {
    expect(modelFor("openai", "gpt-7-nova", files.openai.models)).toEqual(unknownModel("openai", "gpt-7-nova"));
    expect(modelFor("anthropic", "claude-opus-9.5", files.anthropic.models)).toEqual(
      unknownModel("anthropic", "claude-opus-9-5"),
    );
    expect(modelFor("copilot", "claude-sonnet-4.5", []).id).toBe("claude-sonnet-4.5");
  });

  test("what the user says of a model wins", () => {
    const { models } = files.openai;
    const corrections = [
      {
        id: "gpt-5",
        provider: "openai",
        context_tokens: 1_000,
        capabilities: { ...models[0]?.capabilities, vision: false },
      },
      { id: "mine-1", provider: "openai", aliases: ["mine"], prices: { input: 1, output: 2 } },
    ] as Parameters<typeof modelFor>[3];
    const corrected = modelFor("openai", "gpt-5-2025-08-07", models, corrections);
    expect(corrected).toMatchObject({ id: "gpt-5-2025-08-07", context_tokens: 1_000, output_tokens_max: 128_000 });
    expect(corrected.capabilities.vision).toBe(false);
    const added = modelFor("openai", "mine", models, corrections);
    expect(added).toMatchObject({ id: "mine", aliases: ["mine-1"], prices: { input: 1 } });
    expect(added).not.toHaveProperty("unknown");
    expect(modelFor("openai", "gpt-5-mini", models, corrections)).toBe(models.find(({ id }) => id === "gpt-5-mini"));
  });
});

describe("the built-in providers", () => {
  test.each(builtinProviders.map((provider) => [provider.name, provider] as const))(
    "%s is found by the names of its models, and its default is one of them",
    async (name, provider) => {
      const models = await provider.models();
      if (provider.default_model !== undefined && models.length > 0) {
        expect(models.map(({ id }) => id)).toContain(provider.default_model);
        expect(models.find(({ id }) => id === provider.default_model)).not.toHaveProperty("retires_at");
      }
      const address = { providers: { [name]: { base_url: "https://proxy.example" } } };
      for (const { id, aliases, spellings = [] } of models) {
        for (const each of [id, ...aliases, ...spellings]) {
          expect(inferProvider(each, builtinProviders, address)?.name, each).toBe(name);
        }
      }
    },
  );
});

describe("families of unknown models", () => {
  const kind = (id: string): ModelInfo["thinking"] => unknownModel("any", id).thinking;

  test("claude: adaptive, low to max, never asked to stop", () => {
    expect(kind("claude-saga-7")).toEqual({
      kind: "adaptive",
      efforts: ["low", "medium", "high", "max"],
      off: "never",
      omitted: "on",
      bound: true,
    });
    expect(unknownModel("anthropic", "claude-saga-7")).toMatchObject({
      id: "claude-saga-7",
      provider: "anthropic",
      aliases: [],
      unknown: true,
      capabilities: { sampling: "never", forced_tools: "never", tools: true },
    });
  });

  test("gemini: levels, with signatures checked", () => {
    expect(unknownModel("google", "gemini-5-xenon")).toMatchObject({
      thinking: { kind: "level", levels: ["low", "medium", "high"] },
      traits: { function_call_ids: true, validates_signatures: true },
    });
  });

  test.each(["gpt-7", "o5-mini", "codex-2", "grok-9", "muse-x", "gpt-oss:20b", "openai/gpt-oss-20b", "x-ai/grok-9"])(
    "%s: efforts low to high",
    (id) => {
      expect(kind(id)).toEqual({ kind: "effort", efforts: ["low", "medium", "high"] });
    },
  );

  test.each(["qwen3:8b", "qwen/qwen3-32b", "Qwen/Qwen3.5-9B", "deepseek-r1:latest", "glm-4.7-flash", "zai/GLM-5.2"])(
    "%s: on or off",
    (id) => {
      expect(kind(id)).toEqual({ kind: "adaptive", efforts: [], off: "disabled", omitted: "on" });
    },
  );

  test("deepseek-v9: off, or one of three degrees", () => {
    expect(kind("deepseek/deepseek-v9")).toMatchObject({ kind: "adaptive", efforts: ["low", "high", "max"] });
  });

  test.each([
    "claude-3-5-sonnet",
    "claude-2.1",
    "gemini-2.0-flash",
    "gemini-1.5-pro",
    "gemma-3-27b-it",
    "gpt-3.5-turbo",
    "grok-3-fast-latest",
    "grok-beta",
    "gpt-4-1106-preview",
    "gpt-5.3-chat-latest",
    "qwen3-coder:30b",
    "Qwen/Qwen3-235B-A22B-Instruct-2507",
    "mistral-large",
    "deepseek-chat",
    "llama3.3",
  ])("%s: no thinking", (id) => {
    expect(kind(id)).toEqual({ kind: "none" });
  });
});

function row(name: string, prefixes: readonly string[], default_model?: string): ProviderRow {
  return {
    name,
    display_name: name,
    prefixes,
    key_variables: [],
    base_url: `https://${name}.example/v1/`,
    apis: [],
    models: () => Promise.resolve([]),
    ...(default_model === undefined ? {} : { default_model }),
  };
}

function failure(act: () => unknown): Failure["info"] {
  try {
    act();
  } catch (error) {
    if (error instanceof Failure) return error.info;
    throw error;
  }
  throw new Error("Nothing was refused");
}

test("a simulated model that nobody passed in says how it is", async () => {
  const asked = ask("sim-echo", "hi");
  await expect(asked).rejects.toMatchObject({ category: "not_found" });
  await expect(asked).rejects.toThrow(/providers: \[simProvider\(\)\].*ikigai\/testing/);
  const answer = await ask("sim-echo", "hi", { providers: [simProvider({ delay_ms: 0 })] });
  expect(answer.finish_reason).toBe("stop");
});
