import { isJsonObject } from "./json.ts";
import type { Message } from "./messages.ts";
import { isThinkingLevel, thinkingLevels } from "./thinking.ts";

/** Something wrong with a request, and where: `messages[3].content[0].id`. */
export type Problem = { readonly place: string; readonly message: string };

/**
 * Looks at data of unknown origin. Returns nothing when it is a legal request (`model` may be checked elsewhere):
 * at least one message, blocks that belong to their role, whole numbers where numbers count.
 */
export function validateConversation(value: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  const check = checker(problems);
  if (!isJsonObject(value)) return [{ place: "", message: "must be an object" }];
  const { messages, system, tools, tool_choice, thinking, web_search } = value;
  if (!Array.isArray(messages)) check.fail("messages", "must be an array of messages");
  else if (messages.length === 0) check.fail("messages", "must hold at least one message");
  else messages.forEach((message, index) => checkMessage(check, message, `messages[${index}]`));
  if (system !== undefined) checkBlocks(check, system, "system", ["text"]);
  if (tools !== undefined) checkTools(check, tools);
  if (tool_choice !== undefined) checkToolChoice(check, tool_choice, tools);
  if (thinking !== undefined) checkThinking(check, thinking);
  if (web_search !== undefined) checkWebSearch(check, web_search);
  checkWords(check, value);
  checkNumbers(check, value);
  return problems;
}

/** After `project` these never fail; `encode` refuses what still breaks the seeds' rule that calls and results pair up. */
export function unansweredToolCalls(messages: readonly Message[]): readonly Problem[] {
  const problems: Problem[] = [];
  messages.forEach((message, index) => {
    if (message.role === "assistant") {
      const next = messages[index + 1];
      const answered = new Set(next?.role === "tool" ? next.content.map((result) => result.tool_call_id) : []);
      message.content.forEach((block, block_index) => {
        if (block.type === "tool_call" && !answered.has(block.id)) {
          const place = `messages[${index}].content[${block_index}]`;
          problems.push({ place, message: `tool call ${block.id} has no result in the next message` });
        }
      });
    }
    if (message.role === "tool") {
      const previous = messages[index - 1];
      const asked = new Set(
        previous?.role === "assistant"
          ? previous.content.map((block) => (block.type === "tool_call" ? block.id : ""))
          : [],
      );
      message.content.forEach((result, block_index) => {
        if (!asked.has(result.tool_call_id)) {
          const place = `messages[${index}].content[${block_index}]`;
          problems.push({ place, message: `tool result ${result.tool_call_id} has no call in the message before it` });
        }
      });
    }
  });
  return problems;
}

type Checker = {
  readonly fail: (place: string, message: string) => void;
  readonly string: (value: unknown, place: string) => void;
};

function checker(problems: Problem[]): Checker {
  const fail = (place: string, message: string): void => {
    problems.push({ place, message });
  };
  return {
    fail,
    string(value, place) {
      if (typeof value !== "string") fail(place, "must be a string");
    },
  };
}

function checkMessage(check: Checker, message: unknown, place: string): void {
  if (!isJsonObject(message)) return check.fail(place, "must be an object");
  const { role } = message;
  if (role !== "user" && role !== "assistant" && role !== "tool") {
    return check.fail(`${place}.role`, `must be "user", "assistant" or "tool"`);
  }
  if (role === "assistant") {
    if (!isJsonObject(message["origin"])) check.fail(`${place}.origin`, "must say {provider, api, model}");
    else for (const key of ["provider", "model"]) check.string(message["origin"][key], `${place}.origin.${key}`);
  }
  checkBlocks(check, message["content"], `${place}.content`, blocksOfRole[role]);
}

