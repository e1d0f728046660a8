import { isJsonObject, type JsonObject } from "./json.ts";
import type { Conversation } from "./request.ts";
import { parseThinkingLevel } from "./thinking.ts";
import { validateConversation } from "./validate.ts";

/** The version of the conversation format this code writes, and the newest it reads. See docs/format.md. */
export const conversationVersion = 1;

/** A conversation as it is stored and passed on: plain JSON, with its version. */
export type ConversationFile = Conversation & { readonly version: typeof conversationVersion };

export type ImportedConversation =
  | { readonly conversation: Conversation; readonly warnings: readonly string[] }
  | { readonly problems: readonly string[] };

/** What `importConversation` reads back as the same conversation, whichever models took part in it. */
export function exportConversation(conversation: Conversation): ConversationFile {
  const known = Object.entries(conversation).filter(
    ([key, value]) => conversationFields.has(key) && value !== undefined,
  );
  return { version: conversationVersion, messages: conversation.messages, ...Object.fromEntries(known) };
}

/** Reads a conversation from text or from parsed JSON, or says what is wrong with it and where. */
export function importConversation(source: unknown): ImportedConversation {
  const parsed = typeof source === "string" ? parse(source) : { json: source };
  if ("problem" in parsed) return { problems: [parsed.problem] };
  const { json } = parsed;
  if (!isJsonObject(json)) return { problems: ["the conversation must be a JSON object"] };
  const { version, ...rest } = json;
  if (version !== undefined && version !== conversationVersion) {
    const newer = typeof version === "number" && version > conversationVersion ? "; a newer program wrote it" : "";
    return { problems: [`version: must be ${conversationVersion}, not ${JSON.stringify(version)}${newer}`] };
  }
  const loose = { ...rest, ...systemOf(rest["system"]), ...thinkingOf(rest["thinking"]) };
  const problems = validateConversation(loose);
  if (problems.length > 0) {
    return { problems: problems.map(({ place, message }) => (place === "" ? message : `${place}: ${message}`)) };
  }
  const warnings = Object.keys(rest)
    .filter((key) => !conversationFields.has(key))
    .map((key) => `${key}: is no field of a conversation and was passed over`);
  const known: JsonObject = Object.fromEntries(Object.entries(loose).filter(([key]) => conversationFields.has(key)));
  // Held against every rule of the type just now.
  return { conversation: known as unknown as Conversation, warnings };
}

function parse(text: string): { readonly json: unknown } | { readonly problem: string } {
  try {
    return { json: JSON.parse(text) };
  } catch (error) {
    return { problem: `the conversation is not JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** A string stands for one text block. */
function systemOf(system: JsonObject[string]): JsonObject {
  return typeof system === "string" ? { system: [{ type: "text", text: system }] } : {};
}

/** On input a level may also be called min, off or medium. */
function thinkingOf(thinking: JsonObject[string]): JsonObject {
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
  "web_search",
  "cache",
  "cache_key",
  "foreign_thinking",
  "provider_options",
]);
