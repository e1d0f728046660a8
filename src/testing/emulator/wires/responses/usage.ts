import type { JsonObject } from "../../../../core/json.ts";
import type { Exchange } from "../../exchange.ts";
import type { OpenAiModel } from "../../models.ts";
import type { CacheUse } from "../../tokens.ts";
import type { TurnUsage } from "../../turn.ts";

/** Cache writes are reported (and billed) from one generation on; before, they are part of the plain input. */
export function cacheDetails(model: OpenAiModel, cache: CacheUse): JsonObject {
  const written = model.cache_writes ? { cache_write_tokens: cache.written } : {};
  return { cached_tokens: cache.read, ...written };
}

/** One millionth of a dollar for every token read, five for every token written: a price to add up, not a real one. */
const costPerInput = 0.000001;
const costPerOutput = 0.000005;
const ticksPerDollar = 10_000_000_000;

export function costOf(exchange: Exchange, usage: TurnUsage): JsonObject {
  const field = exchange.route.dialect.quirks.cost;
  if (field === undefined) return {};
  const read = usage.input + usage.cache.read + usage.cache.written;
  const prompt = read * costPerInput;
  const answer = (usage.output + usage.thinking) * costPerOutput;
  if (field === "cost_in_usd_ticks") return { cost_in_usd_ticks: Math.round((prompt + answer) * ticksPerDollar) };
  return {
    cost: prompt + answer,
    is_byok: false,
    cost_details: {
      upstream_inference_cost: prompt + answer,
      upstream_inference_prompt_cost: prompt,
      upstream_inference_completions_cost: answer,
    },
  };
}
