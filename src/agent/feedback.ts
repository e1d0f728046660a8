import type { CacheImpact, JsonValue, Loss, Message } from "../core/index.ts";
import type { Explanation } from "../llm/index.ts";

/** Everything `/model` says. Pure: the figures come from what makes the request. */
export function switchLines(facts: {
  readonly explanation: Explanation;
  /** How the provider is called. */
  readonly provider: string;
  readonly losses: readonly Loss[];
  readonly messages: readonly Message[];
  /** How the providers that wrote parts of the history are called. */
  readonly makers: ReadonlyMap<string, string>;
  readonly cache: CacheImpact;
}): readonly string[] {
  const { explanation, provider, cache } = facts;
  return [
    `✓ Switched to ${provider} ${explanation.model} (${apiNames[explanation.api] ?? explanation.api})`,
    ...explanation.warnings.map(({ message }) => `  ⚠ ${message}`),
    `  Thinking: ${thinkingText(explanation)}`,
    ...lossLines(facts).map((line) => `  ⚠ ${line}`),
    ...(cache.message === "" ? [] : [`  ⚠ ${cache.message}`]),
  ];
}

/** The level that is applied and the figure or word that is sent for it. */
function thinkingText({ level_applied, parameters, calculated_budget }: Explanation): string {
  const level = levelWords[level_applied];
  const budget = find(parameters, budgetNames);
  if (typeof budget === "number" && budget > 0) {
    const reduced =
      calculated_budget !== null && calculated_budget > budget ? ` of ${figure(calculated_budget)} by the table` : "";
    return `${level} (${figure(budget)} tokens${reduced})`;
  }
  if (budget === -1) return `${level} (as much as the model likes)`;
  const word = find(parameters, wordNames);
  if (typeof word === "string" && level_applied === "none") return word === "none" ? "off" : `${word} (minimum)`;
  if (typeof word === "string") return `${level} (${word === word.toUpperCase() ? `${word} level` : `${word} effort`})`;
  return level_applied === "none" ? "off" : "none: the model does not think";
}

function lossLines({ losses, messages, makers }: Parameters<typeof switchLines>[0]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { code, message_index } of losses) {
    const message = messages[message_index];
    const maker = message?.role === "assistant" ? message.origin.provider : "";
    const say = lossWords[code];
    if (say === undefined) continue;
    const key = JSON.stringify([code, maker]);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return [...counts].map(([key, count]) => {
    const [code = "", maker = ""] = JSON.parse(key) as readonly string[];
    return lossWords[code]?.(count, makers.get(maker) ?? maker) ?? "";
  });
}

/** The first field with one of these names, wherever it stands. */
function find(value: JsonValue, names: ReadonlySet<string>): JsonValue | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  for (const [name, inner] of Object.entries(value)) {
    if (names.has(name)) return inner;
    const deeper = inner === undefined ? undefined : find(inner, names);
    if (deeper !== undefined) return deeper;
  }
  return undefined;
}

function figure(count: number): string {
  return count.toLocaleString("en-US");
}

export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

/** Small amounts with what is in them. */
export function dollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.1 ? 4 : 2)}`;
}

/** As much of an id as people type. */
export function shortId(uuid: string): string {
  return uuid.slice(0, 4);
}

const budgetNames: ReadonlySet<string> = new Set([
  "budget_tokens",
  "thinkingBudget",
  "thinking_budget",
  "max_tokens_thinking",
]);
const wordNames: ReadonlySet<string> = new Set(["effort", "thinkingLevel", "thinking_level", "reasoning_effort"]);

const levelWords = { none: "none", low: "low", med: "medium", high: "high", max: "maximum" } as const;

const apiNames: { readonly [api: string]: string | undefined } = {
  messages: "Messages API",
  responses: "Responses API",
  chat: "Chat Completions API",
  generateContent: "generateContent API",
};

/** What a person cares about; what was only renamed or repaired is left unsaid. */
const lossWords: { readonly [code: string]: ((count: number, maker: string) => string) | undefined } = {
  foreign_thinking: (count, maker) =>
    `${plural(count, "thinking block")} ${count === 1 ? "stays" : "stay"} with ${maker}`,
  foreign_data: (count, maker) =>
    `${plural(count, "piece")} of ${maker}'s own data ${count === 1 ? "stays" : "stay"} there`,
  unsigned_thinking: (count) => `${plural(count, "thinking block")} without a signature will not be shown`,
  broken_prefix: (count) =>
    `${plural(count, "thinking block")} no longer ${count === 1 ? "fits what is before it" : "fit what is before them"} and will not be shown`,
  unsupported_block: (count) => `${plural(count, "image or document")} cannot be shown to this model`,
};
