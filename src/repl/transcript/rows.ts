import { clean, cut, type Line, type Lines, lineWidth, type Span, span, type Style, wrap } from "../../term/index.ts";

export const muted: Style = { color: "muted" };

/** Text with a sign before its first row, and as much room before the others. */
export function hung(sign: Span, text: string, width: number, style?: Style): Lines {
  const room = span(" ".repeat(lineWidth([sign])));
  return clean(text)
    .replace(/\n+$/, "")
    .split("\n")
    .flatMap((row, index) =>
      wrap([index === 0 ? sign : room, ...(row === "" ? [] : [span(row, style)])], width, [room]),
    );
}

/** `── left ────────── right ──`; the right one goes first where there is no room. */
export function rule(left: string, right: string, width: number): Lines {
  const start = `── ${inOneLine(left)} `;
  const end = right === "" ? "" : ` ${inOneLine(right)} ──`;
  const between = width - lineWidth([span(start)]) - lineWidth([span(end)]);
  if (between >= 2 || end === "") return [cut([span(start + "─".repeat(Math.max(0, between)) + end, muted)], width)];
  return rule(left, "", width);
}

/** Names and labels are no place for line ends. */
export function inOneLine(text: string): string {
  return clean(text).replaceAll(/\s*\n\s*/g, " ");
}

/** At most so many rows, and a word about the rest. */
export function limited(rows: Lines, most: number, rest: (left: number) => string): Lines {
  if (rows.length <= most + 1) return rows;
  return [...rows.slice(0, most), [span(rest(rows.length - most), muted)]];
}

/** The end of an output, indented: each line in one row, or all of them whole. */
export function lastRows(output: string, width: number, { most }: { readonly most: number | "all" }): Lines {
  const text = clean(output).replace(/\n+$/, "");
  if (text === "") return [];
  const lines = text.split("\n");
  const rows = (most === "all" ? lines : lines.slice(-most)).map((row): Line => [indent, span(row, muted)]);
  return most === "all" ? rows.flatMap((row) => wrap(row, width, [indent])) : rows.map((row) => cut(row, width));
}

export const indent = span("  ");
