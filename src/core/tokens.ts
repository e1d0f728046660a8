import type { JsonValue } from "./json.ts";
import type { DocumentBlock, Message, TextBlock, UserBlock } from "./messages.ts";
import type { Conversation, ToolDefinition } from "./request.ts";

/** Counts the tokens of a text; exact or not is the counter's business. */
export type CountText = (text: string) => number;

export type TokenParts = { readonly system: number; readonly tools: number; readonly messages: number };

/**
 * About how many tokens a conversation is, part by part. By default four characters make one: enough to see that a
 * conversation is long.
 */
export function tokensOf(
  { system = [], tools = [], messages }: Pick<Conversation, "system" | "tools" | "messages">,
  count: CountText = roughCount,
): TokenParts {
  return {
    system: sum(system, ({ text }: TextBlock) => count(text)),
    tools: sum(tools, (tool: ToolDefinition) => count(tool.description ?? "") + countJson(tool.parameters, count)),
    messages: sum(messages, (message: Message) => messageTokens(message, count)),
  };
}

export function totalTokensOf(
  conversation: Pick<Conversation, "system" | "tools" | "messages">,
  count: CountText = roughCount,
): number {
  const { system, tools, messages } = tokensOf(conversation, count);
  return Math.ceil(system + tools + messages);
}

export function messageTokens(message: Message, count: CountText = roughCount): number {
  if (message.role === "user") return perMessage + sum(message.content, (block) => inputTokens(block, count));
  if (message.role === "tool") {
    return (
      perMessage + sum(message.content, ({ content }) => sum(content, (block: UserBlock) => inputTokens(block, count)))
    );
  }
  return (
    perMessage +
    sum(message.content, (block) => {
      if (block.type === "text" || block.type === "thinking") return count(block.text);
      if (block.type === "tool_call")
        return (
          count(block.name) +
          (block.arguments_text === undefined ? countJson(block.arguments, count) : count(block.arguments_text))
        );
      return 0;
    })
  );
}

function inputTokens(block: UserBlock, count: CountText): number {
  if (block.type === "text") return count(block.text);
  return block.type === "image" ? imageTokens : documentTokens(block);
}

/** Pages are shown as text and as pictures, so a PDF is dear; how dear shows only when it was read. */
function documentTokens(block: DocumentBlock): number {
  if (!("data" in block)) return imageTokens;
  const bytes = (block.data.length * 3) / 4;
  return block.media_type === "application/pdf" ? Math.max(imageTokens, bytes / pdfBytesPerToken) : bytes / 4;
}

/** A rough count needs no text: what a history holds is measured at every request. */
function countJson(value: JsonValue, count: CountText): number {
  return count === roughCount ? jsonLength(value) / 4 : count(JSON.stringify(value));
}

function jsonLength(value: JsonValue | undefined): number {
  if (typeof value === "string") return value.length + 2;
  if (typeof value !== "object" || value === null) return 4;
  if (Array.isArray(value)) return value.reduce<number>((total, item) => total + jsonLength(item) + 1, 2);
  return Object.entries(value).reduce((total, [key, inner]) => total + key.length + 4 + jsonLength(inner), 2);
}

function roughCount(text: string): number {
  return text.length / 4;
}

function sum<Item>(items: readonly Item[], of: (item: Item) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}

const perMessage = 4;
const imageTokens = 1_500;
const pdfBytesPerToken = 40;
