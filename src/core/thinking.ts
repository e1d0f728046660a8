import type { JsonObject } from "./json.ts";
import type { ModelInfo } from "./models.ts";
import type { Note } from "./notes.ts";

export const thinkingLevels = ["none", "low", "med", "high", "max"] as const;
export type ThinkingLevel = (typeof thinkingLevels)[number];

/** From weakest to strongest, in the providers' own words. */
export const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type Effort = (typeof efforts)[number];

export type ThinkingConfig = {
  readonly level?: ThinkingLevel;
  /** Whether readable thinking is asked for. Default true. */
  readonly include_summary?: boolean;
  /** An exact budget instead of the level's, on models that have budgets. −1: the model decides, where it can. */
  readonly budget_tokens?: number;
};

export type OutputLimits = {
  /** Visible output. Absent or −1: the default. */
  readonly max_output_tokens?: number;
  /** Size of the conversation so far, where it is known. */
  readonly context_tokens?: number;
  readonly long_context_above_tokens?: number;
  readonly long_context_budget_tokens?: number;
};

/** How a model's thinking is controlled; a fact of the registry. */
export type ThinkingSpec =
  | { readonly kind: "none" }
  | {
      readonly kind: "budget";
      readonly min: number;
      readonly max: number;
      readonly can_disable: boolean;
      /** What the model does when the field is left out. */
      readonly omitted: "on" | "off";
      /** Understands −1. */
      readonly dynamic?: boolean;
    }
  | {
      readonly kind: "effort";
      /** Legal values; "none" among them means that thinking can be switched off by effort. */
      readonly efforts: readonly Effort[];
    }
  | {
      /** The model thinks when it sees fit; effort sets the depth, a separate switch may turn it off. */
      readonly kind: "adaptive";
      readonly efforts: readonly Effort[];
      readonly off: "disabled" | "between_tools" | "never";
      readonly omitted: "on" | "off";
      /** Also takes an exact budget. */
      readonly budget?: { readonly min: number; readonly max: number };
      /** Thinking blocks are valid only after the very prefix they were made for. */
      readonly bound?: boolean;
    }
  | { readonly kind: "level"; readonly levels: readonly Effort[] };

/** What is sent for a level: nothing, an explicit off, tokens, or a word. */
export type ThinkingSetting =
  | { readonly type: "absent" }
  | { readonly type: "off" }
  | { readonly type: "budget"; readonly tokens: number }
  | { readonly type: "effort"; readonly effort: Effort };

/** The one computation behind the request, the feedback line and `explain`. Adapters only put it into wire words. */
export type ThinkingDecision = {
  readonly level_asked: ThinkingLevel;
  /** The level whose setting is sent. */
  readonly level_applied: ThinkingLevel;
  readonly setting: ThinkingSetting;
  readonly include_summary: boolean;
  /** The table's value before any reduction; null on models without budgets. */
  readonly calculated_budget: number | null;
  /** What the provider is told as its limit: visible output plus room for thinking. */
  readonly output_limit: number;
  readonly warnings: readonly Note[];
};

/** A decision in wire words: `parameters` is merged into the body as it stands. */
export type ThinkingPlan = Omit<ThinkingDecision, "setting" | "output_limit"> & { readonly parameters: JsonObject };

export const defaultMaxOutputTokens = 16_384;
export const defaultLongContext = { above_tokens: 150_000, budget_tokens: 10_000 } as const;

export function isThinkingLevel(value: unknown): value is ThinkingLevel {
  return thinkingLevels.some((level) => level === value);
}

/** Understands the five words and, on input only, `min`, `off` and `medium`. */
export function parseThinkingLevel(text: string): ThinkingLevel | undefined {
  const word = text.toLowerCase();
  return isThinkingLevel(word) ? word : inputOnlyLevels.get(word);
}

/** `min + ⌊k·(max−min)/3⌋`: none 0, low 1, med 2, high and max 3 thirds of the range. */
export function budgetOf(range: { readonly min: number; readonly max: number }, level: ThinkingLevel): number {
  return range.min + Math.floor((thirds[level] * (range.max - range.min)) / 3);
}

