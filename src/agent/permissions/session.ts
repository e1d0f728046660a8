import type { ToolIntent } from "../tools/types.ts";
import { decide, strictest, type PermissionContext, type Verdict } from "./decide.ts";
import { ruleText, type Rule } from "./rules.ts";

export type PermissionCall = {
  readonly agent_uuid: string;
  /** The agent and its ancestors: a child may never do what one of them may not. */
  readonly lineage: readonly string[];
  readonly tool: string;
  readonly intent: ToolIntent;
};

export type Answered =
  | ({ readonly verdict: "allow" } & Details)
  | ({ readonly verdict: "ask"; readonly reason: string } & Details)
  | ({ readonly verdict: "deny"; readonly reason: string } & Details);

type Details = Pick<Verdict, "insists" | "proposal" | "real_paths"> & { readonly proposal_text: readonly string[] };

export type SessionPermissions = {
  readonly decide: (call: PermissionCall) => Answered;
  /** A person's yes that holds for more than this call: what the call proposed becomes rules. */
  readonly remember: (call: PermissionCall, scope: "session" | "always") => Promise<void>;
  /** Rules for one agent and its descendants alone, beside those for all. */
  readonly restrict: (agent_uuid: string, rules: readonly Rule[]) => void;
  readonly rules: () => readonly Rule[];
};

export type PermissionOptions = {
  readonly rules: readonly Rule[];
  readonly context: PermissionContext;
  /** Keeps a rule for later sessions. */
  readonly keep?: (rules: readonly Rule[]) => Promise<void> | void;
  /** Nobody can be asked: what is merely asked about is allowed or denied. What insists on a person is denied. */
  readonly unattended?: "allow" | "deny";
};

/** The rules of a session: those of the configuration and what a person has answered since. */
export function sessionPermissions({
  rules: configured,
  context,
  keep,
  unattended,
}: PermissionOptions): SessionPermissions {
  const answered: Rule[] = [];
  const restrictions = new Map<string, readonly Rule[]>();
  const rules = (): readonly Rule[] => [...configured, ...answered];
  const judge = ({ intent, tool, lineage, agent_uuid }: PermissionCall): Verdict => {
    const own = decide(intent, tool, rules(), context);
    const agents = [...new Set([agent_uuid, ...lineage])];
    const others = agents.flatMap((agent) => {
      const restriction = restrictions.get(agent);
      // What an agent was denied stays denied below it, whatever is allowed to all.
      return restriction === undefined ? [] : [decide(intent, tool, [...rules(), ...restriction], context)];
    });
    return strictest([own, ...others]);
  };
  return {
    decide: (call) => settled(judge(call), unattended),
    async remember(call, scope) {
      const { proposal } = judge(call);
      answered.push(...proposal);
      if (scope === "always" && proposal.length > 0) await keep?.(proposal);
    },
    restrict: (agent_uuid, given) => void restrictions.set(agent_uuid, given),
    rules,
  };
}

function settled(verdict: Verdict, unattended: "allow" | "deny" | undefined): Answered {
  const { decision, because, insists, proposal, real_paths } = verdict;
  const details = { insists, proposal, proposal_text: proposal.map(ruleText), real_paths };
  if (decision === "allow") return { verdict: "allow", ...details };
  if (decision === "deny") return { verdict: "deny", reason: because, ...details };
  if (unattended === undefined) return { verdict: "ask", reason: because, ...details };
  if (unattended === "allow" && !insists) return { verdict: "allow", ...details };
  return { verdict: "deny", reason: `${because}, and nobody can be asked`, ...details };
}
