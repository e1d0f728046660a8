import type { AgentSummary } from "../../agent/index.ts";
import type { Host } from "../host.ts";
import { WrongUse } from "./command.ts";

/** The agent that is looked at. */
export function current(host: Pick<Host, "agents" | "here">): AgentSummary {
  return agentNamed(host, host.here());
}

/** By its id, the beginning of it, or its name; the first agent is also called root. */
export function agentNamed(host: Pick<Host, "agents">, typed: string): AgentSummary {
  const all = host.agents().list();
  const exact =
    all.find(({ uuid, name }) => uuid === typed || name === typed) ??
    (typed === "root" ? all.find(({ uuid }) => uuid === host.agents().root_uuid) : undefined);
  if (exact !== undefined) return exact;
  const [only, ...more] = typed.length < 2 ? [] : all.filter(({ uuid }) => uuid.startsWith(typed));
  if (only === undefined) throw new WrongUse(`there is no agent ${JSON.stringify(typed)}; /agents lists them`);
  if (more.length > 0) throw new WrongUse(`more than one agent begins with ${typed}`);
  return only;
}

/** Everything below an agent. */
export function descendantsOf(all: readonly AgentSummary[], uuid: string): readonly AgentSummary[] {
  const children = all.filter(({ parent_uuid }) => parent_uuid === uuid);
  return children.flatMap((child) => [child, ...descendantsOf(all, child.uuid)]);
}

/** What the conversation shows by itself on a screen is said where it is only heard; what is `more` in any case. */
export function sayUnseen(host: Host, lines: readonly string[], more: readonly string[] = []): void {
  const said = host.mode === "plain" ? [...lines, ...more] : more;
  if (said.length > 0) host.say(said);
}
