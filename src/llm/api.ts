import {
  isJsonObject,
  type CacheState,
  type Conversation,
  type JsonObject,
  type Loss,
  type Message,
  type ModelInfo,
  type Note,
  type TextBlock,
  type ThinkingLevel,
  user,
} from "../core/index.ts";
import type { Call } from "./adapter.ts";
import { AnswerStream, type Prepared } from "./answer.ts";
import type { Estimate, LastExchange } from "./estimate.ts";
import { closerLook, prepareExchange, type ExchangeOptions } from "./exchange.ts";
import { Failure, invalidArgument } from "./failure.ts";
import { describeRequest, planThinking, providerRows, resolve, type PrepareOptions, type Resolved } from "./prepare.ts";
import { correctedModels } from "./resolve.ts";
import { checkSettings, type Finding, type Settings } from "./settings.ts";
import { fetchJson, guard } from "./small-calls.ts";

/** What can be asked: a line, messages, or a whole conversation. Strings stand for one text block. */
export type Input = string | readonly Message[] | LooseConversation;
export type LooseConversation = Omit<Conversation, "system"> & { readonly system?: string | readonly TextBlock[] };

/** Options of a call that are not data. */
export type CallOptions = ExchangeOptions & {
  /**
   * Models to ask in this order when the one before fails, in a way another may not, before it has said anything.
   * Instead of the list in the settings; an empty one means none.
   */
  readonly fallback?: readonly string[];
  /** False: the stream keeps nothing, for answers that are only passed on. The awaited message is then empty. */
  readonly accumulate?: boolean;
};

/**
 * Asks a model. The result can be awaited for the whole answer or iterated for its events.
 *
 *     const answer = await ask("claude-opus-5-5/high", "Why is the sky blue?");
 *     for await (const event of ask("gpt-6.1-sol/med", "…", { signal })) { … }
 */
export function ask(model: string, input: Input, options: CallOptions = {}): AnswerStream {
  return stream(model, input, options);
}

/** The same as `ask`: streamed. */
export function stream(model: string, input: Input, options: CallOptions = {}): AnswerStream {
  return new AnswerStream(() => prepare(model, input, options, true), options);
}

/** One request without streaming: one body instead of frames, the same events and the same answer. */
export function complete(model: string, input: Input, options: CallOptions = {}): AnswerStream {
  return new AnswerStream(() => prepare(model, input, options, false), options);
}

export type Explanation = {
  readonly provider: string;
  readonly api: string;
  readonly model: string;
  readonly level_asked: ThinkingLevel;
  readonly level_applied: ThinkingLevel;
  readonly parameters: JsonObject;
  readonly calculated_budget: number | null;
  readonly warnings: readonly Note[];
};

/** What a level becomes: the exact wire parameters and warnings. No network, no key. */
export async function explain(
  model: string,
  options: PrepareOptions & {
    readonly max_output_tokens?: number;
    readonly thinking_budget?: number;
    readonly include_summary?: boolean;
    readonly context_tokens?: number;
  } = {},
): Promise<Explanation> {
  return guard(async () => {
    const resolved = await resolve(model, options);
    const { max_output_tokens, thinking_budget, include_summary, context_tokens } = options;
    const thinking = {
      ...(thinking_budget === undefined ? {} : { budget_tokens: thinking_budget }),
      ...(include_summary === undefined ? {} : { include_summary }),
    };
    const limits = {
      ...(max_output_tokens === undefined ? {} : { max_output_tokens }),
      ...(context_tokens === undefined ? {} : { context_tokens }),
    };
    const plan = planThinking(resolved, thinking, limits, options.settings);
    return {
      provider: resolved.row.name,
      api: resolved.api.name,
      model: resolved.model.id,
      level_asked: plan.level_asked,
      level_applied: plan.level_applied,
      parameters: plan.parameters,
      calculated_budget: plan.calculated_budget,
      warnings: plan.warnings,
    };
  });
}

/** A request for a target and what it loses. Nothing is sent; headers hold no key. */
export type ProjectedRequest = {
  readonly method: Call["method"];
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject | undefined;
  readonly notes: readonly Note[];
  readonly losses: readonly Loss[];
};

export async function project(
  conversation: Input,
  model: string,
  options: PrepareOptions & { readonly stream?: boolean } = {},
): Promise<ProjectedRequest> {
  return guard(async () => {
    const resolved = await resolve(model, options);
    const asked = normalise(conversation);
    const context_tokens = await closerLook(resolved, asked);
    const { call, notes, losses } = describeRequest(resolved, asked, {
      stream: options.stream ?? true,
      settings: options.settings,
      ...(context_tokens === undefined ? {} : { context_tokens }),
    });
    return { method: call.method, url: call.url, headers: call.headers, body: call.body, notes, losses };
  });
}

