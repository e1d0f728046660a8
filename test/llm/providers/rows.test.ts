import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { builtinProviders, explain, quirkProblems } from "../../../src/llm/index.ts";
import type { ProtocolName } from "../../../src/llm/providers/define.ts";

const protocolOf: { readonly [api: string]: ProtocolName | undefined } = {
  messages: "anthropic",
  responses: "responses",
  chat: "chat",
  generateContent: "gemini",
};

describe("rows", () => {
  test("stand in the order in which a default is looked for", () => {
    expect(builtinProviders.slice(0, 10).map(({ name }) => name)).toEqual([
      "anthropic",
      "openai",
      "google",
      "xai",
      "meta",
      "openrouter",
      "ollama",
      "llamacpp",
      "lmstudio",
      "vllm",
    ]);
  });

  test("have names of their own, in small letters, and so have their prefixes", () => {
    const names = builtinProviders.flatMap(({ name, other_names = [] }) => [name, ...other_names]);
    const prefixes = builtinProviders.flatMap((row) => row.prefixes);
    for (const words of [names, prefixes]) expect(new Set(words).size).toBe(words.length);
    expect(names.filter((name) => !/^[a-z][a-z0-9.-]*$/.test(name))).toEqual([]);
  });

  test("have an address: encrypted, or on this machine, or with a gap that a person fills", () => {
    const strange = builtinProviders.filter(
      ({ base_url, local }) =>
        !base_url.startsWith("https://") &&
        !base_url.startsWith("{") &&
        !(local !== undefined && base_url.startsWith("http://localhost:")),
    );
    expect(strange.map(({ name }) => name)).toEqual([]);
  });

  test("that want a key say in which variable; local servers want none", () => {
    const keyless = builtinProviders.filter((row) => row.key_variables.length === 0);
    expect(keyless.filter((row) => row.local === undefined)).toEqual([]);
  });

  test("say nothing that their protocol does not understand", async () => {
    const wrong: string[] = [];
    for (const { name, apis } of builtinProviders) {
      for (const api of apis) {
        const protocol = protocolOf[api.name];
        const problems = protocol === undefined ? [] : await quirkProblems(protocol, api.quirks ?? {});
        wrong.push(...problems.map(({ message }) => `${name} ${api.name}: ${message}`));
      }
    }
    expect(wrong).toEqual([]);
  });

  test("name vendors that are rows", () => {
    const names = new Set(builtinProviders.map(({ name }) => name));
    const vendors = builtinProviders.flatMap((row) => Object.values(row.vendors ?? {}));
    expect(vendors.filter((vendor) => !names.has(vendor))).toEqual([]);
  });

  test("whose models are in the registry have a default among them", async () => {
    for (const row of builtinProviders) {
      const models = await row.models();
      if (models.length > 0) expect(models.map(({ id }) => id)).toContain(row.default_model);
    }
  });
});

