import { isJsonObject, type JsonObject, type ModelInfo, type Prices } from "../../core/index.ts";
import type { Quirks } from "../adapter.ts";
import { unknownModel } from "../families.ts";
import type { ProviderRow } from "../provider.ts";
import { defineProvider, isProtocolName, protocolNames, type ProtocolName } from "./define.ts";

/** A provider as a person writes it down, under `providers.<name>` of the configuration. */
export type ProviderConfig = {
  readonly protocol: ProtocolName;
  readonly base_url: string;
  readonly display_name?: string;
  /** The environment variables that hold the key; none: no key is sent. */
  readonly api_key_env?: string | readonly string[];
  /** Where the key goes if not where the protocol puts it. */
  readonly key_header?: string;
  readonly prefixes?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly quirks?: Quirks;
  readonly default_model?: string;
  readonly idle_timeout_ms?: number;
  /** By id. What is left out is guessed from the id, like that of any unknown model. */
  readonly models?: { readonly [id: string]: ModelConfig };
};

export type ModelConfig = Partial<Omit<ModelInfo, "id" | "provider" | "unknown">>;

/** `key` is the place inside the provider: `models.my-model.prices.input`. */
export type ConfigProblem = { readonly key: string; readonly message: string };

/** A row from what a person wrote, or everything that is wrong with it. Keys it does not know are nobody's business here. */
export function providerFromConfig(
  name: string,
  config: unknown,
): ProviderRow | { readonly problems: readonly ConfigProblem[] } {
  if (!isJsonObject(config)) return { problems: [{ key: "", message: `must be an object, not ${said(config)}` }] };
  const problems = [...nameProblems(name), ...fieldProblems(config), ...modelProblems(config["models"])];
  if (problems.length > 0 || !isProviderConfig(config)) return { problems };
  return defineProvider({
    name,
    ...pick(config, rowFields),
    key_variables: typeof config.api_key_env === "string" ? [config.api_key_env] : (config.api_key_env ?? []),
    models: Object.entries(config.models ?? {}).map(([id, facts]) => modelFrom(name, id, facts)),
  });
}

/** What is wrong with the quirks of a row that a person wrote. Loads the protocol's own table of them. */
export async function quirkProblems(protocol: ProtocolName, quirks: Quirks): Promise<readonly ConfigProblem[]> {
  const check = quirkTables[protocol];
  const messages = check === undefined ? noQuirks(protocol, quirks) : (await check())(quirks);
  return messages.map((message) => ({ key: "quirks", message }));
}

function modelFrom(provider: string, id: string, facts: ModelConfig): ModelInfo {
  const { unknown: _unknown, ...usual } = unknownModel(provider, id);
  return { ...usual, ...facts, capabilities: { ...usual.capabilities, ...facts.capabilities } };
}

function nameProblems(name: string): readonly ConfigProblem[] {
  if (/^[a-z0-9][a-z0-9._-]*$/.test(name)) return [];
  return [{ key: "", message: `"${name}" is not a name for a provider; use small letters, digits, ".", "_" and "-"` }];
}

function fieldProblems(config: JsonObject): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const check = (key: string, fits: (value: unknown) => boolean, wanted: string): void => {
    if (config[key] !== undefined && !fits(config[key]))
      problems.push({ key, message: `must be ${wanted}, not ${said(config[key])}` });
  };
  for (const key of ["protocol", "base_url"])
    if (config[key] === undefined) problems.push({ key, message: "is missing" });
  check("protocol", isProtocolName, `one of ${protocolNames.join(", ")}`);
  check("base_url", isAddress, "an http(s) address");
  check(
    "api_key_env",
    (value) => isVariable(value) || isListOf(value, isVariable),
    "the name of an environment variable",
  );
  check("key_header", isHeaderName, "the name of a header");
  check("prefixes", (value) => isListOf(value, isText), "a list of texts");
  check(
    "headers",
    (value) => isRecordOf(value, (entry) => typeof entry === "string", isHeaderName),
    "an object of texts by header",
  );
  check("quirks", (value) => isRecordOf(value, isScalar), "an object of texts, numbers and flags");
  for (const key of ["display_name", "default_model"]) check(key, isText, "a text");
  check("idle_timeout_ms", isPositive, "a number above 0");
  return problems;
}

