import type { AgentSummary } from "../../agent/index.ts";
import {
  clean,
  elapsed,
  type Line,
  line,
  lineWidth,
  type Role,
  type Span,
  span,
  spinnerAt,
  spread,
} from "../../term/index.ts";
import { isStopped, modelText, money, shortCount } from "../commands/figures.ts";
import type { Activity } from "../host.ts";
import type { Services } from "../services.ts";
import { type App, calledHow, type State, summaryOf } from "./state.ts";

/** ` ikigai  ~/proj (main)                db sqlite ` */
export function headerLine({ folder_label, store_label, unwritten }: Services, width: number): Line {
  const left = line(span(" ikigai", { bold: true }), span(`  ${clean(folder_label)}`, { dim: true }));
  const style = unwritten === undefined ? { dim: true } : { color: "warning" as const };
  return spread(left, line(span(`${clean(store_label)} `, style)), width);
}

export type BarView = { readonly now: number; readonly activity: (agent_uuid: string) => Activity | undefined };

/** Every agent in a few words, in fewer where there are many; only where there is more than one. */
export function stripLine(state: State, view: BarView, width: number): Line | undefined {
  const { summaries, here } = state;
  if (summaries.length < 2) return undefined;
  const whole = joined(summaries.map((agent) => stripPart(agent, state, view, "whole")));
  if (lineWidth(whole) <= width) return whole;
  const parts = summaries.map((agent) => stripPart(agent, state, view, agent.uuid === here ? "whole" : "short"));
  const at = Math.max(
    0,
    summaries.findIndex(({ uuid }) => uuid === here),
  );
  const asking = summaries.map(({ uuid }) => state.questions.some(({ agent_uuid }) => agent_uuid === uuid));
  return around(parts, { at, asking, width });
}

function joined(parts: readonly Line[]): Line {
  return line(...parts.flatMap((part, index) => [span(index === 0 ? " " : between, { color: "muted" }), ...part]));
}

type Window = { readonly at: number; readonly asking: readonly boolean[]; readonly width: number };

/** The one that is shown has its place, then its neighbours; at both ends how many have none. */
function around(parts: readonly Line[], { at, asking, width }: Window): Line {
  const hidden = (from: number, to: number, words: string): readonly Line[] => {
    if (from === to) return [];
    const asks = asking.slice(from, to).includes(true);
    return [line(span(asks ? `${words} ? (Tab)` : words, { color: asks ? "warning" : "muted" }))];
  };
  const shown = (first: number, last: number): Line =>
    joined([
      ...hidden(0, first, `‹${first}`),
      ...parts.slice(first, last),
      ...hidden(last, parts.length, `${parts.length - last}›`),
    ]);
  let [first, last] = [at, at + 1];
  for (let grew = true; grew;) {
    grew = false;
    if (last < parts.length && lineWidth(shown(first, last + 1)) <= width) {
      last += 1;
      grew = true;
    }
    if (first > 0 && lineWidth(shown(first - 1, last)) <= width) {
      first -= 1;
      grew = true;
    }
  }
  return shown(first, last);
}

function stripPart(agent: AgentSummary, state: State, view: BarView, shape: "whole" | "short"): Line {
  const { uuid, model } = agent;
  const { now, activity } = view;
  const { unread = 0, tool, since } = activity(uuid) ?? {};
  const asks = state.questions.some(({ agent_uuid }) => agent_uuid === uuid);
  const here = uuid === state.here;
  const words = `${calledHow(state, uuid)}${shape === "whole" ? ` ${shortModel(modelText(model))}` : ""}`;
  const doing = asks
    ? "asks"
    : agent.state === "tool"
      ? firstWord(tool ?? "tool")
      : agent.state === "idle" && shape === "whole"
        ? idleWord(agent, here)
        : "";
  const time = since === undefined || asks ? "" : elapsed(now - since);
  const rest = [doing, time].filter((word) => word !== "").join(" ");
  return [
    span(`${asks ? "?" : sign(agent, here, now)} `, { color: asks ? "warning" : signColor(agent) }),
    span(words, here ? { bold: true } : { color: "muted" }),
    span(rest === "" ? "" : ` ${rest}`, { color: asks ? "warning" : "muted" }),
    span(asks && !here ? " (Tab)" : "", { color: "warning" }),
    span(agent.queued === 0 ? "" : ` +${agent.queued}`, { color: "muted" }),
    span(unread === 0 ? "" : ` ✉${unread}`, { color: "accent" }),
  ];
}

