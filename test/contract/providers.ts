import type { ThinkingLevel } from "../../src/core/index.ts";
import type { CallOptions, Settings } from "../../src/llm/index.ts";
import type { Emulator } from "../../src/testing/index.ts";

/** One provider in the contract: how it is asked, what it can do, and where it may differ. */
export type ContractRow = {
  readonly name: string;
  /** One of its apis that is not the default. */
  readonly api?: string;
  readonly model: string;
  /** A name that nobody knows there. */
  readonly stranger: string;
  /** Behind the emulator's address. */
  readonly path: string;
  /** What is different here, by scenario, with the reason. A scenario that is not named must pass. */
  readonly exceptions?: { readonly [scenario: string]: string };
  /** The level at which it certainly thinks. */
  readonly level: ThinkingLevel;
};

export function optionsFor(row: ContractRow, emulator: Emulator, extra: Partial<Settings> = {}): CallOptions {
  const provider = { base_url: emulator.url + row.path, ...(row.api === undefined ? {} : { api: row.api }) };
  return { key: "good-key", settings: { ...extra, providers: { [row.name]: provider } } };
}

export function specOf(row: ContractRow, level: ThinkingLevel = row.level): string {
  return `${row.name}:${row.model}/${level}`;
}

const local = { model: "qwen3:8b", stranger: "no-such-model", level: "med" } as const;
const localExceptions = {
  bad_key: "any key is welcome on one's own machine",
  billing: "nothing costs money on one's own machine",
  signed_thinking: "there is nothing sealed; thinking goes back as text or not at all",
  cost: "there is no price",
} as const;
const noLimit = "nobody counts requests on one's own machine";
const noCapacity = "it has no refusal of this kind";

export const contractRows: readonly ContractRow[] = [
  { name: "anthropic", model: "claude-opus-5-5", stranger: "claude-none", path: "/anthropic", level: "high" },
  { name: "openai", model: "gpt-6.1-sol", stranger: "gpt-none", path: "/openai/v1", level: "high" },
  {
    name: "openai",
    api: "chat",
    model: "gpt-5.4",
    stranger: "gpt-none",
    path: "/openai/v1",
    level: "high",
    exceptions: {
      thinking: "this wire shows none of it",
      signed_thinking: "this wire cannot carry it",
    },
  },
  { name: "google", model: "gemini-4-argon", stranger: "gemini-none", path: "/google/v1beta", level: "high" },
  { name: "xai", model: "grok-4.7", stranger: "grok-none", path: "/xai/v1", level: "high" },
  {
    name: "xai",
    api: "chat",
    model: "grok-4.7",
    stranger: "grok-none",
    path: "/xai/v1",
    level: "high",
    exceptions: { signed_thinking: "this wire has thinking as text only" },
  },
  { name: "meta", model: "muse-spark-1.3", stranger: "muse-none", path: "/meta/v1", level: "high" },
  {
    name: "openrouter",
    model: "anthropic/claude-opus-5.5",
    stranger: "acme/none",
    path: "/openrouter/api/v1",
    level: "high",
  },
  {
    name: "openrouter",
    api: "responses",
    model: "openai/gpt-6.1-sol",
    stranger: "acme/none",
    path: "/openrouter/api/v1",
    level: "high",
  },
  { name: "ollama", path: "/ollama/v1", ...local, exceptions: { ...localExceptions, overloaded: noCapacity } },
  { name: "llamacpp", path: "/llamacpp/v1", ...local, exceptions: { ...localExceptions, rate_limit: noLimit } },
  {
    name: "lmstudio",
    path: "/lmstudio/v1",
    ...local,
    exceptions: {
      ...localExceptions,
      rate_limit: noLimit,
      overloaded: noCapacity,
      error_inside: "its errors are a sentence and nothing else; without a status nobody can tell their kind",
    },
  },
  {
    name: "vllm",
    path: "/vllm/v1",
    ...local,
    exceptions: { ...localExceptions, rate_limit: noLimit, overloaded: noCapacity },
  },
];

export function titleOf({ name, api }: ContractRow): string {
  return api === undefined ? name : `${name} ${api}`;
}
