import type { Adapter } from "../../adapter.ts";
import { decodeError } from "./errors.ts";
import { countTokens, listModels } from "./listing.ts";
import { encode } from "./request.ts";
import { namesOf } from "./signatures.ts";
import { decoder } from "./stream.ts";
import { plan } from "./thinking.ts";

/** Google's `generateContent` and `streamGenerateContent`. */
export const gemini: Adapter = {
  plan,
  projection: ({ provider, model }) => ({
    provider,
    models: namesOf(model),
    tool_call_id: { character: "[A-Za-z0-9_-]", length_max: 64 },
    // Thoughts without a signature are never replayed here, so leaving them out loses nothing worth telling.
    thinking_needs_opaque: false,
    tool_calls_last: false,
    images: model.capabilities.vision,
    documents: model.capabilities.documents ?? model.capabilities.vision,
    foreign_thinking: "omit",
  }),
  encode,
  authorize: (key) => ({ "x-goog-api-key": key }),
  decoder,
  decodeError,
  listModels,
  countTokens,
};
