import { commands } from "../../src/cli/commands.ts";
import { exitCodeMeanings } from "../../src/cli/exit-codes.ts";
import { exitCodesOf, flagForm } from "../../src/cli/help.ts";
import { printCommand, startCommand } from "../../src/cli/start-commands.ts";
import { block, code, page, table } from "./markdown.mjs";

const all = [startCommand, printCommand, ...commands];

export function commandsPage() {
  const about =
    "The commands of the program. `ikigai COMMAND --help` says the same in the terminal; `ikigai --version` prints the version.";
  const list = table(
    ["Command", ""],
    all.map(({ name, summary }) => [`[${titleOf(name)}](#${anchorOf(name)})`, summary]),
  );
  return page("Commands", about, [list, ...all.map(section)]);
}

export function exitCodesPage() {
  const about =
    "What the program answers to the shell. `-p` and every command that asks a provider use all of them; 0 and 2 mean the same everywhere.";
  const own = commands.flatMap((command) =>
    command.exit_codes === "all"
      ? []
      : exitCodesOf(command).map(([number, says]) => [code(command.name), number, says]),
  );
  return page("Exit codes", about, [
    table(["Code", "Meaning"], Object.entries(exitCodeMeanings)),
    "The categories of errors behind 3 to 10 are in [errors.md](errors.md). Commands for which a code means something more:\n",
    table(["Command", "Code", "Meaning"], own),
  ]);
}

function section(command) {
  const { name, usage, summary, about, flags, notes = [], examples } = command;
  const codes = exitCodesOf(command);
  const parts = [
    `## ${titleOf(name)}\n`,
    block("sh", usage.map((form) => `ikigai ${form}`.trimEnd()).join("\n")),
    ...(about.length === 0 ? [`${summary}\n`] : about.map((text) => `${text}\n`)),
    ...(flags.length === 0
      ? []
      : [
          table(
            ["Flag", ""],
            flags.map((flag) => [code(flagForm(flag)), flag.says]),
          ),
        ]),
    ...notes.map((text) => `${text}\n`),
    ...(codes.length === 0 ? [] : [`Exit codes: ${codes.map(([number, says]) => `${number} ${says}`).join(" · ")}\n`]),
    ...(name === "" ? [] : [block("sh", examples.join("\n"))]),
  ];
  return parts.join("\n");
}

function titleOf(name) {
  return `ikigai ${name}`.trim();
}

function anchorOf(name) {
  return titleOf(name).replaceAll(" ", "-");
}