/** The sign alone says that it is done. */
function idleWord({ outcome }: AgentSummary, here: boolean): string {
  if (isStopped(outcome)) return outcome;
  return outcome === "done" && !here ? "" : "idle";
}

function sign({ state, owner, outcome }: AgentSummary, here: boolean, now: number): string {
  if (owner !== undefined) return "⇄";
  if (state === "dead") return "✗";
  if (state === "idle" && isStopped(outcome)) return "✗";
  if (state === "idle") return here ? "●" : outcome === "done" ? "✓" : "○";
  return state === "asking" ? "?" : spinnerAt(now);
}

function signColor({ state, outcome }: AgentSummary): Role {
  if (state === "idle" && isStopped(outcome)) return "bad";
  return state === "dead" ? "bad" : state === "idle" ? "muted" : state === "asking" ? "warning" : "good";
}

/** `claude-opus-5-5/high` → `claude-…/high` */
function shortModel(text: string): string {
  const [model = "", level] = text.split("/");
  const begin = model.length <= shortModelMax ? model : `${model.slice(0, model.indexOf("-") + 1 || 6)}…`;
  return level === undefined ? begin : `${begin}/${level}`;
}

function firstWord(text: string): string {
  return clean(text).trim().split(/\s+/)[0] ?? "";
}

/** ` anthropic claude-…/med   ↑49k ↓2.7k (think 0.9k)  ctx 10%/200k   $0.06 · tree $0.21   ? keys` */
export function footerLine(
  state: State,
  view: BarView,
  shape: { readonly folded: boolean; readonly width: number; readonly unwritten?: number | undefined },
): Line {
  const agent = summaryOf(state);
  if (agent === undefined) return line(span(" opening…", { color: "muted" }));
  return shape.folded
    ? foldedFooter(agent, state, { now: view.now, unwritten: shape.unwritten })
    : wholeFooter(agent, state, shape.width);
}

function wholeFooter(agent: AgentSummary, state: State, width: number): Line {
  const { totals, tree_totals, model } = agent;
  const { usage } = totals;
  const muted = (text: string): Line => line(span(text, { color: "muted" }));
  const input = usage === undefined ? 0 : usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const tree = state.summaries.length < 2 ? "" : ` · tree ${money(tree_totals)}`;
  const thought = usage?.thinking_tokens ?? 0;
  const parts = {
    provider: muted(` ${model?.provider ?? ""}`),
    model: muted(` ${modelText(model)}`),
    tokens: muted(usage === undefined ? "" : `   ↑${shortCount(input)} ↓${shortCount(usage.output_tokens)}`),
    think: muted(thought === 0 ? "" : ` (think ${shortCount(thought)})`),
    context: contextSpans(agent, "  ctx "),
    money: muted(`   ${money(totals)}${tree}`),
  };
  const right = muted("? keys ");
  const left = fitting(parts, width - lineWidth(right) - 1);
  return spread(left, right, width);
}

/** Without what matters least, where there is no room for all of it. */
function fitting(parts: { readonly [name: string]: Line }, width: number): Line {
  const left = new Map(Object.entries(parts));
  const whole = (): Line => [...left.values()].flat();
  for (const name of dispensable) if (lineWidth(whole()) > width) left.delete(name);
  return whole();
}

type Folded = { readonly now: number; readonly unwritten: number | undefined };

