import { slashCommands } from "../../src/repl/commands/table.ts";
import { screenActions } from "../../src/repl/screen/actions.ts";
import { editorKeys, showKey } from "../../src/term/index.ts";
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

export function keysPage() {
  const about =
    "What keys do on the screen. `?` on an empty line shows them. Each can be given to another action: `keys` in the configuration " +
    'takes names of actions, for example `{"keys": {"thinking": ["ctrl+e"]}}`.';
  const rows = Object.entries(screenActions).map(([action, { keys, group, says }]) => ({ action, keys, group, says }));
  const groups = [...new Set(rows.map(({ group }) => group))];
  const shown = (keys) => keys.map((key) => code(showKey(key))).join(", ");
  // On a line with text the screen leaves these to the editor.
  const taken = rows.filter(({ says }) => !says.includes("on an empty line")).flatMap(({ keys }) => keys);
  const editing = Object.entries(editorKeys).map(([action, keys]) => [
    action,
    keys.filter((key) => !taken.includes(key)),
  ]);
  return page("Keys", about, [
    ...groups.flatMap((group) => [
      `## ${group}\n`,
      table(
        ["Key", "Action", ""],
        rows.filter((row) => row.group === group).map(({ action, keys, says }) => [shown(keys), code(action), says]),
      ),
    ]),
    "## In the text\n",
    table(
      ["Key", "Action"],
      editing.filter(([, keys]) => keys.length > 0).map(([action, keys]) => [shown(keys), code(action)]),
    ),
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
