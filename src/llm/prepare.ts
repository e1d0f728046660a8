import {
  fingerprint,
  own,
  project as projectMessages,
  totalTokensOf,
  validateConversation,
  type Conversation,
  type JsonObject,
  type Loss,
  type ModelInfo,
  type Note,
  type OutputLimits,
  type Projection,
  type Request,
  type ThinkingConfig,
  type ThinkingLevel,
  type ThinkingPlan,
} from "../core/index.ts";
import type { Adapter, Call, Target } from "./adapter.ts";
import { invalidArgument } from "./failure.ts";
import type { ApiRow, ProviderRow } from "./provider.ts";
import { builtinProviders } from "./registry.ts";
import { homelessApi, modelFor, parseModelSpec, providerFor, splitAlias, vendorModel, vendorPart } from "./resolve.ts";
import { removeNulls } from "./schema-nulls.ts";
import { baseUrlFor, settingsFor, type ProviderSettings, type Settings } from "./settings.ts";

export type PrepareOptions = {
  readonly settings?: Settings;
  /** Besides the built-in ones; first match wins, so these can replace them. */
  readonly providers?: readonly ProviderRow[];
};

/** A model name with everything behind it: whose it is, how to speak to it, what is known of it. */
export type Resolved = {
  readonly row: ProviderRow;
  readonly provider: ProviderSettings;
  readonly api: ApiRow;
  readonly adapter: Adapter;
  readonly model: ModelInfo;
  readonly base_url: string;
  readonly level: ThinkingLevel | undefined;
};

export async function resolve(spec: string, options: PrepareOptions = {}): Promise<Resolved> {
  // Programs without types get here with a variable that was never set.
  if (typeof spec !== "string") throw invalidArgument("The model must be a text: MODEL, MODEL/LEVEL or PROVIDER:MODEL");
  const rows = providerRows(options);
  const parsed = parseModelSpec(await unaliased(spec, rows, options.settings), rows);
  const row = providerFor(parsed, rows, options.settings);
  const provider = settingsFor(options.settings, row);
  const api = apiFor(row, provider, parsed.model);
  const [adapter, models] = await Promise.all([api.load(), row.models()]);
  const overrides = (options.settings?.models ?? []).filter((model) => model.provider === row.name);
  const found = modelFor(row.name, parsed.model, models, overrides);
  const model = found.unknown === true ? ((await byVendor(row, found.id, rows)) ?? found) : found;
  return { row, provider, api, adapter, model, base_url: baseUrlFor(row, provider), level: parsed.level };
}

async function unaliased(spec: string, rows: readonly ProviderRow[], settings: Settings | undefined): Promise<string> {
  if (splitAlias(spec, settings).name === undefined) return spec;
  const { expandAlias } = await import("./later.ts");
  return expandAlias(spec, rows, settings);
}

/** What the maker's own list says of a model that this provider serves for it. */
async function byVendor(row: ProviderRow, id: string, rows: readonly ProviderRow[]): Promise<ModelInfo | undefined> {
  const name = row.vendors === undefined ? undefined : own(row.vendors, vendorPart(id).vendor);
  const vendor = name === undefined ? undefined : rows.find((candidate) => candidate.name === name);
  if (vendor === undefined) return undefined;
  return vendorModel(row.name, id, { provider: vendor.name, models: await vendor.models() });
}

export function providerRows(options: PrepareOptions): readonly ProviderRow[] {
  const own = options.providers ?? [];
  return [...own, ...builtinProviders.filter((row) => !own.some((other) => other.name === row.name))];
}

/** What a level becomes for a resolved model: the one place, for requests, feedback and `explain`. */
export function planThinking(
  resolved: Resolved,
  thinking: ThinkingConfig | undefined,
  limits: OutputLimits,
  settings: Settings | undefined,
): ThinkingPlan {
  const { model, adapter, provider } = resolved;
  const fallback = model.thinking.kind === "none" ? undefined : provider.default_thinking;
  const level = resolved.level ?? thinking?.level ?? fallback;
  const longContext = {
    ...(settings?.long_context_above_tokens === undefined
      ? {}
      : { long_context_above_tokens: settings.long_context_above_tokens }),
    ...(settings?.long_context_budget_tokens === undefined
      ? {}
      : { long_context_budget_tokens: settings.long_context_budget_tokens }),
  };
  const asked = { ...thinking, ...(level === undefined ? {} : { level }) };
  return adapter.plan(model, asked, { ...longContext, ...limits }, resolved.api.quirks);
}

/** One request, described but not performed, with everything a person may want to know about it. */
export type Described = {
  readonly resolved: Resolved;
  readonly target: Target;
  readonly call: Call;
  readonly projection: Projection;
  readonly notes: readonly Note[];
  readonly losses: readonly Loss[];
};

