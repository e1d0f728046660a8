import { isJsonObject, usageFrom, type JsonObject, type Usage } from "../../../core/index.ts";
import type { ChatQuirks } from "./quirks.ts";

/** What a server reports along the way: on any chunk, growing from chunk to chunk, or late. The last word counts. */
export type UsageReport = {
  readonly add: (chunk: JsonObject, choice: JsonObject | undefined) => void;
  readonly usage: () => Usage | undefined;
  readonly cost: () => number | undefined;
  /** Who charged what, where it was more than one. */
  readonly bill: () => JsonObject | undefined;
};

export function createUsageReport(quirks: ChatQuirks): UsageReport {
  let reported: JsonObject | undefined;
  return {
    add(chunk, choice) {
      const found = usageIn(chunk, choice);
      if (found !== undefined) reported = { ...reported, ...found };
    },
    usage: () => (reported === undefined ? undefined : readUsage(reported, quirks)),
    cost: () => (reported === undefined ? undefined : readCost(reported, quirks)),
    bill: () => (reported?.["is_byok"] === true ? pick(reported, ["is_byok", "cost", "cost_details"]) : undefined),
  };
}

function pick(from: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.flatMap((name) => (from[name] === undefined ? [] : [[name, from[name]]])));
}

function usageIn(chunk: JsonObject, choice: JsonObject | undefined): JsonObject | undefined {
  const { usage } = chunk;
  const found = isJsonObject(usage) ? usage : (choice?.["usage"] ?? extensionUsage(chunk));
  if (!isJsonObject(found)) return undefined;
  // Counts that are not known yet come as null and must not hide the ones that were.
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== null));
}

/** In a field of the server's own, whose name then begins with `x_`. */
function extensionUsage(chunk: JsonObject): unknown {
  for (const key in chunk) {
    const value = key[0] === "x" && key[1] === "_" ? chunk[key] : undefined;
    if (isJsonObject(value) && isJsonObject(value["usage"])) return value["usage"];
  }
  return undefined;
}

/**
 * What a server reports, in parts that do not overlap. `prompt_tokens` counts cached tokens and `completion_tokens`
 * counts reasoning, except where the total says otherwise; the total is the server's own.
 */
function readUsage(raw: JsonObject, quirks: Pick<ChatQuirks, "usage_excludes_reasoning">): Usage {
  const prompt = count(raw["prompt_tokens"]);
  const total = count(raw["total_tokens"]);
  const completion = count(raw["completion_tokens"]) ?? difference(total, prompt);
  const read = firstCount(cacheReadPlaces, raw);
  const written = firstCount(cacheWritePlaces, raw);
  const reasoning = firstCount(reasoningPlaces, raw);
  // More in the total than the prompt and the completion: media beside the prompt, reasoning beside the completion,
  // or thoughts that nobody names.
  const rest = total === undefined ? 0 : Math.max(0, total - (prompt ?? 0) - (completion ?? 0));
  const media = rest > 0 && rest === count(at(raw, "prompt_tokens_details.audio_tokens")) ? rest : 0;
  const unnamed = media === 0 && !reasoning ? rest : 0;
  const beside = unnamed > 0 || reasoningIsBeside({ reasoning: reasoning ?? 0, rest, total }, quirks);
  const thinking = unnamed > 0 ? unnamed : beside ? reasoning : clamped(reasoning, completion);
  const input = (prompt ?? 0) + media;
  const cached = (read ?? 0) + (written ?? 0);
  return usageFrom({
    // Some report cached tokens beside the prompt instead of inside it.
    input_tokens: prompt === undefined ? undefined : cached <= input ? input - cached : input,
    cache_read_tokens: read,
    cache_write_tokens: written,
    output_tokens: completion === undefined || beside ? completion : completion - (thinking ?? 0),
    thinking_tokens: thinking,
    cache_write_1h_tokens: count(at(raw, "cache_creation.ephemeral_1h_input_tokens")),
  });
}

/** The sum decides where it can; the quirk where there is no total, or none that adds up either way. */
function reasoningIsBeside(
  { reasoning, rest, total }: { readonly reasoning: number; readonly rest: number; readonly total: number | undefined },
  quirks: Pick<ChatQuirks, "usage_excludes_reasoning">,
): boolean {
  const isDecided = reasoning > 0 && total !== undefined && (rest === 0 || rest === reasoning);
  return isDecided ? rest === reasoning : quirks.usage_excludes_reasoning;
}

/** The price the server itself puts on the exchange, in US dollars. */
function readCost(raw: JsonObject, quirks: ChatQuirks): number | undefined {
  if (quirks.cost_field === "") return undefined;
  // With a key of one's own the gateway bills its fee; what the exchange cost is what the server behind it charged.
  const behind = raw["is_byok"] === true ? number(at(raw, "cost_details.upstream_inference_cost")) : undefined;
  const cost = behind ?? number(at(raw, quirks.cost_field));
  return cost === undefined ? undefined : cost / quirks.cost_units_per_usd;
}

function difference(total: number | undefined, part: number | undefined): number | undefined {
  return total === undefined || part === undefined ? undefined : Math.max(0, total - part);
}

function clamped(reasoning: number | undefined, completion: number | undefined): number | undefined {
  // Seen on several gateways: more reasoning than completion, with a total that knows only the completion.
  return reasoning === undefined ? undefined : Math.min(reasoning, completion ?? reasoning);
}

function firstCount(places: readonly string[], raw: JsonObject): number | undefined {
  return places.map((place) => count(at(raw, place))).find((value) => value !== undefined);
}

function at(raw: JsonObject, place: string): unknown {
  return place.split(".").reduce<unknown>((value, key) => (isJsonObject(value) ? value[key] : undefined), raw);
}

function count(value: unknown): number | undefined {
  const found = number(value);
  return found === undefined ? undefined : Math.max(0, Math.round(found));
}

function number(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

const cacheReadPlaces = [
  "prompt_tokens_details.cached_tokens",
  "prompt_cache_hit_tokens",
  "num_cached_tokens",
  "cached_tokens",
  "cache_read_input_tokens",
];
const cacheWritePlaces = ["prompt_tokens_details.cache_write_tokens", "cache_creation_input_tokens"];
const reasoningPlaces = ["completion_tokens_details.reasoning_tokens", "reasoning_tokens"];
