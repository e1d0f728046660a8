import { isDeepStrictEqual } from "node:util";
import { isJsonObject, type AssistantMessage, type FinishReason } from "../../src/core/index.ts";
import type { DecodedLine } from "../../src/cli/wire/decode.ts";
import type { PlainCall, Reading } from "./plain/reading.ts";

export type Field = "text" | "thinking" | "tool_calls" | "usage" | "raw_finish" | "finish" | "sealed" | "ok";
export type Mismatch = { readonly field: Field; readonly plain: unknown; readonly ours: unknown };

/** Where our decoding and the plain reading of the same bytes disagree. */
export function compareReadings(api: string, reading: Reading, line: DecodedLine): readonly Mismatch[] {
  const { message } = line;
  if (message === null) return [{ field: "ok", plain: "an answer", ours: line.error?.message }];
  const calls = callsOf(message);
  const pairs: readonly (readonly [Field, unknown, unknown])[] = [
    ["text", reading.text, joined(message, "text")],
    ["thinking", reading.thinking, joined(message, "thinking")],
    ["tool_calls", reading.tool_calls, calls.map((call, index) => withoutInventedId(call, reading.tool_calls[index]))],
    ["usage", reading.usage, line.usage],
    ["raw_finish", reading.failed ? null : reading.raw_finish, line.raw_finish_reason],
    ["finish", reading.failed ? null : expectedFinish(api, reading), line.finish_reason],
    ["sealed", reading.sealed, inOrder(reading.sealed, stringsOf(message.content))],
    ["ok", !reading.failed, line.ok],
  ];
  return pairs
    .filter(([, plain, ours]) => !isDeepStrictEqual(plain, ours))
    .map(([field, plain, ours]) => ({ field, plain, ours }));
}

export function describeMismatch(file: string, { field, plain, ours }: Mismatch): string {
  return `${file}\n    ${field}: plain ${shorten(plain)}\n    ${" ".repeat(field.length)}   ours ${shorten(ours)}`;
}

/** Every string inside a value, in order. */
export function stringsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  if (Array.isArray(value)) return value.flatMap(stringsOf);
  return isJsonObject(value) ? Object.values(value).flatMap(stringsOf) : [];
}

/** Those of `wanted` that stand in `found` one after the other; equal to `wanted` when all do. */
export function inOrder(wanted: readonly string[], found: readonly string[]): readonly string[] {
  let next = 0;
  return wanted.filter((value) => {
    const at = found.indexOf(value, next);
    if (at !== -1) next = at + 1;
    return at !== -1;
  });
}

function joined(message: AssistantMessage, type: "text" | "thinking"): string {
  return message.content.map((block) => (block.type === type ? block.text : "")).join("");
}

function callsOf(message: AssistantMessage): readonly PlainCall[] {
  return message.content.flatMap((block) => {
    if (block.type !== "tool_call") return [];
    const { id, name, invalid, arguments_text = "" } = block;
    return [{ id, name, arguments: invalid === true ? arguments_text : block.arguments }];
  });
}

/** Where the provider gave no id ours is random, but it must be there. */
function withoutInventedId(ours: PlainCall, plain: PlainCall | undefined): PlainCall {
  if (plain === undefined || plain.id !== undefined) return ours;
  const { id, ...call } = ours;
  return /^[\w-]{22}$/.test(id ?? "") ? call : ours;
}

/** The table of decisions.md and wire/*.md, once more: what the provider's word means. */
function expectedFinish(api: string, { raw_finish, tool_calls, text, refused }: Reading): FinishReason {
  const stopped = tool_calls.some((call) => typeof call.arguments !== "string") ? "tool_use" : "stop";
  const word = meanings[api]?.[raw_finish] ?? "unknown";
  if (word !== "stop" && !(word === "unknown" && raw_finish === "" && stopped === "tool_use")) return word;
  if (refused && tool_calls.length === 0 && text !== "") return "content_filter";
  return stopped;
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value) ?? "undefined";
  return text.length > 400 ? `${text.slice(0, 250)} … ${text.slice(-140)} (${text.length})` : text;
}

const messages = {
  end_turn: "stop",
  stop_sequence: "stop",
  pause_turn: "stop",
  max_tokens: "length",
  tool_use: "tool_use",
} as const;
const gemini = {
  STOP: "stop",
  "1": "stop",
  MAX_TOKENS: "length",
  "2": "length",
  SAFETY: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
} as const;
const meanings: { readonly [api: string]: { readonly [word: string]: FinishReason | undefined } | undefined } = {
  messages,
  "anthropic-messages": messages,
  responses: { completed: "stop", max_output_tokens: "length", content_filter: "content_filter" },
  chat: {
    stop: "stop",
    length: "length",
    max_tokens: "length",
    tool_calls: "tool_use",
    tool_call: "tool_use",
    function_call: "tool_use",
    content_filter: "content_filter",
    error: "error",
  },
  generateContent: gemini,
  streamGenerateContent: gemini,
};
