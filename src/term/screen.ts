import { type Editor } from "./editor.ts";
import { type EditorView, viewEditor, viewMenu } from "./editor-view.ts";
import { cut, type Line, line, lineWidth, type Lines, type Role, span, spread } from "./line.ts";
import type { OverlayView } from "./overlay.ts";
import type { Frame } from "./paint.ts";
import { markFound, type Scroll, type ScrollBox, type Transcript, viewScroll } from "./scroll.ts";
import type { Size } from "./terminal.ts";

/** Everything the screen shows. It is a function of this and the size, and of nothing else. */
export type Screen = {
  readonly header?: Line | undefined;
  readonly transcript: Transcript;
  readonly scroll: Scroll;
  /** Marked wherever it stands in the transcript. */
  readonly query?: string | undefined;
  readonly strip?: Line | undefined;
  /** The colour of the rules around the editor, and what stands in the upper one at the right. */
  readonly rule: { readonly color: Role; readonly label?: string | undefined };
  readonly editor: Editor;
  readonly prompt?: Line | undefined;
  readonly hint?: string | undefined;
  /** `folded`: header and strip have no room and should be in here, short. */
  readonly footer: (shape: "whole" | "folded", width: number) => Line;
  /** Covers the editor and the end of the transcript, or everything if it is as high as the screen. */
  readonly overlay?: ((width: number, rowsMax: number) => OverlayView) | undefined;
};

const foldedBelowColumns = 60;
const headerFromRows = 12;
/** Smaller than this, the editor's rules go. */
const rulesFromRows = 8;
const menuRowsMax = 8;

export function composeScreen(screen: Screen, size: Size): Frame {
  const { rows: bottom, caret, ...shape } = bottomOf(screen, size);
  const header = shape.header === undefined ? [] : [cut(shape.header, size.columns)];
  const room = Math.max(0, size.rows - header.length - bottom.length);
  const view = viewScroll(screen.transcript, screen.scroll, { width: size.columns, rows: room });
  const marked = screen.query === undefined ? view.rows : view.rows.map((row) => markFound(row, screen.query ?? ""));
  const filled = [...marked, ...Array.from({ length: room - marked.length }, () => line())];
  const news = view.new_lines > 0 && room > 1 ? [newsLine(view.new_lines, size.columns)] : [];
  const middle = coverEnd(coverEnd(filled, news), shape.menu);
  const first = header.length + room;
  const top = Math.max(0, first + bottom.length - size.rows);
  const rows = [...header, ...middle, ...bottom].slice(top);
  return { rows, caret: caret === undefined ? undefined : { row: first + caret.row - top, column: caret.column } };
}

/** The part of the screen that scrolls, for paging. */
export function transcriptBox(screen: Screen, size: Size): ScrollBox {
  const { rows, header } = bottomOf(screen, size);
  return { width: size.columns, rows: Math.max(1, size.rows - rows.length - (header === undefined ? 0 : 1)) };
}

type Bottom = OverlayView & { readonly header: Line | undefined; readonly menu: Lines };

function bottomOf(screen: Screen, { columns, rows }: Size): Bottom {
  const folded = columns < foldedBelowColumns;
  const header = folded || rows < headerFromRows ? undefined : screen.header;
  const footer = cut(screen.footer(folded ? "folded" : "whole", columns), columns);
  if (screen.overlay !== undefined) {
    const view = screen.overlay(columns, rows - 1);
    const tall = view.rows.length >= rows - 1;
    return { rows: [...view.rows, footer], caret: view.caret, header: tall ? undefined : header, menu: [] };
  }
  const editor = editorOf(screen, columns, rows);
  const strip = folded || screen.strip === undefined ? [] : [cut(screen.strip, columns)];
  const ruled = rows >= rulesFromRows;
  const above = [...strip, ...(ruled ? [ruleLine(screen.rule, columns)] : [])];
  const below = ruled ? [ruleLine({ color: screen.rule.color }, columns)] : [];
  return {
    rows: [...above, ...editor.rows, ...below, footer],
    caret: { row: above.length + editor.caret.row, column: editor.caret.column },
    header,
    menu: viewMenu(screen.editor, columns, Math.min(menuRowsMax, Math.floor(rows / 3))),
  };
}

function editorOf({ editor, prompt, hint }: Screen, width: number, rows: number): EditorView {
  return viewEditor(editor, { width, rowsMax: Math.max(1, Math.floor(rows / 3)), prompt, hint });
}

function newsLine(count: number, width: number): Line {
  const words = `${count} new ${count === 1 ? "line" : "lines"} · End ↓ `;
  return spread([], line(span(words, { color: "accent", bold: true })), width);
}

function ruleLine({ color, label = "" }: Screen["rule"], width: number): Line {
  const words = label === "" ? [] : line(span(` ${label} `, { color }), span("──", { color }));
  const fitting = lineWidth(words) < width ? words : [];
  return line(span("─".repeat(width - lineWidth(fitting)), { color }), ...fitting);
}

/** The last rows, with others in their place. */
function coverEnd(rows: Lines, cover: Lines): Lines {
  return cover.length === 0 ? rows : [...rows.slice(0, Math.max(0, rows.length - cover.length)), ...cover];
}
