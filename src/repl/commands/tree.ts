import type { AgentSummary } from "../../agent/index.ts";
import type { Host, PickAction } from "../host.ts";
import { treeRows } from "./agents-tree.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { isBusy, modelText, plural, shortId } from "./figures.ts";
import { runWait } from "./wait.ts";
import { agentNamed, current, descendantsOf } from "./where.ts";
import { freeText, nextWord, takeOptions } from "./words.ts";

async function runAgents(host: Host, text: string): Promise<void> {
  const typed = freeText(text);
  if (typed !== "") return host.goTo(agentNamed(host, typed).uuid);
  const rows = treeRows(host.agents().list(), {
    here: host.here(),
    now: host.services.now(),
    activity: (uuid) => host.activity?.(uuid),
  });
  if (host.mode === "plain") {
    host.say([...rows.map(({ label, hint }) => `${label} (${hint})`), "/agents ID goes to one of them."]);
    return;
  }
  const items = rows.map(({ agent, label, hint }) => ({ value: agent.uuid, label, hint }));
  const chosen = await host.pick("Agents", items, treeActions(host));
  if (chosen !== undefined) host.goTo(chosen);
}

function treeActions(host: Host): readonly PickAction<string>[] {
  const guarded = (work: Promise<void>): void =>
    void work.catch((error: unknown) => host.say([error instanceof Error ? error.message : String(error)], "error"));
  return [
    { key: "ctrl+e", label: "mail", run: (uuid) => host.draft(`/send ${shortId(uuid)} `) },
    { key: "ctrl+x", label: "stop", run: (uuid) => guarded(runStop(host, uuid)) },
    { key: "ctrl+k", label: "kill", run: (uuid) => guarded(runKill(host, uuid)) },
  ];
}

async function runKill(host: Host, text: string): Promise<void> {
  const { options, text: typed } = takeOptions(text, { yes: null });
  const target = freeText(typed) === "" ? current(host) : agentNamed(host, freeText(typed));
  const all = host.agents().list();
  const doomed = [target, ...descendantsOf(all, target.uuid)].filter(({ state }) => state !== "dead");
  if (doomed.length === 0) {
    host.say([`${shortId(target.uuid)} is dead already. /reap puts dead agents away.`]);
    return;
  }
  if (!options.has("yes") && needsAsking(target, doomed) && !(await confirmed(host, target, doomed))) return;
  const { killed } = await host.agents().command({ type: "kill", agent_uuid: target.uuid });
  const they = killed.length === 1 ? "it" : "they";
  host.say([`Killed ${killed.map(shortId).join(", ")}. What ${they} said stays readable until /reap.`]);
  if (killed.includes(host.here()) && target.parent_uuid !== undefined) host.goTo(target.parent_uuid);
}

/** The first agent is the conversation itself; and nobody should lose work of others unseen. */
function needsAsking(target: AgentSummary, doomed: readonly AgentSummary[]): boolean {
  return target.parent_uuid === undefined || doomed.some((one) => one.uuid !== target.uuid && isBusy(one));
}

async function confirmed(host: Host, target: AgentSummary, doomed: readonly AgentSummary[]): Promise<boolean> {
  const answer = await host.ask({
    title: `Kill ${shortId(target.uuid)}${doomed.length > 1 ? ` and ${plural(doomed.length - 1, "descendant")}` : ""}?`,
    body: doomed.map((one) => `${shortId(one.uuid)} ${modelText(one.model)} ${isBusy(one) ? "working" : "idle"}`),
    options: [
      { value: true, label: "kill", key: "y" },
      { value: false, label: "leave", key: "n" },
    ],
    selected: 1,
  });
  return answer === true;
}

async function runReap(host: Host): Promise<void> {
  const before = host.agents().list();
  const { reaped } = await host.agents().command({ type: "reap", agent_uuid: host.here() });
  if (reaped.includes(host.here())) host.goTo(survivor(host, before));
  host.say([reaped.length === 0 ? "No agent is dead." : `Put away: ${reaped.map(shortId).join(", ")}.`]);
}

