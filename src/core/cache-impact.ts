import { costOf, type ModelInfo } from "./models.ts";
import type { Conversation } from "./request.ts";
import type { ThinkingLevel } from "./thinking.ts";
import { tokensOf, messageTokens } from "./tokens.ts";
import { usageFrom } from "./usage.ts";

/** What of a prompt stays cached when the level changes: all of it, or only what stands before the messages. */
export type KeptAcrossLevels = "all" | "system";

/** A request as its provider's cache sees it. */
export type CacheState = {
  readonly provider: string;
  readonly model: Pick<ModelInfo, "id" | "prices" | "price_tiers">;
  /** The level whose setting is sent. Absent: the model has none. */
  readonly level?: ThinkingLevel;
  readonly conversation: Pick<Conversation, "system" | "tools" | "messages" | "cache">;
  /** Absent: a change of level loses everything, or nobody knows. */
  readonly level_change_keeps?: KeptAcrossLevels;
  /** The real size of the prompt, where its last exchange has told. */
  readonly tokens?: number;
};

export type CacheImpact = {
  readonly reason: "none" | "model" | "level" | "tools" | "system" | "history";
  /** Read again although they were cached; an estimate where the real size is not known. */
  readonly tokens: number;
  /** What reading them again costs, and what reading them from the cache would have. */
  readonly cost_usd?: number;
  readonly cached_cost_usd?: number;
  /** Empty where nothing is lost. */
  readonly message: string;
};

/** What a change of model, level, system, tools or history makes the provider read again uncached. */
export function cacheImpact(previous: CacheState, next: CacheState): CacheImpact {
  const before = sizesOf(previous);
  const after = sizesOf(next);
  const loss = firstLoss(previous, next, before);
  if (loss === undefined || !hasCache(previous)) return { reason: "none", tokens: 0, message: "" };
  const tokens = Math.max(0, Math.round(Math.min(before.all, after.all) - loss.kept));
  if (tokens === 0) return { reason: "none", tokens: 0, message: "" };
  const cost_usd = costOfReading(tokens, next.model, "again");
  const cached_cost_usd = costOfReading(tokens, next.model, "cached");
  const money =
    cost_usd === undefined || cached_cost_usd === undefined || cost_usd === 0
      ? ""
      : ` ($${cost_usd.toFixed(4)} instead of $${cached_cost_usd.toFixed(4)})`;
  const message = `Changing the ${loss.reason} makes ~${inThousands(tokens)} cached tokens be read again uncached${money}`;
  return {
    reason: loss.reason,
    tokens,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(cached_cost_usd === undefined ? {} : { cached_cost_usd }),
    message,
  };
}

/** Where prices are known, one for what comes from a cache tells that there is one. */
function hasCache({ conversation, model: { prices } }: CacheState): boolean {
  return conversation.cache !== "off" && (prices === undefined || prices.cache_read !== undefined);
}

type Sizes = { readonly tools: number; readonly system: number; readonly all: number; readonly scale: number };

/** Tools stand first, then the system, then the messages. */
function sizesOf({ conversation, tokens }: CacheState): Sizes {
  const parts = tokensOf(conversation);
  const rough = parts.tools + parts.system + parts.messages;
  const scale = tokens === undefined || rough === 0 ? 1 : tokens / rough;
  return { tools: parts.tools * scale, system: parts.system * scale, all: rough * scale, scale };
}

type LossOfCache = { readonly reason: Exclude<CacheImpact["reason"], "none">; readonly kept: number };

/** The change that stands earliest in the prompt: what follows it is lost whatever else changed. */
function firstLoss(previous: CacheState, next: CacheState, { tools, system, scale }: Sizes): LossOfCache | undefined {
  if (previous.provider !== next.provider || previous.model.id !== next.model.id) return { reason: "model", kept: 0 };
  const levelChanged = previous.level !== next.level && next.level_change_keeps !== "all";
  if (levelChanged && next.level_change_keeps === undefined) return { reason: "level", kept: 0 };
  if (differ(previous.conversation.tools ?? [], next.conversation.tools ?? [])) return { reason: "tools", kept: 0 };
  if (differ(previous.conversation.system ?? [], next.conversation.system ?? [])) {
    return { reason: "system", kept: tools };
  }
  if (levelChanged) return { reason: "level", kept: tools + system };
  const [old, now] = [previous.conversation.messages, next.conversation.messages];
  const same = old.findIndex((message, index) => differ(message, now[index]));
  if (same === -1) return undefined;
  const kept = old.slice(0, same).reduce((total, message) => total + messageTokens(message), 0);
  return { reason: "history", kept: tools + system + kept * scale };
}

function differ(left: unknown, right: unknown): boolean {
  return left !== right && JSON.stringify(left) !== JSON.stringify(right);
}

function costOfReading(tokens: number, model: CacheState["model"], how: "again" | "cached"): number | undefined {
  const written = how === "again" && model.prices?.cache_write !== undefined;
  const usage = usageFrom({
    input_tokens: how === "again" && !written ? tokens : 0,
    cache_read_tokens: how === "cached" ? tokens : 0,
    cache_write_tokens: written ? tokens : 0,
    output_tokens: 0,
    thinking_tokens: 0,
  });
  return costOf(usage, model);
}

function inThousands(count: number): string {
  return count.toString().replace(/\B(?=(\d{3})+$)/g, ",");
}
