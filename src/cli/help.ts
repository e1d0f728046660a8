import type { Command, Flag } from "./command.ts";
import { commands } from "./commands.ts";
import { exitCodeMeanings } from "./exit-codes.ts";
import { printCommand, startCommand } from "./start-commands.ts";

/** The help that a command line asks for, if it does: `--help`, `-h` or `help`, with or without a command. */
export function helpWanted(name: string | undefined, args: readonly string[]): string | undefined {
  if (name === undefined) return undefined;
  const line = name === "help" ? [...args, "--help"] : [name, ...args];
  const end = line.indexOf("--");
  const words = end === -1 ? line : line.slice(0, end);
  if (!words.some((word) => word === "--help" || word === "-h")) return undefined;
  if (words.some((word) => word === "-p" || word === "--print") && name.startsWith("-")) return helpFor("-p");
  const command = commands.find((candidate) => words[0] === candidate.name);
  return command === undefined ? helpText() : helpFor(command.name);
}

/** Everything there is, a line each. */
export function helpText(): string {
  const rows = [startCommand, printCommand, ...commands].map(({ name, summary, usage: [usage = ""] }) => {
    const short = shortUsages[name] ?? usage;
    return { short, summary };
  });
  const width = Math.max(...rows.map(({ short }) => short.length));
  return [
    "ikigai: one conversation, every model",
    "",
    ...rows.map(({ short, summary }) => `  ikigai ${short.padEnd(width)}  ${summary}`),
    "",
    ...(startCommand.flags.length === 0 ? [] : [...flagLines(startCommand.flags), ""]),
    "  ikigai COMMAND --help explains one, -p --help one turn for scripts; --version prints the version",
    "",
  ].join("\n");
}

/** Everything about one of them. */
export function helpFor(name: string): string {
  const command = [printCommand, ...commands].find((candidate) => candidate.name === name);
  if (command === undefined) return helpText();
  const { usage, about, flags, notes = [], examples } = command;
  const parts = [
    usage.map((form) => `ikigai ${form}`).join("\n"),
    ...about.map((paragraph) => wrap(paragraph, widthMax).join("\n")),
    ...(flags.length === 0 ? [] : [flagLines(flags).join("\n")]),
    ...notes.map((paragraph) => wrap(paragraph, widthMax).join("\n")),
    ...exitLines(command),
    ["Examples", ...examples.map((example) => `  ${example}`)].join("\n"),
  ];
  return `${parts.join("\n\n")}\n`;
}

/** `-m, --model MODEL[/LEVEL]` */
export function flagForm({ name, short, value }: Flag): string {
  return `${short === undefined ? "" : `-${short}, `}--${name}${value === undefined ? "" : ` ${value}`}`;
}

/** What a command's exit codes mean, where that is more than "0: done". */
export function exitCodesOf({ exit_codes }: Command): readonly (readonly [code: string, says: string])[] {
  return Object.entries(exit_codes === "all" ? exitCodeMeanings : (exit_codes ?? {}));
}

function flagLines(flags: readonly Flag[]): readonly string[] {
  const forms = flags.map(flagForm);
  const width = Math.min(Math.max(...forms.map((form) => form.length)), formWidthMax);
  const indent = " ".repeat(width + 4);
  return flags.flatMap(({ says }, index) => {
    const [first = "", ...rest] = wrap(says, widthMax - indent.length);
    return [`  ${(forms[index] ?? "").padEnd(width)}  ${first}`, ...rest.map((line) => `${indent}${line}`)];
  });
}

function exitLines(command: Command): readonly string[] {
  const known = exitCodesOf(command);
  if (known.length === 0) return [];
  return [wrap(`Exit codes: ${known.map(([code, says]) => `${code} ${says}`).join(" · ")}`, widthMax).join("\n")];
}

function wrap(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines;
}

/** Where the list of all commands has no room for the whole usage. */
const shortUsages: { readonly [name: string]: string | undefined } = {
  "": "[--new] [--resume ID] [--plain]",
  "-p": '-p "…" [--model M] [--json]',
  explain: "explain MODEL[/LEVEL] [--json]",
  wire: "wire decode|encode …",
  history: "history [SEARCH] [--limit N] [--json]",
  export: "export ID [--format F] [--output FILE]",
  db: "db migrate | check | move --to URL",
  mock: "mock [--port N] …",
};

const widthMax = 100;
const formWidthMax = 28;
