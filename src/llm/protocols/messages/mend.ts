import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/index.ts";

/**
 * Half of a surrogate pair is legal in a string and refused in a request; a call that holds one would spoil every
 * request after it. What needs no mending comes back as it is.
 */
export function mendedObject(object: JsonObject): JsonObject {
  let changed = false;
  const entries = Object.entries(object).map(([name, value]) => {
    const entry = [name.toWellFormed(), mended(value)] as const;
    changed ||= entry[0] !== name || entry[1] !== value;
    return entry;
  });
  return changed ? Object.fromEntries(entries) : object;
}

function mended(value: JsonValue | undefined): JsonValue | undefined {
  if (typeof value === "string") return value.isWellFormed() ? value : value.toWellFormed();
  if (isJsonObject(value)) return mendedObject(value);
  if (!Array.isArray(value)) return value;
  const items: readonly JsonValue[] = value;
  const whole = items.map((item) => mended(item) ?? null);
  return whole.some((item, index) => item !== items[index]) ? whole : items;
}
