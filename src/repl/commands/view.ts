import type { Totals } from "../../agent/index.ts";
import type { Host } from "../host.ts";
import type { ThinkingView } from "../services.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { money, plural, shortId, count } from "./figures.ts";
import { current, descendantsOf } from "./where.ts";
import { allWords, freeText } from "./words.ts";

function runThink(host: Host, text: string): void {
  const word = freeText(text);
  const view = word === "" ? nextView[host.thinking()] : thinkWords[word];
  if (view === undefined) throw new WrongUse(`thinking can be shown, collapsed or hidden, not ${JSON.stringify(word)}`);
  host.setThinking(view);
  host.say([`Thinking is ${view}.`]);
}

async function runUsage(host: Host): Promise<void> {
  const agent = current(host);
  const below = descendantsOf(host.agents().list(), agent.uuid).length;
  host.say([
    `This agent (${shortId(agent.uuid)}): ${totalsText(agent.totals)}`,
    ...(below === 0 ? [] : [`With its ${plural(below, "descendant")}: ${totalsText(agent.tree_totals)}`]),
    "This session:",
    ...(await host.services.usageLines(host.agents().session_uuid)),
  ]);
}

function totalsText(totals: Totals): string {
  const { usage, requests } = totals;
  if (usage === undefined) return "nothing yet";
  const cached = usage.cache_read_tokens;
  const parts = [
    `${count(usage.input_tokens + cached + usage.cache_write_tokens)} in`,
    `${count(usage.output_tokens)} out`,
    `${count(usage.thinking_tokens)} thinking`,
  ];
  const sum = `${parts.join(" + ")} (${count(cached)} cached) = ${count(usage.total_tokens)} tokens`;
  return `${sum} · ${money(totals)} · ${plural(requests, "request")}`;
}

async function runExport(host: Host, text: string): Promise<void> {
  const words = allWords(text);
  const [first = "", second] = words;
  const format = formats[first] ?? formats[endingOf(second ?? first)] ?? (words.length === 0 ? "markdown" : undefined);
  const path = formats[first] === undefined ? words[0] : second;
  const tooMany = words.length > (formats[first] === undefined ? 1 : 2);
  if (format === undefined || tooMany)
    throw new WrongUse("a format and a path, or a path that ends in .md, .html or .jsonl");
  const agent_uuid = host.here();
  host.say(await host.services.exportTo({ agent_uuid, format, ...(path === undefined ? {} : { path }) }), "good");
}

function endingOf(path: string): string {
  return /\.([a-z]+)$/i.exec(path)?.[1]?.toLowerCase() ?? "";
}

async function runCopy(host: Host, text: string): Promise<void> {
  const what = freeText(text) || "answer";
  if (what !== "answer" && what !== "all") throw new WrongUse("the last answer, or all");
  const copied = host.shownText(what);
  if (copied === "") return host.say(["There is nothing to copy yet."]);
  host.say([await host.copy(copied)]);
}

function runMouse(host: Host, text: string): void {
  const state = freeText(text);
  if (state !== "on" && state !== "off") throw new WrongUse("on or off?");
  const done = host.setMouse(state);
  if (!done) host.say(["There is no mouse here."]);
  else host.say([state === "on" ? "The mouse scrolls and opens." : "The mouse is the terminal's: it selects text."]);
}

function runTheme(host: Host, text: string): void {
  const theme = freeText(text);
  if (theme !== "dark" && theme !== "light" && theme !== "auto") throw new WrongUse("dark, light or auto?");
  host.setTheme(theme);
}

function runFind(host: Host, text: string): void {
  const wanted = freeText(text);
  if (wanted === "") throw new WrongUse("what should be looked for?");
  host.find(wanted);
}

function runKeys(host: Host): void {
  if (host.showKeys !== undefined) return host.showKeys();
  host.say([
    "Lines are sent with Enter; one that ends in \\ goes on in the next.",
    "Ctrl-C ends the running turn, twice quits; the end of the input quits when everything is answered.",
  ]);
}

const nextView: { readonly [view in ThinkingView]: ThinkingView } = {
  collapsed: "shown",
  shown: "hidden",
  hidden: "collapsed",
};

const thinkWords: { readonly [word: string]: ThinkingView | undefined } = {
  show: "shown",
  shown: "shown",
  hide: "hidden",
  hidden: "hidden",
  collapse: "collapsed",
  collapsed: "collapsed",
};

const formats: { readonly [word: string]: "markdown" | "html" | "jsonl" | undefined } = {
  markdown: "markdown",
  md: "markdown",
  html: "html",
  htm: "html",
  jsonl: "jsonl",
};

export const viewCommands: readonly SlashCommand[] = [
  {
    name: "think",
    usage: "/think [show | collapse | hide]",
    summary: "how thinking is shown; without a word: the next way",
    help: ["How much a model thinks is its level: /model NAME/LEVEL."],
    completes: [["show", "collapse", "hide"], "text"],
    run: runThink,
  },
  {
    name: "usage",
    aliases: ["cost"],
    usage: "/usage",
    summary: "tokens and money of this agent, its tree, this session",
    help: ["`?` is money nobody knows. `ikigai usage` shows all conversations, by day, provider and model."],
    run: runUsage,
  },
  {
    name: "export",
    usage: "/export [markdown | html | jsonl] [PATH]",
    summary: "write this conversation into a file",
    help: ["JSON Lines can be imported again without a loss.", "  /export html", "  /export notes.md"],
    completes: [["markdown", "html", "jsonl"], "path"],
    run: runExport,
  },
  {
    name: "copy",
    usage: "/copy [all]",
    summary: "the last answer, or everything, into the clipboard",
    help: ["Says which way worked."],
    completes: [["all"], "text"],
    run: runCopy,
  },
  {
    name: "find",
    usage: "/find text",
    summary: "look for a text in this conversation",
    help: ["/search looks through all conversations."],
    completes: ["text"],
    run: runFind,
  },
  {
    name: "mouse",
    usage: "/mouse on | off",
    summary: "who has the mouse: this program or the terminal",
    help: ["Off: select text with the terminal's own means."],
    completes: [["on", "off"], "text"],
    run: runMouse,
  },
  {
    name: "theme",
    usage: "/theme dark | light | auto",
    summary: "the colours",
    help: ["auto asks the terminal. NO_COLOR is always respected."],
    completes: [["dark", "light", "auto"], "text"],
    run: runTheme,
  },
  {
    name: "keys",
    usage: "/keys",
    summary: "the keys of this screen",
    help: ["They can be changed: `keys` in config.json."],
    run: runKeys,
  },
];
