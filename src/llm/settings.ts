import { errorInfo, thinkingLevels, type ModelCorrection, type ThinkingLevel } from "../core/index.ts";
import { checkNames } from "./check-names.ts";
import { Failure, invalidArgument } from "./failure.ts";
import type { ProviderRow } from "./provider.ts";

/** What a person can set for one provider. Plain JSON, the same words as in the configuration file. */
export type ProviderSettings = {
  readonly key?: string;
  readonly base_url?: string;
  /** One of the provider's apis, instead of its default. */
  readonly api?: string;
  /** Sent with every request, after ours. */
  readonly headers?: { readonly [name: string]: string };
  readonly default_thinking?: ThinkingLevel;
  readonly idle_timeout_ms?: number;
  /** Why these settings cannot be used. Told when the provider is used, not before. */
  readonly problem?: string;
  /** Why a stored key cannot be read. Told when the key is needed, not before. */
  readonly key_problem?: string;
};

export type Settings = {
  /** Which application asks, for providers that want to be told. */
  readonly app?: { readonly title?: string; readonly url?: string };
  readonly providers?: { readonly [name: string]: ProviderSettings | undefined };
  /** Models the registry does not know, or corrections of those it does, by id. */
  readonly models?: readonly ModelCorrection[];
  /** Names of one's own for models, with a level or without; also other meanings for `fast`, `smart` and `cheap`. */
  readonly aliases?: { readonly [name: string]: string };
  /** What is done with which model: `{"summaries": "cheap"}`. */
  readonly routes?: { readonly [purpose: string]: string };
  /** Asked in this order where a model fails before it says anything, unless a call brings its own list. */
  readonly fallback?: readonly string[];
  readonly idle_timeout_ms?: number;
  readonly long_context_above_tokens?: number;
  readonly long_context_budget_tokens?: number;
};

/** The model for a purpose: what the routes say, else the one that is used otherwise. */
export function modelForPurpose(purpose: string, settings: Settings | undefined, otherwise: string): string {
  const { routes = {} } = settings ?? {};
  return Object.hasOwn(routes, purpose) ? (routes[purpose] ?? otherwise) : otherwise;
}

export const defaultIdleTimeoutMs = 120_000;

export function settingsFor(settings: Settings | undefined, row: ProviderRow): ProviderSettings {
  const own = settings?.providers?.[row.name] ?? {};
  if (own.problem !== undefined) throw invalidArgument(own.problem);
  return own;
}

export function baseUrlFor(row: ProviderRow, settings: ProviderSettings): string {
  const fromEnvironment = row.base_url_variable === undefined ? undefined : environment(row.base_url_variable);
  const url = settings.base_url ?? fromEnvironment ?? filled(row.base_url);
  return url.replace(/\/+$/, "");
}

/** Only a row's own address: what is written into settings must not be able to ask for any variable it likes. */
function filled(url: string): string {
  return url.replace(/\{(\w+)\}/g, (gap, name: string) => environment(name) ?? gap);
}

/** An address with a gap in it is an error at first use that names what fills the gap. */
export function missingAddress(row: ProviderRow, baseUrl: string): Failure | undefined {
  const gap = /\{(\w+)\}/.exec(baseUrl)?.[1];
  if (gap === undefined) return undefined;
  const message = `No address for ${row.display_name}: set ${gap}, or base_url of the provider ${row.name}`;
  return invalidArgument(message);
}

export function findKey(row: ProviderRow, settings: ProviderSettings): string | undefined {
  const fromEnvironment = row.key_variables.map(environment).find((value) => value !== undefined);
  return nonEmpty(settings.key) ?? fromEnvironment;
}

/** Whether a key is the token in one of the variables for tokens. Settings may have read it from there, too. */
export function isBearer({ bearer_variables = [] }: ProviderRow, key: string): boolean {
  return bearer_variables.some((variable) => environment(variable) === key.trim());
}

