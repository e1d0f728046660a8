import { isJsonObject, usageFrom, type JsonObject, type Usage } from "../../../core/index.ts";

/**
 * The counts of a chunk, or nothing where it has none (one deployment sends only a traffic type until the end).
 * `promptTokenCount` includes what was cached, `candidatesTokenCount` excludes thoughts. Zeros are not sent.
 */
export function readUsage(metadata: unknown): Usage | undefined {
  if (!isJsonObject(metadata) || !Object.keys(metadata).some((key) => key.endsWith("TokenCount"))) return undefined;
  const prompt = count(metadata, "promptTokenCount");
  const cached = count(metadata, "cachedContentTokenCount") ?? 0;
  const toolUse = count(metadata, "toolUsePromptTokenCount") ?? 0;
  return usageFrom({
    input_tokens: prompt === undefined && toolUse === 0 ? undefined : Math.max(0, (prompt ?? 0) + toolUse - cached),
    cache_read_tokens: cached,
    // What a cache costs here is storage by the hour; there is no such thing as a written token.
    cache_write_tokens: 0,
    output_tokens: count(metadata, "candidatesTokenCount") ?? 0,
    thinking_tokens: count(metadata, "thoughtsTokenCount") ?? 0,
  });
}

/** What the metadata says besides counts: service tier, kind of traffic. */
export function usageRemarks(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !/TokenCount$|TokensDetails$/.test(key)));
}

function count(metadata: JsonObject, key: string): number | undefined {
  const value = metadata[key];
  return typeof value === "number" && value >= 0 ? value : undefined;
}
