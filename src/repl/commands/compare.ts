import type { Agents, AgentSummary } from "../../agent/index.ts";
import { clean, line, loadMarkdown, pad, span, wrapText, type Line, type Lines } from "../../term/index.ts";
import type { Host } from "../host.ts";
import { WrongUse } from "./command.ts";
import { isBusy, modelText, money, seconds, shortCount, shortId, stateText } from "./figures.ts";
import { agentNamed } from "./where.ts";
import { allWords } from "./words.ts";

export async function runCompare(host: Host, text: string): Promise<void> {
  const named = allWords(text).map((typed) => agentNamed(host, typed).uuid);
  const agents = host.agents();
  await loadFamily(agents, host.here());
  const group = named.length > 0 ? named : siblings(agents, host.here());
  if (group.length < 2) throw new WrongUse('there are no children of one fork here; try /fork --model A --model B "…"');
  for (const uuid of group) await agents.load(uuid);
  const { renderMarkdown } = await loadMarkdown();
  const contestants = group.map((uuid) => contestant(agents, uuid));
  const render = (answer: string, width: number): Lines =>
    host.mode === "plain" ? wrapText(answer, width) : renderMarkdown(clean(answer), width);
  host.show("Comparison", (width) => compareLines(contestants, { width, render }));
}

/** What was forked stands in the logs of those it was forked from; long ones are not all in memory. */
async function loadFamily(agents: Agents, here: string): Promise<void> {
  const parent_uuid = agents.list().find(({ uuid }) => uuid === here)?.parent_uuid;
  await agents.load(here);
  if (parent_uuid !== undefined) await agents.load(parent_uuid);
}

/** The children of one fork: those the agent belongs to, or the newest it has made itself. Fewer than two: none. */
export function siblings(agents: Agents, here: string): readonly string[] {
  const all = agents.list();
  const own = groupsOf(agents, all, here);
  const parent_uuid = all.find(({ uuid }) => uuid === here)?.parent_uuid;
  const among = parent_uuid === undefined ? [] : groupsOf(agents, all, parent_uuid);
  return among.find((group) => group.includes(here)) ?? own.at(-1) ?? [];
}

/** Children that were given the same prompt one right after the other. */
function groupsOf(agents: Agents, all: readonly AgentSummary[], parent_uuid: string): readonly (readonly string[])[] {
  const known = new Set(all.filter((one) => one.parent_uuid === parent_uuid).map(({ uuid }) => uuid));
  if (known.size < 2) return [];
  const groups: { readonly prompt: string | undefined; readonly children: string[] }[] = [];
  let last: string | undefined;
  for (const entry of agents.view(parent_uuid).entries) {
    if (entry.kind === "fork" && known.has(entry.data.child_uuid)) {
      const before = last === "fork" ? groups.at(-1) : undefined;
      if (before !== undefined && before.prompt === entry.content) before.children.push(entry.data.child_uuid);
      else groups.push({ prompt: entry.content, children: [entry.data.child_uuid] });
    }
    last = entry.kind;
  }
  return groups.filter(({ children }) => children.length > 1).map(({ children }) => children);
}

export type Contestant = {
  readonly title: string;
  readonly state: string;
  readonly figures: string;
  readonly answer: string;
};

function contestant(agents: Agents, uuid: string): Contestant {
  const view = agents.view(uuid);
  const answers = view.entries.flatMap((entry) =>
    entry.kind === "assistant" && entry.agent_uuid === uuid ? [entry] : [],
  );
  const last = answers.findLast(({ content }) => content.trim() !== "");
  const time = answers.reduce((sum, { data }) => sum + (data.latency_ms ?? 0), 0);
  const tokens = view.totals.usage?.total_tokens ?? 0;
  const failure = answers.at(-1)?.data.error;
  return {
    title: `${shortId(uuid)} ${modelText(view.model)}`,
    state: isBusy(view) ? stateText(view) : failure === undefined ? "done" : `failed: ${failure.category}`,
    figures: `${shortCount(tokens)} tokens · ${seconds(time)} · ${money(view.totals)}`,
    answer: last?.content ?? (isBusy(view) ? "" : (failure?.message ?? "(no answer)")),
  };
}

export type CompareLayout = {
  readonly width: number;
  /** An answer in so many columns. */
  readonly render: (answer: string, width: number) => Lines;
};

/** Columns where there is room for each; below that one after the other. */
export function compareLines(contestants: readonly Contestant[], { width, render }: CompareLayout): Lines {
  const count = Math.max(1, contestants.length);
  const column = Math.floor((width - separator.text.length * (count - 1)) / count);
  if (column < columnMin) {
    return contestants.flatMap((one, index) => [
      ...(index === 0 ? [] : [[]]),
      ...block(one, headOf(one, width), { width, render }),
    ]);
  }
  const heads = contestants.map((one) => headOf(one, column));
  // Answers begin side by side, however many rows their figures take.
  const headRows = Math.max(...heads.map(({ length }) => length));
  const blocks = contestants.map((one, index) =>
    block(one, filled(heads[index] ?? [], headRows), { width: column, render }),
  );
  const height = Math.max(...blocks.map(({ length }) => length));
  return Array.from({ length: height }, (_, row) =>
    blocks.flatMap((rows, index): Line => [...(index === 0 ? [] : [separator]), ...pad(rows[row] ?? [], column)]),
  );
}

function headOf({ title, state, figures }: Contestant, width: number): Lines {
  const name = line(span(clean(title), { bold: true, color: "accent" }));
  return [name, ...wrapText(`${state} · ${figures}`, width, muted)];
}

function filled(rows: Lines, height: number): Lines {
  return [...rows, ...Array.from({ length: height - rows.length }, () => line())];
}

function block({ answer }: Contestant, head: Lines, { width, render }: CompareLayout): Lines {
  return [...head, line(span("─".repeat(width), muted)), ...render(answer, width)];
}

const muted = { color: "muted" } as const;
const columnMin = 32;
const separator = span(" │ ", { color: "muted" });