/** Decides what a level becomes on a model, or says why it cannot be. */
export function decideThinking(
  model: Pick<ModelInfo, "id" | "thinking" | "output_tokens_max">,
  config: ThinkingConfig,
  limits: OutputLimits,
): ThinkingDecision | { readonly problem: string } {
  if (config.level !== undefined && !isThinkingLevel(config.level)) {
    return { problem: `"${String(config.level)}" is not a thinking level; use one of ${thinkingLevels.join(", ")}` };
  }
  const wanted = limits.max_output_tokens;
  if (wanted !== undefined && wanted !== -1 && !(Number.isInteger(wanted) && wanted > 0)) {
    return { problem: `${wanted} is not an output limit; give a whole number of tokens, or -1 for the default` };
  }
  const asked = config.level ?? (model.thinking.kind === "none" ? "none" : "med");
  const base: Base = {
    model,
    asked,
    include_summary: config.include_summary ?? true,
    visible: visibleLimit(limits.max_output_tokens, model.output_tokens_max),
  };
  const spec = model.thinking;
  if (config.budget_tokens !== undefined) return decideCustomBudget(base, spec, config.budget_tokens, limits);
  switch (spec.kind) {
    case "none":
      return decideUnsupported(base);
    case "budget":
      return decideBudget(base, spec, limits);
    case "effort":
      return decideEffort(base, spec.efforts);
    case "adaptive":
      return decideAdaptive(base, spec);
    case "level":
      return decideLevel(base, spec.levels);
  }
}

type Base = {
  readonly model: Pick<ModelInfo, "id" | "output_tokens_max">;
  readonly asked: ThinkingLevel;
  readonly include_summary: boolean;
  readonly visible: number;
};
type BudgetSpec = Extract<ThinkingSpec, { kind: "budget" }>;

function visibleLimit(maxOutputTokens: number | undefined, ceiling: number): number {
  const wanted = maxOutputTokens === undefined || maxOutputTokens === -1 ? defaultMaxOutputTokens : maxOutputTokens;
  return Math.min(wanted, ceiling);
}

function decideUnsupported(base: Base): ThinkingDecision {
  const warnings: Note[] =
    base.asked === "none"
      ? []
      : [{ code: "thinking_unsupported", message: `Thinking not supported by this model (ignored)` }];
  return decision(base, { type: "absent" }, { level_applied: "none", output_limit: base.visible, warnings });
}

function decideBudget(base: Base, spec: BudgetSpec, limits: OutputLimits): ThinkingDecision {
  const calculated_budget = budgetOf(spec, base.asked);
  if (base.asked === "none") {
    if (spec.can_disable) {
      const setting: ThinkingSetting = spec.omitted === "on" ? { type: "off" } : { type: "absent" };
      return decision(base, setting, { level_applied: "none", output_limit: base.visible, calculated_budget });
    }
    return fitBudget(base, spec, {
      calculated_budget,
      level_applied: "none",
      warnings: [cannotDisable(`${tokens(spec.min)} (minimum)`)],
      limits,
    });
  }
  const level_applied = base.asked === "max" ? "high" : base.asked;
  const warnings = base.asked === "max" ? [moved("max", "high")] : [];
  return fitBudget(base, spec, { calculated_budget, level_applied, warnings, limits });
}