/** The nearest ancestor that is still there. */
function survivor(host: Host, before: readonly AgentSummary[]): string {
  const left = new Set(
    host
      .agents()
      .list()
      .map(({ uuid }) => uuid),
  );
  let uuid: string | undefined = host.here();
  while (uuid !== undefined && !left.has(uuid)) {
    const searched: string = uuid;
    uuid = before.find((one) => one.uuid === searched)?.parent_uuid;
  }
  return uuid ?? host.agents().root_uuid;
}

async function runSend(host: Host, text: string): Promise<void> {
  const to = nextWord(text);
  const letter = freeText(to?.rest ?? "");
  if (to === undefined || letter === "") throw new WrongUse("a letter needs an agent and a text");
  const target = agentNamed(host, to.word);
  await host.agents().command({ type: "send", agent_uuid: target.uuid, text: letter });
  host.say([`Sent to ${shortId(target.uuid)}.`], "good");
}

async function runStop(host: Host, text: string): Promise<void> {
  const typed = freeText(text);
  const target = typed === "" ? current(host) : agentNamed(host, typed);
  const { interrupted } = await host.agents().command({ type: "interrupt", agent_uuid: target.uuid });
  if (!interrupted) host.say([`${shortId(target.uuid)} is not working.`]);
}

async function runUnqueue(host: Host): Promise<void> {
  const { texts } = await host.agents().command({ type: "unqueue", agent_uuid: host.here() });
  if (texts.length === 0) return host.say(["Nothing waits."]);
  host.draft(texts.join("\n"));
  host.say([`Taken back: ${plural(texts.length, "message")}.`]);
}

export const treeCommands: readonly SlashCommand[] = [
  {
    name: "agents",
    aliases: ["go"],
    usage: "/agents [ID]",
    summary: "the tree of agents; pick one to go there",
    help: [
      "State, model and level, tool that runs, time, tokens and money (its own and of its tree), unread letters.",
      "With an id, or the beginning of one, or a name: goes there.",
      "  /agents b7c2",
    ],
    completes: ["agent", "text"],
    run: runAgents,
  },
  {
    name: "kill",
    usage: "/kill [ID] [--yes]",
    summary: "end an agent and everything below it",
    help: [
      "Requests and tools that run are cancelled. Asks first where descendants work. Dead agents stay readable.",
      "  /kill b7c2",
    ],
    completes: ["agent", "text"],
    options: { yes: null },
    run: runKill,
  },
  {
    name: "reap",
    usage: "/reap",
    summary: "put dead agents away",
    help: ["They leave the tree; the log keeps what they said."],
    run: runReap,
  },
  {
    name: "send",
    usage: '/send ID "text"',
    summary: "a letter to an agent",
    help: ["It reads it when it is done with what it does.", '  /send b7c2 "use the other file"'],
    completes: ["agent", "text"],
    run: runSend,
  },
  {
    name: "wait",
    usage: "/wait SECONDS [ID…]",
    summary: "wait for a letter, or for several agents",
    help: [
      "Without ids: for the next letter to this agent, or until nobody works any more. With ids: until each of them has",
      "written, is idle or dead.",
      "Escape ends the waiting.",
      "  /wait 60 b7c2 c0d1",
    ],
    completes: ["text", "agent"],
    run: runWait,
  },
  {
    name: "stop",
    usage: "/stop [ID]",
    summary: "end the running turn, and only that",
    help: ["Like Escape, for any agent. What waits in its queue stays there."],
    completes: ["agent", "text"],
    run: runStop,
  },
  {
    name: "unqueue",
    usage: "/unqueue",
    summary: "take back what waits for its turn",
    help: ["The text of what you said while the agent worked, to be changed and sent again."],
    run: runUnqueue,
  },
];
