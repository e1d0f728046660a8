import { graphemes, widthOf } from "./width.ts";

/** What colours are for. Which colour that is, the theme says, and only when a line is written to the terminal. */
export type Role =
  | "muted"
  | "accent"
  | "good"
  | "warning"
  | "bad"
  | "info"
  | "heading"
  | "link"
  | "code"
  | "keyword"
  | "string"
  | "number"
  | "comment"
  | "title"
  | "type"
  | "added"
  | "removed"
  | "added_back"
  | "removed_back"
  | "selected_back"
  | "found_back"
  | "level_none"
  | "level_low"
  | "level_med"
  | "level_high"
  | "level_max";

export type Style = {
  readonly color?: Role;
  readonly back?: Role;
  readonly bold?: boolean;
  readonly dim?: boolean;
  readonly italic?: boolean;
  readonly underline?: boolean;
  readonly strike?: boolean;
  readonly inverse?: boolean;
  /** An address the terminal opens on click. */
  readonly link?: string;
};

export type Span = { readonly text: string; readonly style?: Style };

/** One row, or the part of one. Holds no escape codes: those are written last, see ansi.ts. */
export type Line = readonly Span[];

export type Lines = readonly Line[];

export function span(text: string, style?: Style): Span {
  return style === undefined ? { text } : { text, style };
}

/** `line("plain ", span("bold", { bold: true }))` */
export function line(...parts: readonly (string | Span)[]): Line {
  return parts.map((part) => (typeof part === "string" ? { text: part } : part)).filter(({ text }) => text !== "");
}

export function textOf(row: Line): string {
  return row.length === 1 ? (row[0]?.text ?? "") : row.map(({ text }) => text).join("");
}

export function lineWidth(row: Line): number {
  return row.reduce((sum, { text }) => sum + widthOf(text), 0);
}

/** The same words with more style; what the words had already stays. */
export function restyle(row: Line, style: Style): Line {
  return row.map((part) => ({ text: part.text, style: { ...style, ...part.style } }));
}

/** At most `width` columns; where something is lost, the last column says so. */
export function cut(row: Line, width: number): Line {
  return lineWidth(row) <= width ? row : [...take(row, width - 1), ...(width > 0 ? [{ text: "…" }] : [])];
}

/** The graphemes that fit into `width` columns. */
export function take(row: Line, width: number): Line {
  const taken: Span[] = [];
  let left = width;
  for (const part of row) {
    const partWidth = widthOf(part.text);
    if (partWidth <= left) {
      taken.push(part);
      left -= partWidth;
      continue;
    }
    let text = "";
    for (const grapheme of graphemes(part.text)) {
      if (grapheme.width > left) break;
      text += grapheme.text;
      left -= grapheme.width;
    }
    if (text !== "") taken.push({ ...part, text });
    break;
  }
  return taken;
}

/** Exactly `width` columns, filled with spaces at the end. */
export function pad(row: Line, width: number, style?: Style): Line {
  const fitting = cut(row, width);
  const missing = width - lineWidth(fitting);
  return missing > 0 ? [...fitting, span(" ".repeat(missing), style)] : fitting;
}

/** One at the left edge, one at the right; the left one gives way. */
export function spread(left: Line, right: Line, width: number): Line {
  const end = cut(right, width);
  const room = width - lineWidth(end);
  // With a blank between them, if there is a right one.
  const start = end.length > 0 && lineWidth(left) >= room ? cut(left, room - 1) : left;
  return [...pad(start, room), ...end].filter(({ text }) => text !== "");
}

/** The columns from `start` to `end` (UTF-16 offsets of the line's text) in another style. */
export function mark(row: Line, start: number, end: number, style: Style): Line {
  const marked: Span[] = [];
  let offset = 0;
  for (const part of row) {
    const from = Math.min(Math.max(start - offset, 0), part.text.length);
    const to = Math.min(Math.max(end - offset, 0), part.text.length);
    if (from > 0) marked.push({ ...part, text: part.text.slice(0, from) });
    if (to > from) marked.push({ text: part.text.slice(from, to), style: { ...part.style, ...style } });
    if (to < part.text.length) marked.push({ ...part, text: part.text.slice(Math.max(from, to)) });
    offset += part.text.length;
  }
  return marked;
}
