import type { ModelInfo } from "../../../core/index.ts";

/** What differs between the models of this wire. Facts of the registry; an unknown model is taken for a new one. */
export type GeminiTraits = {
  /** Calls and results carry ids. Older models refuse or ignore them. */
  readonly function_call_ids: boolean;
  /** The first call of a model turn must carry a thought signature. */
  readonly validates_signatures: boolean;
  /** Images may stand inside a tool result. */
  readonly images_in_results: boolean;
  /** A JSON answer may be asked for while tools are offered. */
  readonly json_with_tools: boolean;
  readonly system_instruction: boolean;
  readonly web_search: boolean;
  /** The search may stand beside functions. */
  readonly search_with_tools: boolean;
  readonly penalties: boolean;
};

export function traitsOf(model: ModelInfo): GeminiTraits {
  const trait = (name: keyof GeminiTraits, otherwise: boolean): boolean => {
    const value = model.traits?.[name];
    return typeof value === "boolean" ? value : otherwise;
  };
  // These abilities came with the same generation as ids; one fact in the registry is enough to tell them.
  const current = trait("function_call_ids", true);
  return {
    function_call_ids: current,
    validates_signatures: trait("validates_signatures", current),
    images_in_results: trait("images_in_results", current),
    json_with_tools: trait("json_with_tools", current),
    system_instruction: trait("system_instruction", true),
    web_search: trait("web_search", true),
    search_with_tools: trait("search_with_tools", current),
    penalties: trait("penalties", current),
  };
}
