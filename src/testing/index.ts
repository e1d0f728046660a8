/** Stand-ins for model providers, for tests and for working offline. */
export { createEmulator, type LocalEmulator } from "./emulator/emulator.ts";
export { startEmulator, type Emulator, type ServerOptions } from "./emulator/server.ts";
export { faultKinds } from "./emulator/faults.ts";
export { errorNames } from "./emulator/errors.ts";
export { namedErrors } from "./emulator/named-errors.ts";
export { dialects } from "./emulator/dialects.ts";
export type { Dialect, Quirks } from "./emulator/dialect.ts";
export { ruleList, type RuleInfo } from "./emulator/rules.ts";
export type {
  Answer,
  AnswerBlock,
  AnswerRule,
  Citation,
  CustomError,
  EmulatorOptions,
  Fault,
  FaultKind,
  FinishWord,
  Match,
  MockMessage,
  MockRequest,
  MockTool,
  MockToolCall,
  MockToolResult,
  Pieces,
  RecordedRequest,
  ScriptedToolCall,
  ScriptedUsage,
  ScriptEntry,
  WireName,
} from "./emulator/types.ts";
export { simProvider, type SimOptions } from "./sim/index.ts";
export {
  findSecrets,
  RecordingError,
  withRecording,
  type Recording,
  type RecordingFetch,
  type RecordingOptions,
  type SecretFinding,
} from "./vcr/index.ts";
