import {
  errorInfo,
  nearestWord,
  parseThinkingLevel,
  thinkingLevels,
  type ModelCorrection,
  type ModelInfo,
  type ThinkingLevel,
} from "../core/index.ts";
import { Failure, invalidArgument } from "./failure.ts";
import { unknownModel } from "./families.ts";
import { dashedNames, homelessNames, nameShapes, suppliedNames } from "./models/families.ts";
import type { ProviderRow } from "./provider.ts";
import { baseUrlFor, settingsFor, type Settings } from "./settings.ts";

/** What a person typed, taken apart: `[provider:]model[/level]`. */
export type ModelSpec = { readonly model: string; readonly level?: ThinkingLevel; readonly provider?: string };

type NamedRow = Pick<ProviderRow, "name" | "other_names" | "default_model">;

/**
 * A part before the first `:` that names a provider is the provider; what follows the last `/` is the level if it is one.
 * Everything else is the model: `gpt-oss:20b`, `vendor/model:variant`. A provider's name alone means its default model.
 */
export function parseModelSpec(spec: string, rows: readonly NamedRow[] = []): ModelSpec {
  const text = spec.trim();
  const slash = text.lastIndexOf("/");
  const level = slash > 0 ? parseThinkingLevel(text.slice(slash + 1)) : undefined;
  const name = level === undefined ? text : text.slice(0, slash);
  const colon = name.indexOf(":");
  const first = (colon === -1 ? name : name.slice(0, colon)).toLowerCase();
  const row = rows.find((candidate) => candidate.name === first || candidate.other_names?.includes(first));
  const model = row === undefined ? name : colon === -1 ? "" : name.slice(colon + 1);
  const chosen = model === "" ? row?.default_model : model;
  if (chosen === undefined || text.startsWith("/"))
    throw invalidArgument(`"${spec}" names no model; write MODEL, MODEL/LEVEL or PROVIDER:MODEL`);
  return {
    model: chosen,
    ...(level === undefined ? {} : { level }),
    ...(row === undefined ? {} : { provider: row.name }),
  };
}

/** Names that everybody has. What they stand for follows from the keys one has, unless the settings say otherwise. */
export const builtinAliases = ["fast", "smart", "cheap"] as const;
export type BuiltinAlias = (typeof builtinAliases)[number];

/** The alias a spec begins with, if it does, and what follows it. */
export function splitAlias(
  spec: string,
  settings: Settings | undefined,
): { readonly name?: string; readonly rest?: string } {
  const text = spec.trim();
  const isAlias = (name: string): boolean =>
    Object.hasOwn(settings?.aliases ?? {}, name) || builtinAliases.some((known) => known === name);
  if (isAlias(text)) return { name: text };
  const slash = text.lastIndexOf("/");
  const name = text.slice(0, Math.max(0, slash));
  return isAlias(name) ? { name, rest: text.slice(slash + 1) } : {};
}

/** Whose model it is, or why nobody's. `settings` tell whether a provider was given another address. */
export function providerFor(spec: ModelSpec, rows: readonly ProviderRow[], settings?: Settings): ProviderRow {
  const { model, provider } = spec;
  const row =
    provider === undefined ? inferProvider(model, rows, settings) : rows.find(({ name }) => name === provider);
  if (row !== undefined) return row;
  const message =
    provider === undefined
      ? `No provider is known for the model "${model}"; ${adviceFor(model, rows)}`
      : noProvider(provider, rows);
  throw new Failure(errorInfo({ category: "not_found", message, provider_code: "unknown_provider" }));
}

function adviceFor(model: string, rows: readonly ProviderRow[]): string {
  const supplied = suppliedNames.find(({ prefix }) => model.toLowerCase().startsWith(prefix));
  if (supplied !== undefined) return supplied.advice;
  const [before = "", ...rest] = model.split(":");
  if (rest.length > 0) return noProvider(before, rows);
  return `write PROVIDER:${model} if you know who has it; \`ikigai models\` lists what is known`;
}

function noProvider(typed: string, rows: readonly ProviderRow[]): string {
  const nearest = nearestWord(
    typed,
    rows.map(({ name }) => name),
  );
  const hint = nearest === undefined ? "" : `did you mean ${nearest}? `;
  return `"${typed}" is not a provider; ${hint}\`ikigai models\` lists those there are`;
}

/**
 * What its maker's own list says of a model that a gateway serves under `vendor/model`. The id stays the gateway's, and
 * so does the way it is spoken to; `:variant` is nobody's but the gateway's.
 */
export function vendorModel(
  gateway: string,
  id: string,
  vendor: { readonly provider: string; readonly models: readonly ModelInfo[] },
): ModelInfo | undefined {
  const { name } = vendorPart(id);
  const found = findModel(vendor.models, dashed(vendor.provider, name.split(":")[0] ?? name));
  if (found === undefined) return undefined;
  const { traits: _traits, spellings: _spellings, ...facts } = found;
  return { ...facts, id, provider: gateway, display_name: id, aliases: [] };
}

/** `~vendor/model` taken apart; without a `/` the vendor is empty. */
export function vendorPart(id: string): { readonly vendor: string; readonly name: string } {
  const slash = id.indexOf("/");
  const vendor = slash === -1 ? "" : id.slice(0, slash).toLowerCase().replace(/^~/, "");
  return { vendor, name: id.slice(slash + 1) };
}

