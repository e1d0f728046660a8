/** Models of providers and servers that speak the OpenAI wires, by catalogue. */
import type { OpenAiModel } from "./models.ts";

const plain: Omit<OpenAiModel, "id"> = {
  context: 1_000_000,
  max_output: 128_000,
  efforts: [],
  effort_default: "none",
  sampling: "always",
  chat_tools: "always",
  phases: false,
  cache_writes: false,
  cache_retention: false,
  retired: false,
};

const grok = {
  ...plain,
  context: 500_000,
  max_output: 500_000,
  efforts: ["low", "medium", "high", "xhigh"],
  effort_default: "high",
};

const muse = {
  ...plain,
  context: 1_048_576,
  max_output: 131_072,
  efforts: ["minimal", "low", "medium", "high", "xhigh"],
  effort_default: "high",
};

/** Routed: every effort is translated; only "none" can be impossible. */
const routed = {
  ...plain,
  efforts: ["none", "minimal", "low", "medium", "high", "xhigh", "max"],
  effort_default: "medium",
  cache_writes: true,
};
const routedAlways = { ...routed, efforts: routed.efforts.filter((effort) => effort !== "none") };

const small = { ...plain, context: 32_768, max_output: 32_768 };
const smallThinking = { ...small, efforts: ["none", "low", "medium", "high", "max"], effort_default: "medium" };
const localRows: readonly OpenAiModel[] = [
  { id: "qwen3:8b", ...smallThinking },
  { id: "gpt-oss:20b", ...smallThinking },
  { id: "llama3.3:70b", ...small },
];

export const compatibleModels: Readonly<Record<string, readonly OpenAiModel[]>> = {
  xai: [
    { id: "grok-4.7", ...grok },
    { id: "grok-4.6", ...grok },
    { id: "grok-4.5", ...grok, efforts: ["low", "medium", "high"] },
    {
      id: "grok-4.3",
      ...grok,
      context: 1_000_000,
      efforts: ["none", "low", "medium", "high"],
      effort_default: "low",
    },
    // These reason or do not, and take no parameter about it.
    { id: "grok-4.20-0309-reasoning", ...plain },
    { id: "grok-4.20-0309-non-reasoning", ...plain },
    { id: "grok-build-0.1", ...plain, context: 256_000 },
    { id: "grok-code-fast-1", ...plain, retired: true },
    { id: "grok-4", ...plain, retired: true },
    { id: "grok-3", ...plain, retired: true },
  ],
  meta: [
    { id: "muse-wonder-1.0", ...muse, efforts: [...muse.efforts, "max"] },
    { id: "muse-spark-1.3", ...muse, efforts: [...muse.efforts, "max"] },
    { id: "muse-spark-1.2", ...muse },
    { id: "muse-spark-1.1", ...muse },
  ],
  openrouter: [
    { id: "anthropic/claude-opus-5.5", ...routedAlways },
    { id: "anthropic/claude-sonnet-5.5", ...routedAlways },
    { id: "anthropic/claude-haiku-5.5", ...routed },
    { id: "openai/gpt-6-astra", ...routedAlways },
    { id: "openai/gpt-6.1-sol", ...routedAlways },
    { id: "google/gemini-4-argon", ...routedAlways },
    { id: "x-ai/grok-4.7", ...routedAlways },
    { id: "meta/muse-spark-1.3", ...routedAlways },
    { id: "openai/gpt-oss-120b", ...routedAlways, context: 131_072 },
    { id: "meta-llama/llama-4-maverick", ...plain, context: 128_000 },
    { id: "meta-llama/llama-3.3-70b-instruct", ...plain, context: 131_072 },
  ],
  ollama: localRows,
  llamacpp: localRows,
  vllm: localRows,
  lmstudio: localRows,
  compatible: [
    { id: "thinker", ...smallThinking, context: 128_000 },
    { id: "talker", ...small, context: 128_000 },
  ],
};
