/** What the Messages wire refuses inside the conversation: roles, blocks, and calls without their results. */
import type { JsonObject } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { firstDuplicate, objectOf, objectsOf, textOf } from "../../json.ts";
import type { Refusal } from "../../types.ts";
import { currentVersion, type MessagesContext, type WireMessage } from "./read.ts";
import { invalid } from "./rules-request.ts";

const idLengthMax = 64;

export const historyRules: readonly Rule<MessagesContext>[] = [
  {
    id: "messages.empty",
    about: "at least one message",
    check: ({ messages }) =>
      messages.length === 0 ? invalid("messages: at least one message is required") : undefined,
  },
  {
    id: "messages.role",
    about: "user, assistant or system",
    check: ({ messages }) =>
      firstRefusal(messages, ({ role, index }) => {
        if (role === "user" || role === "assistant" || role === "system") return undefined;
        return invalid(`messages.${index}.role: Input should be 'user', 'assistant' or 'system'`);
      }),
  },
  {
    id: "messages.system.model",
    about: "system messages only on models that know them",
    check: ({ messages, model }) =>
      firstRefusal(messages, ({ role, index }) => {
        if (role !== "system" || model.system_role) return undefined;
        return invalid(`messages.${index}: role 'system' is not supported on this model`);
      }),
  },
  {
    id: "messages.system.place",
    about: "a system message follows a user message and stands last or before an assistant message",
    check: ({ messages }) =>
      firstRefusal(messages, ({ role }, index) => {
        if (role !== "system") return undefined;
        const before = messages[index - 1]?.role;
        const after = messages[index + 1]?.role;
        if (before === "user" && (after === undefined || after === "assistant")) return undefined;
        return invalid(`messages.${index}: role 'system' must follow a user message and end the turn`);
      }),
  },
  {
    id: "messages.content.empty",
    about: "every message says something",
    check: ({ messages }) =>
      firstRefusal(messages, ({ role, blocks, index }) => {
        if (blocks.length > 0 || (role === "assistant" && index === messages.length - 1)) return undefined;
        const rule = "all messages must have non-empty content except for the optional final assistant message";
        return invalid(`messages.${index}: ${rule}`);
      }),
  },
  {
    id: "messages.block.type",
    about: "blocks of a known type, in a message that may hold them",
    check: ({ messages }) => overBlocks(messages, wrongBlock),
  },
  {
    id: "messages.text.empty",
    about: "no empty and no blank text",
    check: ({ messages, system }) =>
      blankText(system, "system") ?? firstRefusal(messages, ({ blocks }) => blankText(blocks, "messages")),
  },
  {
    id: "messages.document.assistant",
    about: `no document in an assistant message (${currentVersion})`,
    check: ({ messages, version }) =>
      overBlocks(messages, (block, path, { role }) => {
        if (version !== currentVersion || role !== "assistant" || block["type"] !== "document") return undefined;
        return invalid(`${path}: \`document\` blocks are not supported in assistant messages`);
      }),
  },
  {
    id: "messages.citations.user",
    about: `no citations in a user message (${currentVersion})`,
    check: ({ messages, version }) =>
      overBlocks(messages, (block, path, { role }) => {
        const cited = block["type"] === "text" && objectsOf(block["citations"]).length > 0;
        if (version !== currentVersion || role !== "user" || !cited) return undefined;
        return invalid(`${path}.text.citations: Extra inputs are not permitted`);
      }),
  },
  {
    id: "messages.image.media_type",
    about: "jpeg, png, gif or webp",
    check: ({ messages }) =>
      overBlocks(messages, (block, path) => {
        const source = objectOf(block["source"]);
        if (block["type"] !== "image" || source["type"] !== "base64") return undefined;
        if (/^image\/(jpeg|png|gif|webp)$/.test(textOf(source["media_type"]))) return undefined;
        const known = "'image/jpeg', 'image/png', 'image/gif' or 'image/webp'";
        return invalid(`${path}.image.source.base64.media_type: Input should be ${known}`);
      }),
  },
  {
    id: "messages.tool_use.id_pattern",
    about: "call ids of letters, digits, _ and -",
    check: ({ messages }) =>
      overIds(messages, (id, path) => {
        if (/^[a-zA-Z0-9_-]+$/.test(id)) return undefined;
        return invalid(`${path}: String should match pattern '^[a-zA-Z0-9_-]+$'`);
      }),
  },
  {
    id: "messages.tool_use.id_length",
    about: `call ids of at most ${idLengthMax} characters`,
    check: ({ messages }) =>
      overIds(messages, (id, path) => {
        if (id.length <= idLengthMax) return undefined;
        return invalid(`${path}: String should have at most ${idLengthMax} characters`);
      }),
  },
  {
    id: "messages.tool_use.input",
    about: "arguments are an object",
    check: ({ messages }) =>
      overBlocks(messages, (block, path) => {
        const input = block["input"];
        const good = typeof input === "object" && input !== null && !Array.isArray(input);
        if (block["type"] !== "tool_use" || good) return undefined;
        return invalid(`${path}.tool_use.input: Input should be a valid dictionary`);
      }),
  },
  {
    id: "messages.tool_use.duplicate",
    about: "no call id twice",
    check({ messages }) {
      const ids = messages.flatMap((message) => idsOf(message, "tool_use", "id"));
      return new Set(ids).size === ids.length ? undefined : invalid("messages: `tool_use` ids must be unique");
    },
  },
  {
    id: "messages.tool_use.text_after",
    about: "no text behind a call in the same message",
    check: ({ messages }) =>
      firstRefusal(messages, (message) => {
        const call = message.blocks.findIndex((block) => block["type"] === "tool_use");
        const text = message.blocks.findLastIndex((block) => block["type"] === "text");
        if (message.role !== "assistant" || call < 0 || text < call) return undefined;
        return unanswered(message, idsOf(message, "tool_use", "id"));
      }),
  },
  {
    id: "messages.tool_use.unanswered",
    about: "every call has its result in the next message",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const answered = idsOf(turns[number + 1], "tool_result", "tool_use_id");
        const missing = idsOf(turn, "tool_use", "id").filter((id) => !answered.includes(id));
        const open = turns[number + 1] === undefined && turn.role === "assistant";
        return missing.length === 0 || (open && resumable(turn)) ? undefined : unanswered(turn, missing);
      }),
  },
  {
    id: "messages.tool_result.order",
    about: "results come first in their message",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const other = turn.blocks.findIndex((block) => block["type"] !== "tool_result");
        const result = turn.blocks.findLastIndex((block) => block["type"] === "tool_result");
        const before = turns[number - 1];
        if (other < 0 || result < other || before === undefined) return undefined;
        return unanswered(before, idsOf(before, "tool_use", "id"));
      }),
  },
  {
    id: "messages.tool_result.orphan",
    about: "every result belongs to a call of the message before",
    check: ({ turns }) =>
      firstRefusal(turns, (turn, number) => {
        const asked = idsOf(turns[number - 1], "tool_use", "id");
        return firstRefusal(turn.blocks, (block, index) => {
          const id = textOf(block["tool_use_id"]);
          if (block["type"] !== "tool_result" || asked.includes(id)) return undefined;
          return invalid(
            `messages.${turn.index}.content.${index}: ` +
              `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. ` +
              "Each `tool_result` block must have a corresponding `tool_use` block in the previous message.",
          );
        });
      }),
  },
  {
    id: "messages.tool_result.duplicate",
    about: "one result per call",
    check: ({ turns }) =>
      firstRefusal(turns, (turn) => {
        const ids = idsOf(turn, "tool_result", "tool_use_id");
        const twice = firstDuplicate(ids);
        if (twice === undefined) return undefined;
        const rule = "each tool_use must have a single result. Found multiple `tool_result` blocks with id";
        return invalid(`messages.${turn.index}: ${rule}: ${twice}`);
      }),
  },
  {
    id: "messages.tool_result.error_content",
    about: "a failed result holds text only",
    check: ({ messages }) =>
      overBlocks(messages, (block, path) => {
        const other = objectsOf(block["content"]).some((inner) => inner["type"] !== "text");
        if (block["type"] !== "tool_result" || block["is_error"] !== true || !other) return undefined;
        return invalid(`${path}.tool_result: all content must be type "text" if \`is_error\` is true`);
      }),
  },
  {
    id: "messages.prefill.model",
    about: "newer models do not continue an assistant message",
    check({ turns, model }) {
      const last = turns.at(-1);
      if (last?.role !== "assistant" || model.prefill || resumable(last)) return undefined;
      return invalid(
        "This model does not support assistant message prefill. The conversation must end with a user message.",
      );
    },
  },
  {
    id: "messages.prefill.thinking",
    about: "no prefill with budget thinking",
    check({ turns, thinking_type }) {
      const last = turns.at(-1);
      const first = textOf(last?.blocks[0]?.["type"]);
      if (last?.role !== "assistant" || thinking_type !== "enabled" || first.endsWith("thinking")) return undefined;
      const found = `messages.${last.index}.content.0.type: Expected \`thinking\` or \`redacted_thinking\``;
      return invalid(`${found}, but found \`${first}\`. When \`thinking\` is enabled, prefill is not supported.`);
    },
  },
  {
    id: "messages.prefill.whitespace",
    about: "a prefill does not end in white space",
    check({ turns }) {
      const last = turns.at(-1);
      const text = textOf(last?.blocks.at(-1)?.["text"]);
      if (last?.role !== "assistant" || text === text.trimEnd()) return undefined;
      return invalid("messages: final assistant content cannot end with trailing whitespace");
    },
  },
];

