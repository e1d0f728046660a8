import type { ThinkingView } from "../services.ts";
import { adviceFor, categoryWords } from "./advice.ts";
import { count, exchangeLine, plural, spokenSeconds } from "./figures.ts";
import type { Item, ToolItem } from "./items.ts";

export type WordsContext = {
  readonly thinking: ThinkingView;
  readonly nameOf: (agent_uuid: string) => string;
  readonly now: () => number;
};

/** A finished item in whole lines, for those who hear or pipe it: states are words, nothing is a sign alone. */
export function itemWords(item: Item, context: WordsContext): readonly string[] {
  const say: (item: never, context: WordsContext) => readonly string[] = words[item.type];
  return say(item as never, context);
}

/** What a tool that has not ended is doing. */
export function toolStateWords(item: ToolItem): string | undefined {
  const what = withoutPrompt(item.summary);
  if (item.state === "running") return `tool ${item.name} running: ${what}`;
  return item.state === "asking" ? `tool ${item.name} waits for permission: ${what}` : undefined;
}

type Of<Type extends Item["type"]> = Extract<Item, { readonly type: Type }>;

function userWords({ text, files }: Of<"user">): readonly string[] {
  return [...labelled("you", text), ...files.map((file) => `  with ${file}`)];
}

function thinkingWords(item: Of<"thinking">, { thinking }: WordsContext): readonly string[] {
  if (thinking === "hidden") return [];
  if (thinking === "shown" && !item.sealed) return [...labelled("thinking", item.text.trim()), thoughtWords(item)];
  return [thoughtWords(item)];
}

/** How long and how much, in one line. */
export function thoughtWords({ duration_ms, tokens, sealed }: Of<"thinking">): string {
  const time = duration_ms === undefined ? "" : ` for ${spokenSeconds(duration_ms)}`;
  const size = tokens === undefined ? "" : `, ${count(tokens)} tokens`;
  return `thought${time}${size}${sealed ? ", not shown by the provider" : ""}`;
}

function toolWords(item: Of<"tool">, told: boolean): readonly string[] {
  const { name, state, duration_ms, exit_code, diff, output, output_lines, summary } = item;
  const time = duration_ms === undefined ? "" : ` ${state === "done" ? "in" : "after"} ${spokenSeconds(duration_ms)}`;
  const code = exit_code === undefined ? "" : `, exit ${exit_code}`;
  const what = told ? "" : `: ${withoutPrompt(summary)}`;
  const head = `tool ${name} ${endWords[state]}${time}${code}${what}`;
  if (diff !== undefined) {
    const counts = `${plural(diff.added, "line")} added, ${plural(diff.removed, "line")} removed`;
    const rows = diff.text.split("\n");
    const left = rows.length - diffLinesMax + diff.omitted;
    const more = left > 0 ? [`  ${plural(left, "more line")}`] : [];
    return [`${head}; ${counts}`, ...rows.slice(0, diffLinesMax).map((row) => `  ${row}`), ...more];
  }
  const shown = output === "" ? [] : output.split("\n").slice(-outputLinesMax);
  const left = output_lines - shown.length;
  return [
    head,
    ...(left > 0 ? [`  ${plural(left, "earlier line")} not shown`] : []),
    ...shown.map((row) => `  ${row}`),
  ];
}

/** After `toolStateWords`: what it does is not said again. */
export function toolEndWords(item: Of<"tool">): readonly string[] {
  return toolWords(item, true);
}

function withoutPrompt(summary: string): string {
  return summary.replace(/^\$ /, "");
}

function errorWords({ error, provider }: Of<"error">): readonly string[] {
  const { title, what, now } = adviceFor(error, provider);
  return [`error: ${title}: ${what}`, `  ${now}`];
}

function retryWords({ error, until, attempt, attempts_max }: Of<"retrying">, { now }: WordsContext): readonly string[] {
  const wait = spokenSeconds(Math.max(0, until - now()));
  return [
    `${categoryWords(error.category)}: ${error.message}; trying again in ${wait}, try ${attempt} of ${attempts_max}`,
  ];
}

function commandWords({ text, output = "", exit_code }: Of<"command">): readonly string[] {
  const code = exit_code === undefined ? "" : ` (exit ${exit_code})`;
  const rows = output.replace(/\n+$/, "").split("\n");
  return [`command ${text}${code}`, ...(output === "" ? [] : rows.slice(-outputLinesMax).map((row) => `  ${row}`))];
}

function labelled(label: string, text: string): readonly string[] {
  const [first = "", ...rest] = text.split("\n");
  return [`${label}: ${first}`, ...rest.map((row) => `  ${row}`)];
}

function modelName(provider: string, model: string, level: string | undefined): string {
  return `${provider} ${model}${level === undefined ? "" : `/${level}`}`;
}

const endWords: { readonly [state in ToolItem["state"]]: string } = {
  arriving: "called",
  asking: "waits for permission",
  running: "running",
  done: "done",
  failed: "failed",
  denied: "not allowed",
  interrupted: "interrupted",
};

const interruptedWords = {
  user: "interrupted",
  crash: "cut off: the program ended in the middle of it",
  exit: "cut off: the program was closed in the middle of it",
} as const;

const outputLinesMax = 5;
const diffLinesMax = 40;

const words: { readonly [Type in Item["type"]]: (item: Of<Type>, context: WordsContext) => readonly string[] } = {
  user: userWords,
  queued: ({ text }) => labelled("queued", text),
  maker: ({ provider, model, level }) => [`answer of ${modelName(provider, model, level)}`],
  thinking: thinkingWords,
  text: ({ text, incomplete }) => [...text.trimEnd().split("\n"), ...(incomplete ? ["(not finished)"] : [])],
  tool: (item) => toolWords(item, false),
  extra: ({ text }) => [text],
  exchange: (item) => [exchangeLine(item)],
  retrying: retryWords,
  error: errorWords,
  interrupted: ({ reason }) => [interruptedWords[reason]],
  limit: ({ message }) => [`limit: ${message}`],
  mark: ({ label }) => [label === undefined ? "mark" : `mark "${label}"`],
  rewind: ({ label, messages }) => [
    `${plural(messages, "message")} rewound${label === undefined ? "" : ` to "${label}"`}`,
  ],
  clear: () => ["cleared: nothing before this is sent any more"],
  compact: ({ text }) => labelled("compacted; a summary stands for what is before", text),
  fork: ({ child_uuid, model, prompt }, { nameOf }) =>
    labelled(`forked ${nameOf(child_uuid)}${model === undefined ? "" : ` on ${model}`}`, prompt ?? "").map((row) =>
      row.replace(/: $/, ""),
    ),
  forked_from: ({ parent_uuid }, { nameOf }) => [`forked from ${nameOf(parent_uuid)}`],
  mail: ({ text, from_uuid }, { nameOf }) =>
    labelled(`mail from ${from_uuid === undefined ? "you" : nameOf(from_uuid)}`, text),
  killed: ({ by_uuid }, { nameOf }) => [by_uuid === undefined ? "killed" : `killed by ${nameOf(by_uuid)}`],
  setting: ({ text }) => [text],
  command: commandWords,
  warning: ({ message }) => [`warning: ${message}`],
  notice: ({ lines }) => lines,
};
