import type { AgentEvent } from "../../agent/index.ts";
import type { Activity } from "../host.ts";

/** What agents are doing, from what is heard of them. `looking` says who is looked at: letters to it are read at once. */
export type Activities = {
  readonly hear: (event: AgentEvent) => void;
  readonly of: (agent_uuid: string) => Activity | undefined;
  /** Somebody looks at the agent: its letters are read. */
  readonly seen: (agent_uuid: string) => void;
};

export function createActivities(given: { readonly now: () => number; readonly looking: () => string }): Activities {
  const agents = new Map<string, Doing>();
  const doing = (uuid: string): Doing => {
    const known = agents.get(uuid) ?? { tools: new Map<string, string>(), unread: 0 };
    agents.set(uuid, known);
    return known;
  };
  return {
    hear(event) {
      if (!heard.has(event.type)) return;
      const one = doing(event.agent_uuid);
      if (event.type === "tool_started") one.tools.set(event.tool_call_id, event.summary);
      else if (event.type === "tool_ended") one.tools.delete(event.tool_call_id);
      else if (event.type === "mail" && given.looking() !== event.agent_uuid) one.unread += 1;
      else if (event.type === "state" && working.has(event.state)) one.since ??= given.now();
      else if (event.type === "turn_ended" || event.type === "killed") {
        one.tools.clear();
        delete one.since;
      }
    },
    of(uuid) {
      const one = agents.get(uuid);
      if (one === undefined) return undefined;
      const tool = [...one.tools.values()].at(-1);
      return {
        unread: one.unread,
        ...(tool === undefined ? {} : { tool }),
        ...(one.since === undefined ? {} : { since: one.since }),
      };
    },
    seen(uuid) {
      const one = agents.get(uuid);
      if (one !== undefined) one.unread = 0;
    },
  };
}

type Doing = { readonly tools: Map<string, string>; since?: number; unread: number };

const heard: ReadonlySet<AgentEvent["type"]> = new Set([
  "tool_started",
  "tool_ended",
  "mail",
  "state",
  "turn_ended",
  "killed",
]);
const working: ReadonlySet<string> = new Set(["streaming", "tool", "asking"]);
