import {
  decideThinking,
  type Effort,
  type JsonObject,
  type ModelInfo,
  type Note,
  type OutputLimits,
  type ThinkingConfig,
  type ThinkingDecision,
  type ThinkingLevel,
  type ThinkingPlan,
  type ThinkingSpec,
} from "../../../core/index.ts";
import type { Quirks } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";
import { chatQuirks, jsonFields, type ChatQuirks } from "./quirks.ts";

/** A level in the words of one server: which field says it, and the output limit that leaves room for it. */
export function plan(
  model: ModelInfo,
  thinking: ThinkingConfig,
  limits: OutputLimits,
  given: Quirks = {},
): ThinkingPlan {
  const quirks = chatQuirks(given, model.traits);
  const spec = specFor(model.thinking);
  const decided = decide({ ...model, thinking: spec }, thinking, limits);
  const shown =
    quirks.thinking_style === "none" ? decide({ ...model, thinking: unswitched }, thinking, limits) : decided;
  const { setting: _setting, output_limit: _limit, ...rest } = shown;
  return {
    ...rest,
    ...(isSwitchOnly(model.thinking) ? { warnings: decided.warnings.map(inSwitchWords) } : {}),
    parameters: { ...fieldsFor(decided, model.thinking, quirks), [quirks.max_tokens_field]: decided.output_limit },
  };
}

/** Whether the plan leaves the model thinking; some fields are refused then. */
export function isThinking(planned: ThinkingPlan): boolean {
  return planned.level_applied !== "none" || planned.warnings.some(({ code }) => code === "cannot_disable");
}

function decide(model: ModelInfo, thinking: ThinkingConfig, limits: OutputLimits): ThinkingDecision {
  const decided = decideThinking(model, thinking, limits);
  if ("problem" in decided) throw invalidArgument(decided.problem);
  return decided;
}

/**
 * Models that are only switched on and off count their "on" as the middle level; and nobody here has a word for
 * thinking between tool calls only.
 */
function specFor(spec: ThinkingSpec): ThinkingSpec {
  if (spec.kind !== "adaptive") return spec;
  const off = spec.off === "between_tools" ? "never" : spec.off;
  return { ...spec, off, efforts: isSwitchOnly(spec) ? ["medium"] : spec.efforts };
}

function isSwitchOnly(spec: ThinkingSpec): boolean {
  return spec.kind === "adaptive" && spec.efforts.length === 0;
}

function inSwitchWords(note: Note): Note {
  return { ...note, message: note.message.replace(/sent: medium\b/, "sent: on") };
}

function fieldsFor(decided: ThinkingDecision, spec: ThinkingSpec, quirks: ChatQuirks): JsonObject {
  const { setting } = decided;
  if (setting.type === "absent") return {};
  const word = setting.type === "effort" ? setting.effort : effortOfLevel[decided.level_applied];
  const off = setting.type === "off";
  const budget = setting.type === "budget" && setting.tokens >= 0 ? setting.tokens : undefined;
  // Beside a switch, a word is sent only where the model has words.
  const effort = setting.type === "effort" && !isSwitchOnly(spec) ? { reasoning_effort: word } : {};
  const beside = budget === undefined || quirks.thinking_budget_field === "" ? effort : budgetField(quirks, budget);
  switch (quirks.thinking_style) {
    case "none":
      return {};
    case "reasoning_effort":
      if (off || !isSwitchOnly(spec)) return { reasoning_effort: off ? "none" : word };
      return { reasoning_effort: quirks.on_word, ...jsonFields(quirks.on_body, "on_body") };
    case "reasoning_object":
      return { reasoning: reasoningObject(decided, spec, word) };
    case "thinking_type":
      return { thinking: { type: off ? "disabled" : "enabled" }, ...beside };
    case "enable_thinking":
      return { enable_thinking: !off, ...beside };
    case "chat_template_kwargs":
      return { chat_template_kwargs: { enable_thinking: !off }, ...beside };
    case "think":
      return { think: off ? false : setting.type === "effort" && !isSwitchOnly(spec) ? word : true };
  }
}

function budgetField(quirks: ChatQuirks, tokens: number): JsonObject {
  return { [quirks.thinking_budget_field]: tokens };
}

function reasoningObject({ setting, include_summary }: ThinkingDecision, spec: ThinkingSpec, word: Effort): JsonObject {
  const hidden = include_summary ? {} : { exclude: true };
  if (setting.type === "off") return spec.kind === "effort" ? { effort: "none" } : { enabled: false };
  if (setting.type === "budget" && setting.tokens >= 0) return { max_tokens: setting.tokens, ...hidden };
  return { ...(isSwitchOnly(spec) || setting.type === "budget" ? { enabled: true } : { effort: word }), ...hidden };
}

const unswitched: ThinkingSpec = { kind: "none" };

/** For servers that take words only, where the model's own setting is a budget. */
const effortOfLevel: { readonly [level in ThinkingLevel]: Effort } = {
  none: "low",
  low: "low",
  med: "medium",
  high: "high",
  max: "high",
};
