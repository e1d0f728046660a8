import { slashCommands } from "../../src/repl/commands/table.ts";
import { block, code, page, table } from "./markdown.mjs";

export function slashCommandsPage() {
  const about =
    "What can be typed after a slash. `/help` lists them, `/help NAME` explains one; Tab completes. A message that begins with a slash is " +
    "typed with two.";
  return page("Slash commands", about, [
    table(
      ["Command", ""],
      slashCommands.map(({ name, summary }) => [`[/${name}](#${name})`, summary]),
    ),
    ...slashCommands.map(section),
  ]);
}

function section({ name, aliases = [], usage, summary, help }) {
  return [
    `## /${name}\n`,
    block("text", usage),
    `${summary[0]?.toUpperCase()}${summary.slice(1)}.${aliases.length === 0 ? "" : ` Also ${aliases.map((word) => code(`/${word}`)).join(", ")}.`}\n`,
    ...helpParts(help),
  ].join("\n");
}

/** Lines that are set in are examples or tables; they stay as they are. */
function helpParts(lines) {
  const parts = [];
  for (const line of lines) {
    const kind = line.startsWith("  ") ? "text" : "words";
    const last = parts.at(-1);
    if (last?.kind === kind) last.lines.push(line);
    else parts.push({ kind, lines: [line] });
  }
  return parts.map(({ kind, lines: own }) =>
    kind === "text" ? block("text", own.map((line) => line.slice(2)).join("\n")) : `${own.join("\n")}\n`,
  );
}
