import { estimateTokenCount } from "tokenx";
import {
  costOf,
  totalTokensOf,
  usageFrom,
  type Conversation,
  type ModelInfo,
  type Note,
  type Usage,
} from "../core/index.ts";
import { describeRequest, type Resolved } from "./prepare.ts";
import type { Settings } from "./settings.ts";

/** What a request would read and cost, as far as that can be told beforehand. */
export type Estimate = {
  readonly provider: string;
  readonly model: string;
  /** About how much the model reads. */
  readonly input_tokens: number;
  /** From the last exchange of the conversation, or from its text alone. */
  readonly tokens_source: "usage" | "text";
  /** The most the model may write, thinking included where the provider counts both. */
  readonly output_tokens_max: number;
  readonly context_tokens: number;
  /** At least: as much as can be is read from the cache and nothing is written. At most: nothing is and all is. */
  readonly cost_usd?: { readonly min: number; readonly max: number };
  readonly notes: readonly Note[];
};

export type LastExchange = {
  readonly usage: Usage;
  /** How many messages of the conversation it covers, its own answer included. */
  readonly messages: number;
};

export function estimateRequest(
  resolved: Resolved,
  conversation: Conversation,
  options: { readonly settings?: Settings | undefined; readonly last?: LastExchange | undefined },
): Estimate {
  const { last, settings } = options;
  const input_tokens = last === undefined ? estimatedTokens(conversation) : tokensSince(last, conversation);
  const described = describeRequest(resolved, conversation, { stream: true, settings, context_tokens: input_tokens });
  const output_tokens_max = outputLimit(described.call.body) ?? resolved.model.output_tokens_max;
  const cost_usd = costRange(resolved.model, { input_tokens, output_tokens_max, cached: cachedTokens(last) });
  return {
    provider: resolved.row.name,
    model: resolved.model.id,
    input_tokens,
    tokens_source: last === undefined ? "text" : "usage",
    output_tokens_max,
    context_tokens: resolved.model.context_tokens,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    notes: described.notes,
  };
}

/** By heuristics over the text; long texts by a sample of them. */
export function estimatedTokens(conversation: Pick<Conversation, "system" | "tools" | "messages">): number {
  return totalTokensOf(conversation, countText);
}

function tokensSince({ usage, messages }: LastExchange, conversation: Conversation): number {
  return usage.total_tokens + estimatedTokens({ messages: conversation.messages.slice(messages) });
}

function cachedTokens(last: LastExchange | undefined): number {
  return last === undefined
    ? 0
    : last.usage.input_tokens + last.usage.cache_read_tokens + last.usage.cache_write_tokens;
}

function costRange(
  model: ModelInfo,
  sizes: { readonly input_tokens: number; readonly output_tokens_max: number; readonly cached: number },
): Estimate["cost_usd"] {
  const cached = Math.min(sizes.cached, sizes.input_tokens);
  const none = { cache_write_tokens: 0, thinking_tokens: 0 };
  const least = usageFrom({
    ...none,
    input_tokens: sizes.input_tokens - cached,
    cache_read_tokens: cached,
    output_tokens: 0,
  });
  const dear = model.prices?.cache_write !== undefined;
  const most = usageFrom({
    input_tokens: dear ? 0 : sizes.input_tokens,
    cache_read_tokens: 0,
    cache_write_tokens: dear ? sizes.input_tokens : 0,
    output_tokens: sizes.output_tokens_max,
    thinking_tokens: 0,
  });
  const [min, max] = [costOf(least, model), costOf(most, model)];
  return min === undefined || max === undefined ? undefined : { min, max };
}

/** The limit stands under a different name on every wire, but every wire has exactly one. */
function outputLimit(body: unknown): number | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  for (const [name, value] of Object.entries(body)) {
    if (limitNames.has(name) && typeof value === "number") return value;
    if (name === "generationConfig") return outputLimit(value);
  }
  return undefined;
}

function countText(text: string): number {
  if (text.length <= sampleCharacters * 2) return estimateTokenCount(text);
  const middle = Math.floor(text.length / 2);
  const sample = text.slice(0, sampleCharacters) + text.slice(middle, middle + sampleCharacters);
  return (estimateTokenCount(sample) * text.length) / sample.length;
}

const sampleCharacters = 8_000;
const limitNames: ReadonlySet<string> = new Set([
  "max_tokens",
  "max_completion_tokens",
  "max_output_tokens",
  "maxOutputTokens",
]);
