/**
 * The models the emulator stands in for and what each of them accepts. Written from the providers' documentation and
 * from recorded refusals; shares nothing with the tables of the library, so that a mistake there cannot hide here.
 */

export type MessagesModel = {
  readonly id: string;
  readonly name: string;
  readonly context: number;
  readonly max_output: number;
  readonly thinking_types: readonly string[];
  /** What leaving `thinking` out means. */
  readonly thinking_default: "adaptive" | "disabled";
  readonly efforts: readonly string[];
  /** Switched off, thinking allows no effort above high. */
  readonly off_effort_max_high: boolean;
  readonly display_default: "summarized" | "omitted";
  /** temperature, top_p, top_k under the old API version. */
  readonly sampling: boolean;
  readonly forced_tool_choice: boolean;
  readonly prefill: boolean;
  readonly system_role: boolean;
  /** Thinking is valid only for this model and the conversation it was made in. */
  readonly bound: boolean;
  readonly cache_min: number;
  readonly retired: boolean;
  readonly created: string;
};

export type OpenAiModel = {
  readonly id: string;
  readonly context: number;
  readonly max_output: number;
  /** Empty: no reasoning parameter at all. */
  readonly efforts: readonly string[];
  readonly effort_default: string;
  /** temperature and top_p: always, only with effort none, or never. */
  readonly sampling: "always" | "with_none" | "never";
  readonly chat_tools: "always" | "with_none" | "never";
  /** Reasoning models refuse `stop` since o3; those before it take it. */
  readonly chat_stop?: true;
  readonly phases: boolean;
  readonly cache_writes: boolean;
  readonly cache_retention: boolean;
  readonly retired: boolean;
};

export type GeminiModel = {
  readonly id: string;
  readonly context: number;
  readonly max_output: number;
  readonly levels: readonly string[];
  readonly budget?: { readonly min: number; readonly max: number; readonly zero: boolean };
  /** Old level models still take a budget in place of a level. */
  readonly budget_tolerated: boolean;
  readonly thinks_by_default: boolean;
  readonly signatures_required: boolean;
  readonly call_ids: boolean;
  readonly format_with_tools: boolean;
  readonly retired: boolean;
};

export type ModelRow =
  | ({ readonly family: "messages" } & MessagesModel)
  | ({ readonly family: "openai" } & OpenAiModel)
  | ({ readonly family: "gemini" } & GeminiModel);

export type Family = ModelRow["family"];

/** An exact id, one with a date or `-latest` behind it, or an alias. */
export function findModel<Row extends { readonly id: string }>(rows: readonly Row[], id: string): Row | undefined {
  const name = aliases[id] ?? id;
  return rows.find((row) => row.id === name) ?? rows.find((row) => name.replace(snapshotSuffix, "") === row.id);
}

const snapshotSuffix = /(-(\d{8}|\d{4}-\d{2}-\d{2}|latest)|:(free|nitro|floor|batch|thinking))$/;

const aliases: Readonly<Record<string, string>> = {
  "gpt-5.6": "gpt-5.6-sol",
  "gemini-pro-latest": "gemini-3.1-pro-preview",
  "gemini-flash-latest": "gemini-3.8-flash",
};

const upToMax = ["low", "medium", "high", "xhigh", "max"];
const adaptiveModel: Omit<MessagesModel, "id" | "name" | "created"> = {
  context: 1_000_000,
  max_output: 128_000,
  thinking_types: ["adaptive"],
  thinking_default: "adaptive",
  efforts: upToMax,
  off_effort_max_high: true,
  display_default: "omitted",
  sampling: false,
  forced_tool_choice: true,
  prefill: false,
  system_role: true,
  bound: false,
  cache_min: 2_048,
  retired: false,
};
const boundModel = { ...adaptiveModel, bound: true, forced_tool_choice: false, cache_min: 512 };
const switchableModel = {
  ...adaptiveModel,
  thinking_types: ["adaptive", "disabled"],
  thinking_default: "disabled" as const,
  cache_min: 4_096,
};
const mixedModel = {
  ...switchableModel,
  thinking_types: ["adaptive", "enabled", "disabled"],
  efforts: ["low", "medium", "high", "max"],
  off_effort_max_high: false,
  display_default: "summarized" as const,
  sampling: true,
  system_role: false,
};
const budgetModel = {
  ...mixedModel,
  context: 200_000,
  max_output: 64_000,
  thinking_types: ["enabled", "disabled"],
  efforts: [],
  prefill: true,
  cache_min: 1_024,
};
const retiredBudgetModel = { ...budgetModel, retired: true };

