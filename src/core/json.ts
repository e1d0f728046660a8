/** What JSON can say. Everything that leaves or enters the library as data is one of these. */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;
export type JsonObject = { readonly [key: string]: JsonValue | undefined };

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** What a text says, where it is JSON. */
export function parseJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Looks a word from outside up in a table of ours. A plain `table[word]` also finds what every object inherits:
 * a provider that says "constructor" would get a function.
 */
export function own<Value>(table: { readonly [word: string]: Value }, word: unknown): Value | undefined {
  return typeof word === "string" && Object.hasOwn(table, word) ? table[word] : undefined;
}