const explained: readonly (readonly [spec: string, provider: string, api: string, parameters: JsonObject])[] = [
  ["grok-4.7/max", "xai", "responses", { reasoning: { effort: "xhigh" }, max_output_tokens: 80_384 }],
  ["grok-4.3/none", "xai", "responses", { reasoning: { effort: "none" }, max_output_tokens: 16_384 }],
  ["grok-4.20/high", "xai", "responses", { max_output_tokens: 16_384 }],
  ["muse-spark-1.3/none", "meta", "responses", { reasoning: { effort: "minimal", summary: "auto" } }],
  ["muse-wonder-1.0/max", "meta", "responses", { reasoning: { effort: "max", summary: "auto" } }],
  ["anthropic/claude-opus-5.5/high", "openrouter", "chat", { reasoning: { effort: "high" } }],
  ["google/gemini-4-argon/low", "openrouter", "chat", { reasoning: { effort: "low" } }],
  ["ollama:gpt-oss:20b/high", "ollama", "chat", { reasoning_effort: "high", max_tokens: 32_768 }],
  ["ollama:qwen3:4b/none", "ollama", "chat", { reasoning_effort: "none", max_tokens: 16_384 }],
  ["llama.cpp:Qwen3-1.7B-Q4_K_M/med", "llamacpp", "chat", { reasoning_effort: "medium" }],
  ["lmstudio:openai/gpt-oss-20b/low", "lmstudio", "chat", { reasoning_effort: "low" }],
  ["vllm:Qwen/Qwen3-32B/none", "vllm", "chat", { reasoning_effort: "none" }],
  ["deepseek-v4-pro/none", "deepseek", "chat", { thinking: { type: "disabled" } }],
  ["deepseek-v4-pro/max", "deepseek", "chat", { thinking: { type: "enabled" }, reasoning_effort: "max" }],
  ["mistral-small-latest/high", "mistral", "chat", { reasoning_effort: "high" }],
  ["glm-4.7/none", "zai", "chat", { thinking: { type: "disabled" } }],
  ["kimi-k2.5/high", "moonshot", "chat", { thinking: { type: "enabled" } }],
  ["alibaba:qwen3-max/none", "alibaba", "chat", { enable_thinking: false }],
  ["sonar-pro", "perplexity", "chat", { max_tokens: 8_192 }],
  ["groq:openai/gpt-oss-120b/low", "groq", "chat", { reasoning_effort: "low" }],
  ["groq:qwen/qwen3-32b/high", "groq", "chat", { reasoning_effort: "default", reasoning_format: "parsed" }],
  ["groq:qwen/qwen3-32b/none", "groq", "chat", { reasoning_effort: "none" }],
  ["cerebras:gpt-oss-120b/high", "cerebras", "chat", { reasoning_effort: "high" }],
  ["together:openai/gpt-oss-20b/med", "together", "chat", { reasoning_effort: "medium" }],
  ["huggingface:openai/gpt-oss-120b/low", "huggingface", "chat", { reasoning_effort: "low" }],
  ["nvidia:qwen/qwen3.5-122b/none", "nvidia", "chat", { chat_template_kwargs: { enable_thinking: false } }],
  ["doubleword:Qwen/Qwen3.5-9B/none", "doubleword", "chat", { chat_template_kwargs: { enable_thinking: false } }],
  ["avian:moonshotai/kimi-k2.5/none", "avian", "chat", { reasoning_effort: "none" }],
  ["crusoe:zai/GLM-5.2/none", "crusoe", "chat", { reasoning_effort: "none" }],
  ["ollama-cloud:gpt-oss:120b/high", "ollama-cloud", "chat", { reasoning_effort: "high" }],
  ["vercel-gateway:anthropic/claude-opus-5.5/max", "vercel-gateway", "chat", { reasoning: { effort: "max" } }],
  ["copilot:gpt-5.5/low", "copilot", "chat", { reasoning_effort: "low" }],
  ["cloudflare:@cf/openai/gpt-oss-20b/low", "cloudflare", "chat", { reasoning_effort: "low" }],
  ["gemini-compatible:gemini-4-argon/low", "gemini-compatible", "chat", { reasoning_effort: "low" }],
  ["azure:gpt-6.1-sol/high", "azure", "responses", { reasoning: { effort: "high", summary: "auto" } }],
  ["bedrock-mantle:openai.gpt-oss-120b/low", "bedrock-mantle", "responses", { reasoning: { effort: "low" } }],
  ["databricks:databricks-claude-3-7-sonnet", "databricks", "chat", { max_tokens: 16_384 }],
  ["snowflake:claude-sonnet-4-6/low", "snowflake", "chat", { reasoning: { effort: "low" } }],
  ["gpustack:qwen3/none", "gpustack", "chat", { enable_thinking: false }],
];

describe("explain", () => {
  test.each(explained)("%s", async (spec, provider, api, parameters) => {
    const { parameters: sent, ...rest } = await explain(spec);
    expect(rest).toMatchObject({ provider, api });
    expect(sent).toMatchObject(parameters);
  });

  test("is shown for at least one model of every provider that has no golden file of its own", async () => {
    const shown = new Set(explained.map(([, provider]) => provider));
    const missing = builtinProviders.filter(({ name }) => !shown.has(name)).map(({ name }) => name);
    expect(missing).toEqual(["anthropic", "openai", "google"]);
  });
});