export const messagesModels: readonly MessagesModel[] = [
  { id: "claude-fable-5-2", name: "Claude Fable 5.2", created: "2026-11-09T00:00:00Z", ...boundModel },
  { id: "claude-mythos-5-2", name: "Claude Mythos 5.2", created: "2026-11-09T00:00:00Z", ...boundModel },
  { id: "claude-opus-5-5", name: "Claude Opus 5.5", created: "2026-09-22T00:00:00Z", ...boundModel },
  {
    id: "claude-sonnet-5-5",
    name: "Claude Sonnet 5.5",
    created: "2026-09-22T00:00:00Z",
    ...boundModel,
    thinking_types: ["adaptive", "between_tools"],
  },
  {
    id: "claude-haiku-5-5",
    name: "Claude Haiku 5.5",
    created: "2026-09-22T00:00:00Z",
    ...boundModel,
    thinking_types: ["adaptive", "disabled"],
    forced_tool_choice: true,
  },
  { id: "claude-fable-5-1", name: "Claude Fable 5.1", created: "2026-08-18T00:00:00Z", ...boundModel },
  { id: "claude-mythos-5-1", name: "Claude Mythos 5.1", created: "2026-08-18T00:00:00Z", ...boundModel },
  { id: "claude-fable-5", name: "Claude Fable 5", created: "2026-06-09T00:00:00Z", ...adaptiveModel },
  { id: "claude-mythos-5", name: "Claude Mythos 5", created: "2026-06-09T00:00:00Z", ...adaptiveModel },
  {
    id: "claude-opus-5",
    name: "Claude Opus 5",
    created: "2026-06-09T00:00:00Z",
    ...adaptiveModel,
    // Two sources disagree about budgets; refusing is the safe side for whoever sends the recommended form.
    thinking_types: ["adaptive", "disabled"],
  },
  {
    id: "claude-sonnet-5",
    name: "Claude Sonnet 5",
    created: "2026-05-12T00:00:00Z",
    ...adaptiveModel,
    thinking_types: ["adaptive", "disabled"],
    off_effort_max_high: false,
  },
  { id: "claude-opus-4-8", name: "Claude Opus 4.8", created: "2026-04-14T00:00:00Z", ...switchableModel },
  { id: "claude-opus-4-7", name: "Claude Opus 4.7", created: "2026-03-10T00:00:00Z", ...switchableModel },
  { id: "claude-opus-4-6", name: "Claude Opus 4.6", created: "2026-02-04T00:00:00Z", ...mixedModel },
  {
    id: "claude-sonnet-4-6",
    name: "Claude Sonnet 4.6",
    created: "2026-02-17T00:00:00Z",
    ...mixedModel,
    cache_min: 2_048,
  },
  {
    id: "claude-opus-4-5",
    name: "Claude Opus 4.5",
    created: "2025-11-01T00:00:00Z",
    ...budgetModel,
    efforts: ["low", "medium", "high"],
    cache_min: 4_096,
  },
  {
    id: "claude-haiku-4-5",
    name: "Claude Haiku 4.5",
    created: "2025-10-01T00:00:00Z",
    ...budgetModel,
    cache_min: 4_096,
  },
  { id: "claude-sonnet-4-5", name: "Claude Sonnet 4.5", created: "2025-09-29T00:00:00Z", ...budgetModel },
  {
    id: "claude-opus-4-1",
    name: "Claude Opus 4.1",
    created: "2025-08-05T00:00:00Z",
    ...retiredBudgetModel,
    max_output: 32_000,
  },
  {
    id: "claude-opus-4-0",
    name: "Claude Opus 4",
    created: "2025-05-14T00:00:00Z",
    ...retiredBudgetModel,
    max_output: 32_000,
  },
  { id: "claude-opus-4", name: "Claude Opus 4", created: "2025-05-14T00:00:00Z", ...retiredBudgetModel },
  { id: "claude-sonnet-4-0", name: "Claude Sonnet 4", created: "2025-05-14T00:00:00Z", ...retiredBudgetModel },
  { id: "claude-sonnet-4", name: "Claude Sonnet 4", created: "2025-05-14T00:00:00Z", ...retiredBudgetModel },
  { id: "claude-3-7-sonnet", name: "Claude Sonnet 3.7", created: "2025-02-19T00:00:00Z", ...retiredBudgetModel },
];

