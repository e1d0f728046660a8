import { pasteLabel, type Pastes, placeholders } from "./pastes.ts";
import { graphemes, widthOf } from "./width.ts";

/** A row of the view: the text from `start` to `end`. */
export type EditorRow = { readonly start: number; readonly end: number };
type Text = {
  readonly text: string;
  readonly caret: number;
  readonly pastes: Pastes;
  readonly goal?: number | undefined;
};

/** Wrapped between words; one column stays free, so that the caret has a place behind the last character. */
export function editorRows(editor: Text, width: number): readonly EditorRow[] {
  const room = Math.max(1, width - 1);
  const rows: EditorRow[] = [];
  let start = 0;
  for (const line of editor.text.split("\n")) {
    for (const row of wrapRow(editor, line, room)) rows.push({ start: start + row.start, end: start + row.end });
    start += line.length + 1;
  }
  return rows;
}

function wrapRow(editor: Text, line: string, room: number): readonly EditorRow[] {
  if (line.length <= room && short.test(line)) return [{ start: 0, end: line.length }];
  const rows: EditorRow[] = [];
  let start = 0;
  let columns = 0;
  let breakAt = 0;
  let sinceBreak = 0;
  for (const { text, index } of graphemes(line)) {
    const width = Math.min(room, widthOf(shownGrapheme(editor, text, room)));
    // Twice, where a word and what follows it are both wide.
    while (columns + width > room && index > start) {
      const atWord = breakAt > start && text !== " ";
      const end = atWord ? breakAt : index;
      rows.push({ start, end });
      columns = atWord ? sinceBreak : 0;
      start = end;
    }
    columns += width;
    sinceBreak += width;
    if (text === " ") {
      breakAt = index + 1;
      sinceBreak = 0;
    }
  }
  rows.push({ start, end: line.length });
  return rows;
}

/** A paste is shown by its name, cut to the row. */
export function shownGrapheme(editor: { readonly pastes: Pastes }, grapheme: string, room: number): string {
  if (grapheme.length < 2) return grapheme;
  const shown = grapheme.replace(placeholders, (character) => pasteLabel(editor.pastes, character));
  return shown === grapheme || shown.length <= room ? shown : `${shown.slice(0, Math.max(0, room - 1))}…`;
}

export function shownText(editor: { readonly pastes: Pastes }, text: string, room: number): string {
  if (short.test(text)) return text;
  let shown = "";
  for (const grapheme of graphemes(text)) shown += shownGrapheme(editor, grapheme.text, room);
  return shown;
}

/** Which row the caret is in: at a break between two rows, the lower one. */
export function caretRow(rows: readonly EditorRow[], caret: number): number {
  return Math.max(
    0,
    rows.findLastIndex(({ start }) => start <= caret),
  );
}

/** The caret one row up or down, as near to the column it came from as there is text. Undefined: no such row. */
export function moveVertically(
  editor: Text,
  width: number,
  step: -1 | 1,
): { readonly caret: number; readonly goal: number } | undefined {
  const rows = editorRows(editor, width);
  const at = caretRow(rows, editor.caret);
  const from = rows[at];
  const to = rows[at + step];
  if (from === undefined || to === undefined) return undefined;
  const room = Math.max(1, width - 1);
  const goal = editor.goal ?? widthOf(shownText(editor, editor.text.slice(from.start, editor.caret), room));
  // The end of a row that goes on in the next one is that next one's start.
  const wrapped = rows[at + step + 1]?.start === to.end;
  let caret = to.start;
  let columns = 0;
  for (const grapheme of graphemes(editor.text.slice(to.start, to.end))) {
    const cell = widthOf(shownGrapheme(editor, grapheme.text, room));
    const next = to.start + grapheme.index + grapheme.text.length;
    if (columns + cell > goal || (wrapped && next === to.end)) break;
    columns += cell;
    caret = next;
  }
  return { caret, goal };
}

const short = /^[\x20-\x7e]*$/;