function checkBlocks(check: Checker, blocks: unknown, place: string, allowed: readonly string[]): void {
  if (!Array.isArray(blocks)) return check.fail(place, "must be an array of blocks");
  blocks.forEach((block: unknown, index) => {
    const at = `${place}[${index}]`;
    if (!isJsonObject(block)) return check.fail(at, "must be an object");
    const { type } = block;
    if (typeof type !== "string" || !allowed.includes(type)) {
      return check.fail(`${at}.type`, `must be one of ${allowed.join(", ")}, not ${JSON.stringify(type)}`);
    }
    blockChecks[type]?.(check, block, at);
    checkOpaque(check, block["opaque"], `${at}.opaque`, type === "provider");
  });
}

function checkOpaque(check: Checker, opaque: unknown, place: string, required: boolean): void {
  if (opaque === undefined && !required) return;
  if (!isJsonObject(opaque) || !isJsonObject(opaque["data"]))
    return check.fail(place, "must be {provider, model, data}");
  check.string(opaque["provider"], `${place}.provider`);
  check.string(opaque["model"], `${place}.model`);
}

const blocksOfRole = {
  user: ["text", "image", "document"],
  assistant: ["text", "thinking", "tool_call", "provider"],
  tool: ["tool_result"],
} as const;

const blockChecks: {
  readonly [type: string]: ((check: Checker, block: Record<string, unknown>, place: string) => void) | undefined;
} = {
  text: (check, block, place) => {
    check.string(block["text"], `${place}.text`);
    if (block["citations"] !== undefined) checkCitations(check, block["citations"], `${place}.citations`);
  },
  thinking: (check, block, place) => check.string(block["text"], `${place}.text`),
  image: checkMedia,
  document: (check, block, place) => {
    checkMedia(check, block, place);
    if (block["title"] !== undefined) check.string(block["title"], `${place}.title`);
  },
  tool_call: (check, block, place) => {
    check.string(block["id"], `${place}.id`);
    check.string(block["name"], `${place}.name`);
    if (!isJsonObject(block["arguments"])) check.fail(`${place}.arguments`, "must be an object");
  },
  tool_result: (check, block, place) => {
    check.string(block["tool_call_id"], `${place}.tool_call_id`);
    if (typeof block["is_error"] !== "boolean") check.fail(`${place}.is_error`, "must be true or false");
    checkBlocks(check, block["content"], `${place}.content`, blocksOfRole.user);
  },
};

/** Data and its type, or an address. */
function checkMedia(check: Checker, block: Record<string, unknown>, place: string): void {
  if (block["url"] !== undefined) return check.string(block["url"], `${place}.url`);
  check.string(block["media_type"], `${place}.media_type`);
  check.string(block["data"], `${place}.data`);
}

function checkCitations(check: Checker, citations: unknown, place: string): void {
  if (!Array.isArray(citations)) return check.fail(place, "must be an array");
  citations.forEach((citation: unknown, index) => {
    if (!isJsonObject(citation)) return check.fail(`${place}[${index}]`, "must be an object");
    check.string(citation["url"], `${place}[${index}].url`);
  });
}

function checkTools(check: Checker, tools: unknown): void {
  if (!Array.isArray(tools)) return check.fail("tools", "must be an array");
  const names = new Set<unknown>();
  tools.forEach((tool: unknown, index) => {
    const place = `tools[${index}]`;
    if (!isJsonObject(tool)) return check.fail(place, "must be an object");
    check.string(tool["name"], `${place}.name`);
    if (names.has(tool["name"])) check.fail(`${place}.name`, `${JSON.stringify(tool["name"])} is defined twice`);
    names.add(tool["name"]);
    if (typeof tool["name"] === "string" && !toolName.test(tool["name"])) {
      check.fail(`${place}.name`, "must be 1 to 64 letters, digits, _ or -, and not begin with a digit");
    }
    if (!isObjectSchema(tool["parameters"])) check.fail(`${place}.parameters`, "must be a JSON Schema of type object");
  });
}

/** What every provider takes; some take more. */
const toolName = /^[A-Za-z_-][A-Za-z0-9_-]{0,63}$/;

function isObjectSchema(schema: unknown): boolean {
  return isJsonObject(schema) && (schema["type"] === undefined || schema["type"] === "object");
}

