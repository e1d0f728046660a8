import type { AgentEvent, AgentSummary, WaitStatus } from "../../agent/index.ts";
import { clean, elapsed } from "../../term/index.ts";
import type { Host } from "../host.ts";
import { WrongUse } from "./command.ts";
import { isBusy, modelText, plural, shortId } from "./figures.ts";
import { agentNamed, current } from "./where.ts";
import { allWords } from "./words.ts";

export async function runWait(host: Host, text: string): Promise<void> {
  const [time = "", ...ids] = allWords(text);
  const timeout_ms = Number(time.replace(/s$/, "")) * 1000;
  if (!(timeout_ms > 0) || timeout_ms > waitMax) throw new WrongUse("how many seconds?");
  const from = ids.map((typed) => agentNamed(host, typed).uuid);
  const received: string[] = [];
  const agent_uuid = host.here();
  const stop = host.agents().subscribe((event) => note(received, event, agent_uuid));
  const began = host.services.now();
  const clock = (): string => {
    const seconds = `${timeout_ms / 1000} s`;
    // Where nothing is taken back, a clock would be a line each second.
    return host.mode === "screen" ? `${elapsed(host.services.now() - began)} of ${seconds}` : `up to ${seconds}`;
  };
  try {
    const wait: Wait = { timeout_ms, received, clock };
    host.say(from.length === 0 ? await waitForAnybody(host, wait) : await waitForAll(host, from, wait));
  } finally {
    stop();
  }
}

type Wait = {
  readonly timeout_ms: number;
  /** Who has written; nobody's id is a person's. */
  readonly received: readonly string[];
  readonly clock: () => string;
};

/** Until a letter comes, or nobody works any more who could write one. */
async function waitForAnybody(host: Host, { timeout_ms, received, clock }: Wait): Promise<readonly string[]> {
  const agents = host.agents();
  const elsewhere = agents.list().some(({ owner }) => owner !== undefined);
  const atWork = (): readonly AgentSummary[] => agents.list().filter(isBusy);
  const over = (): boolean => received.length > 0 || (!elsewhere && atWork().length === 0);
  if (over()) return ["Nobody is at work: no letter is on its way."];
  const lines = (): readonly string[] => [
    `waiting for a letter, ${clock()}`,
    ...atWork().map(({ uuid }) => statusLine(host, uuid, "running")),
  ];
  const ended = await host.during(lines, (signal) => {
    const { promise, resolve } = Promise.withResolvers<"over" | "time" | "stopped">();
    const look = (): void => void (over() && resolve("over"));
    // The last words of whoever has just become idle may still be on their way.
    const stop = agents.subscribe(() => (received.length > 0 ? look() : void setTimeout(look, letterMs)));
    const timer = setTimeout(() => resolve("time"), timeout_ms);
    signal.addEventListener("abort", () => resolve("stopped"));
    return promise.finally(() => {
      stop();
      clearTimeout(timer);
    });
  });
  const letters = `${plural(received.length, "letter")} received.`;
  if (ended === "time") return [`Nothing more in ${timeout_ms / 1000} s: ${letters}`];
  return [ended === "over" && received.length === 0 ? `Nobody works any more: ${letters}` : `Done waiting: ${letters}`];
}

/** Until each of them has written, has nothing to do, or is dead. */
async function waitForAll(
  host: Host,
  from: readonly string[],
  { timeout_ms, received, clock }: Wait,
): Promise<readonly string[]> {
  // A turn of the agent itself would end up waiting as well.
  if (isBusy(current(host))) throw new WrongUse("this agent works; wait at one that is idle, or /stop it first");
  const agent_uuid = host.here();
  const lines = (): readonly string[] => [
    `waiting, ${clock()}`,
    ...from.map((uuid) => statusLine(host, uuid, statusOf(host, uuid, received))),
  ];
  const { letters, statuses, timed_out } = await host.during(lines, (signal) =>
    host.agents().command({ type: "wait", agent_uuid, from, timeout_ms, signal }),
  );
  const rows = Object.entries(statuses).map(([uuid, status]) => statusLine(host, uuid, status));
  const outcome = timed_out ? `Nothing more in ${timeout_ms / 1000} s` : "Done waiting";
  return [`${outcome}: ${plural(letters.length, "letter")} received.`, ...rows];
}

function note(received: string[], event: AgentEvent, agent_uuid: string): void {
  if (event.type === "mail" && event.agent_uuid === agent_uuid) received.push(event.from_uuid ?? "");
}

function statusOf(host: Host, uuid: string, received: readonly string[]): WaitStatus {
  if (received.includes(uuid)) return "received";
  const agent = host
    .agents()
    .list()
    .find((one) => one.uuid === uuid);
  if (agent === undefined || agent.state === "dead") return "dead";
  return isBusy(agent) ? "running" : "idle";
}

function statusLine(host: Host, uuid: string, status: WaitStatus): string {
  const agent = host
    .agents()
    .list()
    .find((one) => one.uuid === uuid);
  const tool = status === "running" ? host.activity?.(uuid)?.tool : undefined;
  return `  ${shortId(uuid)} ${modelText(agent?.model)}: ${status}${tool === undefined ? "" : ` ${clean(tool)}`}`;
}

const letterMs = 50;
/** A day. */
const waitMax = 86_400_000;
