import type { AssistantBlock, ErrorInfo, Message } from "../core/index.ts";

/** A provider refuses data that only it can have made: after a change of key or route, or because it has forgotten. */
export function isSealRefusal({ category, message }: ErrorInfo): boolean {
  return category === "invalid_request" && refusals.test(message);
}

/** The history without what providers seal; undefined where there is nothing of the kind. */
export function withoutSeals(messages: readonly Message[]): readonly Message[] | undefined {
  let found = false;
  const bare = messages.map((message): Message => {
    if (message.role !== "assistant") return message;
    const content = message.content.flatMap((block): readonly AssistantBlock[] => {
      if (block.type === "thinking" || block.type === "provider") {
        found = true;
        return [];
      }
      if (block.opaque === undefined) return [block];
      found = true;
      const { opaque: _opaque, ...rest } = block;
      return [rest];
    });
    return { ...message, content };
  });
  return found ? bare : undefined;
}

const refusals = /signature|encrypted[ _]content|redacted_thinking|thinking.{0,20}blocks?.{0,40}(?:modified|match)/i;