function checkToolChoice(check: Checker, choice: unknown, tools: unknown): void {
  if (!isJsonObject(choice)) return check.fail("tool_choice", "must be an object with a mode");
  const { mode, name } = choice;
  if (mode !== "auto" && mode !== "none" && mode !== "required" && mode !== "specific") {
    return check.fail("tool_choice.mode", "must be auto, none, required or specific");
  }
  if (mode !== "specific") return;
  const known = Array.isArray(tools) && tools.some((tool: unknown) => isJsonObject(tool) && tool["name"] === name);
  if (known) return;
  check.fail("tool_choice.name", name === undefined ? "is missing" : `${JSON.stringify(name)} is not among the tools`);
}

function checkThinking(check: Checker, thinking: unknown): void {
  if (!isJsonObject(thinking)) return check.fail("thinking", "must be an object");
  const { level, budget_tokens } = thinking;
  if (level !== undefined && !isThinkingLevel(level)) {
    check.fail("thinking.level", `must be one of ${thinkingLevels.join(", ")}, not ${JSON.stringify(level)}`);
  }
  if (budget_tokens !== undefined && !Number.isInteger(budget_tokens)) {
    check.fail("thinking.budget_tokens", "must be a whole number");
  }
}

function checkWebSearch(check: Checker, search: unknown): void {
  if (!isJsonObject(search)) return check.fail("web_search", "must be an object");
  const { enabled, max_uses } = search;
  if (enabled !== undefined && typeof enabled !== "boolean") check.fail("web_search.enabled", "must be true or false");
  if (max_uses !== undefined && !(Number.isInteger(max_uses) && Number(max_uses) > 0)) {
    check.fail("web_search.max_uses", "must be a whole number above 0");
  }
  for (const key of ["allowed_domains", "blocked_domains"]) {
    const domains = search[key];
    const fine = Array.isArray(domains) && domains.every((domain) => typeof domain === "string" && domain !== "");
    if (domains !== undefined && !fine) check.fail(`web_search.${key}`, "must be an array of domain names");
  }
}

/** Fields that hold one of a few words. */
function checkWords(check: Checker, value: Record<string, unknown>): void {
  for (const [key, words] of Object.entries(wordsOfField)) {
    const word = value[key];
    if (word !== undefined && !words.some((known) => known === word)) {
      check.fail(key, `must be one of ${words.join(", ")}, not ${JSON.stringify(word)}`);
    }
  }
  const format = value["output_format"];
  if (format === undefined) return;
  const type = isJsonObject(format) ? format["type"] : undefined;
  if (type !== "json" && type !== "json_schema") return check.fail("output_format.type", "must be json or json_schema");
  if (type === "json" || !isJsonObject(format)) return;
  check.string(format["name"], "output_format.name");
  if (!isJsonObject(format["schema"])) check.fail("output_format.schema", "must be a JSON Schema");
}

const wordsOfField: { readonly [field: string]: readonly string[] } = {
  cache: ["auto", "off", "long"],
  foreign_thinking: ["omit", "text"],
};

function checkNumbers(check: Checker, value: Record<string, unknown>): void {
  const limit = value["max_output_tokens"];
  if (limit !== undefined && !(typeof limit === "number" && Number.isInteger(limit) && (limit > 0 || limit === -1))) {
    check.fail("max_output_tokens", "must be a whole number above 0, or -1 for the default");
  }
  for (const key of ["temperature", "top_p", "top_k", "presence_penalty", "frequency_penalty", "seed"]) {
    const number = value[key];
    if (number !== undefined && !(typeof number === "number" && Number.isFinite(number)))
      check.fail(key, "must be a number");
  }
  const stops = value["stop_sequences"];
  if (
    stops !== undefined &&
    !(Array.isArray(stops) && stops.every((stop) => typeof stop === "string" && stop !== ""))
  ) {
    check.fail("stop_sequences", "must be an array of non-empty strings");
  }
}
