import {
  decideThinking,
  type JsonObject,
  type ModelInfo,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingPlan,
  type ThinkingSetting,
} from "../../../core/index.ts";
import { invalidArgument } from "../../failure.ts";

/** A level in this wire's words. A level and a budget never stand together: that is refused. */
export function plan(model: ModelInfo, thinking: ThinkingConfig, limits: OutputLimits): ThinkingPlan {
  const decided = decideThinking(model, thinking, limits);
  if ("problem" in decided) throw invalidArgument(decided.problem);
  const { setting, output_limit, ...rest } = decided;
  const thinkingConfig = thinkingConfigOf(setting, rest.include_summary);
  return {
    ...rest,
    parameters: {
      generationConfig: {
        ...(thinkingConfig === undefined ? {} : { thinkingConfig }),
        maxOutputTokens: output_limit,
      },
    },
  };
}

function thinkingConfigOf(setting: ThinkingSetting, includeSummary: boolean): JsonObject | undefined {
  const summary = includeSummary ? { includeThoughts: true } : {};
  switch (setting.type) {
    case "absent":
      return undefined;
    case "off":
      return { thinkingBudget: 0 };
    case "budget":
      return setting.tokens === 0 ? { thinkingBudget: 0 } : { thinkingBudget: setting.tokens, ...summary };
    case "effort":
      return { thinkingLevel: setting.effort.toUpperCase(), ...summary };
  }
}
