/** Token counts that are wrong by a constant and right in every sum, and a prompt cache that follows the prefix. */
import { fingerprint } from "../../core/hash.ts";
import type { JsonValue } from "../../core/json.ts";

const charactersPerToken = 4;
/** Pictures and files cost about this much, whatever their bytes. */
const tokensPerMedia = 1_000;
const mediaLengthMin = 256;
const prefixesMax = 20_000;
/** A marker finds a cached prefix at most so many blocks before itself. */
const lookBackMax = 20;
/** OpenAI and Google serve cached prompts in steps. */
export const cacheStepTokens = 128;

/** A piece of the prompt in the order the provider reads it. */
export type Segment = { readonly key: string; readonly tokens: number; readonly mark?: "5m" | "1h" };

export function countTokens(text: string): number {
  return Math.ceil(text.length / charactersPerToken);
}

export function segmentOf(value: JsonValue, mark?: "5m" | "1h"): Segment {
  let media = 0;
  const key = JSON.stringify(value, (name, inner: unknown) => {
    if (name === "cache_control") return undefined;
    if (typeof inner !== "string" || inner.length < mediaLengthMin || !opaqueFields.has(name)) return inner;
    if (name !== "signature" && name !== "encrypted_content" && name !== "thoughtSignature") media += tokensPerMedia;
    return fingerprint(inner);
  });
  return { key, tokens: Math.max(1, countTokens(key)) + media, ...(mark ? { mark } : {}) };
}

export function totalTokens(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokens, 0);
}

export type CacheUse = { readonly read: number; readonly written: number; readonly written_1h: number };

export type PromptCache = {
  /** Written only up to a marked segment, read from any written prefix (Anthropic). */
  readonly marked: (scope: string, segments: readonly Segment[], min: number) => CacheUse;
  /** Written always, read in steps (OpenAI, Google). */
  readonly automatic: (scope: string, segments: readonly Segment[], min: number) => CacheUse;
  readonly clear: () => void;
};

export function makePromptCache(): PromptCache {
  const known = new Set<string>();

  function remember(key: string): void {
    if (known.size >= prefixesMax) known.clear();
    known.add(key);
  }

  function marked(scope: string, segments: readonly Segment[], min: number): CacheUse {
    const prefixes = prefixesOf(scope, segments);
    const last = segments.findLastIndex((segment) => segment.mark !== undefined);
    let read = 0;
    segments.forEach((segment, index) => {
      if (segment.mark === undefined) return;
      for (const prefix of prefixes.slice(Math.max(0, index - lookBackMax), index + 1)) {
        if (known.has(prefix.key)) read = prefix.tokens;
      }
    });
    const end = prefixes[last]?.tokens ?? 0;
    if (end < min) return { read: 0, written: 0, written_1h: 0 };
    segments.forEach((segment, index) => {
      const prefix = prefixes[index];
      if (segment.mark !== undefined && prefix !== undefined && prefix.tokens >= min) remember(prefix.key);
    });
    const written = Math.max(0, end - read);
    return { read, written, written_1h: segments[last]?.mark === "1h" ? written : 0 };
  }

  function automatic(scope: string, segments: readonly Segment[], min: number): CacheUse {
    const prefixes = prefixesOf(scope, segments);
    let shared = 0;
    for (const prefix of prefixes) if (known.has(prefix.key)) shared = prefix.tokens;
    for (const prefix of prefixes) remember(prefix.key);
    const end = prefixes.at(-1)?.tokens ?? 0;
    const step = Math.min(cacheStepTokens, min);
    const read = shared < min ? 0 : shared - (shared % Math.max(1, step));
    return { read, written: end < min ? 0 : end - read, written_1h: 0 };
  }

  return { marked, automatic, clear: () => known.clear() };
}

function prefixesOf(scope: string, segments: readonly Segment[]): { key: string; tokens: number }[] {
  let key = scope;
  let tokens = 0;
  return segments.map((segment) => {
    key = fingerprint(key + segment.key);
    tokens += segment.tokens;
    return { key, tokens };
  });
}

const opaqueFields = new Set([
  "data",
  "url",
  "image_url",
  "file_data",
  "signature",
  "encrypted_content",
  "thoughtSignature",
]);