/** Header and strip have no room: what is not written, where we are among the agents, and who asks. */
function foldedFooter(agent: AgentSummary, state: State, { now, unwritten }: Folded): Line {
  const { summaries, here, questions } = state;
  const place = summaries.findIndex(({ uuid }) => uuid === here) + 1;
  const among = summaries.length < 2 ? "" : `${sign(agent, true, now)} ${place}/${summaries.length} `;
  const elsewhere = questions.some(({ agent_uuid }) => agent_uuid !== here);
  return line(
    span(unwritten === undefined ? "" : ` ⚠ ${unwritten} unwritten`, { color: "warning" }),
    span(` ${among}${modelText(agent.model)}`, { color: "muted" }),
    ...contextSpans(agent, " "),
    span(` ${money(agent.totals)}`, { color: "muted" }),
    span(elsewhere ? " ? (Tab)" : "", { color: "warning" }),
  );
}

function contextSpans({ context }: AgentSummary, before: string): readonly Span[] {
  if (context === undefined || context.window_tokens <= 0) return [];
  const share = context.tokens / context.window_tokens;
  const words = `${before}${Math.round(share * 100)}%/${shortCount(context.window_tokens)}`;
  return [span(words, { color: share >= contextWarnShare ? "warning" : "muted" })];
}

/** What stands in the rule above the editor, the nearest first: what just happened, what goes on, what it will cost. */
export function ruleLabel(app: Pick<App, "state" | "services" | "activities">): string {
  const { state, services, activities } = app;
  if (state.flash !== undefined) return state.flash;
  if (state.agents === undefined) return "opening…";
  const agent = summaryOf(state);
  if (agent === undefined) return "";
  if (agent.owner !== undefined) return `read-only: runs in process ${agent.owner.pid} on ${agent.owner.host}`;
  if (agent.state === "dead") return "dead: can be read and forked";
  const now = services.now();
  if (agent.state !== "idle") return busyLabel(agent, { app, now, since: activities.of(agent.uuid)?.since });
  const share = agent.context === undefined ? 0 : agent.context.tokens / agent.context.window_tokens;
  const full = share >= contextWarnShare ? `context ${Math.round(share * 100)}% full: /compact` : "";
  const estimated = state.estimate === undefined ? "" : `~${shortCount(state.estimate.tokens)} tokens`;
  return [full, estimated === "" ? (agent.model?.thinking_level ?? "") : estimated]
    .filter((word) => word !== "")
    .join(" · ");
}

type Busy = {
  readonly app: Pick<App, "state" | "services">;
  readonly now: number;
  readonly since: number | undefined;
};

function busyLabel(agent: AgentSummary, { app, now, since }: Busy): string {
  if (agent.state === "asking") return "asks you";
  const time = since === undefined ? "" : ` ${elapsed(now - since)}`;
  const queued = agent.queued === 0 ? "" : ` · ${agent.queued} queued`;
  const silence = agent.state === "streaming" ? now - (app.state.heard_at.get(agent.uuid) ?? now) : 0;
  const left = app.services.idleTimeoutMs(agent.model?.provider ?? "") - silence;
  const quiet =
    silence < silenceShownMs ? "" : `, silent for ${elapsed(silence)}, given up in ${elapsed(Math.max(0, left))}`;
  return `${spinnerAt(now)} ${busyWords[agent.state] ?? ""}${time}${quiet}${queued} · Esc interrupts`;
}

const busyWords: { readonly [state: string]: string | undefined } = {
  streaming: "answering",
  tool: "running a tool",
  waiting: "waiting",
};

/** The rule has the colour of the thinking level. */
export function ruleColor(state: State): Role {
  const level = summaryOf(state)?.model?.thinking_level;
  return level === undefined ? "level_none" : `level_${level}`;
}

const contextWarnShare = 0.8;
const silenceShownMs = 8_000;
const shortModelMax = 14;
const between = " │ ";
const dispensable = ["think", "provider", "tokens"];
