import { isJsonObject } from "../core/index.ts";
import { checkFile } from "./checked-file.ts";
import { fromEnvironment } from "./environment.ts";
import { readJsonFile } from "./files.ts";
import type { Path, Place } from "./json-text.ts";
import { configShape, type ConfigData, type ProviderConfig } from "./keys.ts";
import type { Environment } from "./paths.ts";
import type { Problem } from "./problem.ts";

/**
 * What `config.json` and the environment say. Loading never fails: what is wrong is thrown when that very thing is asked
 * for, so that a mistake in one corner does not stop work in another.
 */
export type Config = {
  readonly file: string;
  readonly exists: boolean;
  /** Everything that is wrong or strange, in the order of the file. */
  readonly problems: readonly Problem[];
  /** The value of a key, or its default. Throws a `ConfigError` where it is wrong. */
  readonly get: <Key extends keyof ConfigData>(key: Key) => ConfigData[Key];
  /** One provider's settings; empty where the file says nothing of it. */
  readonly provider: (name: string) => ProviderConfig;
  /** The names under `providers`, also of entries that are wrong. */
  readonly provider_names: readonly string[];
  /** Where something stands in the file. */
  readonly placeOf: (path: Path) => Place | undefined;
};

/** Without a file everything has its default. */
export function loadConfig(path: string | undefined, env: Environment): Config {
  const file = path ?? "config.json";
  const read = readJsonFile(path);
  const checked = checkFile<ConfigData>(configShape, read, { file, overrides: fromEnvironment(configShape, env) });
  const written = read.state === "read" && isJsonObject(read.json.value) ? read.json.value["providers"] : undefined;
  return {
    file,
    exists: read.state !== "absent",
    problems: checked.problems,
    get: (key) => checked.demand([key])[key],
    provider(name) {
      const { providers = {} } = checked.demand(["providers", name]);
      return (Object.hasOwn(providers, name) ? providers[name] : undefined) ?? {};
    },
    placeOf: (path) => (read.state === "read" ? read.json.placeOf(path) : undefined),
    provider_names: isJsonObject(written) ? Object.keys(written) : [],
  };
}