const effortModel: Omit<OpenAiModel, "id"> = {
  context: 1_050_000,
  max_output: 128_000,
  efforts: ["none", ...upToMax],
  effort_default: "medium",
  sampling: "with_none",
  chat_tools: "with_none",
  phases: true,
  cache_writes: true,
  cache_retention: false,
  retired: false,
};
const alwaysThinking = { ...effortModel, efforts: upToMax, sampling: "never" as const, chat_tools: "never" as const };
const upToXhigh = {
  ...effortModel,
  efforts: ["none", "low", "medium", "high", "xhigh"],
  effort_default: "none",
  chat_tools: "always" as const,
  cache_writes: false,
  cache_retention: true,
};
const smaller = { ...upToXhigh, context: 400_000, phases: false };
const proModel = {
  ...upToXhigh,
  efforts: ["medium", "high", "xhigh"],
  effort_default: "high",
  sampling: "never" as const,
};
const firstFive = {
  ...smaller,
  efforts: ["minimal", "low", "medium", "high"],
  effort_default: "medium",
  sampling: "never" as const,
};
const oModel = { ...firstFive, context: 200_000, max_output: 100_000, efforts: ["low", "medium", "high"] };
const plainModel = { ...smaller, efforts: [], effort_default: "none", sampling: "always" as const };
const gone = { ...plainModel, retired: true };

export const openAiModels: readonly OpenAiModel[] = [
  { id: "gpt-6-astra", ...alwaysThinking },
  { id: "gpt-6.1-sol", ...alwaysThinking },
  { id: "gpt-6.1-terra", ...effortModel, chat_tools: "always" },
  { id: "gpt-6-sol", ...effortModel },
  { id: "gpt-6-luna", ...effortModel },
  { id: "gpt-5.6-sol", ...effortModel, cache_retention: true },
  { id: "gpt-5.6-terra", ...effortModel, cache_retention: true },
  { id: "gpt-5.6-luna", ...effortModel, cache_retention: true },
  { id: "gpt-5.5", ...upToXhigh },
  { id: "gpt-5.5-pro", ...proModel },
  { id: "gpt-5.4", ...upToXhigh },
  { id: "gpt-5.4-pro", ...proModel },
  { id: "gpt-5.4-mini", ...smaller, phases: true },
  { id: "gpt-5.4-nano", ...smaller, phases: true },
  { id: "gpt-5.3-codex", ...smaller, phases: true },
  { id: "gpt-5.2", ...smaller },
  { id: "gpt-5.2-pro", ...proModel, context: 400_000, phases: false },
  { id: "gpt-5.1", ...smaller, efforts: ["none", "low", "medium", "high"] },
  { id: "gpt-5", ...firstFive },
  { id: "gpt-5-mini", ...firstFive },
  { id: "gpt-5-nano", ...firstFive },
  { id: "gpt-5-pro", ...firstFive, efforts: ["high"], effort_default: "high" },
  { id: "gpt-5-chat-latest", ...plainModel, chat_tools: "never" },
  { id: "gpt-4.1", ...plainModel, context: 1_047_576, max_output: 32_768 },
  { id: "gpt-4.1-mini", ...plainModel, context: 1_047_576, max_output: 32_768 },
  { id: "gpt-4o", ...plainModel, context: 128_000, max_output: 16_384 },
  { id: "gpt-4o-mini", ...plainModel, context: 128_000, max_output: 16_384 },
  { id: "o3", ...oModel },
  { id: "o3-pro", ...oModel },
  { id: "o1", ...oModel, chat_stop: true, retired: true },
  { id: "o3-mini", ...oModel, chat_stop: true, retired: true },
  { id: "o4-mini", ...oModel, retired: true },
  { id: "gpt-4.1-nano", ...gone, context: 1_047_576, max_output: 32_768 },
  { id: "o1-mini", ...gone },
  { id: "o1-preview", ...gone },
  { id: "chatgpt-4o-latest", ...gone },
  { id: "codex-mini-latest", ...oModel, retired: true },
  { id: "gpt-3.5-turbo-0613", ...gone },
];

