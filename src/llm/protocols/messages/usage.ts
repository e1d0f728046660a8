import { isJsonObject, usageFrom, type JsonObject, type JsonValue, type Usage } from "../../../core/index.ts";

/** Later figures replace earlier ones (they are cumulative); null means that nothing new is known. */
export function mergeUsage(earlier: JsonObject | undefined, later: JsonValue | undefined): JsonObject | undefined {
  if (!isJsonObject(later)) return earlier;
  return { ...earlier, ...Object.fromEntries(Object.entries(later).filter(([, value]) => value !== null)) };
}

/** `input_tokens` is what was not cached; `output_tokens` includes thinking. */
export function readUsage(raw: JsonObject): Usage {
  const written = count(raw["cache_creation_input_tokens"]);
  const forAnHour = count(part(raw["cache_creation"], "ephemeral_1h_input_tokens"));
  const output = count(raw["output_tokens"]);
  const thinking = count(part(raw["output_tokens_details"], "thinking_tokens"));
  return usageFrom({
    input_tokens: count(raw["input_tokens"]),
    cache_read_tokens: count(raw["cache_read_input_tokens"]),
    cache_write_tokens: written,
    output_tokens: output === undefined ? undefined : Math.max(0, output - (thinking ?? 0)),
    thinking_tokens: thinking === undefined || output === undefined ? thinking : Math.min(thinking, output),
    cache_write_1h_tokens: forAnHour === undefined ? undefined : Math.min(forAnHour, written ?? 0),
  });
}

function part(value: JsonValue | undefined, name: string): JsonValue | undefined {
  return isJsonObject(value) ? value[name] : undefined;
}

function count(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
