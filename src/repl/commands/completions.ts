import { thinkingLevels } from "../../core/index.ts";
import { createPicker, pickerMatches, type Menu, type MenuItem } from "../../term/index.ts";
import type { Host } from "../host.ts";
import type { Completes, SlashCommand } from "./command.ts";
import { isBusy, modelText, shortId } from "./figures.ts";
import { modelHint } from "./model.ts";
import { commandNamed, slashCommands } from "./table.ts";

/** What there is to choose from; a `Host` is one. */
export type CompletionSource = Pick<Host, "agents" | "here" | "services">;

/** What can stand at the caret, best first. Undefined: nothing. Aborted, the answer is of no use. */
export async function completions(text: string, caret: number, source: CompletionSource): Promise<Menu | undefined> {
  const place = placeAt(text, caret);
  if (place === undefined) return undefined;
  const items = await itemsFor(place, source);
  const fitting = place.what === "path" ? items : matching(items, place.typed.replace(/^--/, ""));
  const alone = fitting.length === 1 && fitting[0]?.insert.trimEnd() === text.slice(place.start, place.end);
  if (fitting.length === 0 || alone) return undefined;
  return { start: place.start, end: place.end, items: fitting.slice(0, itemsMax), selected: 0 };
}

/** Asks for completions again and again; only the newest answer is shown. */
export function createCompleter(
  source: CompletionSource,
  show: (menu: Menu | undefined) => void,
): { readonly look: (text: string, caret: number) => Promise<void>; readonly cancel: () => void } {
  let asked = 0;
  return {
    async look(text, caret) {
      const own = (asked += 1);
      const menu = await completions(text, caret, source).catch(() => undefined);
      if (own === asked) show(menu);
    },
    cancel: () => void (asked += 1),
  };
}

type Place = {
  readonly what: Completes;
  readonly start: number;
  readonly end: number;
  /** What is there already, between `start` and the caret. */
  readonly typed: string;
};

/** Pure: what kind of thing the caret is in. */
export function placeAt(text: string, caret: number): Place | undefined {
  const before = text.slice(0, caret);
  const mention = /(?:^|\s)@([^\s"]*)$/.exec(before);
  if (mention !== null) {
    const typed = mention[1] ?? "";
    return { what: "path", start: caret - typed.length, end: wordEnd(text, caret), typed };
  }
  const name = /^\/([\w-]*)$/.exec(before);
  if (name !== null) return { what: "command", start: 0, end: wordEnd(text, caret), typed: name[1] ?? "" };
  const called = /^\/([\w-]+)\s/.exec(before);
  const command = called === null ? undefined : commandNamed(called[1] ?? "");
  return command === undefined ? undefined : argumentAt(command, text, caret);
}

function argumentAt(command: SlashCommand, text: string, caret: number): Place | undefined {
  const words = text.slice(0, caret).split(/\s+/).slice(1);
  const typed = words.at(-1) ?? "";
  const at = { start: caret - typed.length, end: wordEnd(text, caret), typed };
  if (typed.startsWith("--")) return { ...at, what: Object.keys(command.options ?? {}).map((option) => `--${option}`) };
  let place = 0;
  let wanted: Completes | null | undefined;
  for (const word of words.slice(0, -1)) {
    const option = word.startsWith("--") ? command.options?.[word.slice(2)] : undefined;
    if (option !== undefined) wanted = option;
    else if (wanted !== undefined && wanted !== null) wanted = undefined;
    else place += 1;
  }
  const positional = command.completes?.[Math.min(place, command.completes.length - 1)];
  const what = wanted ?? positional;
  return what === undefined || what === "text" ? undefined : { ...at, what };
}

function wordEnd(text: string, caret: number): number {
  const length = text.slice(caret).search(/\s/);
  return length === -1 ? text.length : caret + length;
}

async function itemsFor({ what, typed }: Place, source: CompletionSource): Promise<readonly MenuItem[]> {
  if (typeof what !== "string") return what.map((word) => ({ insert: `${word} `, label: word }));
  switch (what) {
    case "command":
      return slashCommands.map(({ name, usage, summary }) => ({
        insert: usage === `/${name}` ? `/${name}` : `/${name} `,
        label: `/${name}`,
        hint: summary,
      }));
    case "model":
      return modelItems(typed, source);
    case "agent":
      return source
        .agents()
        .list()
        .map((agent) => ({
          insert: `${shortId(agent.uuid)} `,
          label: shortId(agent.uuid),
          hint: [
            agent.name ?? "",
            modelText(agent.model),
            agent.state === "dead" ? "dead" : isBusy(agent) ? "working" : "idle",
          ]
            .filter((word) => word !== "")
            .join(" "),
        }));
    case "mark":
      return (await marksOf(source)).map((label) => ({
        insert: /\s/.test(label) ? JSON.stringify(label) : label,
        label,
      }));
    case "tool":
      return [...source.agents().view(source.here()).tools, "all", "none"].map((name) => ({
        insert: `${name} `,
        label: name,
      }));
    case "pin":
      return source
        .agents()
        .view(source.here())
        .pins.map((path) => ({ insert: path, label: path }));
    case "path":
      return (await source.services.paths(typed, itemsMax)).map((path) => ({
        insert: path.endsWith("/") ? path : `${path} `,
        label: path,
      }));
    case "session":
      return (await source.services.sessions({ everywhere: false, limit: itemsMax })).map(({ uuid, title }) => ({
        insert: uuid,
        label: uuid.slice(0, 8),
        hint: title,
      }));
    case "text":
      return [];
  }
}

/** Names first; behind a name and a slash, its levels. */
async function modelItems(typed: string, { services }: CompletionSource): Promise<readonly MenuItem[]> {
  const rows = await services.models();
  const slash = typed.lastIndexOf("/");
  const named = slash === -1 ? undefined : rows.find(({ name }) => name === typed.slice(0, slash));
  if (named !== undefined) {
    const levels = thinkingLevels.filter((level) => named.levels.includes(level));
    return levels.map((level) => ({ insert: `${named.name}/${level} `, label: `${named.name}/${level}` }));
  }
  const usableFirst = [...rows].sort((left, right) => Number(right.usable) - Number(left.usable));
  return usableFirst.map((row) => ({ insert: row.name, label: row.name, hint: modelHint(row) }));
}

/** Newest first. */
async function marksOf(source: CompletionSource): Promise<readonly string[]> {
  const { marks } = await source.agents().history(source.here());
  const entries = (await marks()).toSorted((one, other) => (other.id ?? 0) - (one.id ?? 0));
  return [...new Set(entries.flatMap(({ content }) => (content === undefined ? [] : [content])))];
}

/** By the label alone: what is said of a thing is no way to find it while typing its name. */
function matching(items: readonly MenuItem[], typed: string): readonly MenuItem[] {
  const all = items.map((value) => ({ value, label: value.label }));
  return pickerMatches(createPicker("", all, { query: typed })).map(({ value }) => value);
}

const itemsMax = 50;
