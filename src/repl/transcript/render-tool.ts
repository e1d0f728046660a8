import {
  clean,
  cut,
  type Line,
  type Lines,
  lineWidth,
  type Role,
  span,
  type Span,
  spinnerAt,
  wrap,
} from "../../term/index.ts";
import { plural, seconds } from "./figures.ts";
import type { FileDiff, ToolItem } from "./items.ts";
import type { Place } from "./context.ts";
import { indent, inOneLine, lastRows, limited, muted } from "./rows.ts";

type Tool = ToolItem & { readonly id: string };

/** A header with what it does, how it stands and how long it took; then what it changed, or the end of what it wrote. */
export function renderTool(item: Tool, place: Place): Lines {
  const { width, expanded } = place;
  const isOpen = expanded.has(item.id);
  const body = bodyOf(item, place, isOpen);
  const head = header(item, place, isOpen ? "" : hiddenWords(item));
  return [...head, ...body].map((row) => cut(row, width));
}

function header(item: Tool, place: Place, hidden: string): Lines {
  const { width } = place;
  const state = stateSpans(item, place.now());
  const after = hidden === "" ? [] : [span(`  ${hidden}`, muted)];
  const what = whatSpans(item);
  const whole: Line = [...what, ...state, ...after];
  if (lineWidth(whole) <= width) return [whole];
  const room = width - lineWidth(state);
  const first = [...cut(what, Math.max(1, room)), ...state];
  const second = width - lineWidth(first) >= lineWidth(after) ? [] : after;
  if (second.length === 0) return [[...first, ...after]];
  return [first, cut([indent, span(hidden, muted)], width)];
}

function whatSpans({ name, summary, state, arguments_text }: Tool): Line {
  const text = inOneLine(summary);
  if (state === "arriving" && text === name) {
    const size = arguments_text.length < bigArguments ? "" : " …";
    return [span("→ ", { color: "accent" }), span(`${text}${size}`, muted)];
  }
  if (text.startsWith("$ ")) return [span("$ ", { color: "accent" }), span(text.slice(2), { bold: true })];
  return [span(`${changes.has(name) ? "←" : "→"} `, { color: "accent" }), span(text, { bold: true })];
}

function stateSpans({ state, started_at, duration_ms, exit_code, diff }: Tool, now: number): Span[] {
  const time = duration_ms === undefined ? "" : ` ${seconds(duration_ms)}`;
  const code = exit_code === undefined || exit_code === 0 ? "" : ` exit ${exit_code}`;
  const counts = diff === undefined ? [] : countSpans(diff);
  const marked = (sign: string, words: string, role: Role): Span[] => [
    ...counts,
    span(`  ${sign}${words}`, { color: role }),
  ];
  switch (state) {
    case "arriving":
      return [span("  …", muted)];
    case "asking":
      return marked("? ", "waits for your yes", "warning");
    case "running": {
      const elapsed = started_at === undefined ? "" : ` ${seconds(Math.max(0, now - started_at))}`;
      return marked(spinnerAt(now), elapsed, "info");
    }
    case "done":
      return marked("✓", time, "good");
    case "failed":
      return marked("✗", `${time}${code}`, "bad");
    case "denied":
      return marked("✗", " not allowed", "warning");
    case "interrupted":
      return marked("■", " interrupted", "warning");
  }
}

function countSpans({ added, removed }: FileDiff): readonly Span[] {
  return [span(`  +${added}`, { color: "added" }), span(` −${removed}`, { color: "removed" })];
}

/** What there is beyond what is shown. */
function hiddenWords(item: Tool): string {
  if (item.diff !== undefined) return "";
  const shown = shownLines(item);
  const left = item.output_lines - shown;
  if (left <= 0 || isNothing(item.output)) return "";
  return shown === 0 ? `… ${plural(left, "line")} (^O)` : `… ${plural(left, "earlier line")} (^O)`;
}

function shownLines({ name, state, output, output_lines }: Tool): number {
  if (isNothing(output) || (quiet.has(name) && state === "done")) return 0;
  return Math.min(outputRows, output_lines);
}

function bodyOf(item: Tool, place: Place, isOpen: boolean): Lines {
  const { diff, output, output_lines } = item;
  const { width } = place;
  if (diff !== undefined) return diffRows(diff, place, isOpen);
  if (isOpen) {
    const rows = isNothing(output) ? [] : lastRows(output, width, { most: "all" });
    const kept = output === "" ? 0 : output.split("\n").length;
    const args = wrap([indent, span(inOneLine(item.arguments_text), muted)], width, [indent]);
    const missing = output_lines - kept;
    const before = missing > 0 ? [[indent, span(`… ${plural(missing, "earlier line")} (^O)`, muted)]] : [];
    return [
      ...(item.arguments_text === "" ? [] : limited(args, 10, (left) => `  … ${plural(left, "more line")}`)),
      ...before,
      ...rows,
    ];
  }
  const shown = shownLines(item);
  return shown === 0 ? [] : lastRows(output, width, { most: shown });
}

function diffRows({ text, omitted }: FileDiff, { width, rich }: Place, isOpen: boolean): Lines {
  const inner = Math.max(1, width - 2);
  // Files with the line ends of Windows are no reason for blank rows.
  const patch = clean(text.replaceAll("\r", ""));
  const placed = patch.includes("@@ ") ? rich?.patch(patch, inner) : undefined;
  const rows = (placed ?? plainPatch(patch, inner)).map((row): Line => [indent, ...row]);
  const most = isOpen ? Number.POSITIVE_INFINITY : diffRowsMax;
  const cutOff = limited(rows, most, (left) => `  … ${plural(left + omitted, "more line")} (^O)`);
  const isWhole = omitted === 0 || cutOff.length < rows.length;
  return isWhole ? cutOff : [...cutOff, [indent, span(`… ${plural(omitted, "more line")} (^O)`, muted)]];
}

/** Without numbers: before the module that knows them is there, and where nobody does. */
function plainPatch(text: string, width: number): Lines {
  return text
    .split("\n")
    .filter((row) => !row.startsWith("@@ "))
    .flatMap((row) => {
      const role = row.startsWith("+") ? "added" : row.startsWith("-") ? "removed" : undefined;
      return wrap([span(row, role === undefined ? undefined : { color: role })], width, [indent]);
    });
}

function isNothing(output: string): boolean {
  return output === "" || output === "[No output.]";
}

const outputRows = 5;
const diffRowsMax = 24;
const bigArguments = 200;
const changes: ReadonlySet<string> = new Set(["file_edit", "file_write"]);
/** What they found is for the model; a person looks when it is wanted. */
const quiet: ReadonlySet<string> = new Set(["file_read", "glob", "grep", "web_fetch"]);
