/** What the Responses wire refuses among its input items: ids, pairs, reasoning. */
import type { JsonObject } from "../../../../core/json.ts";
import { firstRefusal, type Rule } from "../../exchange.ts";
import { firstDuplicate, has, listOf, objectOf, textOf } from "../../json.ts";
import type { Claim } from "../../signatures.ts";
import type { Refusal } from "../../types.ts";
import { emptyArray, missing, namePattern, refuse, tooLong, wrongPattern, wrongType, wrongValue } from "../openai.ts";
import { typeOf, type ResponsesContext } from "./read.ts";

const idLengthMax = 64;

export const itemRules: readonly Rule<ResponsesContext>[] = [
  {
    id: "responses.item.type",
    about: "items of a known type",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const type = typeOf(item);
        if (idPrefixes[type] !== undefined || otherTypes.includes(type)) return undefined;
        return wrongValue(`input[${index}]`, type, [...Object.keys(idPrefixes), ...otherTypes]);
      }),
  },
  {
    id: "responses.item.role",
    about: "assistant, system, developer or user",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const known = ["assistant", "system", "developer", "user"];
        if (typeOf(item) !== "message" || known.includes(textOf(item["role"]))) return undefined;
        return wrongValue(`input[${index}].role`, item["role"], known);
      }),
  },
  {
    id: "responses.role.developer",
    about: "not every server knows the role developer",
    check: ({ items, exchange }) =>
      firstRefusal(items, (item, index) => {
        if (item["role"] !== "developer" || exchange.route.dialect.quirks.no_developer_role !== true) return undefined;
        return wrongValue(`input[${index}].role`, "developer", ["assistant", "system", "user"]);
      }),
  },
  {
    id: "responses.content.missing",
    about: "a message has content",
    check: ({ items }) =>
      firstRefusal(items, (item, index) =>
        typeOf(item) !== "message" || has(item, "content") ? undefined : missing(`input[${index}].content`),
      ),
  },
  {
    id: "responses.content.empty",
    about: "no empty list of content parts",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const content = item["content"];
        const empty = typeOf(item) === "message" && Array.isArray(content) && content.length === 0;
        return empty ? emptyArray(`input[${index}].content`) : undefined;
      }),
  },
  {
    id: "responses.content.type",
    about: "output_text from the assistant, input_text from everybody else",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        if (typeOf(item) !== "message") return undefined;
        const known = item["role"] === "assistant" ? ["output_text", "refusal"] : inputParts;
        return firstRefusal(listOf(item["content"]), (part, number) => {
          const type = objectOf(part)["type"];
          return known.includes(textOf(type))
            ? undefined
            : wrongValue(`input[${index}].content[${number}]`, type, known);
        });
      }),
  },
  {
    id: "responses.id.prefix",
    about: "an item id begins as ids of its kind do",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const prefix = idPrefixes[typeOf(item)] ?? "";
        const id = item["id"];
        if (id === undefined || id === null || prefix === "" || textOf(id).startsWith(prefix)) return undefined;
        const wanted = prefix.replace(/_$/, "");
        const message = `Invalid 'input[${index}].id': '${textOf(id)}'. Expected an ID that begins with '${wanted}'.`;
        return refuse(`input[${index}].id`, "invalid_value", message);
      }),
  },
  {
    id: "responses.id.length",
    about: `item ids of at most ${idLengthMax} characters`,
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const id = textOf(item["id"]);
        return id.length <= idLengthMax ? undefined : tooLong(`input[${index}].id`, idLengthMax, id.length);
      }),
  },
  {
    id: "responses.id.duplicate",
    about: "no item id twice",
    check({ history }) {
      const ids = history.filter((item) => typeOf(item) !== "item_reference").map((item) => textOf(item["id"]));
      const twice = firstDuplicate(ids.filter(Boolean));
      if (twice === undefined) return undefined;
      const message = `Duplicate item found with id ${twice}. Remove duplicate items from your input and try again.`;
      return refuse("input", null, message);
    },
  },
  {
    id: "responses.call_id.missing",
    about: "calls and their outputs have a call_id",
    check: ({ items }) =>
      overCallIds(items, (id, param, item) => {
        if (!has(item, "call_id")) return missing(param);
        const rule = "Expected a string with minimum length 1, but got an empty string instead.";
        return id === "" ? refuse(param, "empty_string", `Invalid '${param}': empty string. ${rule}`) : undefined;
      }),
  },
  {
    id: "responses.call_id.length",
    about: `call ids of at most ${idLengthMax} characters`,
    check: ({ items }) =>
      overCallIds(items, (id, param) =>
        id.length <= idLengthMax ? undefined : tooLong(param, idLengthMax, id.length),
      ),
  },
  {
    id: "responses.call_id.pattern",
    about: "call ids of letters, digits, _ and -",
    check: ({ items }) => overCallIds(items, (id, param) => (namePattern.test(id) ? undefined : wrongPattern(param))),
  },
  {
    id: "responses.call.name",
    about: "the name of a call is the name of a tool",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        if (typeOf(item) !== "function_call") return undefined;
        if (!has(item, "name")) return missing(`input[${index}].name`);
        return namePattern.test(textOf(item["name"])) ? undefined : wrongPattern(`input[${index}].name`);
      }),
  },
  {
    id: "responses.call.arguments",
    about: "arguments are text",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        if (typeOf(item) !== "function_call" || typeof item["arguments"] === "string") return undefined;
        return wrongType(`input[${index}].arguments`, "a string", item["arguments"]);
      }),
  },
  {
    id: "responses.output.type",
    about: "an output is text or a list of parts",
    check: ({ items }) =>
      firstRefusal(items, (item, index) => {
        const output = item["output"];
        if (typeOf(item) !== "function_call_output" || typeof output === "string" || Array.isArray(output)) {
          return undefined;
        }
        return wrongType(`input[${index}].output`, "one of a string or an array of objects", output);
      }),
  },
  {
    id: "responses.call.duplicate",
    about: "no call twice",
    check({ history }) {
      const twice = firstDuplicate(idsOf(history, "function_call"));
      return twice === undefined ? undefined : refuse("input", null, `Duplicate function call with call_id ${twice}.`);
    },
  },
  {
    id: "responses.output.orphan",
    about: "every output follows its call",
    check(context) {
      // References stand for items only the provider knows.
      if (context.history.some((item) => typeOf(item) === "item_reference")) return undefined;
      if (has(context.body, "previous_response_id") && context.history.length === context.items.length)
        return undefined;
      const asked = new Set<string>();
      return firstRefusal(context.history, (item) => {
        const id = textOf(item["call_id"]);
        if (typeOf(item) === "function_call") asked.add(id);
        if (typeOf(item) !== "function_call_output" || asked.has(id)) return undefined;
        return refuse("input", null, `No tool call found for function call output with call_id ${id}.`);
      });
    },
  },
  {
    id: "responses.output.duplicate",
    about: "one output per call",
    check({ history }) {
      const twice = firstDuplicate(idsOf(history, "function_call_output"));
      return twice === undefined
        ? undefined
        : refuse("input", null, `Duplicate tool output found for call_id ${twice}.`);
    },
  },
  {
    id: "responses.call.unanswered",
    about: "every call has its output",
    check({ history }) {
      const answered = new Set(idsOf(history, "function_call_output"));
      const open = idsOf(history, "function_call").find((id) => !answered.has(id));
      return open === undefined ? undefined : refuse("input", null, `No tool output found for function call ${open}.`);
    },
  },
  {
    id: "responses.reasoning.summary",
    about: "a reasoning item has a summary, empty or not",
    check: ({ items }) =>
      overReasoning(items, (item, index) => (has(item, "summary") ? undefined : missing(`input[${index}].summary`))),
  },
  {
    id: "responses.reasoning.not_stored",
    about: "without encrypted content the item must have been kept here",
    check: (context) =>
      overReasoning(context.items, (item) => {
        if (has(item, "encrypted_content") || isKept(context, textOf(item["id"]))) return undefined;
        return notFound(textOf(item["id"]));
      }),
  },
  {
    id: "responses.item_reference",
    about: "a reference to an item that was kept here",
    check: (context) =>
      firstRefusal(context.items, (item) => {
        const id = textOf(item["id"]);
        return typeOf(item) !== "item_reference" || isKept(context, id) ? undefined : notFound(id);
      }),
  },
  {
    id: "responses.reasoning.encrypted_invalid",
    about: "encrypted content of another maker, another model, or changed",
    check: (context) =>
      overReasoning(context.items, (item) => {
        const blob = item["encrypted_content"];
        if (blob === undefined || blob === null || isGenuine(context, textOf(blob))) return undefined;
        const shown = `${textOf(blob).slice(0, 4)}...${textOf(blob).slice(-4)}`;
        const reason = "Reason: Encrypted content could not be decrypted or parsed.";
        const message = `The encrypted content ${shown} could not be verified. ${reason}`;
        return refuse(null, "invalid_encrypted_content", message);
      }),
  },
  {
    id: "responses.reasoning.no_following",
    about: "a reasoning item is followed by the item it led to",
    check: ({ items, stores }) =>
      overReasoning(items, (item, index) => {
        const next = items.slice(index + 1).find((other) => typeOf(other) !== "reasoning");
        // Where items are kept, the one that follows is known by its id (recorded: a rewritten answer is refused).
        const known = !stores || !has(item, "id") || (next !== undefined && has(next, "id"));
        if (next !== undefined && isModelItem(next) && known) return undefined;
        const name = has(item, "id") ? `Item '${textOf(item["id"])}' of type 'reasoning'` : "Item of type 'reasoning'";
        return refuse("input", null, `${name} was provided without its required following item.`);
      }),
  },
  {
    id: "responses.reasoning.missing",
    about: "an item id that was made with reasoning comes back with it",
    check: ({ history, exchange }) =>
      firstRefusal(history, (item) => {
        const id = textOf(item["id"]);
        const wanted = exchange.world.reasoning_of.get(id);
        if (wanted === undefined || history.some((other) => other["id"] === wanted)) return undefined;
        const rule = `was provided without its required 'reasoning' item: '${wanted}'.`;
        return refuse("input", null, `Item '${id}' of type '${typeOf(item)}' ${rule}`);
      }),
  },
];

