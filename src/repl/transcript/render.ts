import {
  clean,
  line,
  type Line,
  type Lines,
  lineWidth,
  restyle,
  type Role,
  span,
  spinnerAt,
  type Style,
  wrap,
} from "../../term/index.ts";
import { adviceFor, categoryWords } from "./advice.ts";
import type { ItemContext, Place } from "./context.ts";
import { exchangeLine, plural } from "./figures.ts";
import type { Item } from "./items.ts";
import { hung, inOneLine, lastRows, limited, muted, rule } from "./rows.ts";
import { renderText, renderThinking } from "./render-answer.ts";
import { renderTool } from "./render-tool.ts";

/** An item in rows of at most `width` columns. */
export function renderItem(item: Item, context: ItemContext, width: number): Lines {
  const render: Renderer<Item["type"]> = renderers[item.type] as Renderer<Item["type"]>;
  return render(item, { ...context, width });
}

/** It looks different every moment, without anything happening to it. */
export function isMoving(item: Item): boolean {
  if (item.type === "tool") return item.state === "running" || item.state === "asking";
  return item.type === "retrying" || (item.type === "thinking" && item.growing);
}

type Of<Type extends Item["type"]> = Extract<Item, { readonly type: Type }>;
type Renderer<Type extends Item["type"]> = (item: Of<Type>, place: Place) => Lines;

function renderUser({ id, text, files }: Of<"user">, { width, expanded }: Place): Lines {
  const rows = hung(span("› ", { color: "accent", bold: true }), text, width, { bold: true });
  const shown = limited(
    rows,
    expanded.has(id) ? Number.POSITIVE_INFINITY : userRowsMax,
    (left) => `  … ${plural(left, "more line")}`,
  );
  return [...shown, ...files.flatMap((file) => hung(span("  + ", muted), file, width, muted))];
}

function renderMaker({ provider, model, level }: Of<"maker">, { width }: Place): Lines {
  const role = levelRoles[level ?? ""];
  const shown = level === undefined ? [] : [span(`/${inOneLine(level)}`, role === undefined ? muted : { color: role })];
  return wrap(line(span(`${inOneLine(provider)} ${inOneLine(model)}`, muted), ...shown), width);
}

function renderRetrying(item: Of<"retrying">, { width, now }: Place): Lines {
  const { until, attempt, attempts_max, error } = item;
  const left = Math.max(0, Math.ceil((until - now()) / 1000));
  const when = left === 0 ? "asking again" : `again in ${left}s`;
  const text = `${categoryWords(error.category)}: ${error.message} · ${when}, try ${attempt} of ${attempts_max}`;
  return hung(span(`${spinnerAt(now())} `, { color: "warning" }), text, width, { color: "warning" });
}

function renderError({ error, provider }: Of<"error">, { width }: Place): Lines {
  const { title, what, now } = adviceFor(error, provider);
  return [
    ...hung(span("✗ ", { color: "bad", bold: true }), title, width, { color: "bad", bold: true }),
    ...hung(span("  "), what, width),
    ...hung(span("  → ", muted), now, width, muted),
  ];
}

function renderMark({ label }: Of<"mark">, { width }: Place): Lines {
  const name = label ?? "";
  const left = name === "" ? "mark" : `mark "${name}"`;
  return rule(left, name === "" ? "/rewind" : `/rewind ${name}`, width);
}

function renderRewind(item: Of<"rewind">, place: Place): Lines {
  const { id, label, folded, messages } = item;
  const to = label === undefined ? "" : ` to "${inOneLine(label)}"`;
  const isOpen = place.expanded.has(id);
  const what = messages === 0 ? `rewound${to}` : `… ${plural(messages, "message")} rewound${to}`;
  const head = wrap([span(`${folded.length === 0 ? "" : isOpen ? "▾ " : "▸ "}${what}`, muted)], place.width);
  if (!isOpen) return head;
  const inner = folded.flatMap((one) => renderItem(one, place, Math.max(1, place.width - 2)));
  return [...head, ...inner.map((row): Line => [span("│ ", muted), ...restyle(row, { dim: true })])];
}

function renderCompact({ id, text }: Of<"compact">, { width, expanded }: Place): Lines {
  const rows = hung(span("  "), text, width, muted);
  const most = expanded.has(id) ? Number.POSITIVE_INFINITY : compactRowsMax;
  return [
    ...rule("compacted: this summary stands for what is above", "", width),
    ...limited(rows, most, (left) => `  … ${plural(left, "more line")}`),
  ];
}

