import type { AgentLimits, CommandResult } from "../../agent/index.ts";
import type { Host } from "../host.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { runCompare } from "./compare.ts";
import { plural } from "./figures.ts";
import { namedModel } from "./model.ts";
import { current } from "./where.ts";
import { freeText, takeOptions } from "./words.ts";

async function runFork(host: Host, text: string): Promise<void> {
  const { options, text: typed } = takeOptions(text, forkOptions);
  const prompt = freeText(typed);
  const models = options.get("model") ?? [];
  const at = options.get("at")?.at(-1);
  const name = options.get("name")?.at(-1);
  const tools = options.get("tools")?.flatMap((names) => names.split(","));
  const from = at === undefined ? {} : { at_uuid: await entryNamed(host, at) };
  const made = await namedModel(host, models, () =>
    host.agents().command({
      type: "fork",
      agent_uuid: host.here(),
      held: true,
      limits: limitsFrom(options),
      ...(models.length === 0 ? {} : { models }),
      ...(prompt === "" ? {} : { prompt }),
      ...(name === undefined ? {} : { name }),
      ...(tools === undefined ? {} : { tools: tools.filter((tool) => tool !== "") }),
      ...from,
    }),
  );
  const { children, lines } = made;
  const told = [...lines, ...(children.length > 1 ? ["/compare shows their answers side by side"] : [])];
  const [first = host.here()] = children;
  if (host.mode === "plain") {
    // Going there says the last turn: that is theirs only once it has begun.
    host.say(told);
    await begin(host, made);
    host.goTo(first);
    return;
  }
  host.goTo(first);
  host.say(told);
  await begin(host, made);
}

/** What they are is said before they say anything. */
async function begin(host: Host, { children, prompt }: CommandResult<"fork">): Promise<void> {
  if (prompt === undefined) return;
  for (const agent_uuid of children) await host.agents().command({ type: "say", agent_uuid, content: prompt });
}

function limitsFrom(options: ReadonlyMap<string, readonly string[]>): AgentLimits {
  const budget_usd = numberOf(options, "budget", { whole: false });
  const requests_max = numberOf(options, "turns", { whole: true });
  const depth_max = numberOf(options, "depth", { whole: true });
  return {
    ...(budget_usd === undefined ? {} : { budget_usd }),
    ...(requests_max === undefined ? {} : { requests_max }),
    ...(depth_max === undefined ? {} : { depth_max }),
  };
}

function numberOf(
  options: ReadonlyMap<string, readonly string[]>,
  name: string,
  { whole }: { readonly whole: boolean },
): number | undefined {
  const typed = options.get(name)?.at(-1)?.replace(/^\$/, "");
  if (typed === undefined) return undefined;
  const value = Number(typed);
  if (typed === "" || !Number.isFinite(value) || value < 0 || (whole && !Number.isInteger(value))) {
    throw new WrongUse(
      `--${name} takes a ${whole ? "whole number" : "number of dollars"}, not ${JSON.stringify(typed)}`,
    );
  }
  return value;
}

/** A mark by its label, or any entry by its id. */
async function entryNamed(host: Host, typed: string): Promise<string> {
  await host.agents().load(host.here());
  const { entries } = host.agents().view(host.here());
  const mark = entries.findLast(({ kind, content }) => kind === "mark" && content === typed);
  const entry = mark ?? entries.find(({ uuid }) => uuid === typed);
  if (entry === undefined) throw new WrongUse(`there is no mark ${JSON.stringify(typed)} to fork from`);
  return entry.uuid;
}

async function runCapture(host: Host, text: string): Promise<void> {
  const typed = freeText(text);
  const before = current(host).captured;
  const { lines } = await host.agents().command({
    type: "capture",
    agent_uuid: host.here(),
    ...(typed === "" ? {} : { text: typed }),
  });
  if (before === undefined) {
    host.say([
      "What you type now is a task for a child; this agent does not see it. /fork starts it, /cancel drops it.",
    ]);
  } else host.say([`${plural(lines, "message")} captured. /fork starts the task, /cancel drops it.`]);
}

async function runCancel(host: Host): Promise<void> {
  if (current(host).captured === undefined) {
    host.say(["Nothing is being captured. /stop ends a running turn."]);
    return;
  }
  const { lines } = await host.agents().command({ type: "cancel", agent_uuid: host.here() });
  host.say([lines === 0 ? "Nothing was captured." : `${plural(lines, "captured message")} dropped.`]);
}

const forkOptions = {
  model: "model",
  budget: "text",
  turns: "text",
  depth: "text",
  name: "text",
  tools: "tool",
  at: "mark",
} as const;

export const forkCommands: readonly SlashCommand[] = [
  {
    name: "fork",
    usage:
      '/fork [--model NAME[/LEVEL]]… [--budget USD] [--turns N] [--depth N] [--tools NAMES] [--name NAME] [--at MARK] ["prompt"]',
    summary: "a child agent that knows the conversation up to here",
    help: [
      "The child inherits model, level, tools and pins; nothing is copied. Several --model make several children with",
      "the same prompt: a comparison. What was captured is the prompt, where none is given. You move to the first child.",
      "--budget, --turns and --depth limit what it and its descendants may use; --at forks from a mark instead of here.",
      '  /fork --model gpt-6.1-sol/med "write the tests for it"',
      '  /fork --model claude-opus-5-5 --model gemini-4-argon "which of the two designs, and why?"',
    ],
    completes: ["text"],
    options: forkOptions,
    run: runFork,
  },
  {
    name: "compare",
    usage: "/compare [ID…]",
    summary: "the answers of the children of one fork, side by side",
    help: [
      "Text, tokens, time and money of each. Without ids: the newest fork with several children, seen from the parent",
      "or from one of them.",
      "  /compare",
    ],
    completes: ["agent"],
    run: runCompare,
  },
  {
    name: "capture",
    usage: "/capture [text]",
    summary: "begin to write a task for a child, unseen by this agent",
    help: [
      "Everything you send until /fork or /cancel becomes the child's task instead of a message.",
      "  /capture",
      "  …several messages…",
      "  /fork --model gpt-6.1-sol/high",
    ],
    completes: ["text"],
    run: runCapture,
  },
  {
    name: "cancel",
    usage: "/cancel",
    summary: "drop what was captured",
    help: ["Ends /capture without a child."],
    run: runCancel,
  },
];
