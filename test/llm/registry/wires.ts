import type { ModelInfo } from "../../../src/core/index.ts";
import type { Adapter, Quirks } from "../../../src/llm/adapter.ts";
import type { ProviderRow } from "../../../src/llm/provider.ts";
import { builtinProviders } from "../../../src/llm/registry.ts";

/** One provider's api with the models that speak it. */
export type Wire = {
  readonly provider: string;
  readonly api: string;
  readonly adapter: Adapter;
  readonly quirks: Quirks;
  readonly models: readonly ModelInfo[];
};

/** Every provider that has models in the registry, with every api it offers. */
export async function wires(): Promise<readonly Wire[]> {
  const perRow = await Promise.all(builtinProviders.map(wiresOf));
  return perRow.flat();
}

async function wiresOf(row: ProviderRow): Promise<readonly Wire[]> {
  const models = await row.models();
  if (models.length === 0) return [];
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
