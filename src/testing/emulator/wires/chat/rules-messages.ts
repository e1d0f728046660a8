/** What the Chat wire refuses among its messages: roles, content, calls without answers. */
import type { JsonObject } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { firstDuplicate, has, listOf, objectOf, objectsOf, textOf } from "../../json.ts";
import type { Refusal } from "../../types.ts";
import { emptyArray, missing, namePattern, refuse, tooLong, wrongPattern, wrongType, wrongValue } from "../openai.ts";
import { callsOf, type ChatContext } from "./read.ts";
import { isGenuineDetail } from "./reasoning-details.ts";

const idLengthMax = 40;

export const messageRules: readonly Rule<ChatContext>[] = [
  {
    id: "chat.messages.empty",
    about: "at least one message",
    check: ({ messages }) => (messages.length === 0 ? emptyArray("messages") : undefined),
  },
  {
    id: "chat.role",
    about: "a role the API knows",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) =>
        knownRoles.includes(textOf(message["role"]))
          ? undefined
          : wrongValue(`messages[${index}].role`, message["role"], knownRoles),
      ),
  },
  {
    id: "chat.role.developer",
    about: "not every server knows the role developer",
    check: ({ messages, exchange }) =>
      firstRefusal(messages, (message, index) => {
        const known = knownRoles.filter((role) => role !== "developer");
        if (message["role"] !== "developer" || exchange.route.dialect.quirks.no_developer_role !== true)
          return undefined;
        return wrongValue(`messages[${index}].role`, "developer", known);
      }),
  },
  {
    id: "chat.content.missing",
    about: "content may be left out only beside tool calls",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const excused =
          message["role"] === "assistant" && (has(message, "tool_calls") || has(message, "function_call"));
        if (has(message, "content") || excused || has(message, "refusal") || has(message, "audio")) return undefined;
        const param = `messages.[${index}].content`;
        return refuse(param, null, "Invalid value for 'content': expected a string, got null.");
      }),
  },
  {
    id: "chat.content.empty",
    about: "no empty list of content parts",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const content = message["content"];
        return Array.isArray(content) && content.length === 0 ? emptyArray(`messages[${index}].content`) : undefined;
      }),
  },
  {
    id: "chat.content.type",
    about: "text only from system, assistant and tool; pictures only from the user",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const allowed = message["role"] === "user" ? userParts : ["text", "refusal"];
        return firstRefusal(listOf(message["content"]), (part, number) => {
          const type = objectOf(part)["type"];
          if (!has(objectOf(part), "type")) return missing(`messages[${index}].content[${number}].type`);
          if (allowed.includes(textOf(type))) return undefined;
          return wrongValue(`messages[${index}].content[${number}].type`, type, allowed);
        });
      }),
  },
  {
    id: "chat.tool_calls.empty",
    about: "no empty list of tool calls",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const calls = message["tool_calls"];
        return Array.isArray(calls) && calls.length === 0 ? emptyArray(`messages[${index}].tool_calls`) : undefined;
      }),
  },
  {
    id: "chat.tool_call.shape",
    about: "a call has id, type and function with name and arguments as text",
    check: ({ messages }) =>
      overCalls(messages, (call, param) => {
        const absent = ["id", "type"].find((field) => !has(call, field));
        if (absent !== undefined) return missing(`${param}.${absent}`);
        if (call["type"] !== "function") return undefined;
        const called = objectOf(call["function"]);
        if (!has(called, "name")) return missing(`${param}.function.name`);
        const given = called["arguments"];
        return typeof given === "string" ? undefined : wrongType(`${param}.function.arguments`, "a string", given);
      }),
  },
  {
    id: "chat.tool_call.id_length",
    about: `call ids of at most ${idLengthMax} characters`,
    check: ({ messages }) =>
      overIds(messages, (id, param) => (id.length <= idLengthMax ? undefined : tooLong(param, idLengthMax, id.length))),
  },
  {
    id: "chat.tool_call.id_pattern",
    about: "call ids of letters, digits, _ and -",
    check: ({ messages }) => overIds(messages, (id, param) => (namePattern.test(id) ? undefined : wrongPattern(param))),
  },
  {
    id: "chat.tool_call.name",
    about: "the name of a call is the name of a tool",
    check: ({ messages }) =>
      overCalls(messages, (call, param) => {
        const name = textOf(objectOf(call["function"])["name"]);
        return call["type"] !== "function" || namePattern.test(name)
          ? undefined
          : wrongPattern(`${param}.function.name`);
      }),
  },
  {
    id: "chat.tool_call.duplicate",
    about: "no call id twice in one message",
    check: ({ messages }) =>
      firstRefusal(messages, (message) => {
        const twice = firstDuplicate(callsOf(message).map((call) => textOf(call["id"])));
        if (twice === undefined) return undefined;
        return refuse("messages", null, `Duplicate value for 'tool_call_id' of '${twice}'`);
      }),
  },
  {
    id: "chat.reasoning_details.invalid",
    about: "routed thinking comes back as it was, to the model that made it",
    check: (context) =>
      firstRefusal(context.messages, (message) => {
        const wrong = objectsOf(message["reasoning_details"]).some((detail) => !isGenuineDetail(context, detail));
        if (!wrong) return undefined;
        const raw = "Invalid `signature` in `thinking` block";
        return { ...refuse(null, null, "Provider returned error"), details: { provider_name: "Upstream", raw } };
      }),
  },
  {
    id: "chat.tool.id_missing",
    about: "a tool message names its call",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) =>
        message["role"] !== "tool" || has(message, "tool_call_id")
          ? undefined
          : missing(`messages[${index}].tool_call_id`),
      ),
  },
  {
    id: "chat.tool_call.unanswered",
    about: "every call is answered before anything else is said",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const answered = answersAfter(messages, index);
        const open = callsOf(message)
          .map((call) => textOf(call["id"]))
          .filter((id) => !answered.includes(id));
        if (message["role"] !== "assistant" || open.length === 0) return undefined;
        const rule =
          "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'.";
        const names = `The following tool_call_ids did not have response messages: ${open.join(", ")}`;
        return refuse(`messages.[${index + 1}].role`, null, `${rule} ${names}`);
      }),
  },
  {
    id: "chat.tool.orphan",
    about: "every tool message follows the call it answers",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        if (message["role"] !== "tool") return undefined;
        const asked = messages.slice(0, index).findLast((before) => before["role"] !== "tool") ?? {};
        if (callsOf(asked).some((call) => call["id"] === message["tool_call_id"])) return undefined;
        const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
        return refuse(`messages.[${index}].role`, null, `Invalid parameter: ${rule}`);
      }),
  },
  {
    id: "chat.tool.duplicate",
    about: "one tool message per call",
    check: ({ messages }) =>
      firstRefusal(messages, (message, index) => {
        const twice = firstDuplicate(callsOf(message).length === 0 ? [] : answersAfter(messages, index));
        return twice === undefined ? undefined : refuse("messages", null, `Duplicate tool message for '${twice}'.`);
      }),
  },
];

function overCalls(
  messages: readonly JsonObject[],
  look: (call: JsonObject, param: string) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(messages, (message, index) =>
    firstRefusal(callsOf(message), (call, number) => look(call, `messages[${index}].tool_calls[${number}]`)),
  );
}

function overIds(
  messages: readonly JsonObject[],
  look: (id: string, param: string) => Refusal | undefined,
): Refusal | undefined {
  return (
    overCalls(messages, (call, param) => look(textOf(call["id"]), `${param}.id`)) ??
    firstRefusal(messages, (message, index) => {
      if (message["role"] !== "tool" || !has(message, "tool_call_id")) return undefined;
      return look(textOf(message["tool_call_id"]), `messages[${index}].tool_call_id`);
    })
  );
}

/** The ids answered by the tool messages that stand directly behind. */
function answersAfter(messages: readonly JsonObject[], index: number): readonly string[] {
  const ids: string[] = [];
  for (const message of messages.slice(index + 1)) {
    if (message["role"] !== "tool") break;
    ids.push(textOf(message["tool_call_id"]));
  }
  return ids;
}

const knownRoles = ["system", "assistant", "user", "function", "tool", "developer"];
const userParts = ["text", "image_url", "input_audio", "file", "refusal"];
