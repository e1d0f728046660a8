import type { LogEntry } from "../../core/index.ts";
import type { Host } from "../host.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { dollars, money, plural, shortId } from "./figures.ts";
import { namedModel } from "./model.ts";
import { sayUnseen } from "./where.ts";
import { freeText, takeOptions } from "./words.ts";

async function runMark(host: Host, text: string): Promise<void> {
  const label = freeText(text);
  await host.agents().command({ type: "mark", agent_uuid: host.here(), ...(label === "" ? {} : { label }) });
  sayUnseen(host, [`Marked. ${label === "" ? "/rewind" : `/rewind ${quoted(label)}`} comes back here.`]);
}

function quoted(label: string): string {
  return /^[\w.:-]+$/.test(label) ? label : JSON.stringify(label);
}

async function runRewind(host: Host, text: string): Promise<void> {
  const { options, text: typed } = takeOptions(text, rewindOptions);
  const label = freeText(typed);
  await host.agents().load(host.here());
  const { entries } = host.agents().view(host.here());
  const mark = markNamed(entries, label);
  const changed = filesSince(entries, mark);
  const answered = options.has("restore") ? "restore" : options.has("keep") ? "keep" : undefined;
  const wish = answered ?? (changed.length === 0 ? "keep" : await askAboutFiles(host, changed));
  if (wish === undefined) return host.say(["Nothing was rewound."]);
  const { files } = await host.agents().command({
    type: "rewind",
    agent_uuid: host.here(),
    to_uuid: mark.uuid,
    restore_files: wish === "restore",
    ...(label === "" ? {} : { label }),
  });
  sayUnseen(
    host,
    [`Back at ${mark.content === undefined ? "the last mark" : `mark ${JSON.stringify(mark.content)}`}.`],
    files.map(({ path, restored }) => `${path}: ${restored === undefined ? "left as it is" : restoredWord(restored)}`),
  );
}

/** Like the agent finds it: the newest with this label, or the newest of all. */
function markNamed(entries: readonly LogEntry[], label: string): LogEntry {
  const marks = entries.filter(({ kind }) => kind === "mark");
  const mark = marks.findLast(({ content }) => label === "" || content === label);
  if (mark !== undefined) return mark;
  const labels = [...new Set(marks.flatMap(({ content }) => (content === undefined ? [] : [content])))];
  const known = labels.length === 0 ? "/mark sets one" : `there are ${labels.join(", ")}`;
  throw new WrongUse(
    label === "" ? "there is no mark; /mark sets one" : `there is no mark ${JSON.stringify(label)}; ${known}`,
  );
}

function filesSince(entries: readonly LogEntry[], mark: LogEntry): readonly string[] {
  const after = entries.slice(entries.indexOf(mark) + 1);
  return [...new Set(after.flatMap((entry) => (entry.kind === "file_change" ? [entry.content] : [])))];
}

function askAboutFiles(host: Host, files: readonly string[]): Promise<"restore" | "keep" | undefined> {
  return host.ask<"restore" | "keep">({
    title: `${plural(files.length, "file")} changed since the mark. Bring back what was in ${files.length === 1 ? "it" : "them"}?`,
    body: files.map((path) => `  ${path}`),
    options: [
      { value: "restore", label: "rewind and restore the files", key: "r" },
      { value: "keep", label: "rewind, leave the files as they are", key: "k" },
    ],
    selected: 1,
  });
}

function restoredWord(restored: boolean): string {
  return restored ? "restored" : "could not be restored";
}

async function runClear(host: Host): Promise<void> {
  await host.agents().command({ type: "clear", agent_uuid: host.here() });
  sayUnseen(host, ["Cleared: the model starts afresh. The history keeps everything."]);
}

async function runRetry(host: Host, text: string): Promise<void> {
  const model = freeText(text);
  const wish = model === "" ? {} : { model };
  await namedModel(host, [model], () => host.agents().command({ type: "retry", agent_uuid: host.here(), ...wish }));
}

async function runCompact(host: Host, text: string): Promise<void> {
  const instructions = freeText(text);
  const wish = instructions === "" ? {} : { instructions };
  const result = await host.agents().command({ type: "compact", agent_uuid: host.here(), ...wish });
  if (!result.compacted) return host.say([`Not compacted: ${result.reason}.`], "warning");
  const cost = result.cost_usd === undefined ? "" : `, ${dollars(result.cost_usd)}`;
  host.say([`A summary by ${result.model}${cost} stands for what was said. The history keeps everything.`], "good");
}

