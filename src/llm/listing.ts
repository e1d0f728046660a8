import type { ModelInfo } from "../core/index.ts";
import type { ListedModel } from "./adapter.ts";
import { invalidArgument } from "./failure.ts";
import { providerRows, resolve, type PrepareOptions } from "./prepare.ts";
import type { ProviderRow } from "./provider.ts";
import { fetchJson, guard, type NetworkOptions } from "./small-calls.ts";

/** The models a provider lists right now. Each of them can be used, whether the registry knows it or not. */
export async function listModels(provider: string, options: NetworkOptions = {}): Promise<readonly ListedModel[]> {
  return guard(async () => {
    const row = rowNamed(provider, options);
    const resolved = await resolve(`${row.name}:${row.default_model ?? "default"}`, options);
    const list = resolved.adapter.listModels;
    if (list === undefined) throw invalidArgument(`${row.display_name} has no list of models`);
    const models: ListedModel[] = [];
    let page: string | undefined;
    for (let count = 0; count < modelPagesMax; count++) {
      const decoded = list.decode(await fetchJson(resolved, list.encode(resolved.base_url, page), options));
      models.push(...decoded.models);
      page = decoded.next_page;
      if (page === undefined) break;
    }
    return models;
  });
}

/** What is known of a model, or assumed of one that nobody knows (`unknown`). No network, no key. */
export async function modelInfo(model: string, options: PrepareOptions = {}): Promise<ModelInfo> {
  return guard(async () => (await resolve(model, options)).model);
}

/** A provider by its name, or by another it is known under. */
export function rowNamed(name: string, options: PrepareOptions): ProviderRow {
  const rows = providerRows(options);
  const row = rows.find((candidate) => candidate.name === name || candidate.other_names?.includes(name));
  if (row === undefined)
    throw invalidArgument(`"${name}" is not a provider; known: ${rows.map((known) => known.name).join(", ")}`);
  return row;
}

const modelPagesMax = 50;
