import type { Adapter } from "../../adapter.ts";
import { decodeError } from "./errors.ts";
import { listModels } from "./models.ts";
import { chatQuirks } from "./quirks.ts";
import { encode } from "./request.ts";
import { decoder } from "./stream.ts";
import { plan } from "./thinking.ts";

/** Chat Completions: the dialect of its author and, by quirks, of every compatible server. */
export const chat: Adapter = {
  plan,
  projection({ provider, model, quirks: given }) {
    const quirks = chatQuirks(given, model.traits);
    const exact = quirks.tool_call_id_length_exact;
    return {
      provider,
      models: [model.id, ...model.aliases],
      tool_call_id: {
        character: quirks.tool_call_id_character,
        length_max: quirks.tool_call_id_length_max,
        ...(exact > 0 ? { length_exact: exact } : {}),
      },
      // Where a server wants none of its thinking back, leaving it out loses nothing worth telling.
      thinking_needs_opaque: false,
      tool_calls_last: false,
      images: model.capabilities.vision,
      documents:
        quirks.documents === "all" ||
        (quirks.documents === "data" && (model.capabilities.documents ?? model.capabilities.vision)),
      foreign_thinking: "omit",
    };
  },
  encode,
  // Servers on one's own machine often want no key.
  authorize: (key): Record<string, string> => (key === "" ? {} : { authorization: `Bearer ${key}` }),
  decoder,
  decodeError,
  listModels,
};
