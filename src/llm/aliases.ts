import { errorInfo, parseThinkingLevel, type ModelInfo } from "../core/index.ts";
import { Failure, invalidArgument } from "./failure.ts";
import type { ProviderRow } from "./provider.ts";
import { builtinAliases, splitAlias, type BuiltinAlias } from "./resolve.ts";
import { findKey, settingsFor, type Settings } from "./settings.ts";

/** `name[/level]` → the model it stands for. A level that was written beside the name wins over the alias's own. */
export async function expandAlias(
  spec: string,
  rows: readonly ProviderRow[],
  settings: Settings | undefined,
): Promise<string> {
  let text = spec.trim();
  let level: string | undefined;
  const seen: string[] = [];
  for (;;) {
    const { name, rest } = splitAlias(text, settings);
    // A name may also stand for itself, at another level.
    if (name === undefined || name === seen.at(-1)) return withLevel(text, level);
    if (seen.includes(name)) throw invalidArgument(`The alias "${name}" stands for itself: ${seen.join(" → ")}`);
    seen.push(name);
    level ??= rest;
    text = settings?.aliases?.[name] ?? (await builtinAlias(name, rows, settings));
  }
}

/**
 * Of the models of one provider: `cheap` is the one with the lowest price, `fast` the same with as little thinking as it
 * can do, `smart` the provider's default with a lot. Models without a price or with a last day are not chosen, and of a
 * gateway only those of the maker its default comes from.
 */
export function aliasModel(
  alias: BuiltinAlias,
  { default_model }: Pick<ProviderRow, "default_model">,
  models: readonly ModelInfo[],
): string | undefined {
  const usual = models.find(({ id }) => id === default_model) ?? models[0];
  if (alias === "smart") {
    const id = default_model ?? usual?.id;
    return id === undefined ? undefined : withLevel(id, usual?.thinking.kind === "none" ? undefined : "high");
  }
  const maker = default_model?.includes("/") === true ? default_model.slice(0, default_model.indexOf("/") + 1) : "";
  const candidates = models.filter(
    ({ id, prices, retires_at, capabilities }) =>
      id.startsWith(maker) && priceOf(prices) > 0 && retires_at === undefined && capabilities.tools,
  );
  const cheapest = candidates.toSorted((left, right) => priceOf(left.prices) - priceOf(right.prices))[0] ?? usual;
  if (cheapest === undefined) return default_model;
  return withLevel(cheapest.id, alias === "fast" && cheapest.thinking.kind !== "none" ? "none" : undefined);
}

async function builtinAlias(
  name: string,
  rows: readonly ProviderRow[],
  settings: Settings | undefined,
): Promise<string> {
  const row = rows.find((candidate) => hasKey(candidate, settings));
  const alias = builtinAliases.find((known) => known === name);
  const model = row === undefined || alias === undefined ? undefined : aliasModel(alias, row, await row.models());
  if (row !== undefined && model !== undefined) return `${row.name}:${model}`;
  const message =
    `"${name}" stands for a model of the first provider with a key, and none has one: set a key, or say what it ` +
    `stands for in the settings (aliases.${name})`;
  throw new Failure(errorInfo({ category: "auth", message, provider_code: "missing_key" }));
}

function hasKey(row: ProviderRow, settings: Settings | undefined): boolean {
  if (row.key_variables.length === 0 || row.local !== undefined) return false;
  try {
    return findKey(row, settingsFor(settings, row)) !== undefined;
  } catch {
    // Settings that cannot be used are told of when their provider is.
    return false;
  }
}

function withLevel(spec: string, level: string | undefined): string {
  if (level === undefined) return spec;
  const slash = spec.lastIndexOf("/");
  const hasLevel = slash > 0 && parseThinkingLevel(spec.slice(slash + 1)) !== undefined;
  return `${hasLevel ? spec.slice(0, slash) : spec}/${level}`;
}

/** Weighed as agents use it: they read far more than they write. */
function priceOf(prices: ModelInfo["prices"]): number {
  return prices === undefined ? 0 : prices.input * 3 + prices.output;
}
