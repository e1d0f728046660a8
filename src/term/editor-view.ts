import {
  type Editor,
  type EditAction,
  edit,
  endSearch,
  acceptMenu,
  insert,
  paste,
  searchHistory,
  withMenu,
} from "./editor.ts";
import { caretRow, editorRows, shownText } from "./editor-layout.ts";
import { actionOf, type KeyMap } from "./keymap.ts";
import type { Input } from "./keys.ts";
import { cut, type Line, line, type Lines, pad, span } from "./line.ts";
import type { Caret } from "./paint.ts";
import { widthOf } from "./width.ts";

export type EditorView = { readonly rows: Lines; readonly caret: Caret };
export type EditorViewOptions = {
  readonly width: number;
  readonly rowsMax: number;
  /** Before the first row; the others are indented by its width. */
  readonly prompt?: Line;
  /** Where nothing is written yet. */
  readonly hint?: string;
};

/** The rows around the caret, at most `rowsMax` of them. */
export function viewEditor(
  editor: Editor,
  { width, rowsMax, prompt = line("> "), hint }: EditorViewOptions,
): EditorView {
  const indent = prompt.reduce((sum, { text }) => sum + widthOf(text), 0);
  const room = Math.max(3, width - indent);
  const all = editorRows(editor, room);
  const at = caretRow(all, editor.caret);
  const first = Math.min(Math.max(0, at - Math.floor(rowsMax / 2)), Math.max(0, all.length - rowsMax));
  const rows = all.slice(first, first + rowsMax).map(({ start, end }, index): Line => {
    const shown = shownText(editor, editor.text.slice(start, end), room - 1);
    const begin = first + index === 0 ? prompt : line(" ".repeat(indent));
    const ghost = editor.text === "" && hint !== undefined ? cut(line(span(hint, { color: "muted" })), room - 1) : [];
    return [...begin, ...line(shown), ...ghost];
  });
  const before = editor.text.slice(all[at]?.start ?? 0, editor.caret);
  const column = indent + widthOf(shownText(editor, before, room - 1));
  const search = editor.search === undefined ? [] : [searchLine(editor, width)];
  return { rows: [...rows, ...search], caret: { row: at - first, column } };
}

function searchLine(editor: Editor, width: number): Line {
  const { query = "", index } = editor.search ?? {};
  const found = index === undefined && query !== "" ? span(" (nothing found)", { color: "bad" }) : span("");
  return cut(line(span("search: ", { color: "muted" }), query, found), width);
}

/** The completion menu, as rows to stand above or below the editor. */
export function viewMenu(editor: Editor, width: number, rowsMax: number): Lines {
  const { menu } = editor;
  if (menu === undefined) return [];
  const first = Math.min(Math.max(0, menu.selected - rowsMax + 1), Math.max(0, menu.items.length - rowsMax));
  const shown = menu.items.slice(first, first + rowsMax);
  const labels = Math.min(Math.floor(width / 2), Math.max(...shown.map(({ label }) => widthOf(label))));
  return shown.map(({ label, hint = "" }, index) => {
    const style = first + index === menu.selected ? ({ back: "selected_back" } as const) : undefined;
    const row = [...pad(line(span(` ${label}`, style)), labels + 3, style), span(hint, { ...style, color: "muted" })];
    return pad(row, width, style);
  });
}

/**
 * What a key does to the text. Undefined: nothing, and somebody else may want it. Enter, Escape and Tab belong to the
 * editor only while it searches or shows its menu.
 */
export function typeInto(
  editor: Editor,
  input: Input,
  { keys, width }: { readonly keys: KeyMap<EditAction>; readonly width: number },
): Editor | undefined {
  if (input.type === "paste") return paste(endSearch(editor, "accept"), input.text);
  if (input.type !== "key") return undefined;
  if (editor.search !== undefined) return typeIntoSearch(editor, input.key, input.text, keys);
  if (editor.menu !== undefined) {
    const chosen = typeIntoMenu(editor, input.key);
    if (chosen !== undefined) return chosen;
  }
  const action = actionOf(keys, input.key);
  if (action !== undefined) return edit(editor, action, width);
  return input.text === "" ? undefined : insert(editor, input.text);
}

function typeIntoMenu(editor: Editor, key: string): Editor | undefined {
  if (key === "tab" || key === "enter") return acceptMenu(editor);
  if (key === "escape") return withMenu(editor, undefined);
  if (key === "down" || key === "ctrl+n") return edit(editor, "menu_next", 0);
  return key === "up" || key === "ctrl+p" || key === "shift+tab" ? edit(editor, "menu_previous", 0) : undefined;
}

/** Keys that mean something else end the search with what it found. */
function typeIntoSearch(editor: Editor, key: string, text: string, keys: KeyMap<EditAction>): Editor | undefined {
  const query = editor.search?.query ?? "";
  if (key === "escape" || key === "ctrl+g" || key === "ctrl+c") return endSearch(editor, "cancel");
  if (key === "enter" || key === "tab") return endSearch(editor, "accept");
  if (keys.search_history.includes(key)) return edit(editor, "search_history", 0);
  if (key === "backspace" || key === "ctrl+h") {
    return searchHistory(editor, query.slice(0, -1), editor.history.length);
  }
  if (text !== "") return searchHistory(editor, query + text, editor.history.length);
  const accepted = endSearch(editor, "accept");
  const action = actionOf(keys, key);
  return action === undefined ? accepted : edit(accepted, action, 80);
}

export const editorKeys: KeyMap<EditAction> = {
  left: ["left", "ctrl+b"],
  right: ["right", "ctrl+f"],
  word_left: ["alt+left", "alt+b"],
  word_right: ["alt+right", "alt+f"],
  line_start: ["home", "ctrl+a"],
  line_end: ["end", "ctrl+e"],
  text_start: ["ctrl+home", "alt+<"],
  text_end: ["ctrl+end", "alt+>"],
  up: ["up", "ctrl+p"],
  down: ["down", "ctrl+n"],
  newline: ["shift+enter", "alt+enter", "ctrl+j"],
  backspace: ["backspace", "ctrl+h", "shift+backspace"],
  delete: ["delete", "ctrl+d"],
  kill_word_left: ["ctrl+w", "alt+backspace", "ctrl+backspace"],
  kill_word_right: ["alt+d", "ctrl+delete", "alt+delete"],
  kill_to_start: ["ctrl+u"],
  kill_to_end: ["ctrl+k"],
  yank: ["ctrl+y"],
  yank_next: ["alt+y"],
  undo: ["ctrl+_", "ctrl+z"],
  redo: ["alt+_", "ctrl+shift+z"],
  history_back: ["alt+up"],
  history_forward: ["alt+down"],
  search_history: ["ctrl+r"],
  open_paste: ["ctrl+x"],
  menu_next: [],
  menu_previous: [],
};
