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
import type { Call } from "./adapter.ts";
import { AnswerStream, type Answer, type Prepared } from "./answer.ts";
import { invalidArgument } from "./failure.ts";
import { newToolCallId } from "./ids.ts";
import { resolveAnywhere } from "./local-servers.ts";
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
import { correctedModels } from "./resolve.ts";
import { startRun, type Run } from "./run.ts";
import { checkSettings, defaultIdleTimeoutMs, missingAddress, type Finding, type Settings } from "./settings.ts";
import { fetchFor, fetchJson, guard, secretsFor, withStartHint, type NetworkOptions } from "./small-calls.ts";

/** What can be asked: a line, messages, or a whole conversation. Strings stand for one text block. */
export type Input = string | readonly Message[] | LooseConversation;
export type LooseConversation = Omit<Conversation, "system"> & { readonly system?: string | readonly TextBlock[] };

/** Options of a call that are not data. */
export type CallOptions = NetworkOptions & {
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
  const resolved = await resolveAnywhere(model, options);
  const gap = missingAddress(resolved.row, resolved.base_url);
  if (gap !== undefined) throw gap;
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
    fetch: await fetchFor(resolved, options),
    idle_timeout_ms: idleTimeout(resolved, options, streamed),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(cleanArguments === undefined ? {} : { cleanArguments }),
  });
  const origin = { provider: target.provider, api: target.api, model: target.model.id };
  return { origin, notes, losses, run: withEnding(run, resolved) };
}

/** Puts on the last event what only we know: the money, and that thinking ate the answer. */
function withEnding(run: Run, { model, row }: Resolved): Run {
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
      if (last?.type === "done") return [...batch.slice(0, -1), ending(last, model, visible)];
      if (last?.type !== "error") return batch;
      return [...batch.slice(0, -1), { ...last, error: withStartHint(last.error, row) }];
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

function idleTimeout(resolved: Resolved, options: CallOptions, streamed: boolean): number {
  const chosen = resolved.provider.idle_timeout_ms ?? options.settings?.idle_timeout_ms;
  const fallback = resolved.row.idle_timeout_ms ?? defaultIdleTimeoutMs;
  // Without a stream the whole answer is one silence.
  return chosen ?? (streamed ? fallback : Math.max(fallback, unstreamedTimeoutMs));
}

export type { Answer, Described };

const unstreamedTimeoutMs = 600_000;