function overCallIds(
  items: readonly JsonObject[],
  look: (id: string, param: string, item: JsonObject) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(items, (item, index) => {
    if (typeOf(item) !== "function_call" && typeOf(item) !== "function_call_output") return undefined;
    return look(textOf(item["call_id"]), `input[${index}].call_id`, item);
  });
}

function overReasoning(
  items: readonly JsonObject[],
  look: (item: JsonObject, index: number) => Refusal | undefined,
): Refusal | undefined {
  return firstRefusal(items, (item, index) => (typeOf(item) === "reasoning" ? look(item, index) : undefined));
}

function idsOf(items: readonly JsonObject[], type: string): readonly string[] {
  return items.filter((item) => typeOf(item) === type).map((item) => textOf(item["call_id"]));
}

function isKept(context: ResponsesContext, id: string): boolean {
  const { world } = context.exchange;
  if (world.options.signatures === "any") return true;
  if (!context.stores) return false;
  return [...world.stored.values()].some((items) => items.some((item) => item["id"] === id));
}

function notFound(id: string): Refusal {
  const why = "Items are not persisted when `store` is set to false.";
  const hint = "Try again with `store` set to true, or remove this item from your input.";
  return { ...refuse("input", null, `Item with id '${id}' not found. ${why} ${hint}`), status: 404 };
}

