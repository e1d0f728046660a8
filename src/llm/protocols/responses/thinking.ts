import {
  decideThinking,
  isJsonObject,
  type ModelInfo,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingPlan,
  type ThinkingSetting,
} from "../../../core/index.ts";
import type { Quirks } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { responsesQuirks, type ResponsesQuirks } from "./quirks.ts";
import type { WireParameters, WireReasoning } from "./wire.ts";

/** A level in this API's words: `reasoning.effort`, and a limit that holds both thought and answer. */
export function plan(
  model: ModelInfo,
  thinking: ThinkingConfig,
  limits: OutputLimits,
  given: Quirks = {},
): ThinkingPlan {
  const quirks = responsesQuirks(given, model.traits);
  const decided = decideThinking(quirks.reasoning ? model : { ...model, thinking: { kind: "none" } }, thinking, limits);
  if ("problem" in decided) throw invalidArgument(decided.problem);
  const { setting, output_limit, ...rest } = decided;
  const reasoning = reasoningFor(setting, rest.include_summary && quirks.reasoning_summary);
  const parameters: WireParameters = {
    ...(reasoning === undefined ? {} : { reasoning }),
    max_output_tokens: limitFor(output_limit, quirks),
  };
  return { ...rest, parameters };
}

/** Whether the plan leaves the model thinking; some fields are refused then. */
export function isThinking(model: ModelInfo, planned: ThinkingPlan): boolean {
  return model.thinking.kind !== "none" && effortOf(planned) !== "none";
}

export function effortOf({ parameters: { reasoning } }: ThinkingPlan): unknown {
  return isJsonObject(reasoning) ? reasoning["effort"] : undefined;
}

function reasoningFor(setting: ThinkingSetting, summarised: boolean): WireReasoning | undefined {
  const summary = summarised ? { summary: "auto" as const } : {};
  switch (setting.type) {
    case "absent":
      return undefined;
    case "off":
      return { effort: "none" };
    case "budget":
      return { max_tokens: setting.tokens, ...summary };
    case "effort":
      return { effort: setting.effort, ...summary };
  }
}

function limitFor(outputLimit: number, quirks: ResponsesQuirks): number {
  return Math.max(outputLimit, quirks.max_output_tokens_min);
}