const levelModel: Omit<GeminiModel, "id"> = {
  context: 1_048_576,
  max_output: 65_536,
  levels: ["LOW", "MEDIUM", "HIGH"],
  budget_tolerated: false,
  thinks_by_default: true,
  signatures_required: true,
  call_ids: true,
  format_with_tools: true,
  retired: false,
};
const withMinimal = { ...levelModel, levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"] };
const twoFive = {
  ...levelModel,
  levels: [],
  signatures_required: false,
  call_ids: false,
  format_with_tools: false,
};

export const geminiModels: readonly GeminiModel[] = [
  { id: "gemini-4-argon", ...levelModel },
  { id: "gemini-4-carbon", ...levelModel },
  { id: "gemini-3.8-flash", ...levelModel },
  { id: "gemini-3.7-flash", ...levelModel },
  { id: "gemini-3.6-flash", ...withMinimal },
  { id: "gemini-3.5-flash", ...withMinimal },
  { id: "gemini-3.5-flash-lite", ...withMinimal },
  { id: "gemini-3.1-pro-preview", ...levelModel, budget_tolerated: true },
  { id: "gemini-3.1-flash-lite", ...withMinimal },
  { id: "gemini-3-flash-preview", ...withMinimal, budget_tolerated: true },
  // A recorded request with a budget of 6,400 was accepted here.
  { id: "gemini-3-pro-preview", ...levelModel, levels: ["LOW", "HIGH"], budget_tolerated: true, retired: true },
  { id: "gemini-2.5-pro", ...twoFive, budget: { min: 128, max: 32_768, zero: false } },
  { id: "gemini-2.5-flash", ...twoFive, budget: { min: 1, max: 24_576, zero: true } },
  {
    id: "gemini-2.5-flash-lite",
    ...twoFive,
    budget: { min: 512, max: 24_576, zero: true },
    thinks_by_default: false,
  },
  {
    id: "gemma-4-31b-it",
    ...levelModel,
    context: 262_144,
    max_output: 32_768,
    levels: ["MINIMAL", "HIGH"],
    signatures_required: false,
  },
  {
    id: "gemma-4-26b-a4b-it",
    ...levelModel,
    context: 262_144,
    max_output: 32_768,
    levels: ["MINIMAL", "HIGH"],
    signatures_required: false,
  },
];

/** For ids nobody knows, when unknown models are served: as permissive as the family allows. */
export const permissiveModels: {
  readonly messages: MessagesModel;
  readonly openai: OpenAiModel;
  readonly gemini: GeminiModel;
} = {
  messages: {
    id: "*",
    name: "*",
    created: "2024-01-01T00:00:00Z",
    ...mixedModel,
    efforts: upToMax,
    system_role: true,
    prefill: true,
  },
  openai: {
    id: "*",
    ...effortModel,
    efforts: ["none", "minimal", ...upToMax],
    sampling: "always",
    chat_tools: "always",
  },
  gemini: {
    id: "*",
    ...levelModel,
    levels: ["MINIMAL", "LOW", "MEDIUM", "HIGH"],
    budget: { min: 0, max: 65_536, zero: true },
    budget_tolerated: true,
    thinks_by_default: false,
    signatures_required: false,
  },
};