function isGenuine(context: ResponsesContext, blob: string): boolean {
  const { world } = context.exchange;
  if (world.options.signatures === "any") return blob !== "";
  return world.signatures.verify(blob, encryptionClaim(context, "reasoning")) === "good";
}

/** Whose reasoning it is, in whose shape. */
export function encryptionClaim(context: ResponsesContext, kind: "reasoning" | "unfinished"): Claim {
  const { dialect } = context.exchange.route;
  const shape = dialect.quirks.ids === "uuid" ? "plain" : "openai";
  return { shape, kind: `${dialect.name} ${kind}`, model: context.model.id, content: "" };
}

function isModelItem(item: JsonObject): boolean {
  const type = typeOf(item);
  if (type === "message") return item["role"] === "assistant";
  return !type.endsWith("_output") || type === "tool_search_output" || type === "program_output";
}

const inputParts = ["input_text", "input_image", "input_file", "input_audio"];

/** Kinds of items and how their ids begin; "" where anything goes. */
const idPrefixes: Readonly<Record<string, string>> = {
  message: "msg_",
  reasoning: "rs_",
  function_call: "fc_",
  custom_tool_call: "ctc_",
  function_call_output: "",
  custom_tool_call_output: "",
  item_reference: "",
  web_search_call: "ws_",
  file_search_call: "fs_",
  code_interpreter_call: "ci_",
  image_generation_call: "ig_",
  compaction: "cmp_",
};

const otherTypes = [
  "computer_call",
  "computer_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
  "mcp_list_tools",
  "mcp_call",
  "mcp_approval_request",
  "mcp_approval_response",
  "tool_search_call",
  "tool_search_output",
  "additional_tools",
  "program",
  "program_output",
  "configuration_update",
];
