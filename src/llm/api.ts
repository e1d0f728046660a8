import {
  costOf,
  type Conversation,
  type DoneEvent,
  type JsonObject,
  type Loss,
  type Message,
  type ModelInfo,
  type Note,
  type StreamEvent,
  type TextBlock,
  type ThinkingLevel,
  user,
} from "../core/index.ts";
import type { Call, ListedModel } from "./adapter.ts";
import { AnswerStream, IkigaiError, type Answer, type Prepared } from "./answer.ts";
import { failureInfo } from "./decode.ts";
import { Failure, invalidArgument } from "./failure.ts";
import { newToolCallId } from "./ids.ts";
import {
  argumentCleaner,
  describeRequest,
  planThinking,
  providerRows,
  resolve,
  type Described,
  type PrepareOptions,
  type Resolved,
} from "./prepare.ts";
import type { ProviderRow } from "./provider.ts";
import { startRun, type Run } from "./run.ts";
import {
  checkSettings,
  defaultIdleTimeoutMs,
  findKey,
  missingKey,
  settingsFor,
  type Finding,
  type Settings,
} from "./settings.ts";
import { readWhole, refusalCharactersMax, send, type Fetch } from "./transport.ts";

/** What can be asked: a line, messages, or a whole conversation. Strings stand for one text block. */
export type Input = string | readonly Message[] | LooseConversation;
export type LooseConversation = Omit<Conversation, "system"> & { readonly system?: string | readonly TextBlock[] };

/** Options of a call that are not data. */
export type CallOptions = PrepareOptions & {
  readonly signal?: AbortSignal;
  /** Instead of the built-in one. */
  readonly fetch?: Fetch;
  /** Instead of the key from settings or environment. */
  readonly key?: string;
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
    const { call, notes, losses } = describeRequest(resolved, normalise(conversation), {
      stream: options.stream ?? true,
      settings: options.settings,
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

/** The models a provider lists right now. */
export async function listModels(provider: string, options: CallOptions = {}): Promise<readonly ListedModel[]> {
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

/** The models the registry knows, of all providers. */
export async function knownModels(options: PrepareOptions = {}): Promise<readonly ModelInfo[]> {
  const lists = await Promise.all(providerRows(options).map((row) => row.models()));
  return lists.flat();
}

/** Keys and settings, checked without a network. */
export function validateConfig(
  settings: Settings = {},
  options: Pick<PrepareOptions, "providers"> = {},
): readonly Finding[] {
  return checkSettings(providerRows(options), settings);
}

async function prepare(model: string, input: Input, options: CallOptions, streamed: boolean): Promise<Prepared> {
  const resolved = await resolve(model, options);
  const conversation = normalise(input);
  const described = describeRequest(resolved, conversation, { stream: streamed, settings: options.settings });
  const cleanArguments = argumentCleaner(conversation);
  const { call, target, notes, losses } = described;
  const run = startRun({
    adapter: resolved.adapter,
    call,
    context: {
      newId: newToolCallId,
      provider: target.provider,
      model: target.model.id,
      quirks: target.quirks,
      ...(call.prefix_hash === undefined ? {} : { prefix_hash: call.prefix_hash }),
    },
    secrets: secretsFor(resolved, options),
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    idle_timeout_ms: idleTimeout(resolved, options, streamed),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(cleanArguments === undefined ? {} : { cleanArguments }),
  });
  const origin = { provider: target.provider, api: target.api, model: target.model.id };
  return { origin, notes, losses, run: withEnding(run, resolved.model) };
}

/** Puts on the last event what only we know: the money, and that thinking ate the answer. */
function withEnding(run: Run, model: ModelInfo): Run {
  let visible = false;
  const seen = (event: StreamEvent): void => {
    if ((event.type === "text_delta" && event.text !== "") || event.type === "tool_call_start") visible = true;
  };
  return {
    ...run,
    async next() {
      const batch = await run.next();
      if (batch === undefined) return undefined;
      if (!visible) batch.forEach(seen);
      const last = batch.at(-1);
      return last?.type === "done" ? [...batch.slice(0, -1), ending(last, model, visible)] : batch;
    },
  };
}

function ending(done: DoneEvent, model: ModelInfo, visible: boolean): DoneEvent {
  const cost_usd =
    done.cost_usd ?? (done.usage.unreported?.includes("input_tokens") ? undefined : costOf(done.usage, model));
  const eaten = done.finish_reason === "length" && !visible;
  return {
    ...done,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(eaten ? { notes: [...(done.notes ?? []), thinkingUsedUpTheLimit] } : {}),
  };
}

const thinkingUsedUpTheLimit: Note = {
  code: "thinking_used_output_limit",
  message: "Thinking used up the output limit before any text was written; raise max_output_tokens or lower the level",
};

function normalise(input: Input): Conversation {
  if (typeof input === "string") return { messages: [user(input)] };
  if (isMessages(input)) return { messages: input };
  const { system, ...rest } = input;
  if (system === undefined) return rest;
  return { ...rest, system: typeof system === "string" ? [{ type: "text", text: system }] : system };
}

function isMessages(input: Exclude<Input, string>): input is readonly Message[] {
  return Array.isArray(input);
}

function secretsFor(resolved: Resolved, options: CallOptions): Readonly<Record<string, string>> {
  const key = options.key ?? findKey(resolved.row, resolved.provider);
  if (key !== undefined) return resolved.adapter.authorize(key);
  if (resolved.row.key_variables.length > 0) throw missingKey(resolved.row);
  return {};
}

function idleTimeout(resolved: Resolved, options: CallOptions, streamed: boolean): number {
  const chosen = resolved.provider.idle_timeout_ms ?? options.settings?.idle_timeout_ms;
  const fallback = resolved.row.idle_timeout_ms ?? defaultIdleTimeoutMs;
  // Without a stream the whole answer is one silence.
  return chosen ?? (streamed ? fallback : Math.max(fallback, unstreamedTimeoutMs));
}

async function fetchJson(resolved: Resolved, call: Call, options: CallOptions): Promise<unknown> {
  const signal = AbortSignal.any([
    AbortSignal.timeout(smallCallTimeoutMs),
    ...(options.signal ? [options.signal] : []),
  ]);
  const fetch = options.fetch ?? ((url: string, init: RequestInit) => globalThis.fetch(url, init));
  const response = await send(call, { fetch, secrets: secretsFor(resolved, options), signal });
  if (!response.ok) {
    const text = await readWhole(response, call.url, refusalCharactersMax);
    throw new Failure(
      resolved.adapter.decodeError({ status: response.status, headers: response.headers, text, now: Date.now() }),
    );
  }
  return JSON.parse(await readWhole(response, call.url, listCharactersMax));
}

function rowNamed(name: string, options: PrepareOptions): ProviderRow {
  const rows = providerRows(options);
  const row = rows.find((candidate) => candidate.name === name);
  if (row === undefined)
    throw invalidArgument(`"${name}" is not a provider; known: ${rows.map((known) => known.name).join(", ")}`);
  return row;
}

/** What is thrown inside leaves as the one error type. */
async function guard<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof IkigaiError ? error : new IkigaiError(failureInfo(error));
  }
}

export type { Answer, Described };

const modelPagesMax = 50;
const smallCallTimeoutMs = 60_000;
const unstreamedTimeoutMs = 600_000;
const listCharactersMax = 32 * 1024 * 1024;
