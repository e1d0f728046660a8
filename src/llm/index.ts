export {
  ask,
  complete,
  countTokens,
  explain,
  knownModels,
  listModels,
  project,
  stream,
  validateConfig,
  type CallOptions,
  type Explanation,
  type Input,
  type LooseConversation,
  type ProjectedRequest,
} from "./api.ts";
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
export type { ApiRow, ProviderRow } from "./provider.ts";
export { builtinProviders } from "./registry.ts";
export type { PrepareOptions } from "./prepare.ts";
export type { Finding, ProviderSettings, Settings } from "./settings.ts";
export type { Fetch, ResponseInfo } from "./transport.ts";
export type { BlockWriter } from "./writer.ts";