/** By the longest prefix a provider declares, else by the shape of the name. */
export function inferProvider(
  model: string,
  rows: readonly ProviderRow[],
  settings?: Settings,
): ProviderRow | undefined {
  const name = model.toLowerCase();
  const homeless = homelessNames.find(({ prefix }) => name.startsWith(prefix));
  const declared = byPrefix(
    name,
    rows.filter((row) => row.name !== homeless?.provider),
  );
  if (declared !== undefined) return declared;
  if (homeless !== undefined) {
    const row = rows.find((candidate) => candidate.name === homeless.provider);
    if (row !== undefined && hasOwnAddress(row, settings)) return row;
    const message = `"${model}" has no provider: ${homeless.advice}.`;
    throw new Failure(errorInfo({ category: "not_found", message, provider_code: "retired_provider" }));
  }
  const shape = nameShapes.find(({ pattern }) => new RegExp(pattern).test(name));
  return rows.find((row) => row.name === shape?.provider);
}

/**
 * Everything known of a model, under the name that goes on the wire. Corrections come from the user and win. A name nobody
 * knows is passed through with its family's defaults.
 */
export function modelFor(
  provider: string,
  name: string,
  models: readonly ModelInfo[],
  corrections: readonly ModelCorrection[] = [],
): ModelInfo {
  const known = correctedModels(provider, models, corrections);
  const id = dashed(provider, name);
  const found = findModel(known, id);
  if (found !== undefined) return found;
  refuseMistypedLevel(id, known);
  return unknownModel(provider, id);
}

/** A list with what a person knows better; models it lacks come first. */
export function correctedModels(
  provider: string,
  models: readonly ModelInfo[],
  corrections: readonly ModelCorrection[],
): readonly ModelInfo[] {
  if (corrections.length === 0) return models;
  const own = corrections.map((correction): ModelInfo => {
    const base = models.find(({ id }) => id === correction.id) ?? unknownModel(provider, correction.id);
    const { unknown: _unknown, ...facts } = base;
    return { ...facts, ...correction, capabilities: { ...base.capabilities, ...correction.capabilities } };
  });
  return [...own, ...models.filter(({ id }) => !own.some((model) => model.id === id))];
}

/**
 * By id, by another id of the same model, by a spelling people use, as a dated snapshot or a routed variant. The result's
 * `id` is what to send (a real id stays as it was typed), its `aliases` are all other names, so that data made under any of
 * them counts as the model's own.
 */
export function findModel(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const same = (left: string): boolean => left === name;
  const alike = (left: string): boolean => loose(left) === loose(name);
  return named(models, same) ?? named(models, alike) ?? snapshotOf(models, name) ?? variantOf(models, name);
}

function byPrefix(name: string, rows: readonly ProviderRow[]): ProviderRow | undefined {
  let best: { readonly row: ProviderRow; readonly length: number } | undefined;
  for (const row of rows) {
    for (const prefix of row.prefixes) {
      if (name.startsWith(prefix) && prefix.length > (best?.length ?? 0)) best = { row, length: prefix.length };
    }
  }
  return best?.row;
}

/** The api that other servers speak for a model whose own provider no longer serves it. */
export function homelessApi(provider: string, model: string): string | undefined {
  const name = model.toLowerCase();
  return homelessNames.find((row) => row.provider === provider && name.startsWith(row.prefix))?.api;
}

function hasOwnAddress(row: ProviderRow, settings: Settings | undefined): boolean {
  return baseUrlFor(row, settingsFor(settings, row)) !== row.base_url.replace(/\/+$/, "");
}

function named(models: readonly ModelInfo[], fits: (name: string) => boolean): ModelInfo | undefined {
  const byId = models.find(({ id }) => fits(id));
  if (byId !== undefined) return byId;
  for (const model of models) {
    const alias = model.aliases.find(fits);
    if (alias !== undefined) return renamed(model, alias);
  }
  return models.find(({ spellings }) => spellings?.some(fits));
}

/** The same model under another of its ids. */
function renamed(model: ModelInfo, id: string): ModelInfo {
  const aliases = [model.id, ...model.aliases].filter((name) => name !== id);
  return { ...model, id, aliases };
}

/** People write dots for dashes, dashes for dots and capitals where they like. */
function loose(name: string): string {
  return name.toLowerCase().replaceAll(".", "-");
}

function snapshotOf(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const base = name.replace(snapshotSuffix, "");
  const model = base === name ? undefined : named(models, (other) => loose(other) === loose(base));
  return model === undefined ? undefined : renamed(model, name);
}

function variantOf(models: readonly ModelInfo[], name: string): ModelInfo | undefined {
  const colon = name.lastIndexOf(":");
  const model = colon > 0 ? named(models, (other) => other === name.slice(0, colon)) : undefined;
  if (model === undefined) return undefined;
  const variant = renamed(model, name);
  return name.endsWith(":free") ? { ...variant, prices: { input: 0, output: 0 }, price_tiers: [] } : variant;
}

function refuseMistypedLevel(name: string, models: readonly ModelInfo[]): void {
  const slash = name.lastIndexOf("/");
  if (slash <= 0 || findModel(models, name.slice(0, slash)) === undefined) return;
  const word = name.slice(slash + 1);
  const nearest = nearestWord(word, thinkingLevels);
  const hint = nearest === undefined ? "" : ` Did you mean "${nearest}"?`;
  throw invalidArgument(`"${word}" is not a thinking level.${hint} Levels: ${thinkingLevels.join(", ")}`);
}

function dashed(provider: string, name: string): string {
  const rule = dashedNames.find((one) => one.provider === provider && name.toLowerCase().startsWith(one.prefix));
  return rule === undefined ? name : loose(name);
}

/** Days as providers write them: 20250929, 2025-08-07, 0709, 001, preview-09-2025. */
const snapshotSuffix = /-(\d{8}|\d{4}-\d{2}-\d{2}|\d{3,4}|preview-\d{2}-\d{2,4})$/;
