import type { JsonObject, LogEntry, ToolCallBlock } from "../../core/index.ts";
import type { FileDiff, ToolItem } from "./items.ts";
import { beginningOf, endOf } from "./pieces.ts";

/** A call as its answer names it, before anything is done about it. */
export function callBody(call: ToolCallBlock, folder: string | undefined): ToolItem {
  return {
    type: "tool",
    tool_call_id: call.id,
    name: call.name,
    summary: callSummary(call.name, call.arguments, folder),
    arguments_text: beginningOf(call.arguments_text ?? JSON.stringify(call.arguments), argumentsKept),
    state: "arriving",
    output: "",
    output_lines: 0,
  };
}

/** One line that says what a call does, from what the log knows of it. */
export function callSummary(name: string, args: JsonObject, folder: string | undefined): string {
  const say = summaries[name];
  const text = say?.((key) => wordOf(args[key]), folder) ?? otherCall(name, args);
  return beginningOf(firstLine(text), summaryMax);
}

/** What a result says of its call. `ran`: the call had begun. */
export function resultFields(
  entry: LogEntry & { readonly kind: "tool_result" },
  call: { readonly ran: boolean; readonly name: string; readonly arguments?: JsonObject },
): Pick<ToolItem, "state" | "output" | "output_lines" | "result_uuid" | "duration_ms" | "exit_code" | "diff"> {
  const { is_error, duration_ms, exit_code, diff, blocks } = entry.data;
  const pictures = blocks?.filter((block) => block.type !== "text").map((block) => `[${block.type}]`) ?? [];
  const text =
    pictures.length === 0 ? entry.content : [entry.content, ...pictures].filter((one) => one !== "").join("\n");
  const { text: output, lines: output_lines } = endOf(text);
  const patch = diff ?? (is_error ? undefined : argumentsDiff(call.name, call.arguments));
  return {
    state: endedState(is_error, call.ran, entry.content),
    output,
    output_lines,
    result_uuid: entry.uuid,
    ...(duration_ms === undefined ? {} : { duration_ms }),
    ...(exit_code === undefined ? {} : { exit_code }),
    ...(patch === undefined ? {} : { diff: fileDiff(patch) }),
  };
}

export function endedState(is_error: boolean, ran: boolean, text: string): ToolItem["state"] {
  if (!is_error) return "done";
  if (text.startsWith("Not run: ") || text === "The user interrupted it") return "interrupted";
  return !ran && /^(?:Not allowed|The user said no)\b/.test(text) ? "denied" : "failed";
}

/** The log of an older program has no diff; what was to be replaced is in the call. Without places in the file. */
function argumentsDiff(name: string, args: JsonObject | undefined): string | undefined {
  if (args === undefined || (name !== "file_edit" && name !== "file_write")) return undefined;
  const lines = (key: string, sign: string): readonly string[] => {
    const text = wordOf(args[key]);
    return text === ""
      ? []
      : text
          .replace(/\n$/, "")
          .split("\n")
          .map((one) => sign + one);
  };
  const all = name === "file_edit" ? [...lines("old_text", "-"), ...lines("new_text", "+")] : lines("content", "+");
  return all.length === 0 ? undefined : all.join("\n");
}

export function fileDiff(patch: string): FileDiff {
  const lines = patch.replace(/\n$/, "").split("\n");
  const body = lines.filter((one) => !/^(?:diff |index |=+$|--- |\+\+\+ )/.test(one));
  const signed = (sign: string): number => body.filter((one) => one.startsWith(sign)).length;
  const text = beginningOf(body.slice(0, diffLinesKept).join("\n"), diffKept);
  const kept = text.split("\n").length;
  return { text, added: signed("+"), removed: signed("-"), omitted: Math.max(0, body.length - kept) };
}

function wordOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(wordOf).join(", ");
  return typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

function otherCall(name: string, args: JsonObject): string {
  const shown = Object.entries(args).map(
    ([key, value]) => `${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`,
  );
  return [name, shown.join(", ")].filter((part) => part !== "").join(" ");
}

function firstLine(text: string): string {
  const [first = "", ...rest] = text.trim().split("\n");
  return rest.length === 0 ? first : `${first} …`;
}

function shownPath(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

const argumentsKept = 4_000;
const summaryMax = 300;
const diffLinesKept = 200;
const diffKept = 16_000;

type Say = (word: (key: string) => string, folder: string | undefined) => string | undefined;

const inPath = (word: (key: string) => string, folder: string | undefined): string =>
  word("path") === "" ? "" : ` in ${shownPath(word("path"), folder)}`;

const summaries: { readonly [name: string]: Say | undefined } = {
  bash: (word) => {
    if (word("command") !== "") return `$ ${word("command")}`;
    return word("job") === "" ? undefined : `${word("kill") === "true" ? "end" : "read"} ${word("job")}`;
  },
  file_read: (word, folder) => `read ${shownPath(word("path"), folder)}`,
  file_write: (word, folder) => `write ${shownPath(word("path"), folder)}`,
  file_edit: (word, folder) => `edit ${shownPath(word("path"), folder)}`,
  glob: (word, folder) => `glob ${word("pattern")}${inPath(word, folder)}`,
  grep: (word, folder) => `grep ${word("pattern")}${inPath(word, folder)}`,
  web_fetch: (word) => `fetch ${word("url")}`,
  fork: (word) => `fork${word("model") === "" ? "" : ` ${word("model")}`}: ${word("prompt")}`,
  send: (word) => `send to ${word("to")}: ${word("text")}`,
  wait: (word) => `wait for ${word("from") === "" ? "mail" : word("from")}`,
  kill: (word) => `kill ${word("id")}`,
};