function renderFork({ child_uuid, model, prompt }: Of<"fork">, { width, nameOf }: Place): Lines {
  const head = `${nameOf(child_uuid)}${model === undefined ? "" : ` ${model}`}`;
  const text = prompt === undefined || prompt === "" ? head : `${head}: ${prompt}`;
  return limited(hung(span("↳ ", { color: "info" }), text, width, { color: "info" }), forkRowsMax, () => "  …");
}

function renderMail({ id, text, from_uuid }: Of<"mail">, { width, nameOf, expanded }: Place): Lines {
  const from = from_uuid === undefined ? "you" : nameOf(from_uuid);
  const rows = hung(span("✉ ", { color: "info" }), `from ${from}: ${text}`, width, { color: "info" });
  const most = expanded.has(id) ? Number.POSITIVE_INFINITY : mailRowsMax;
  return limited(rows, most, (left) => `  … ${plural(left, "more line")}`);
}

function renderCommand({ id, text, output = "", exit_code }: Of<"command">, { width, expanded }: Place): Lines {
  const bad = exit_code !== undefined && exit_code !== 0;
  const end = bad ? [span(`  ✗ exit ${exit_code}`, { color: "bad" })] : [];
  const head = wrap([span("! ", { color: "accent" }), span(inOneLine(text.replace(/^!+\s*/, ""))), ...end], width, [
    span("  "),
  ]);
  return [...head, ...lastRows(output, width, { most: expanded.has(id) ? "all" : 5 })];
}

function renderNotice({ lines, tone }: Of<"notice">, { width }: Place): Lines {
  const style = tone === "info" ? muted : { color: toneRoles[tone] };
  return lines.flatMap((text) => {
    const indent = /^\s*(?:[✓⚠✗•] )?/.exec(text)?.[0] ?? "";
    return clean(text)
      .split("\n")
      .flatMap((row) => wrap([span(row, style)], width, [span(" ".repeat(Math.min(lineWidth([span(indent)]), 4)))]));
  });
}

function signed(sign: string, role: Role): (text: string, width: number, style?: Style) => Lines {
  return (text, width, style = { color: role }) => hung(span(`${sign} `, { color: role }), text, width, style);
}

const warned = signed("⚠", "warning");
const aside = signed("◦", "muted");
const stopped = signed("■", "warning");

const interruptedWords = {
  user: "interrupted · say how to go on, or /retry",
  crash: "cut off: the program ended in the middle of it · /retry asks again",
  exit: "cut off: the program was closed in the middle of it · /retry asks again",
} as const;

const userRowsMax = 20;
const compactRowsMax = 3;
const mailRowsMax = 8;
const forkRowsMax = 3;

const toneRoles = { good: "good", warning: "warning", error: "bad" } as const;

const levelRoles: { readonly [level: string]: Role | undefined } = {
  none: "level_none",
  low: "level_low",
  med: "level_med",
  high: "level_high",
  max: "level_max",
};

const renderers: { readonly [Type in Item["type"]]: Renderer<Type> } = {
  user: renderUser,
  queued: ({ text }, { width }) =>
    limited(hung(span("› ", muted), `${text} (waits for its turn)`, width, { dim: true }), forkRowsMax, () => "  …"),
  maker: renderMaker,
  thinking: renderThinking,
  text: renderText,
  tool: renderTool,
  extra: ({ text }, { width }) => aside(text, width),
  exchange: (item, { width }) => wrap([span(exchangeLine(item), muted)], width, [span("  ")]),
  retrying: renderRetrying,
  error: renderError,
  interrupted: ({ reason }, { width }) => stopped(interruptedWords[reason], width),
  limit: ({ message }, { width }) => warned(message, width),
  mark: renderMark,
  rewind: renderRewind,
  clear: (_, { width }) => rule("cleared: nothing above is sent any more", "", width),
  compact: renderCompact,
  fork: renderFork,
  forked_from: ({ parent_uuid }, { width, nameOf }) => rule(`forked from ${nameOf(parent_uuid)}`, "", width),
  mail: renderMail,
  killed: ({ by_uuid }, { width, nameOf }) =>
    stopped(by_uuid === undefined ? "killed" : `killed by ${nameOf(by_uuid)}`, width),
  setting: ({ text }, { width }) => aside(text, width),
  command: renderCommand,
  warning: ({ message }, { width }) => warned(message, width),
  notice: renderNotice,
};
