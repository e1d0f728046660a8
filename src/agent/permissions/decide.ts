import type { ToolIntent } from "../tools/types.ts";
import { commandFacts } from "./command-items.ts";
import { commandProposals, hostProposal, pathProposal } from "./proposals.ts";
import { absolutePath, isInside, realPath } from "./real-path.ts";
import { matchingRule, ruleText, type Decision, type Item, type Rule } from "./rules.ts";
import { isForbidden, powerReason, privateReason, secretReason } from "./sensitive.ts";

export type PermissionContext = {
  /** The project: what lies in it may be read. */
  readonly root: string;
  readonly cwd: string;
  readonly home?: string;
  /** Folders of ours. The keys in them are nobody's business. */
  readonly private_folders?: readonly string[];
};

export type Verdict = {
  readonly decision: Decision;
  /** One sentence for the person who is asked, or for the model that may not. */
  readonly because: string;
  /** It asks whatever the rules allow, so where nobody can be asked the answer is no. */
  readonly insists: boolean;
  /** Rules that "always" would add; none where each time has to be asked anew. */
  readonly proposal: readonly Rule[];
  /** Where the paths of the call really lead; what is opened later is held against them. */
  readonly real_paths: readonly string[];
};

/**
 * Whether a call may be made. A rule that denies wins, then one that allows, then one that asks; then reading inside the
 * project and coordination are allowed and everything else asks. Secrets, dangerous commands and what is not understood
 * ask even where a rule allows them. Looks at the disk only to resolve links.
 */
export function decide(intent: ToolIntent, tool: string, rules: readonly Rule[], context: PermissionContext): Verdict {
  const paths = (intent.paths ?? []).map((path) => {
    const absolute = absolutePath(path, context.cwd, context.home);
    return { path: absolute, real: realPath(absolute) };
  });
  const findings = [
    ...paths.map(({ path, real }) => pathFinding({ path, real, effect: intent.effect }, { tool, rules, context })),
    ...(intent.hosts ?? []).map((host) => hostFinding(host, { tool, rules, context })),
    ...(intent.command === undefined ? [] : commandFindings(intent.command, { tool, rules, context })),
  ];
  const whole = findings.length > 0 ? findings : [toolFinding(intent, { tool, rules, context })];
  return summary(
    whole,
    paths.map(({ real }) => real),
  );
}

/** The strictest of several verdicts on one call: those of an agent and of all its ancestors. */
export function strictest(verdicts: readonly [Verdict, ...Verdict[]]): Verdict {
  const [first, ...rest] = verdicts;
  return rest.reduce((strict, next) => {
    if (severity(next) <= severity(strict)) return strict;
    return { ...next, insists: next.insists || strict.insists };
  }, first);
}

type Finding = {
  readonly decision: Decision;
  readonly because: string;
  readonly insists?: true;
  readonly proposal?: Rule;
};

type From = { readonly tool: string; readonly rules: readonly Rule[]; readonly context: PermissionContext };

function summary(findings: readonly Finding[], real_paths: readonly string[]): Verdict {
  const worst = findings.reduce((strict, next) => (severity(next) > severity(strict) ? next : strict));
  const asking = findings.filter(({ decision }) => decision === "ask");
  const insists = asking.some((finding) => finding.insists === true);
  return {
    decision: worst.decision,
    because: worst.because,
    insists,
    proposal: worst.decision !== "ask" || insists ? [] : once(asking.flatMap(({ proposal }) => proposal ?? [])),
    real_paths,
  };
}

function once(rules: readonly Rule[]): readonly Rule[] {
  return [...new Map(rules.map((rule) => [ruleText(rule), rule])).values()];
}

function severity({ decision, insists }: { readonly decision: Decision; readonly insists?: boolean }): number {
  if (decision === "deny") return 3;
  if (decision === "ask") return insists === true ? 2 : 1;
  return 0;
}

