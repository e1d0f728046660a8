import { isJsonObject, usageFrom, type JsonObject, type Usage } from "../../../core/index.ts";
import type { ResponsesQuirks } from "./quirks.ts";

/**
 * What a server reports, in parts that do not overlap. `input_tokens` counts what was read from and written to the
 * cache, `output_tokens` counts reasoning; where that cannot be, or the total says otherwise, they stand beside.
 */
export function readUsage(raw: JsonObject): Usage {
  const input = count(raw["input_tokens"]);
  const output = count(raw["output_tokens"]);
  const total = count(raw["total_tokens"]);
  const inputDetails = objectIn(raw, "input_tokens_details");
  const read = count(inputDetails["cached_tokens"]);
  const written = count(inputDetails["cache_write_tokens"]);
  const reasoning = count(objectIn(raw, "output_tokens_details")["reasoning_tokens"]);
  const cached = (read ?? 0) + (written ?? 0);
  const rest = total === undefined ? undefined : total - (input ?? 0) - (output ?? 0);
  const cachedBeside = cached > (input ?? 0) && (rest === undefined || rest >= cached);
  const reasoningBeside = reasoning !== undefined && reasoning > 0 && rest === reasoning;
  const inside = cachedBeside ? { read, written } : clamped(read, written, input);
  const thinking = reasoningBeside || reasoning === undefined ? reasoning : Math.min(reasoning, output ?? reasoning);
  return usageFrom({
    input_tokens: input === undefined ? undefined : input - (cachedBeside ? 0 : sum(inside.read, inside.written)),
    cache_read_tokens: inside.read,
    cache_write_tokens: inside.written,
    output_tokens: output === undefined ? undefined : output - (reasoningBeside ? 0 : (thinking ?? 0)),
    thinking_tokens: thinking,
  });
}

/** The price the server itself puts on the exchange, in US dollars. */
export function readCost(raw: JsonObject, quirks: ResponsesQuirks): number | undefined {
  const behind = raw["is_byok"] === true ? objectIn(raw, "cost_details")["upstream_inference_cost"] : undefined;
  // With a key of one's own the gateway bills its fee; what the exchange cost is what the server behind it charged.
  const cost = typeof behind === "number" ? behind : quirks.cost_field === "" ? undefined : raw[quirks.cost_field];
  return typeof cost === "number" && Number.isFinite(cost) ? cost / quirks.cost_units_per_usd : undefined;
}

/** What a usage says beyond the parts that are counted: searches, costs, what was billed where. */
export function usageExtras(raw: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(raw).filter(([key]) => !countedFields.has(key)));
}

/** A cache that is larger than the input it was part of: the input is the figure that sums to the total. */
function clamped(
  read: number | undefined,
  written: number | undefined,
  input: number | undefined,
): { readonly read: number | undefined; readonly written: number | undefined } {
  const limit = input ?? sum(read, written);
  const keptRead = read === undefined ? undefined : Math.min(read, limit);
  return { read: keptRead, written: written === undefined ? undefined : Math.min(written, limit - (keptRead ?? 0)) };
}

function sum(left: number | undefined, right: number | undefined): number {
  return (left ?? 0) + (right ?? 0);
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) ? Math.max(0, Math.round(value)) : undefined;
}

function objectIn(raw: JsonObject, key: string): JsonObject {
  const value = raw[key];
  return isJsonObject(value) ? value : {};
}

const countedFields: ReadonlySet<string> = new Set([
  "input_tokens",
  "input_tokens_details",
  "output_tokens",
  "output_tokens_details",
  "total_tokens",
]);
