import type { JsonObject } from "../../core/json.ts";
import type { Answer, AnswerRule, MockRequest, MockToolResult, ScriptEntry } from "../emulator/types.ts";
import { longText, sampleCode, sampleTable, whatItCanDo } from "./samples.ts";

/**
 * What the simulated models say. By rule and nothing else: the same words get the same answer, and the first answer of
 * every conversation says plainly that no model is behind it.
 */
export const simRule: AnswerRule = (request) => {
  const heard = lastText(request);
  const results = request.messages.at(-1)?.tool_results ?? [];
  const said = results.length > 0 ? aboutResults(results) : answerTo(heard, request);
  return isEntry(said) ? said : { answer: honest(said, request, heard) };
};

function answerTo(heard: string, request: MockRequest): Answer | ScriptEntry {
  for (const { pattern, answer } of orders) {
    const match = pattern.exec(heard);
    if (match !== null) return answer(match, request);
  }
  return { text: `You said: ${quote(heard)}\n\n${askForMore(request)}` };
}

type Order = {
  readonly pattern: RegExp;
  readonly answer: (match: RegExpExecArray, request: MockRequest) => Answer | ScriptEntry;
};

/** What it can be told to do; the first that fits. */
const orders: readonly Order[] = [
  { pattern: /^(?:hi|hello|hey|help|what can you do)\b[^]{0,40}$/i, answer: () => ({ text: whatItCanDo }) },
  { pattern: /^fail(?:\s+(\w+))?\s*$/i, answer: ([, name]) => failure(name) },
  { pattern: /^stall\s*$/i, answer: () => ({ answer: { text: "And then there was" }, fault: "stall" }) },
  {
    pattern: /^cut\s*$/i,
    answer: () => ({ answer: { text: longText(20) }, fault: { kind: "cut", after_frames: 12 } }),
  },
  {
    pattern: /^think(?:\s+about)?\s+([^]+)$/i,
    answer: ([, matter = ""]) => ({
      thinking: ponder(matter),
      text: `I thought about ${quote(matter)} and came to this: a simulation has nothing to add, but you saw how thinking arrives.`,
    }),
  },
  {
    pattern: /^(?:run|bash|\$)\s+([^]+)$/i,
    answer: ([, command = ""], request) => callOf(request, ["bash"], { command }),
  },
  { pattern: /^read\s+(\S+)\s*$/i, answer: ([, path = ""], request) => callOf(request, ["file_read"], { path }) },
  {
    pattern: /^write\s+(\S+)\s*:\s*([^]+)$/i,
    answer: ([, path = "", content = ""], request) => callOf(request, ["file_write"], { path, content }),
  },
  {
    pattern: /^call\s+([\w.-]+)\s*([^]*)$/i,
    answer: ([, name = "", args = ""], request) => callByName(request, name, args),
  },
  {
    pattern: /^write\s+(\d{1,5})\s+lines/i,
    answer: ([, count]) => ({ text: longText(Math.min(Number(count), linesMax)) }),
  },
  { pattern: /\btable\b/i, answer: () => ({ text: sampleTable }) },
  { pattern: /\bcode\b(?:\s+in)?\s*(\w+)?/i, answer: ([, language]) => ({ text: sampleCode(language) }) },
];

/** The tool among those offered whose name fits; else the answer says what is offered. */
function callOf(request: MockRequest, names: readonly string[], args: JsonObject): Answer {
  const tool = request.tools.find((offered) => names.includes(offered.name));
  if (tool !== undefined)
    return {
      text: `Let me use ${tool.name}.`,
      tool_calls: [{ name: tool.name, arguments: fitted(args, tool.schema) }],
    };
  const offered = request.tools.map((known) => `\`${known.name}\``).join(", ");
  return {
    text: `I would use ${names.join(" or ")}, but this request offers ${offered === "" ? "no tools" : offered}.`,
  };
}

/** Strict schemas want every property; what was not said is null. */
function fitted(args: JsonObject, schema: JsonObject): JsonObject {
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const missing = required.filter((name) => typeof name === "string" && args[name] === undefined);
  return { ...args, ...Object.fromEntries(missing.map((name) => [String(name), null])) };
}

function callByName(request: MockRequest, name: string, text: string): Answer {
  if (text.trim() === "") return callOf(request, [name], {});
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed))
      return callOf(request, [name], parsed as JsonObject);
  } catch {
    // Said below.
  }
  return { text: `\`${text}\` is not a JSON object; try: call ${name} {"key": "value"}` };
}

function aboutResults(results: readonly MockToolResult[]): Answer {
  const lines = results.map(({ text, is_error }) => {
    const shown = text.length > resultShownMax ? `${text.slice(0, resultShownMax)}…` : text;
    return `${is_error ? "The tool reported an error" : "The tool answered"} (${count(text)}):\n\n\`\`\`\n${shown}\n\`\`\``;
  });
  return { text: `${lines.join("\n\n")}\n\nThat is all I wanted to know.` };
}

function count(text: string): string {
  const lines = text.split("\n").length;
  return lines === 1 ? "1 line" : `${lines} lines`;
}

function failure(name: string | undefined): Answer | ScriptEntry {
  const known = failures.find((failing) => failing === name?.toLowerCase());
  if (known !== undefined) return { error: known };
  return { text: `I can fail with: ${failures.join(", ")}. For example: fail rate_limit` };
}

/** Thinking where it was asked for or where it is this model's habit; the notice where the conversation begins. */
function honest(answer: Answer, request: MockRequest, heard: string): Answer {
  const isFirst = !request.messages.some((message) => message.role === "assistant");
  // A model that thinks does so before it calls: otherwise the wire would have to switch thinking off for the loop.
  const habit = request.model === "sim-think" || answer.tool_calls !== undefined;
  const thinking = answer.thinking ?? (habit && request.thinking.on ? ponder(heard) : undefined);
  const text = typeof answer.text === "string" && isFirst ? `${notice}\n\n${answer.text}` : answer.text;
  return { ...answer, ...(thinking === undefined ? {} : { thinking }), ...(text === undefined ? {} : { text }) };
}

function ponder(matter: string): string {
  const subject = quote(matter);
  return [
    `The user brings up ${subject}.`,
    "First I should see what is really asked, then what is known, then what follows from it.",
    `${matter.trim().length} characters to weigh. The plain reading is probably the right one.`,
    "I will answer shortly and say what I am.",
  ].join("\n");
}

function askForMore(request: MockRequest): string {
  const tools =
    request.tools.length === 0
      ? ""
      : ` You offered me ${request.tools.length} tools; try “run ls” or “read README.md”.`;
  return `I only follow rules: say **help** for what I can do.${tools}`;
}

function lastText(request: MockRequest): string {
  return request.messages.findLast((message) => message.role === "user" && message.text !== "")?.text.trim() ?? "";
}

function isEntry(said: Answer | ScriptEntry): said is ScriptEntry {
  return "answer" in said || "error" in said || "fault" in said;
}

function quote(text: string): string {
  const flat = text.replaceAll(/\s+/g, " ").trim();
  return `“${flat.length > quoteMax ? `${flat.slice(0, quoteMax)}…` : flat}”`;
}

const notice = "*This is a simulation: no model and no network are behind these words.*";
const failures = [
  "rate_limit",
  "overloaded",
  "server",
  "context_length",
  "billing",
  "authentication",
  "timeout",
] as const;
const quoteMax = 200;
const linesMax = 20_000;
const resultShownMax = 400;