export function describeRequest(
  resolved: Resolved,
  conversation: Conversation,
  options: {
    readonly stream: boolean;
    readonly settings?: Settings | undefined;
    /** The size of the conversation, where it is known better than by its characters. */
    readonly context_tokens?: number;
  },
): Described {
  const problems = validateConversation(conversation);
  if (problems.length > 0) {
    throw invalidArgument(
      problems.map(({ place, message }) => `${place === "" ? "conversation" : place}: ${message}`).join("; "),
    );
  }
  const { row, api, adapter, model, base_url } = resolved;
  const context_tokens = options.context_tokens ?? totalTokensOf(conversation);
  const limits: OutputLimits = {
    context_tokens,
    ...(conversation.max_output_tokens === undefined ? {} : { max_output_tokens: conversation.max_output_tokens }),
  };
  const plan = planThinking(resolved, conversation.thinking, limits, options.settings);
  const quirks = api.quirks ?? {};
  const target: Target = { provider: row.name, api: api.name, model, base_url, stream: options.stream, plan, quirks };
  const rules = adapter.projection({ provider: row.name, model, quirks });
  const projection = projectMessages(conversation.messages, {
    ...rules,
    ...(conversation.foreign_thinking === undefined ? {} : { foreign_thinking: conversation.foreign_thinking }),
  });
  const request: Request = {
    ...conversation,
    ...cacheKeyFor(conversation),
    model: model.id,
    messages: projection.messages,
  };
  const call = withHeaders(adapter.encode(request, target), {
    ...row.headers,
    ...appHeaders(row, options.settings?.app),
    ...resolved.provider.headers,
  });
  return {
    resolved,
    target,
    call,
    projection,
    notes: [...plan.warnings, ...call.notes, ...windowNotes(model, context_tokens)],
    losses: [...projection.losses, ...(call.losses ?? [])],
  };
}

/** Takes away the nulls that a strict schema made the model write for what it left out. */
export function argumentCleaner(
  conversation: Conversation,
): ((name: string, parsed: JsonObject) => JsonObject) | undefined {
  const { tools } = conversation;
  if (tools === undefined || tools.length === 0) return undefined;
  const schemas = new Map(tools.filter((tool) => tool.strict !== false).map((tool) => [tool.name, tool.parameters]));
  return (name, parsed) => {
    const schema = schemas.get(name);
    return schema === undefined ? parsed : removeNulls(parsed, schema);
  };
}

function apiFor(row: ProviderRow, settings: ProviderSettings, model: string): ApiRow {
  const wanted = settings.api ?? homelessApi(row.name, model);
  const found = wanted === undefined ? row.apis[0] : row.apis.find((api) => api.name === wanted);
  if (found !== undefined) return found;
  throw invalidArgument(
    `${row.display_name} has no api "${wanted}"; it has ${row.apis.map((api) => api.name).join(", ")}`,
  );
}

function appHeaders(row: ProviderRow, app: Settings["app"]): Record<string, string> {
  const names = row.app_headers;
  if (names === undefined) return {};
  return {
    ...(app?.title === undefined ? {} : { [names.title]: app.title }),
    ...(app?.url === undefined ? {} : { [names.url]: app.url }),
  };
}

function withHeaders(call: Call, headers: Readonly<Record<string, string>>): Call {
  return { ...call, headers: { ...call.headers, ...headers } };
}

/**
 * A name that all turns of one conversation share and others do not: its beginning. Providers that spread requests over
 * machines find the cache by it.
 */
function cacheKeyFor({ cache, cache_key, system = [], messages }: Conversation): Pick<Conversation, "cache_key"> {
  if (cache === "off" || cache_key !== undefined) return {};
  const first = messages.find(({ role }) => role === "user")?.content ?? [];
  const texts = [...system, ...first].map((block) =>
    block.type === "text" ? block.text.slice(0, keyedCharacters) : "",
  );
  return { cache_key: `ikigai-${fingerprint(texts.join("\n"))}` };
}

/** A window that is nearly full is worth knowing of before the provider refuses. A guessed one is not. */
function windowNotes({ context_tokens, unknown }: ModelInfo, used: number): readonly Note[] {
  if (unknown === true || used < context_tokens * nearlyFull) return [];
  const size = `~${Math.round(used / 1000)}k tokens of ${Math.round(context_tokens / 1000)}k`;
  const message =
    used > context_tokens
      ? `The conversation is longer than the model's window (${size}); it will be refused or cut`
      : `The model's window is nearly full (${size}); shorten or compact the conversation`;
  return [{ code: "context_window", message }];
}

const keyedCharacters = 4_000;
const nearlyFull = 0.8;
