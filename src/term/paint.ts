import { encodeLine, moveTo, synchronizedEnd, synchronizedStart } from "./ansi.ts";
import { type Line, type Lines, lineWidth, take } from "./line.ts";
import type { Size } from "./terminal.ts";
import type { Palette } from "./theme.ts";

/** The whole screen. `column` counts columns; without a caret the cursor is hidden. */
export type Frame = { readonly rows: Lines; readonly caret?: Caret | undefined };
export type Caret = { readonly row: number; readonly column: number };

export type Painter = {
  /** What has to be written so that the terminal shows the frame; nothing if it does already. */
  readonly paint: (frame: Frame, size: Size, palette: Palette) => string;
  /** The terminal shows something else now. */
  readonly forget: () => void;
};

/** Rows that differ are written anew, each at its place. The screen is never cleared: that is what flickers. */
export function createPainter(): Painter {
  let shown: readonly string[] = [];
  let cursor: "at_caret" | "hidden" | undefined;
  let known = { columns: 0, palette: undefined as Palette | undefined, rows: new WeakMap<Line, string>() };

  /** Most rows are the same objects as in the frame before. */
  function encoded(row: Line, columns: number, palette: Palette): string {
    if (known.columns !== columns || known.palette !== palette) known = { columns, palette, rows: new WeakMap() };
    let found = known.rows.get(row);
    if (found === undefined) known.rows.set(row, (found = encodeRow(row, undefined, columns, palette)));
    return found;
  }

  return {
    paint(frame, size, palette) {
      const rows = Array.from({ length: size.rows }, (_, index) => {
        const row = frame.rows[index] ?? empty;
        const caret = frame.caret?.row === index ? frame.caret.column : undefined;
        return caret === undefined ? encoded(row, size.columns, palette) : encodeRow(row, caret, size.columns, palette);
      });
      const changed = rows.flatMap((row, index) => (row === shown[index] ? [] : [`${moveTo(index, 0)}${row}`]));
      const wanted = frame.caret === undefined ? "hidden" : "at_caret";
      if (changed.length === 0 && cursor === wanted) return "";
      shown = rows;
      cursor = wanted;
      const place = wanted === "at_caret" ? `${restoreCursor}\x1b[0m${showCursor}` : "";
      return `${synchronizedStart}${hideCursor}${changed.join("")}${place}${synchronizedEnd}`;
    },
    forget() {
      shown = [];
      cursor = undefined;
    },
  };
}

/**
 * The cursor is saved while the text before the caret has just been written, and restored at the end of the frame. So it is
 * where the terminal put that text, even if it gives an emoji another width than we do.
 */
function encodeRow(row: Line, caret: number | undefined, columns: number, palette: Palette): string {
  const fitting = lineWidth(row) > columns ? take(row, columns) : row;
  const rest = lineWidth(fitting) < columns ? eraseToEnd : "";
  if (caret === undefined) return `${encodeLine(fitting, palette)}${rest}`;
  const before = take(fitting, caret);
  const written = before.reduce((sum, { text }) => sum + text.length, 0);
  const gap = " ".repeat(Math.max(0, Math.min(caret, columns - 1) - lineWidth(before)));
  const after = dropText(fitting, written);
  return `${encodeLine(before, palette)}${gap}${saveCursor}${encodeLine(after, palette)}${rest}`;
}

function dropText(row: Line, length: number): Line {
  let left = length;
  return row.flatMap((part) => {
    const skipped = Math.min(left, part.text.length);
    left -= skipped;
    return skipped === part.text.length ? [] : [{ ...part, text: part.text.slice(skipped) }];
  });
}

const empty: Line = [];
const eraseToEnd = "\x1b[K";
const saveCursor = "\x1b7";
const restoreCursor = "\x1b8";
const hideCursor = "\x1b[?25l";
const showCursor = "\x1b[?25h";