function decideCustomBudget(
  base: Base,
  spec: ThinkingSpec,
  wanted: number,
  limits: OutputLimits,
): ThinkingDecision | { readonly problem: string } {
  const range = spec.kind === "budget" ? spec : spec.kind === "adaptive" ? spec.budget : undefined;
  if (range === undefined) {
    return { problem: `${base.model.id} has no thinking budgets; leave the budget out and use a level` };
  }
  if (wanted === -1) {
    if (spec.kind !== "budget" || spec.dynamic !== true) {
      return { problem: `${base.model.id} has no dynamic thinking budget (-1); give a number of tokens` };
    }
    const level_applied = levelBeside(base.asked, spec.max);
    if (isLongContext(limits)) {
      return fitBudget(base, spec, { calculated_budget: spec.max, level_applied, warnings: [], limits });
    }
    const output_limit = Math.min(base.model.output_tokens_max, base.visible + spec.max);
    return decision(base, { type: "budget", tokens: -1 }, { output_limit, level_applied, calculated_budget: -1 });
  }
  if (!Number.isInteger(wanted) || wanted < 0) {
    return { problem: `${wanted} is not a thinking budget; give a whole number of tokens` };
  }
  const clamped = Math.min(Math.max(wanted, range.min), range.max);
  const warnings: Note[] =
    clamped === wanted
      ? []
      : [
          {
            code: "budget_clamped",
            message: `Thinking budget ${tokens(wanted)} is outside ${range.min}–${range.max}; ${tokens(clamped)} used`,
          },
        ];
  const level_applied = levelBeside(base.asked, clamped);
  return fitBudget(base, range, { calculated_budget: clamped, level_applied, warnings, limits });
}

/** A budget that was asked for is thinking, and none is none, whatever level stands beside it. */
function levelBeside(asked: ThinkingLevel, budget: number): ThinkingLevel {
  if (budget === 0) return "none";
  return asked === "none" ? "low" : asked;
}

function isLongContext(limits: OutputLimits): boolean {
  return (limits.context_tokens ?? 0) > (limits.long_context_above_tokens ?? defaultLongContext.above_tokens);
}

/** Keeps `min ≤ budget < limit ≤ ceiling` and leaves the visible output its room as far as that goes. */
function fitBudget(
  base: Base,
  range: { readonly min: number },
  wanted: {
    readonly calculated_budget: number;
    readonly level_applied: ThinkingLevel;
    readonly warnings: readonly Note[];
    readonly limits: OutputLimits;
  },
): ThinkingDecision {
  const { calculated_budget, limits } = wanted;
  const warnings = [...wanted.warnings];
  const longAbove = limits.long_context_above_tokens ?? defaultLongContext.above_tokens;
  const longBudget = limits.long_context_budget_tokens ?? defaultLongContext.budget_tokens;
  let budget = calculated_budget;
  if (isLongContext(limits) && budget > longBudget) {
    budget = Math.max(range.min, longBudget);
    warnings.push({
      code: "long_context",
      message: `Thinking held to ${tokens(budget)}: the conversation is longer than ${tokens(longAbove)}`,
    });
  }
  const output_limit = Math.max(Math.min(base.model.output_tokens_max, budget + base.visible), range.min + 1);
  const fitted = Math.max(range.min, Math.min(budget, output_limit - base.visible));
  if (fitted < budget) {
    warnings.push({
      code: "budget_reduced",
      message: `Thinking reduced from ${tokens(budget)} to ${tokens(fitted)}: the model writes ${tokens(base.model.output_tokens_max)} at most, ${tokens(base.visible)} kept for the answer`,
    });
  }
  return decision(
    base,
    { type: "budget", tokens: fitted },
    { level_applied: wanted.level_applied, output_limit, calculated_budget, warnings },
  );
}

function decideEffort(base: Base, legal: readonly Effort[]): ThinkingDecision {
  if (base.asked === "none" && legal.includes("none")) {
    return decision(base, { type: "off" }, { level_applied: "none", output_limit: base.visible });
  }
  const effort = nearestEffort(legal, base.asked);
  return decisionForEffort(base, effort, effortWarnings(base.asked, effort));
}

function decideAdaptive(base: Base, spec: Extract<ThinkingSpec, { kind: "adaptive" }>): ThinkingDecision {
  if (base.asked === "none" && spec.off === "disabled") {
    const setting: ThinkingSetting = spec.omitted === "on" ? { type: "off" } : { type: "absent" };
    return decision(base, setting, { level_applied: "none", output_limit: base.visible });
  }
  if (base.asked === "none" && spec.off === "between_tools") {
    return decision(
      base,
      { type: "off" },
      {
        level_applied: "none",
        output_limit: withRoom(base, "low"),
        warnings: [cannotDisable("between tool calls only, low effort")],
      },
    );
  }
  const effort = nearestEffort(spec.efforts, base.asked);
  return decisionForEffort(base, effort, effortWarnings(base.asked, effort));
}