/** The provider's own count of what a conversation would read. */
export async function countTokens(model: string, input: Input, options: CallOptions = {}): Promise<number> {
  return guard(async () => {
    const resolved = await resolve(model, options);
    const count = resolved.adapter.countTokens;
    if (count === undefined) throw invalidArgument(`${resolved.row.display_name} cannot count tokens`);
    const { target, projection } = describeRequest(resolved, normalise(input), {
      stream: false,
      settings: options.settings,
    });
    const request = { ...normalise(input), model: resolved.model.id, messages: projection.messages };
    return count.decode(await fetchJson(resolved, count.encode(request, target), options));
  });
}

/** What a request would read and cost, before it is sent. No network, no key. `last` makes it nearly exact. */
export async function estimate(
  model: string,
  input: Input,
  options: PrepareOptions & { readonly last?: LastExchange } = {},
): Promise<Estimate> {
  return guard(async () => {
    const resolved = await resolve(model, options);
    const { estimateRequest } = await import("./estimate.ts");
    return estimateRequest(resolved, normalise(input), options);
  });
}

/** A request as its provider's cache sees it, for `cacheImpact`. `tokens`: its real size, where that is known. */
export async function cacheState(
  model: string,
  input: Input,
  options: PrepareOptions & { readonly tokens?: number } = {},
): Promise<CacheState> {
  return guard(async () => {
    const resolved = await resolve(model, options);
    const conversation = normalise(input);
    const { level_applied } = planThinking(resolved, conversation.thinking, {}, options.settings);
    const { kind } = resolved.model.thinking;
    const level_change_keeps = resolved.api.level_change_keeps?.[kind];
    return {
      provider: resolved.row.name,
      model: resolved.model,
      conversation,
      ...(kind === "none" ? {} : { level: level_applied }),
      ...(level_change_keeps === undefined ? {} : { level_change_keeps }),
      ...(options.tokens === undefined ? {} : { tokens: options.tokens }),
    };
  });
}

/** The models the registry knows, of all providers, with what the settings correct. */
export async function knownModels(options: PrepareOptions = {}): Promise<readonly ModelInfo[]> {
  const corrections = options.settings?.models ?? [];
  const lists = providerRows(options).map(async ({ name, models }) => {
    const own = corrections.filter((model) => model.provider === name);
    return correctedModels(name, await models(), own);
  });
  return (await Promise.all(lists)).flat();
}

/** Keys and settings, checked without a network. */
export function validateConfig(
  settings: Settings = {},
  options: Pick<PrepareOptions, "providers"> = {},
): readonly Finding[] {
  return checkSettings(providerRows(options), settings);
}

async function prepare(model: string, input: Input, options: CallOptions, streamed: boolean): Promise<Prepared> {
  const conversation = normalise(input);
  const fallback = options.fallback ?? options.settings?.fallback ?? [];
  if (fallback.length === 0) {
    const resolved = await resolveToAsk(model, options);
    const { run, facts } = await prepareExchange(resolved, conversation, { ...options, streamed });
    return { run, facts: () => facts };
  }
  const { prepareChain } = await import("./later.ts");
  let first: Resolved | undefined;
  return prepareChain({
    chain: [model, ...fallback],
    conversation,
    resolve: async (spec) => {
      const resolved = await resolveToAsk(spec, options);
      if (spec === model) first = resolved;
      return resolved;
    },
    prepare(resolved, asked) {
      // A key that was given for one provider is not shown to others.
      const { key, ...rest } = options;
      const own = key !== undefined && resolved.row.name === first?.row.name ? { key } : {};
      return prepareExchange(resolved, asked, { ...rest, ...own, streamed });
    },
  });
}

/** A name that no provider serves any more may be that of a model on this machine. */
async function resolveToAsk(spec: string, options: CallOptions): Promise<Resolved> {
  try {
    return await resolve(spec, options);
  } catch (error) {
    if (!(error instanceof Failure) || error.info.provider_code !== "retired_provider") throw error;
    const { resolveLocally } = await import("./later.ts");
    return resolveLocally(spec, options, error);
  }
}

function normalise(input: Input): Conversation {
  if (typeof input === "string") return { messages: [user(input)] };
  if (isMessages(input)) return { messages: input };
  if (!isJsonObject(input)) throw invalidArgument("What is asked must be a text, messages or a conversation");
  const { system, ...rest } = input;
  if (system === undefined) return rest;
  return { ...rest, system: typeof system === "string" ? [{ type: "text", text: system }] : system };
}

function isMessages(input: Exclude<Input, string>): input is readonly Message[] {
  return Array.isArray(input);
}
