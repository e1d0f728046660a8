import type { ModelInfo } from "../../../src/core/index.ts";
import type { Adapter, Quirks } from "../../../src/llm/adapter.ts";
import type { ProviderRow } from "../../../src/llm/provider.ts";
import { defineProvider, type ProviderDefinition } from "../../../src/llm/providers/define.ts";
import { builtinProviders } from "../../../src/llm/registry.ts";
import { files } from "./files.ts";

/** One provider's api with the models that speak it. */
export type Wire = {
  readonly provider: string;
  readonly api: string;
  readonly adapter: Adapter;
  readonly quirks: Quirks;
  readonly models: readonly ModelInfo[];
};

/** Every provider of the registry with every api it offers. */
export async function wires(): Promise<readonly Wire[]> {
  const missing = standIns.filter(({ name }) => !builtinProviders.some((row) => row.name === name));
  const perRow = [...builtinProviders, ...missing.map(defineProvider)].map(wiresOf);
  return (await Promise.all(perRow)).flat();
}

async function wiresOf(row: ProviderRow): Promise<readonly Wire[]> {
  const models = await row.models();
  // Hundreds of models in one more dialect say nothing new.
  const apis = models.length > 100 ? row.apis.slice(0, 1) : row.apis;
  return Promise.all(
    apis.map(async (api) => ({
      provider: row.name,
      api: api.name,
      adapter: await api.load(),
      quirks: api.quirks ?? {},
      models,
    })),
  );
}

/** Providers whose models are known before their rows are written. */
const standIns: readonly ProviderDefinition[] = [
  {
    name: "xai",
    protocol: "responses",
    base_url: "https://xai.example",
    quirks: { reasoning_summary: false },
    models: files.xai.models,
  },
  { name: "meta", protocol: "responses", base_url: "https://meta.example", models: files.meta.models },
  {
    name: "openrouter",
    protocol: "chat",
    base_url: "https://openrouter.example",
    quirks: { thinking_style: "reasoning_object", max_tokens_field: "max_completion_tokens" },
    models: files.openrouter.models,
  },
];
