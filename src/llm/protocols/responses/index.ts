import type { Adapter, ProjectionTarget } from "../../adapter.ts";
import type { ProjectionRules } from "../../../core/index.ts";
import { decodeError } from "./errors.ts";
import { listModels } from "./models.ts";
import { responsesQuirks } from "./quirks.ts";
import { countTokens, encode } from "./request.ts";
import { decoder } from "./stream.ts";
import { plan } from "./thinking.ts";

/** The Responses API: items in, items out, nothing kept by the server. */
export const responses: Adapter = {
  plan,
  projection,
  encode,
  authorize: (key) => ({ authorization: `Bearer ${key}` }),
  decoder,
  decodeError,
  listModels,
  countTokens,
};

function projection({ provider, model, quirks: given }: ProjectionTarget): ProjectionRules {
  const { documents } = responsesQuirks(given, model.traits);
  return {
    provider,
    models: [model.id, ...model.aliases, ...(model.spellings ?? [])],
    tool_call_id: { character: "[A-Za-z0-9_-]", length_max: 64 },
    thinking_needs_opaque: true,
    tool_calls_last: false,
    images: model.capabilities.vision,
    documents: documents !== "none" && (model.capabilities.documents ?? model.capabilities.vision),
    foreign_thinking: "omit",
  };
}
