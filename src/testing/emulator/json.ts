/** Reading JSON that somebody else wrote: every access says what it falls back to. */
import { isJsonObject, type JsonObject, type JsonValue } from "../../core/json.ts";

export function objectOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

export function objectsOf(value: JsonValue | undefined): readonly JsonObject[] {
  return listOf(value).map(objectOf);
}

export function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

export function numberOf(value: JsonValue | undefined): number | undefined {
  return typeof value === "number" ? value : undefined;
}

/** A field that is there and not null: providers read `null` as absent. */
export function has(object: JsonObject, key: string): boolean {
  return object[key] !== undefined && object[key] !== null;
}

export function parseJson(text: string): JsonValue | undefined {
  try {
    const value: JsonValue = JSON.parse(text);
    return value;
  } catch {
    return undefined;
  }
}

/** OpenAI's word for what was found instead. */
export function kindOf(value: JsonValue | undefined): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  if (typeof value === "number") return Number.isInteger(value) ? "an integer" : "a decimal number";
  return typeof value === "boolean" ? "a boolean" : "a string";
}

/** `'a', 'b', and 'c'`, as OpenAI lists values. */
export function quotedList(words: readonly string[]): string {
  const quoted = words.map((word) => `'${word}'`);
  if (quoted.length < 3) return quoted.join(" and ");
  return `${quoted.slice(0, -1).join(", ")}, and ${quoted.at(-1) ?? ""}`;
}

/** Computed when first asked for. */
export function once<Value>(compute: () => Value): () => Value {
  let known: { readonly value: Value } | undefined;
  return () => (known ??= { value: compute() }).value;
}

export function firstDuplicate(words: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const word of words) {
    if (seen.has(word)) return word;
    seen.add(word);
  }
  return undefined;
}
