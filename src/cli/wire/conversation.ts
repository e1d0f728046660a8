import { isJsonObject, parseThinkingLevel, validateConversation, type Conversation } from "../../core/index.ts";

/** The version of the conversation format this program writes, and the newest it reads. See docs/format.md. */
const conversationVersion = 1;

export type ParsedConversation =
  | { readonly conversation: Conversation; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] };

/** A conversation file: `{version: 1, system?, messages, tools?, …}`, a request without its model. */
export function parseConversation(text: string): ParsedConversation {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { problems: [`the conversation is not JSON: ${error instanceof Error ? error.message : String(error)}`] };
  }
  if (!isJsonObject(json)) return { problems: ["the conversation must be a JSON object"] };
  const { version, ...rest } = json;
  if (version !== undefined && version !== conversationVersion) {
    return { problems: [`version: must be ${conversationVersion}, not ${JSON.stringify(version)}`] };
  }
  const loose = { ...rest, ...systemOf(rest["system"]), ...thinkingOf(rest["thinking"]) };
  const problems = validateConversation(loose);
  if (problems.length > 0) {
    return { problems: problems.map(({ place, message }) => (place === "" ? message : `${place}: ${message}`)) };
  }
  const warnings = Object.keys(rest)
    .filter((key) => !conversationFields.has(key))
    .map((key) => `${key}: is no field of a conversation and was passed over`);
  const known = Object.entries(loose).filter(([key]) => conversationFields.has(key));
  return { conversation: Object.fromEntries(known) as Conversation, warnings };
}

/** A string stands for one text block. */
function systemOf(system: unknown): { readonly system?: unknown } {
  return typeof system === "string" ? { system: [{ type: "text", text: system }] } : {};
}

/** On input a level may also be called min, off or medium. */
function thinkingOf(thinking: unknown): { readonly thinking?: unknown } {
  if (!isJsonObject(thinking) || typeof thinking["level"] !== "string") return {};
  return { thinking: { ...thinking, level: parseThinkingLevel(thinking["level"]) ?? thinking["level"] } };
}

const conversationFields: ReadonlySet<string> = new Set<keyof Conversation>([
  "system",
  "messages",
  "tools",
  "tool_choice",
  "thinking",
  "max_output_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "stop_sequences",
  "output_format",
  "cache",
  "cache_key",
  "foreign_thinking",
  "provider_options",
]);
