import type { JsonObject } from "../../../../core/json.ts";
import type { OpenAiModel } from "../../models.ts";
import type { CacheUse } from "../../tokens.ts";

/** Cache writes are reported (and billed) from one generation on; before, they are part of the plain input. */
export function cacheDetails(model: OpenAiModel, cache: CacheUse): JsonObject {
  const written = model.cache_writes ? { cache_write_tokens: cache.written } : {};
  return { cached_tokens: cache.read, ...written };
}
