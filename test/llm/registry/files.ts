import type { ModelInfo } from "../../../src/core/index.ts";
import anthropic from "../../../src/llm/models/anthropic.json" with { type: "json" };
import google from "../../../src/llm/models/google.json" with { type: "json" };
import meta from "../../../src/llm/models/meta.json" with { type: "json" };
import openai from "../../../src/llm/models/openai.json" with { type: "json" };
import openrouter from "../../../src/llm/models/openrouter.json" with { type: "json" };
import xai from "../../../src/llm/models/xai.json" with { type: "json" };

export const files = { anthropic, openai, google, xai, meta, openrouter };

export const allModels: readonly ModelInfo[] = Object.values(files).flatMap((file) => file.models);

export function known(id: string): ModelInfo {
  const model = allModels.find((candidate) => candidate.id === id);
  if (model === undefined) throw new Error(`${id} is not in the registry`);
  return model;
}