function modelProblems(models: unknown): readonly ConfigProblem[] {
  if (models === undefined) return [];
  if (!isJsonObject(models))
    return [{ key: "models", message: `must be an object of models by id, not ${said(models)}` }];
  return Object.entries(models).flatMap(([id, facts]) => {
    const key = `models.${id}`;
    if (!isJsonObject(facts)) return [{ key, message: `must be an object, not ${said(facts)}` }];
    return [...countProblems(key, facts), ...priceProblems(key, facts["prices"])];
  });
}

function countProblems(key: string, facts: JsonObject): readonly ConfigProblem[] {
  return ["context_tokens", "output_tokens_max"].flatMap((field) => {
    const value = facts[field];
    if (value === undefined || (isPositive(value) && Number.isInteger(value))) return [];
    return [{ key: `${key}.${field}`, message: `must be a whole number above 0, not ${said(value)}` }];
  });
}

function priceProblems(key: string, prices: unknown): readonly ConfigProblem[] {
  if (prices === undefined) return [];
  if (!isJsonObject(prices)) return [{ key: `${key}.prices`, message: `must be an object, not ${said(prices)}` }];
  const missing = (["input", "output"] as const satisfies readonly (keyof Prices)[]).filter(
    (part) => prices[part] === undefined,
  );
  return [
    ...missing.map((part) => ({ key: `${key}.prices.${part}`, message: "is missing: US dollars per million tokens" })),
    ...Object.entries(prices)
      .filter(([, price]) => !(typeof price === "number" && price >= 0))
      .map(([part, price]) => ({
        key: `${key}.prices.${part}`,
        message: `must be US dollars per million tokens, not ${said(price)}`,
      })),
  ];
}

function isProviderConfig(config: JsonObject): config is JsonObject & ProviderConfig {
  return fieldProblems(config).length === 0;
}

function noQuirks(protocol: ProtocolName, quirks: Quirks): readonly string[] {
  return Object.keys(quirks).map((name) => `"${name}" is not a quirk of ${protocol}, which has none`);
}

function isAddress(value: unknown): boolean {
  return typeof value === "string" && URL.canParse(value) && /^https?:/.test(value);
}

function isVariable(value: unknown): boolean {
  return typeof value === "string" && /^[A-Za-z_]\w*$/.test(value);
}

function isHeaderName(value: unknown): boolean {
  return typeof value === "string" && /^[\w!#$%&'*+.^`|~-]+$/.test(value);
}

function isText(value: unknown): boolean {
  return typeof value === "string" && value !== "";
}

function isPositive(value: unknown): value is number {
  return typeof value === "number" && value > 0;
}

function isScalar(value: unknown): boolean {
  return ["string", "number", "boolean"].includes(typeof value);
}

function isListOf(value: unknown, fits: (entry: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(fits);
}

function isRecordOf(
  value: unknown,
  fits: (entry: unknown) => boolean,
  named: (name: string) => boolean = () => true,
): boolean {
  return isJsonObject(value) && Object.entries(value).every(([name, entry]) => named(name) && fits(entry));
}

/** A value in an error message: short, and never what may be a key. */
function said(value: unknown): string {
  if (typeof value === "string") return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`;
  if (Array.isArray(value)) return "a list";
  return isJsonObject(value) ? "an object" : String(value);
}

/** Nothing else gets into a row: a provider's settings may hold its key. */
function pick<From extends object, Name extends keyof From>(from: From, names: readonly Name[]): Pick<From, Name> {
  const found = names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]);
  return Object.fromEntries(found) as Pick<From, Name>;
}

const rowFields = [
  "protocol",
  "base_url",
  "display_name",
  "key_header",
  "prefixes",
  "headers",
  "quirks",
  "default_model",
  "idle_timeout_ms",
] as const satisfies readonly (keyof ProviderConfig)[];

type QuirkCheck = (quirks: Quirks) => readonly string[];

const quirkTables: { readonly [protocol in ProtocolName]: (() => Promise<QuirkCheck>) | undefined } = {
  anthropic: undefined,
  gemini: undefined,
  chat: () => import("../protocols/chat/quirks.ts").then(({ chatQuirkProblems }) => chatQuirkProblems),
  responses: () =>
    import("../protocols/responses/quirks.ts").then(({ responsesQuirkProblems }) => responsesQuirkProblems),
};
