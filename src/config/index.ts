/** What a person has set: `config.json`, `credentials.json`, the environment, and where these are. */
export {
  chooseModel,
  configuredModel,
  splitLevel,
  type Candidate,
  type ChosenModel,
  type ModelChoice,
} from "./choose.ts";
export {
  findStoredKey,
  loadCredentials,
  maskKey,
  removeKey,
  storeKey,
  type Credentials,
  type FoundKey,
} from "./credentials.ts";
export { databasePlace, findDatabase, type DatabasePlace } from "./database.ts";
export { addConfigItems, setConfigValue } from "./edit.ts";
export { isPrivate, makePrivate, modeOf, writeFileAtomic } from "./files.ts";
export { type ConfigData, type ModelConfig, type ProviderConfig } from "./keys.ts";
export { loadConfig, type Config } from "./load.ts";
export { findPaths, type Environment, type Paths } from "./paths.ts";
export { ConfigError, keyText, problemText, type Problem } from "./problem.ts";
export { keyRows, keyTable, type KeyRow } from "./reference.ts";
export { configSchema, configSchemaText } from "./schema.ts";
export { settingsFrom, type ProviderFacts, type SettingsData } from "./settings.ts";
