import type { Input } from "./keys.ts";
import { cut, line, type Lines, span, textOf } from "./line.ts";
import { type OverlayStep, overlayTitle, type OverlayView } from "./overlay.ts";
import { markFound } from "./scroll.ts";

/** A long text to read. */
export type Pager = {
  readonly title: string;
  readonly lines: Lines;
  readonly top: number;
  /** What is searched for, and whether it is still being typed. */
  readonly query: string;
  readonly typing: boolean;
};

export function createPager(title: string, lines: Lines): Pager {
  return { title, lines, top: 0, query: "", typing: false };
}

export function typeIntoPager(pager: Pager, input: Input, rows: number): OverlayStep<Pager, never> {
  const open = (changed: Partial<Pager>) => ({ type: "open" as const, state: { ...pager, ...changed } });
  const topMax = Math.max(0, pager.lines.length - (rows - 2));
  const to = (top: number) => open({ top: Math.min(Math.max(0, top), topMax) });
  if (input.type === "mouse") {
    if (input.action === "wheel_up") return to(pager.top - 3);
    return input.action === "wheel_down" ? to(pager.top + 3) : open({});
  }
  if (input.type !== "key") return open({});
  if (pager.typing) return open(typeQuery(pager, input.key, input.text));
  const page = Math.max(1, rows - 3);
  const steps: { readonly [key: string]: number } = {
    up: -1,
    k: -1,
    down: 1,
    j: 1,
    enter: 1,
    pageup: -page,
    b: -page,
    pagedown: page,
    space: page,
    home: Number.NEGATIVE_INFINITY,
    g: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
    G: Number.POSITIVE_INFINITY,
  };
  const step = steps[input.key];
  if (step !== undefined) return to(pager.top + step);
  if (input.key === "/" || input.key === "ctrl+f") return open({ typing: true, query: "" });
  if (input.key === "n") return to(findLine(pager, pager.top + 1, 1) ?? pager.top);
  if (input.key === "N") return to(findLine(pager, pager.top - 1, -1) ?? pager.top);
  return ["escape", "q", "ctrl+c"].includes(input.key) ? { type: "cancelled" } : open({});
}

function typeQuery(pager: Pager, key: string, text: string): Partial<Pager> {
  if (key === "escape") return { typing: false, query: "" };
  if (key === "enter") return { typing: false, top: findLine(pager, pager.top, 1) ?? pager.top };
  const query = key === "backspace" ? pager.query.slice(0, -1) : pager.query + text;
  return { query, top: findLine({ ...pager, query }, pager.top, 1) ?? pager.top };
}

/** From a line on, around the end once. */
function findLine({ lines, query }: Pager, from: number, step: 1 | -1): number | undefined {
  const wanted = query.toLowerCase();
  if (wanted === "") return undefined;
  for (let count = 0; count < lines.length; count++) {
    const index = (from + count * step + lines.length * 2) % lines.length;
    if (
      textOf(lines[index] ?? [])
        .toLowerCase()
        .includes(wanted)
    )
      return index;
  }
  return undefined;
}

export function viewPager(pager: Pager, width: number, rows: number): OverlayView {
  const room = Math.max(1, rows - 2);
  const last = Math.min(pager.lines.length, pager.top + room);
  const place = `${Math.min(pager.top + 1, last)}–${last} of ${pager.lines.length}`;
  const title = overlayTitle(line(span(pager.title, { bold: true })), place, width);
  const shown = pager.lines.slice(pager.top, last).map((row) => cut(markFound(row, pager.query), width));
  const blank = Array.from({ length: room - shown.length }, () => line());
  const help = cut(line(span(" ↑↓ PgUp PgDn · / search · n N · Esc closes", { color: "muted" })), width);
  const typed = cut(line(span(" /", { color: "muted" }), pager.query), width);
  const caret = pager.typing ? { row: rows - 1, column: Math.min(width - 1, 2 + pager.query.length) } : undefined;
  return { rows: [title, ...shown, ...blank, pager.typing ? typed : help], caret };
}
