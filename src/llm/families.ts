import type { ModelInfo } from "../core/index.ts";
import { anyFamily, families } from "./models/families.ts";

/** A model nobody has told us about: passed through under its own name, with what its family usually does. */
export function unknownModel(provider: string, id: string): ModelInfo {
  const name = id.toLowerCase();
  const family = families.find(({ pattern }) => new RegExp(pattern).test(name)) ?? anyFamily;
  const { capabilities, traits, pattern: _pattern, ...facts } = family;
  return {
    id,
    provider,
    display_name: id,
    aliases: [],
    ...facts,
    capabilities: { ...usualCapabilities, ...capabilities },
    ...(traits === undefined ? {} : { traits }),
    unknown: true,
  };
}

/** Everything is let through: the provider knows better than we do and says so. */
const usualCapabilities: ModelInfo["capabilities"] = {
  tools: true,
  vision: true,
  streaming: true,
  sampling: "always",
  forced_tools: "always",
  stop_sequences: true,
};
