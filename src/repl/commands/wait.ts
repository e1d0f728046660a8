import type { AgentEvent, WaitStatus } from "../../agent/index.ts";
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
  // A turn of the agent itself would end up waiting as well.
  if (isBusy(current(host))) throw new WrongUse("this agent works; wait at one that is idle, or /stop it first");
  const agents = host.agents();
  const agent_uuid = host.here();
  const received = new Set<string>();
  const stop = agents.subscribe((event) => note(received, event, agent_uuid));
  const began = host.services.now();
  const lines = (): readonly string[] => {
    // Where nothing is taken back, a clock would be a line each second.
    const clock = host.mode === "screen" ? ` ${elapsed(host.services.now() - began)} of ${time} s` : ` up to ${time} s`;
    if (from.length === 0) return [`waiting for a letter,${clock}`];
    return [`waiting,${clock}`, ...from.map((uuid) => statusLine(host, uuid, statusOf(host, uuid, received)))];
  };
  try {
    const wait = (signal: AbortSignal) => agents.command({ type: "wait", agent_uuid, from, timeout_ms, signal });
    const { letters, statuses, timed_out } = await host.during(lines, wait);
    const rows = Object.entries(statuses).map(([uuid, status]) => statusLine(host, uuid, status));
    const outcome = timed_out ? `Nothing more in ${time} s` : "Done waiting";
    host.say([`${outcome}: ${plural(letters.length, "letter")} received.`, ...rows]);
  } finally {
    stop();
  }
}

function note(received: Set<string>, event: AgentEvent, agent_uuid: string): void {
  if (event.type === "mail" && event.agent_uuid === agent_uuid && event.from_uuid !== undefined) {
    received.add(event.from_uuid);
  }
}

function statusOf(host: Host, uuid: string, received: ReadonlySet<string>): WaitStatus {
  if (received.has(uuid)) return "received";
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

/** A day. */
const waitMax = 86_400_000;
