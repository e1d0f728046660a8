import type { ModelCorrection, ThinkingLevel } from "../core/index.ts";
import { findStoredKey, type Credentials } from "./credentials.ts";
import type { Config } from "./load.ts";
import type { ProviderConfig } from "./keys.ts";
import type { Environment } from "./paths.ts";
import { ConfigError } from "./problem.ts";

/** What has to be known of a provider to tell what is set for it. */
export type ProviderFacts = {
  readonly name: string;
  readonly key_variables: readonly string[];
  readonly base_url_variable?: string;
};

/** What the files and the environment say, in the words of the library's settings. */
export type SettingsData = {
  readonly app?: { readonly title?: string; readonly url?: string };
  readonly providers: { readonly [name: string]: ProviderSettingsData };
  readonly models: readonly ModelCorrection[];
  readonly aliases?: { readonly [name: string]: string };
  readonly routes?: { readonly [purpose: string]: string };
  readonly fallback?: readonly string[];
  readonly idle_timeout_ms?: number;
  readonly long_context_above_tokens: number;
  readonly long_context_budget_tokens: number;
};

type ProviderSettingsData = {
  readonly key?: string;
  readonly base_url?: string;
  readonly api?: string;
  readonly headers?: { readonly [name: string]: string };
  readonly default_thinking?: ThinkingLevel;
  readonly idle_timeout_ms?: number;
  readonly problem?: string;
  readonly key_problem?: string;
};

type World = { readonly config: Config; readonly credentials: Credentials; readonly env: Environment };

/**
 * Settings for the library. What is wrong for one provider becomes its `problem`, told when that provider is used; what is
 * wrong for all is thrown here.
 */
export function settingsFrom(world: World, providers: readonly ProviderFacts[]): SettingsData {
  const { config } = world;
  const app = config.get("app");
  const aliases = config.get("aliases");
  const routes = config.get("routes");
  const fallback = config.get("fallback");
  const idle_timeout_ms = config.get("idle_timeout_ms");
  const { long_context_above_tokens, long_context_budget_tokens } = config.get("thinking");
  const entries = providers.map((facts) => [facts.name, providerSettings(world, facts)] as const);
  return {
    ...(app === undefined ? {} : { app }),
    ...(aliases === undefined ? {} : { aliases: definedTexts(aliases) }),
    ...(routes === undefined ? {} : { routes: definedTexts(routes) }),
    ...(fallback === undefined ? {} : { fallback }),
    ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
    long_context_above_tokens,
    long_context_budget_tokens,
    providers: Object.fromEntries(entries.filter(([, settings]) => Object.keys(settings).length > 0)),
    models: providers.flatMap(({ name }) => modelsOf(config, name)),
  };
}

function providerSettings(world: World, facts: ProviderFacts): ProviderSettingsData {
  const found = attempt(() => world.config.provider(facts.name));
  if ("problem" in found) return { problem: found.problem };
  const { api, headers, default_thinking, idle_timeout_ms, protocol } = found.value;
  const base_url = baseUrl(world.env, facts, found.value);
  // The row of a provider of one's own was made from its address and headers.
  const own = protocol !== undefined;
  return {
    ...keyOf(world, facts),
    ...(base_url === undefined || own ? {} : { base_url }),
    ...(headers === undefined || own ? {} : { headers: definedTexts(headers) }),
    ...(api === undefined ? {} : { api }),
    ...(default_thinking === undefined ? {} : { default_thinking }),
    ...(idle_timeout_ms === undefined ? {} : { idle_timeout_ms }),
  };
}

function keyOf({ env, credentials }: World, facts: ProviderFacts): Pick<ProviderSettingsData, "key" | "key_problem"> {
  const found = attempt(() => findStoredKey(facts, env, credentials));
  if ("problem" in found) return { key_problem: found.problem };
  return found.value === undefined ? {} : { key: found.value.key };
}

/** The environment beats the file. */
function baseUrl(env: Environment, facts: ProviderFacts, provider: ProviderConfig): string | undefined {
  const variable = facts.base_url_variable;
  const fromEnvironment = variable === undefined ? undefined : env[variable]?.trim();
  return fromEnvironment === undefined || fromEnvironment === "" ? provider.base_url : fromEnvironment;
}

/** A provider whose settings are wrong has none here; its `problem` says why. */
function modelsOf(config: Config, provider: string): SettingsData["models"] {
  const found = attempt(() => config.provider(provider));
  if ("problem" in found || found.value.protocol !== undefined) return [];
  const models = Object.entries(found.value.models ?? {});
  return models.flatMap(([id, facts]) => (facts === undefined ? [] : [{ ...facts, id, provider }]));
}

function definedTexts(map: { readonly [name: string]: string | undefined }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(map).flatMap(([name, text]) => (text === undefined ? [] : [[name, text]])));
}

function attempt<Value>(read: () => Value): { readonly value: Value } | { readonly problem: string } {
  try {
    return { value: read() };
  } catch (error) {
    if (error instanceof ConfigError) return { problem: error.message };
    throw error;
  }
}