function overBlocks(
  messages: readonly WireMessage[],
  look: (block: JsonObject, path: string, message: WireMessage) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(messages, (message) =>
    firstRefusal(message.blocks, (block, index) => look(block, `messages.${message.index}.content.${index}`, message)),
  );
}

function overIds(
  messages: readonly WireMessage[],
  look: (id: string, path: string) => Refusal | undefined,
): Refusal | undefined {
  return overBlocks(messages, (block, path) => {
    if (block["type"] === "tool_use") return look(textOf(block["id"]), `${path}.tool_use.id`);
    if (block["type"] !== "tool_result") return undefined;
    return look(textOf(block["tool_use_id"]), `${path}.tool_result.tool_use_id`);
  });
}

function wrongBlock(block: JsonObject, path: string, { role }: WireMessage): Refusal | undefined {
  const type = textOf(block["type"]);
  const roles = blockRoles[type] ?? (type.endsWith("_tool_result") ? ["assistant", "user"] : undefined);
  if (roles === undefined) {
    const known = Object.keys(blockRoles)
      .map((word) => `'${word}'`)
      .join(", ");
    return invalid(`${path}: Input tag '${type}' found using 'type' does not match any of the expected tags: ${known}`);
  }
  return roles.includes(role)
    ? undefined
    : invalid(`${path}: \`${type}\` blocks are not permitted in ${role} messages`);
}

