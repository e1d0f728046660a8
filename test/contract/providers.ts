import type { ThinkingLevel } from "../../src/core/index.ts";
import type { CallOptions, Settings } from "../../src/llm/index.ts";
import type { Emulator } from "../../src/testing/index.ts";

/** One wire of one provider in the contract: how it is asked, and where it may differ. */
export type ContractRow = {
  readonly name: string;
  /** One of its apis that is not the default. */
  readonly api?: string;
  readonly model: string;
  /** The level at which it certainly thinks. */
  readonly level: ThinkingLevel;
  /** Who stands in for it. */
  readonly dialect: string;
  /** A model of the emulator's whose rules hold for this one, where it does not know it by name. */
  readonly like?: string;
  /** What is different here, by scenario or by the title of its test, with the reason. What is not named must pass. */
  readonly exceptions: Exceptions;
};

type Exceptions = { readonly [scenario: string]: string };

export function optionsFor(row: ContractRow, emulator: Emulator, extra: Partial<Settings> = {}): CallOptions {
  const base_url = emulator.base_urls[row.dialect] ?? "";
  const provider = { base_url, ...(row.api === undefined ? {} : { api: row.api }) };
  return { key: "good-key", settings: { ...extra, providers: { [row.name]: provider } } };
}

export function specOf(row: ContractRow, level: ThinkingLevel = row.level): string {
  return `${row.name}:${row.model}/${level}`;
}

export function titleOf({ name, api }: ContractRow): string {
  return api === undefined ? name : `${name} ${api}`;
}

const textOnly = "there is nothing sealed; thinking goes back as text or not at all";
const noPrice = "no price is known";
const neverPaid = "nothing costs money on one's own machine";
const noLimit = "nobody counts requests on one's own machine";
const noCapacity = "it has no refusal of this kind";
const objects = "arguments are objects here and cannot be broken";
const inOnePiece = "it sends a call in one piece";
const oneSentence = "its errors are a sentence and nothing else; without a status nobody can tell their kind";
const hidden = "this wire shows none of it";

/** `provider` or `provider api`, and a model that thinks. */
function row(title: string, model: string, exceptions: Exceptions = {}): ContractRow {
  const [name = "", api] = title.split(" ");
  return { name, ...(api === undefined ? {} : { api }), model, level: "high", dialect: name, exceptions };
}

/** A server on one's own machine. */
function local(title: string, exceptions: Exceptions = {}): ContractRow {
  const usual = {
    bad_key: "any key is welcome on one's own machine",
    no_key: "none is needed",
    billing: neverPaid,
    signed_thinking: textOnly,
    cost: neverPaid,
  };
  return { ...row(title, "qwen3:8b", { ...usual, ...exceptions }), level: "med" };
}

/** A provider that is nothing but a row of data. The family of its model's name is known to the library. */
function preset(title: string, model: string, exceptions: Exceptions = {}): ContractRow {
  const usual = { signed_thinking: textOnly, cost: noPrice };
  return { ...row(title, model, { ...usual, ...exceptions }), dialect: "compatible", like: "thinker" };
}

/** One line for every wire of every provider. */
export const contractRows: readonly ContractRow[] = [
  row("anthropic", "claude-opus-5-5", { "broken_arguments, in one piece": objects }),
  row("openai", "gpt-6.1-sol"),
  row("openai chat", "gpt-5.4", { thinking: hidden, signed_thinking: hidden }),
  row("google", "gemini-4-argon", { broken_arguments: objects, half_a_call: inOnePiece }),
  row("xai", "grok-4.7"),
  row("xai chat", "grok-4.7", { signed_thinking: textOnly, half_a_call: inOnePiece }),
  row("meta", "muse-spark-1.3"),
  row("meta chat", "muse-spark-1.3", { thinking: hidden, signed_thinking: hidden }),
  row("openrouter", "anthropic/claude-opus-5.5"),
  row("openrouter responses", "openai/gpt-6.1-sol"),
  local("ollama", { overloaded: noCapacity, half_a_call: inOnePiece }),
  local("ollama responses", { overloaded: noCapacity }),
  local("llamacpp", { rate_limit: noLimit }),
  local("llamacpp responses", { rate_limit: noLimit }),
  local("lmstudio", {
    rate_limit: noLimit,
    overloaded: noCapacity,
    error_inside: oneSentence,
    late_error: oneSentence,
  }),
  local("lmstudio responses", {
    rate_limit: noLimit,
    overloaded: noCapacity,
    error_inside: oneSentence,
    late_error: oneSentence,
  }),
  local("vllm", { rate_limit: noLimit, overloaded: noCapacity }),
  local("vllm responses", { rate_limit: noLimit, overloaded: noCapacity }),
  preset("deepseek", "deepseek-v4-pro"),
  preset("deepseek responses", "deepseek-v4-pro"),
  preset("mistral", "mistral-medium-3-5"),
  preset("zai", "glm-5.2"),
  preset("moonshot", "kimi-k2.6"),
  preset("alibaba", "qwen3-max"),
  preset("perplexity", "sonar-pro"),
  preset("groq", "openai/gpt-oss-120b"),
  preset("cerebras", "zai-glm-4.7"),
  preset("together", "zai-org/GLM-5"),
  preset("huggingface", "moonshotai/Kimi-K2.6"),
  preset("nvidia", "deepseek-ai/deepseek-v4-pro"),
  preset("doubleword", "Qwen/Qwen3-235B"),
  preset("avian", "deepseek/deepseek-v3.2"),
  preset("crusoe", "deepseek-ai/DeepSeek-R1"),
  preset("ollama-cloud", "gpt-oss:120b"),
  preset("vercel-gateway", "anthropic/claude-opus-5.5"),
  preset("copilot", "gpt-6.1-sol"),
  { ...row("copilot responses", "gpt-6.1-sol", { thinking: hidden }), dialect: "openai" },
  preset("cloudflare", "@cf/openai/gpt-oss-120b"),
  preset("gemini-compatible", "gemini-4-argon"),
  row("azure", "gpt-6.1-sol"),
  row("azure chat", "gpt-5.4", { thinking: hidden, signed_thinking: hidden }),
  {
    ...preset("bedrock-mantle", "openai.gpt-5.6-luna", {
      thinking: hidden,
      everything_at_once: "of a name whose family nobody knows, everything that is asked for is sent",
    }),
    dialect: "openai",
    like: "gpt-5.6-luna",
  },
  preset("databricks", "databricks-gpt-oss-120b"),
  preset("snowflake", "claude-sonnet-5-5"),
  preset("gpustack", "qwen3-32b"),
];