/** Gemini's four rows in one rule: none takes the weakest word, low the next, med rounds up where there is no middle. */
function decideLevel(base: Base, levels: readonly Effort[]): ThinkingDecision {
  const effort = preferredWords[base.asked].find((word) => levels.includes(word)) ?? "high";
  return decisionForEffort(base, effort, effortWarnings(base.asked, effort));
}

function decisionForEffort(base: Base, effort: Effort, warnings: readonly Note[]): ThinkingDecision {
  const level_applied = levelOfEffort[effort];
  const output_limit = withRoom(base, level_applied === "none" ? "low" : level_applied);
  return decision(base, { type: "effort", effort }, { level_applied, output_limit, warnings });
}

/** None takes the weakest legal word, max the strongest; the others their own, else the next weaker, else the next stronger. */
function nearestEffort(legal: readonly Effort[], asked: ThinkingLevel): Effort {
  const ranked = efforts.filter((effort) => effort !== "none" && legal.includes(effort));
  const weakest = ranked[0] ?? "low";
  const strongest = ranked.at(-1) ?? "high";
  if (asked === "none") return weakest;
  if (asked === "max") return strongest;
  const wanted = efforts.indexOf(effortOfLevel[asked]);
  const weaker = ranked.findLast((effort) => efforts.indexOf(effort) <= wanted);
  return weaker ?? weakest;
}

function effortWarnings(asked: ThinkingLevel, sent: Effort): Note[] {
  if (asked === "none") return [cannotDisable(`${sent} (minimum)`)];
  const applied = levelOfEffort[sent];
  return applied === asked ? [] : [moved(asked, sent)];
}

function withRoom(base: Base, level: Exclude<ThinkingLevel, "none">): number {
  return Math.min(base.model.output_tokens_max, base.visible + thinkingRoom[level]);
}

function decision(
  base: Base,
  setting: ThinkingSetting,
  rest: Partial<ThinkingDecision> & Pick<ThinkingDecision, "output_limit">,
): ThinkingDecision {
  return {
    level_asked: base.asked,
    level_applied: base.asked,
    setting,
    include_summary: base.include_summary,
    calculated_budget: null,
    warnings: [],
    ...rest,
  };
}

function cannotDisable(instead: string): Note {
  return { code: "cannot_disable", message: `This model does not support disabling thinking; sent: ${instead}` };
}

function moved(asked: ThinkingLevel, sent: string): Note {
  return { code: "level_moved", message: `This model has no setting for "${asked}"; sent: ${sent}` };
}

function tokens(count: number): string {
  return `${count.toString().replace(/\B(?=(\d{3})+$)/g, ",")} tokens`;
}

const inputOnlyLevels: ReadonlyMap<string, ThinkingLevel> = new Map([
  ["min", "none"],
  ["off", "none"],
  ["medium", "med"],
]);

const thirds: { readonly [level in ThinkingLevel]: number } = { none: 0, low: 1, med: 2, high: 3, max: 3 };

/** Where a provider's limit counts thinking too, this much is added to the visible output. */
const thinkingRoom = { low: 8_000, med: 25_000, high: 64_000, max: 64_000 } as const;

const preferredWords: { readonly [level in ThinkingLevel]: readonly Effort[] } = {
  none: ["minimal", "low", "medium", "high"],
  low: ["low", "minimal", "medium", "high"],
  med: ["medium", "high", "low", "minimal"],
  high: ["high", "medium", "low", "minimal"],
  max: ["high", "medium", "low", "minimal"],
};

const effortOfLevel = { low: "low", med: "medium", high: "high" } as const;

const levelOfEffort: { readonly [effort in Effort]: ThinkingLevel } = {
  none: "none",
  minimal: "none",
  low: "low",
  medium: "med",
  high: "high",
  xhigh: "max",
  max: "max",
};
