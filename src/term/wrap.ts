import { type Line, type Lines, type Span, type Style, lineWidth } from "./line.ts";
import { clean, graphemes } from "./width.ts";

/** Text with line ends, wrapped between words. */
export function wrapText(text: string, width: number, style?: Style): Lines {
  return clean(text)
    .split("\n")
    .flatMap((row) => wrap(row === "" ? [] : [style === undefined ? { text: row } : { text: row, style }], width));
}

/**
 * A line of any length in rows of at most `width` columns, broken after spaces where there are some. `hang` stands
 * before every row but the first, for lists and quotes.
 */
export function wrap(row: Line, width: number, hang: Line = []): Lines {
  if (lineWidth(row) <= width) return [row];
  const rows: Cell[][] = [];
  const narrower = Math.max(1, width - lineWidth(hang));
  let current: Cell[] = [];
  let columns = 0;
  let breakAt = 0;
  let indented = true;
  let room = Math.max(1, width);
  for (const cell of cellsOf(row)) {
    if (columns + cell.width > room && current.length > 0) {
      if (cell.text === " ") {
        // Falls into the gap between two rows.
        breakAt = current.length;
        continue;
      }
      const end = breakAt > 0 ? breakAt : current.length;
      const rest = current.slice(end);
      rows.push(trimmed(current.slice(0, end)));
      current = rest;
      columns = rest.reduce((sum, { width }) => sum + width, 0);
      breakAt = 0;
      room = narrower;
    }
    current.push(cell);
    columns += cell.width;
    // A break inside of an indentation would leave an empty row behind.
    if (cell.text !== " ") indented = false;
    else if (!indented) breakAt = current.length;
  }
  rows.push(current);
  return rows.map((cells, index) => (index === 0 ? spansOf(cells) : [...hang, ...spansOf(cells)]));
}

type Cell = { readonly text: string; readonly width: number; readonly style: Style | undefined };

function* cellsOf(row: Line): Generator<Cell> {
  for (const { text, style } of row) {
    for (const grapheme of graphemes(text)) yield { text: grapheme.text, width: grapheme.width, style };
  }
}

function trimmed(cells: readonly Cell[]): Cell[] {
  let end = cells.length;
  while (end > 0 && cells[end - 1]?.text === " ") end -= 1;
  return cells.slice(0, end);
}

function spansOf(cells: readonly Cell[]): Line {
  const spans: Span[] = [];
  let text = "";
  cells.forEach((cell, index) => {
    text += cell.text;
    const next = cells[index + 1];
    if (next !== undefined && next.style === cell.style) return;
    spans.push(cell.style === undefined ? { text } : { text, style: cell.style });
    text = "";
  });
  return spans;
}
