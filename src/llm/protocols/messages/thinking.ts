import {
  decideThinking,
  type Effort,
  type ModelInfo,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingPlan,
  type ThinkingSetting,
  type ThinkingSpec,
} from "../../../core/index.ts";
import { invalidArgument } from "../../failure.ts";
import type { WireEffort, WireParameters } from "./wire.ts";

/** A level in this API's words: `thinking`, `output_config.effort` and the limit that holds both thought and answer. */
export function plan(model: ModelInfo, thinking: ThinkingConfig, limits: OutputLimits): ThinkingPlan {
  const decision = decideThinking(model, thinking, limits);
  if ("problem" in decision) throw invalidArgument(decision.problem);
  const { setting, output_limit, ...rest } = decision;
  const words = wordsFor(setting, model.thinking, rest.include_summary);
  const parameters: WireParameters = { ...words, max_tokens: output_limit };
  return { ...rest, parameters };
}

function wordsFor(
  setting: ThinkingSetting,
  spec: ThinkingSpec,
  includeSummary: boolean,
): Omit<WireParameters, "max_tokens"> {
  switch (setting.type) {
    case "absent":
      return {};
    case "off":
      return spec.kind === "adaptive" && spec.off === "between_tools"
        ? { thinking: { type: "between_tools" }, output_config: { effort: "low" } }
        : { thinking: { type: "disabled" } };
    case "budget":
      return { thinking: { type: "enabled", budget_tokens: setting.tokens } };
    case "effort":
      return {
        thinking: { type: "adaptive", display: includeSummary ? "summarized" : "omitted" },
        output_config: { effort: wireEfforts[setting.effort] },
      };
  }
}

/** The two weakest words of the common scale do not exist here. */
const wireEfforts: { readonly [effort in Effort]: WireEffort } = {
  none: "low",
  minimal: "low",
  low: "low",
  medium: "medium",
  high: "high",
  xhigh: "xhigh",
  max: "max",
};
