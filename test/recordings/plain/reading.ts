import type { JsonObject } from "../../../src/core/index.ts";
import type { Recording } from "../load.ts";

/** What a person reads in the recorded bytes. Nothing here comes from src/llm: the two readings check each other. */
export type Reading = {
  readonly text: string;
  readonly thinking: string;
  readonly tool_calls: readonly PlainCall[];
  readonly usage: PlainUsage | null;
  readonly raw_finish: string;
  /** Signatures, encrypted and redacted content that a later request has to carry, in order. */
  readonly sealed: readonly string[];
  /** All of the text is a refusal. */
  readonly refused: boolean;
  /** The provider reported an error inside a 200. */
  readonly failed: boolean;
};

/** `arguments` stays text where the text is no JSON object. */
export type PlainCall = { readonly id?: string; readonly name: string; readonly arguments: JsonObject | string };

export type PlainUsage = {
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly thinking_tokens: number;
  /** The provider's own total where it gives one. */
  readonly total_tokens: number;
};

/** Every JSON value of a response in order: the frames of a stream, the elements of an array, or the one body. */
export function framesOf<Frame>(response: Recording["response"]): readonly Frame[] {
  if (response.sse !== undefined) {
    return sseData(response.sse)
      .filter((data) => data !== "[DONE]")
      .map((data) => parseWire<Frame>(data));
  }
  if (Array.isArray(response.body)) return response.body as readonly Frame[];
  return [response.body as Frame];
}

export function argumentsOf(text: string): JsonObject | string {
  if (text.trim() === "" || text.trim() === "null") return {};
  try {
    const parsed = parseWire<JsonObject | null>(text);
    return typeof parsed === "object" && parsed !== null && !Array.isArray(parsed) ? parsed : text;
  } catch {
    return text;
  }
}

export function usageOf(parts: Omit<PlainUsage, "total_tokens">, total?: number | null): PlainUsage {
  const sum =
    parts.input_tokens +
    parts.cache_read_tokens +
    parts.cache_write_tokens +
    parts.output_tokens +
    parts.thinking_tokens;
  return { ...parts, total_tokens: total ?? sum };
}

/** Strings found under these keys, in order of appearance. */
export function sealedIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(sealedIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    typeof inner === "string" ? (sealedKeys.has(key) && inner !== "" ? [inner] : []) : sealedIn(inner),
  );
}

/** The data of every frame; a stream that was cut off has a last one that is not whole. */
export function sseData(text: string): readonly string[] {
  return text
    .replaceAll("\r\n", "\n")
    .split("\n\n")
    .map((block) => block.split("\n").filter((line) => line.startsWith("data:")))
    .map((lines) => lines.map((line) => line.slice("data:".length).trim()).join("\n"))
    .filter((data) => data !== "");
}

function parseWire<Value>(text: string): Value {
  return JSON.parse(text) as Value;
}

const sealedKeys = new Set(["signature", "encrypted_content", "thoughtSignature", "thought_signature"]);