async function runSearch(host: Host, text: string): Promise<void> {
  const wanted = freeText(text);
  if (wanted === "") throw new WrongUse("what should be looked for?");
  const found = await host.services.search(wanted, foundMax);
  if (found.length === 0) return host.say([`Nothing was found for ${JSON.stringify(wanted)}.`]);
  const row = await host.pick(
    `Found ${JSON.stringify(wanted)}`,
    found.map((value) => ({
      value,
      label: value.excerpt.replace(/\s+/g, " ").trim(),
      hint: `${value.kind} · ${dateText(value.created_at)} · ${shortId(value.agent_uuid)}`,
    })),
  );
  if (row === undefined) return;
  if (row.session_uuid !== host.agents().session_uuid) await host.reopen({ which: "id", id: row.session_uuid });
  const there = host
    .agents()
    .list()
    .some(({ uuid }) => uuid === row.agent_uuid);
  if (there) host.goTo(row.agent_uuid);
  else host.say([`Agent ${shortId(row.agent_uuid)} was put away; \`ikigai export\` shows it.`], "warning");
}

async function runResume(host: Host, text: string): Promise<void> {
  const { options, text: typed } = takeOptions(text, resumeOptions);
  const take_over = options.has("take-over");
  if (take_over && freeText(typed) === "") return takeOver(host);
  const id = freeText(typed) || (await pickSession(host, options.has("all")));
  if (id === undefined) return;
  await host.reopen({ which: "id", id, ...(take_over ? { take_over } : {}) });
}

async function takeOver(host: Host): Promise<void> {
  const { taken } = await host.agents().command({ type: "take_over", agent_uuid: host.here() });
  if (taken) host.say(["This agent runs here now; the other process only looks at it."], "good");
  else host.say(["It could not be taken over."], "warning");
}

async function pickSession(host: Host, everywhere: boolean): Promise<string | undefined> {
  const rows = await host.services.sessions({ everywhere, limit: sessionsMax });
  const open = host.agents().session_uuid;
  const others = rows.filter(({ uuid }) => uuid !== open);
  if (others.length === 0) {
    host.say([
      everywhere
        ? "There is no other conversation."
        : "There is no other conversation in this folder; try /resume --all.",
    ]);
    return undefined;
  }
  return host.pick(
    everywhere ? "Conversations" : "Conversations of this folder",
    others.map(({ uuid, title, folder, updated_at, agents, cost_usd, unpriced }) => ({
      value: uuid,
      label: title,
      hint: [
        dateText(updated_at),
        ...(agents > 1 ? [plural(agents, "agent")] : []),
        money({ cost_usd, unpriced }),
        ...(everywhere ? [folder] : []),
      ].join(" · "),
    })),
  );
}

/** `2026-01-31 14:05`, by the clock of whoever reads it. */
function dateText(ms: number): string {
  const date = new Date(ms);
  const two = (value: number) => String(value).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

const foundMax = 100;
const sessionsMax = 200;
const rewindOptions = { restore: null, keep: null } as const;
const resumeOptions = { all: null, "take-over": null } as const;

export const pastCommands: readonly SlashCommand[] = [
  {
    name: "mark",
    usage: "/mark [label]",
    summary: "a place to come back to",
    help: [
      "Survives restarts. Files that tools change from here on can be brought back with it.",
      "  /mark before-refactor",
    ],
    completes: ["text"],
    run: runMark,
  },
  {
    name: "rewind",
    usage: "/rewind [--restore | --keep] [label]",
    summary: "back to a mark, with or without the files",
    help: [
      "Without a label: to the newest mark. Lists the files that tools changed since and asks whether to restore them;",
      "--restore and --keep answer beforehand. The log keeps what is left behind.",
      "  /rewind before-refactor",
    ],
    completes: ["mark", "text"],
    options: rewindOptions,
    run: runRewind,
  },
  {
    name: "clear",
    usage: "/clear",
    summary: "the model forgets the conversation so far",
    help: ["System prompt, pins, model and tools stay. The history keeps everything: /search still finds it."],
    run: runClear,
  },
  {
    name: "retry",
    usage: "/retry [NAME[/LEVEL]]",
    summary: "the last turn again, on another model if named",
    help: ["What was answered before stays in the log.", "  /retry gpt-6.1-sol/high"],
    completes: ["model", "text"],
    run: runRetry,
  },
  {
    name: "compact",
    usage: "/compact [what to keep]",
    summary: "a summary in the place of what was said",
    help: ["For when the window gets full. The log keeps everything.", "  /compact keep the list of open questions"],
    completes: ["text"],
    run: runCompact,
  },
  {
    name: "search",
    usage: "/search text",
    summary: "look through all conversations",
    help: [
      "Picks a place and goes there, in whichever conversation it is. /find looks in this one only.",
      "  /search migration",
    ],
    completes: ["text"],
    run: runSearch,
  },
  {
    name: "resume",
    usage: "/resume [--all] [--take-over] [ID]",
    summary: "go on with another conversation",
    help: [
      "Without an id: a list of this folder's conversations, with --all of every folder's.",
      "--take-over also takes agents that run in another process; without an id: the agent that is looked at.",
      "  /resume --all",
    ],
    completes: ["session", "text"],
    options: resumeOptions,
    run: runResume,
  },
  {
    name: "new",
    usage: "/new",
    summary: "a new conversation in this folder",
    help: ["The one that is open stays where it is: /resume finds it."],
    run: (host) => host.reopen({ which: "new" }),
  },
];
