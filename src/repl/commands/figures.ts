import type { AgentSummary, Totals } from "../../agent/index.ts";
import type { ModelChoice } from "../../core/index.ts";
import { money as dollars } from "../transcript/figures.ts";

export { count, money as dollars, plural, shortId, spokenSeconds as seconds } from "../transcript/figures.ts";

/** `870`, `12.4k`, `1.2M` */
export function shortCount(count: number): string {
  if (count < 1_000) return String(count);
  const [value, unit] = count < 999_950 ? [count / 1_000, "k"] : [count / 1_000_000, "M"];
  return `${value.toFixed(value < 99.95 ? 1 : 0).replace(/\.0$/, "")}${unit}`;
}

/** What is not known is a question mark, never nothing. */
export function money({ cost_usd, unpriced }: Pick<Totals, "cost_usd" | "unpriced">): string {
  if (unpriced > 0) return cost_usd > 0 ? `${dollars(cost_usd)} + ?` : dollars(undefined);
  return dollars(cost_usd);
}

export function modelText(choice: ModelChoice | undefined): string {
  if (choice === undefined) return "no model";
  return `${choice.model}${choice.thinking_level === undefined ? "" : `/${choice.thinking_level}`}`;
}

/** What an agent does, in words. */
export function stateText(agent: Pick<AgentSummary, "state" | "owner" | "outcome">, tool?: string): string {
  const { state, owner, outcome } = agent;
  if (owner !== undefined) return `in process ${owner.pid} on ${owner.host}`;
  if (state === "idle" && isStopped(outcome)) return outcomeWords[outcome];
  return state === "tool" && tool !== undefined ? `running ${tool}` : stateWords[state];
}

/** The turn did not come to its end, and nobody wanted that. */
export function isStopped(outcome: AgentSummary["outcome"]): outcome is keyof typeof outcomeWords {
  return outcome === "failed" || outcome === "limit";
}

export function isBusy({ state, queued }: Pick<AgentSummary, "state" | "queued">): boolean {
  return (state !== "idle" && state !== "dead") || queued > 0;
}

const outcomeWords = { failed: "failed", limit: "stopped by a limit" } as const;

const stateWords: { readonly [state in AgentSummary["state"]]: string } = {
  idle: "idle",
  waiting: "waiting",
  streaming: "answering",
  tool: "running a tool",
  asking: "asks you",
  dead: "dead",
};