/** What the rules say of one thing, or else what holds without rules. */
function ruled(item: Item, from: From, otherwise: Finding): Finding {
  const deny = matchingRule("deny", item, from);
  if (deny !== undefined) return { decision: "deny", because: `a rule denies it (${ruleText(deny)})` };
  if (otherwise.insists === true) return otherwise;
  const allow = matchingRule("allow", item, from);
  if (allow !== undefined) return { decision: "allow", because: `a rule allows it (${ruleText(allow)})` };
  const ask = matchingRule("ask", item, from);
  if (ask === undefined || otherwise.decision === "deny") return otherwise;
  return { ...otherwise, decision: "ask", because: `a rule asks (${ruleText(ask)})` };
}

type Touched = { readonly path: string; readonly real: string; readonly effect: ToolIntent["effect"] };

function pathFinding({ path, real, effect }: Touched, from: From): Finding {
  const { context, tool } = from;
  const { private_folders = [] } = context;
  if (isForbidden(real, private_folders) || isForbidden(path, private_folders)) {
    return { decision: "deny", because: `${path} holds your keys; no tool may touch it` };
  }
  const reason =
    secretReason(real) ??
    secretReason(path) ??
    privateReason(real, context) ??
    (effect === "read" ? undefined : powerReason(real));
  const root = realPath(context.root);
  const isOutside = !isInside(real, root);
  const item: Item = { kind: "path", path, real };
  if (reason !== undefined) return ruled(item, from, { decision: "ask", because: reason, insists: true });
  if (effect === "read" && !isOutside) return ruled(item, from, { decision: "allow", because: "it is in the project" });
  const verb = effect === "read" ? "reads" : "changes";
  const because = `it ${verb} ${real}${isOutside ? ", outside of the project" : ""}`;
  return ruled(item, from, { decision: "ask", because, proposal: pathProposal(tool, real, root) });
}

function hostFinding(host: string, from: From): Finding {
  const because = `it sends a request to ${host}`;
  return ruled({ kind: "host", host }, from, { decision: "ask", because, proposal: hostProposal(from.tool, host) });
}

function toolFinding(intent: ToolIntent, from: From): Finding {
  if (intent.effect === "coordinate")
    return ruled({ kind: "tool" }, from, { decision: "allow", because: "it is harmless" });
  const because = intent.effect === "unknown" ? "what it does is not known" : `it is a ${intent.effect}`;
  return ruled({ kind: "tool" }, from, {
    decision: "ask",
    because,
    proposal: { decision: "allow", tool: from.tool },
  });
}

function commandFindings(command: string, from: From): readonly Finding[] {
  const { context } = from;
  const facts = commandFacts(command, context);
  if (facts.forbidden !== undefined) {
    return [{ decision: "deny", because: `${facts.forbidden} holds your keys; no tool may touch it` }];
  }
  const proposals = commandProposals(facts.judged, from.tool);
  const judged = facts.judged.map((step) =>
    ruled({ kind: "command", text: step.text, program: step.program }, from, {
      decision: "ask",
      because: `it runs ${step.text}`,
      ...(proposals.get(step) === undefined ? {} : { proposal: proposals.get(step) }),
    }),
  );
  const touched = (path: string, effect: "read" | "write"): Finding =>
    pathFinding({ path, real: realPath(path), effect }, from);
  return [
    ...judged,
    ...facts.concerns.map((because): Finding => ({ decision: "ask", because, insists: true })),
    // What is only named, printed or started by something else can still be forbidden.
    ...facts.steps
      .map(({ text, program }) => ruled({ kind: "command", text, program }, from, permitted))
      .filter(isStrict),
    ...facts.named.map((path) => ruled({ kind: "path", path, real: realPath(path) }, from, permitted)).filter(isStrict),
    ...facts.written.map((path) => touched(path, "write")),
    ...facts.read.map((path) => touched(path, "read")),
    ...(facts.steps.length === 0 && facts.concerns.length === 0 ? [nothingRuns] : []),
  ];
}

const permitted: Finding = { decision: "allow", because: "nothing is said about it" };
const nothingRuns: Finding = { decision: "ask", because: "it is a command" };

function isStrict({ decision }: Finding): boolean {
  return decision !== "allow";
}