function blankText(blocks: readonly JsonObject[], place: string): Refusal | undefined {
  return firstRefusal(blocks, (block) => {
    const text = block["text"];
    if (block["type"] !== "text" || textOf(text).trim() !== "") return undefined;
    const rule = text === "" ? "must be non-empty" : "must contain non-whitespace text";
    return invalid(`${place}: text content blocks ${rule}`);
  });
}

function idsOf(message: WireMessage | undefined, type: string, field: string): readonly string[] {
  const blocks = message?.blocks.filter((block) => block["type"] === type) ?? [];
  return blocks.map((block) => textOf(block[field]));
}

function unanswered(message: WireMessage, ids: readonly string[]): Refusal {
  return invalid(
    `messages.${message.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ` +
      `${ids.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
  );
}

/** A turn that stopped inside the provider's own tools is sent back to be continued. */
function resumable(turn: WireMessage): boolean {
  const type = textOf(turn.blocks.at(-1)?.["type"]);
  return (
    type === "server_tool_use" || type === "mcp_tool_use" || (type.endsWith("_tool_result") && type !== "tool_result")
  );
}

const blockRoles: Readonly<Record<string, readonly string[]>> = {
  text: ["user", "assistant", "system"],
  image: ["user", "assistant"],
  document: ["user", "assistant"],
  search_result: ["user"],
  thinking: ["assistant"],
  redacted_thinking: ["assistant"],
  tool_use: ["assistant"],
  tool_result: ["user"],
  server_tool_use: ["assistant"],
  mcp_tool_use: ["assistant"],
  container_upload: ["user", "assistant"],
  compaction: ["assistant"],
  fallback: ["assistant"],
  tool_addition: ["system"],
  tool_reference: ["user"],
};
