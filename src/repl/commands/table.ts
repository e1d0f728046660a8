import { nearestWord } from "../../core/index.ts";
import { line, pad, span, wrap, type Lines } from "../../term/index.ts";
import type { Host } from "../host.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { contextCommands } from "./context.ts";
import { forkCommands } from "./fork.ts";
import { modelCommands } from "./model.ts";
import { pastCommands } from "./past.ts";
import { treeCommands } from "./tree.ts";
import { viewCommands } from "./view.ts";
import { freeText } from "./words.ts";

/** By its name or another name of it, with or without the slash. */
export function commandNamed(typed: string): SlashCommand | undefined {
  const name = typed.replace(/^\//, "").toLowerCase();
  return slashCommands.find((command) => command.name === name || command.aliases?.includes(name) === true);
}

/** What to say of a name that is none. */
export function unknownCommand(typed: string): string {
  const near = nearestWord(
    typed,
    slashCommands.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );
  const hint = near === undefined ? "/help lists them all" : `did you mean /${near}?`;
  return `There is no command /${typed}; ${hint} (a message that begins with a slash: type // instead)`;
}

function runHelp(host: Host, text: string): void {
  const typed = freeText(text);
  if (typed === "") return host.show("Help", helpLines);
  const command = commandNamed(typed);
  if (command === undefined) throw new WrongUse(unknownCommand(typed.replace(/^\//, "")));
  host.say([command.usage, `  ${command.summary}`, ...command.help.map((row) => `  ${row}`), ...otherNames(command)]);
}

function otherNames({ aliases = [] }: SlashCommand): readonly string[] {
  return aliases.length === 0 ? [] : [`  Also: ${aliases.map((name) => `/${name}`).join(", ")}`];
}

function helpLines(width: number): Lines {
  const names = Math.max(...slashCommands.map(({ name }) => name.length)) + 3;
  const rows = slashCommands.flatMap(({ name, summary }) => {
    const head = pad(line(span(`/${name}`, { color: "accent" })), names);
    return wrap([...head, span(summary)], width, [span(" ".repeat(names))]);
  });
  return [...rows, [], ...besides.flatMap((text) => wrap(line(text), width, [span("  ")]))];
}

const besides: readonly string[] = [
  "/help NAME explains one command.",
  '@path puts a file into the message, @"a path" one with blanks; \\@ is just an @.',
  "!command runs a command for you; !!command also shows its output to the model.",
  "//text sends a message that begins with a slash.",
  "To add a key, run `ikigai login PROVIDER` in another terminal; the next request uses it.",
];

const closing: readonly SlashCommand[] = [
  {
    name: "help",
    usage: "/help [NAME]",
    summary: "all commands, or one explained",
    help: ["  /help fork"],
    completes: ["command", "text"],
    run: runHelp,
  },
  {
    name: "exit",
    aliases: ["quit"],
    usage: "/exit",
    summary: "leave; the conversation is kept",
    help: ["`ikigai` in the same folder goes on where you left."],
    run: (host) => host.exit(),
  },
];

export const slashCommands: readonly SlashCommand[] = [
  ...modelCommands,
  ...forkCommands,
  ...treeCommands,
  ...pastCommands,
  ...contextCommands,
  ...viewCommands,
  ...closing,
];
