export {
  ask,
  cacheState,
  complete,
  countTokens,
  estimate,
  explain,
  knownModels,
  project,
  stream,
  validateConfig,
  type CallOptions,
  type Explanation,
  type Input,
  type LooseConversation,
  type ProjectedRequest,
} from "./api.ts";
export { checkKey, type KeyCheck } from "./check-key.ts";
export { listModels, modelInfo } from "./listing.ts";
export { nameModel, type NamedModel } from "./named.ts";
export { localServers, type LocalServer } from "./local-servers.ts";
export { AnswerStream, IkigaiError, type Answer } from "./answer.ts";
export type {
  Adapter,
  Call,
  Decoder,
  DecoderContext,
  ListedModel,
  ProjectionTarget,
  Quirks,
  Refusal,
  Target,
} from "./adapter.ts";
export { defineProvider, type ProviderDefinition } from "./providers/define.ts";
export { providerFromConfig, quirkProblems, type ConfigProblem, type ProviderConfig } from "./providers/config.ts";
export type { ApiRow, ProviderRow } from "./provider.ts";
export { builtinProviders } from "./registry.ts";
export type { Estimate, LastExchange } from "./estimate.ts";
export type { PrepareOptions } from "./prepare.ts";
export { modelForPurpose } from "./settings.ts";
export type { Finding, ProviderSettings, Settings } from "./settings.ts";
export type { Fetch, ResponseInfo } from "./transport.ts";
export type { BlockWriter } from "./writer.ts";
