import { parseThinkingLevel, type ThinkingLevel } from "../core/index.ts";
import type { Config } from "./load.ts";
import { ConfigError } from "./problem.ts";

/** What an agent has of its own; what it lacks comes from its parent. */
export type ModelChoice = {
  readonly provider?: string;
  readonly model?: string;
  readonly thinking_level?: ThinkingLevel;
};

export type ChosenModel = {
  readonly provider?: string;
  readonly model: string;
  /** Absent: the provider's default, else the model's. */
  readonly thinking_level?: ThinkingLevel;
};

/**
 * Agent → parent → configuration, model and level each by itself: who changes the model keeps the level. A provider stays
 * with its model. `ancestry` begins with the agent itself.
 */
export function chooseModel(
  ancestry: readonly ModelChoice[],
  configured: ChosenModel | undefined,
): ChosenModel | undefined {
  const own = ancestry.find(({ model }) => model !== undefined);
  const chosen = own?.model === undefined ? configured : { provider: own.provider, model: own.model };
  if (chosen === undefined) return undefined;
  const inherited = ancestry.find(({ thinking_level }) => thinking_level !== undefined)?.thinking_level;
  // The level that stands beside the configured model is that model's.
  const thinking_level = inherited ?? (chosen === configured ? configured.thinking_level : undefined);
  return {
    ...(chosen.provider === undefined ? {} : { provider: chosen.provider }),
    model: chosen.model,
    ...(thinking_level === undefined ? {} : { thinking_level }),
  };
}

/** A provider in the order in which a default is looked for. */
export type Candidate = {
  readonly name: string;
  readonly default_model?: string;
  /** It has a key, or is a server that answers. */
  readonly usable: boolean;
};

/** What new agents use: the configured default, else the default model of the first provider that can be used. */
export function configuredModel(config: Config, candidates: readonly Candidate[]): ChosenModel | undefined {
  const wanted = config.get("default_provider");
  if (wanted !== undefined) return defaultOf(config, wanted, candidates);
  for (const candidate of candidates) {
    const spec = candidate.usable
      ? (config.provider(candidate.name).default_model ?? candidate.default_model)
      : undefined;
    if (spec !== undefined) return splitLevel(candidate.name, spec);
  }
  return undefined;
}

function defaultOf(config: Config, wanted: string, candidates: readonly Candidate[]): ChosenModel {
  const candidate = candidates.find(({ name }) => name === wanted);
  const spec = config.provider(wanted).default_model ?? candidate?.default_model;
  if (candidate !== undefined && spec !== undefined) return splitLevel(wanted, spec);
  const names = candidates.map(({ name }) => name).join(", ");
  const message =
    candidate === undefined
      ? `"${wanted}" is no provider; known: ${names}`
      : `"${wanted}" has no default model; set providers.${wanted}.default_model`;
  throw new ConfigError([{ severity: "error", source: config.file, path: ["default_provider"], message }]);
}

/** `MODEL/LEVEL` where what follows the last slash is a level. */
export function splitLevel(provider: string, spec: string): ChosenModel {
  const slash = spec.lastIndexOf("/");
  const thinking_level = slash > 0 ? parseThinkingLevel(spec.slice(slash + 1)) : undefined;
  return thinking_level === undefined
    ? { provider, model: spec }
    : { provider, model: spec.slice(0, slash), thinking_level };
}