/** No key is an error at first use that names every way out. */
export function missingKey(row: ProviderRow, settings: ProviderSettings): Failure {
  if (settings.key_problem !== undefined) {
    const message = `The key for ${row.display_name} cannot be read: ${settings.key_problem}`;
    return new Failure(errorInfo({ category: "auth", message, provider_code: "unreadable_key" }));
  }
  const page = row.keys_page === undefined ? "" : ` Keys are made at ${row.keys_page}.`;
  const message =
    `No key for ${row.display_name}: set ${row.key_variables[0] ?? "its key"}, run \`ikigai login ${row.name}\`, ` +
    `or add it to credentials.json.${page} The model sim-echo needs none and answers by rule.`;
  return new Failure(errorInfo({ category: "auth", message, provider_code: "missing_key" }));
}

/** One thing found when looking over settings, without a network. */
export type Finding = {
  /** Empty: about no provider in particular. */
  readonly provider: string;
  readonly severity: "ok" | "warning" | "error";
  readonly message: string;
};

/** Keys and settings of every provider that has any, checked without a network. */
export function checkSettings(rows: readonly ProviderRow[], settings: Settings): readonly Finding[] {
  const known = new Set(rows.map((row) => row.name));
  const strangers = Object.keys(settings.providers ?? {}).filter((name) => !known.has(name));
  return [
    ...checkNames(settings),
    ...strangers.map((provider): Finding => ({
      provider,
      severity: "error",
      message: `"${provider}" is not a provider; known: ${[...known].join(", ")}`,
    })),
    ...rows
      .filter((row) => row.preset !== true || isInUse(row, settings))
      .flatMap((row) => checkProvider(row, settings.providers?.[row.name] ?? {})),
  ];
}

function isInUse(row: ProviderRow, settings: Settings): boolean {
  const own = settings.providers?.[row.name];
  return own !== undefined || (row.local === undefined && findKey(row, {}) !== undefined);
}

function checkProvider(row: ProviderRow, settings: ProviderSettings): readonly Finding[] {
  const findings: Finding[] = [];
  const add = (severity: Finding["severity"], message: string): void => {
    findings.push({ provider: row.name, severity, message });
  };
  if (settings.problem !== undefined) add("error", settings.problem);
  const key = findKey(row, settings);
  if (row.key_variables.length > 0) {
    if (key === undefined && settings.key_problem !== undefined) add("error", missingKey(row, settings).info.message);
    else if (key === undefined && row.local === undefined) add("warning", missingKey(row, settings).info.message);
    else if (key === undefined) add("ok", "No key needed");
    else if (/[^\x21-\x7e]/.test(key))
      add("error", "The key holds blanks or characters no key has; was it pasted with its surroundings?");
    else add("ok", "Key found");
  }
  const baseUrl = baseUrlFor(row, settings);
  const gap = missingAddress(row, baseUrl);
  if (gap !== undefined) add("error", gap.info.message);
  else if (!isHttpUrl(baseUrl)) add("error", `base_url "${baseUrl}" is not an http(s) address`);
  else if (key !== undefined && baseUrl.startsWith("http://") && !isLoopback(baseUrl)) {
    add("warning", `base_url "${baseUrl}" is not encrypted; the key would travel in the clear`);
  }
  const apis = row.apis.map((api) => api.name);
  if (settings.api !== undefined && !apis.includes(settings.api)) {
    add("error", `api "${settings.api}" is not one of ${apis.join(", ")}`);
  }
  const level: unknown = settings.default_thinking;
  if (level !== undefined && !thinkingLevels.some((known) => known === level)) {
    add("error", `default_thinking "${String(level)}" is not one of ${thinkingLevels.join(", ")}`);
  }
  const idle: unknown = settings.idle_timeout_ms;
  if (idle !== undefined && !(typeof idle === "number" && idle > 0))
    add("error", "idle_timeout_ms must be a number above 0");
  return findings;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isLoopback(url: string): boolean {
  return /^(localhost|127(\.\d+){3}|\[::1\])$/.test(new URL(url).hostname);
}

/** The library also runs where there is no process: in browsers and at the edge. */
function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  return nonEmpty(process?.env?.[name]);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text.trim() === "" ? undefined : text.trim();
}
