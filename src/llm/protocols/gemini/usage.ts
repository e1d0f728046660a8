import { usageFrom, type JsonObject, type Usage } from "../../../core/index.ts";

/** `promptTokenCount` includes what was cached, `candidatesTokenCount` excludes thoughts. Zeros are not sent. */
export function readUsage(metadata: JsonObject): Usage {
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

/** One deployment sends only a traffic type until the end. */
export function hasCounts(metadata: JsonObject): boolean {
  for (const key in metadata) if (key.endsWith("TokenCount")) return true;
  return false;
}

/** What is not a count is a remark: service tier, kind of traffic. */
export function isCount(key: string): boolean {
  return key.endsWith("TokenCount") || key.endsWith("TokensDetails");
}

function count(metadata: JsonObject, key: string): number | undefined {
  const value = metadata[key];
  return typeof value === "number" && value >= 0 ? value : undefined;
}
