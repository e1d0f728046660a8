import type { ModelInfo } from "../../core/index.ts";

/** What is assumed of a model the registry does not know, by its name. The first pattern that fits counts. */
export type Family = Pick<ModelInfo, "context_tokens" | "output_tokens_max" | "thinking"> & {
  /** A regular expression, tried on the id in lower case. */
  readonly pattern: string;
  readonly capabilities?: Partial<ModelInfo["capabilities"]>;
  readonly traits?: NonNullable<ModelInfo["traits"]>;
};

/** Names that say whose model it is although no prefix does. */
export const nameShapes: readonly { readonly pattern: string; readonly provider: string }[] = [
  { pattern: "^o\\d", provider: "openai" },
  { pattern: "^chat-latest$", provider: "openai" },
  { pattern: "^~?[^/]+/[^/]", provider: "openrouter" },
];

/** Names people write with dots where the provider has dashes. */
export const dashedNames: readonly { readonly prefix: string; readonly provider: string }[] = [
  { prefix: "claude-", provider: "anthropic" },
];

/** Names whose provider has stopped serving them; used again where a person gives it another address. */
export const homelessNames: readonly {
  readonly prefix: string;
  readonly provider: string;
  /** What other servers speak for it. */
  readonly api: string;
  readonly advice: string;
}[] = [
  {
    prefix: "llama-",
    provider: "meta",
    api: "chat",
    advice:
      "Meta closed its Llama API on 2026-07-06. Llama models run on OpenRouter (meta-llama/llama-4-maverick, " +
      "meta-llama/llama-3.3-70b-instruct), on local servers (name the server: ollama:llama3.3), or at any address " +
      "given as base_url of the provider meta",
  },
];

/** Names of providers that are passed in by who wants them. */
export const suppliedNames: readonly { readonly prefix: string; readonly advice: string }[] = [
  {
    prefix: "sim-",
    advice:
      "the simulated models are passed in: providers: [simProvider()] in the options, with simProvider from ikigai/testing",
  },
];

const lowToHigh = { kind: "effort", efforts: ["low", "medium", "high"] } as const;
const noThinking = { kind: "none" } as const;
/** Thinking that is on or off and knows no degrees. */
const onOrOff = { kind: "adaptive", efforts: [], off: "disabled", omitted: "on" } as const;

export const families: readonly Family[] = [
  { pattern: "^claude-(instant|[123])\\b", context_tokens: 200_000, output_tokens_max: 4_096, thinking: noThinking },
  {
    pattern: "^claude-",
    context_tokens: 200_000,
    output_tokens_max: 64_000,
    thinking: {
      kind: "adaptive",
      efforts: ["low", "medium", "high", "max"],
      off: "never",
      omitted: "on",
      bound: true,
    },
    capabilities: { sampling: "never", forced_tools: "never" },
  },
  {
    pattern: "^gemini-(1|2)\\b",
    context_tokens: 1_048_576,
    output_tokens_max: 8_192,
    thinking: noThinking,
    traits: { function_call_ids: false, validates_signatures: false },
  },
  {
    pattern: "^gemini-",
    context_tokens: 1_048_576,
    output_tokens_max: 65_536,
    thinking: { kind: "level", levels: ["low", "medium", "high"] },
    traits: { function_call_ids: true, validates_signatures: true },
  },
  {
    pattern: "^gemma-",
    context_tokens: 131_072,
    output_tokens_max: 8_192,
    thinking: noThinking,
    traits: { function_call_ids: false, validates_signatures: false, system_instruction: false, web_search: false },
  },
  { pattern: "gpt-oss", context_tokens: 131_072, output_tokens_max: 32_768, thinking: lowToHigh },
  // Open models, under the names that hosts and local servers give them.
  {
    pattern: "(^|/)deepseek-v[4-9]",
    context_tokens: 1_000_000,
    output_tokens_max: 131_072,
    thinking: { kind: "adaptive", efforts: ["low", "high", "max"], off: "disabled", omitted: "on" },
    capabilities: { forced_tools: "without_thinking", vision: false },
  },
  {
    pattern:
      "(^|/)(qwen-?3(?!.*(coder|instruct|thinking))|deepseek-(r1|v3\\.[1-9])|(zai-)?glm-(4\\.[5-9]|[5-9])|kimi-k2\\.[5-9])",
    context_tokens: 131_072,
    output_tokens_max: 32_768,
    thinking: onOrOff,
  },
  {
    pattern: "(^|/)mistral-(small-(latest|26)|medium-3[.-]5)",
    context_tokens: 131_072,
    output_tokens_max: 32_768,
    thinking: { kind: "effort", efforts: ["none", "high"] },
  },
  {
    pattern: "^sonar",
    context_tokens: 127_000,
    output_tokens_max: 8_192,
    thinking: noThinking,
    capabilities: { tools: false },
  },
  {
    pattern: "^llama-",
    context_tokens: 131_072,
    output_tokens_max: 16_384,
    thinking: noThinking,
    traits: { tool_choice: "all", max_tokens_field: "max_tokens", stop_limit: 4 },
  },
  {
    pattern: "^(gpt-[34]|chatgpt-)|chat-latest$",
    context_tokens: 128_000,
    output_tokens_max: 4_096,
    thinking: noThinking,
  },
  {
    pattern: "^(gpt-|codex-|o\\d)",
    context_tokens: 400_000,
    output_tokens_max: 128_000,
    thinking: lowToHigh,
    capabilities: { sampling: "never", stop_sequences: false },
  },
  { pattern: "^grok-(beta|[123]\\b)", context_tokens: 131_072, output_tokens_max: 16_384, thinking: noThinking },
  {
    pattern: "^grok-",
    context_tokens: 256_000,
    output_tokens_max: 30_000,
    thinking: lowToHigh,
    capabilities: { stop_sequences: false },
  },
  {
    pattern: "^muse-",
    context_tokens: 1_048_576,
    output_tokens_max: 131_072,
    thinking: lowToHigh,
    capabilities: { forced_tools: "never", stop_sequences: false },
  },
  {
    pattern: "^~?(anthropic/claude-|openai/(gpt-[5-9]|o\\d)|google/gemini-|x-ai/grok-|meta/muse-)",
    context_tokens: 200_000,
    output_tokens_max: 64_000,
    thinking: lowToHigh,
  },
];

/** Where no pattern fits. */
export const anyFamily: Family = {
  pattern: "",
  context_tokens: 128_000,
  output_tokens_max: 16_384,
  thinking: noThinking,
};
