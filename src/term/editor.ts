import { moveVertically } from "./editor-layout.ts";
import { expandPastes, nextPlaceholder, type Pastes, placeholders } from "./pastes.ts";
import { boundaryAtOrAfter, clean, nextBoundary, previousBoundary } from "./width.ts";

/** What can be completed at the caret: the chosen item replaces the text from `start` to `end`. */
export type Menu = {
  readonly start: number;
  readonly end: number;
  readonly items: readonly MenuItem[];
  readonly selected: number;
};
export type MenuItem = { readonly insert: string; readonly label: string; readonly hint?: string };

/** A text and a caret, and how they came to be. A plain value: every change makes a new one. */
export type Editor = {
  readonly text: string;
  /** Between two graphemes, always. */
  readonly caret: number;
  readonly pastes: Pastes;
  /** Sent before, oldest first. */
  readonly history: readonly string[];
  readonly past: readonly Snapshot[];
  readonly future: readonly Snapshot[];
  readonly kills: readonly string[];
  /** What was done last: the same again may belong to it. */
  readonly last: "typed" | "killed" | "yanked" | "moved" | "other";
  /** The column that moving up and down aims at. */
  readonly goal?: number | undefined;
  readonly yanked?: { readonly start: number; readonly kill: number } | undefined;
  /** Where in the history, and what was there before. */
  readonly visiting?: { readonly index: number; readonly draft: Snapshot } | undefined;
  readonly search?: HistorySearch | undefined;
  readonly menu?: Menu | undefined;
};
export type HistorySearch = { readonly query: string; readonly index: number | undefined; readonly before: Snapshot };
export type Snapshot = { readonly text: string; readonly caret: number };

const undoMax = 500;
const killsMax = 20;
/** Longer pastes are shown as one word. */
const pasteLinesMax = 8;
const pasteCharactersMax = 1000;

export function createEditor(history: readonly string[] = []): Editor {
  return { text: "", caret: 0, pastes: {}, history, past: [], future: [], kills: [], last: "other" };
}

/** The text with every paste in full: what is sent. */
export function editorValue(editor: Editor): string {
  return expandPastes(editor.text, editor.pastes);
}

/** The text is sent: remembered, and the editor empty. */
export function submitted(editor: Editor, historyMax = 1000): Editor {
  const value = editorValue(editor);
  const known = value.trim() === "" || editor.history.at(-1) === value;
  const history = known ? editor.history : [...editor.history, value].slice(-historyMax);
  return { ...createEditor(history), kills: editor.kills };
}

export function insert(editor: Editor, text: string): Editor {
  const safe = clean(text).replace(placeholders, "");
  if (safe === "") return editor;
  const joins = editor.last === "typed" && safe.length <= 2 && safe.trim() !== "";
  const changed = replace(editor, { start: editor.caret, end: editor.caret, text: safe }, joins ? "join" : "new");
  return { ...changed, last: "typed" };
}

/** One insertion, however long; long ones as a word that can be opened. */
export function paste(editor: Editor, text: string): Editor {
  const safe = clean(text).replace(placeholders, "");
  if (safe.length <= pasteCharactersMax && safe.split("\n", pasteLinesMax + 2).length <= pasteLinesMax + 1) {
    return { ...insert(editor, safe), last: "other" };
  }
  const character = nextPlaceholder(editor.pastes);
  const changed = replace(editor, { start: editor.caret, end: editor.caret, text: character }, "new");
  return { ...changed, pastes: { ...editor.pastes, [character]: safe }, last: "other" };
}

/** A new text in place of the old one, which undo brings back. */
export function setText(editor: Editor, text: string): Editor {
  const emptied = replace(editor, { start: 0, end: editor.text.length, text: "" }, "new");
  const filled = paste({ ...emptied, past: editor.past }, text);
  return { ...filled, past: remember(editor), last: "other" };
}

/** `\` before the caret and Enter: a new line. Undefined: there is none, Enter means Enter. */
export function continueLine(editor: Editor): Editor | undefined {
  const { text, caret } = editor;
  return text.charAt(caret - 1) === "\\"
    ? replace(editor, { start: caret - 1, end: caret, text: "\n" }, "new")
    : undefined;
}

export function withMenu(editor: Editor, menu: Menu | undefined): Editor {
  return { ...editor, menu: menu === undefined || menu.items.length === 0 ? undefined : menu };
}

/** The item at the caret, chosen. */
export function acceptMenu(editor: Editor): Editor {
  const { menu } = editor;
  const item = menu?.items[menu.selected];
  if (menu === undefined || item === undefined) return withMenu(editor, undefined);
  return replace(editor, { start: menu.start, end: menu.end, text: clean(item.insert) }, "new");
}

export type EditAction = keyof typeof actions;

/** Does what a key asks for. `width` is that of the view, for moving between rows. */
export function edit(editor: Editor, action: EditAction, width: number): Editor {
  return actions[action](editor, width);
}

type Change = { readonly start: number; readonly end: number; readonly text: string };

/** The one way text changes. `join`: undo takes it back together with what was before. */
function replace(editor: Editor, { start, end, text }: Change, undo: "join" | "new"): Editor {
  const next = editor.text.slice(0, start) + text + editor.text.slice(end);
  return {
    ...editor,
    text: next,
    caret: boundaryAtOrAfter(next, start + text.length),
    past: undo === "join" ? editor.past : remember(editor),
    future: [],
    last: "other",
    goal: undefined,
    yanked: undefined,
    menu: undefined,
  };
}

function remember(editor: Editor): readonly Snapshot[] {
  return [...editor.past, snapshot(editor)].slice(-undoMax);
}

function snapshot({ text, caret }: Editor): Snapshot {
  return { text, caret };
}

function restore(editor: Editor, { text, caret }: Snapshot): Editor {
  return { ...editor, text, caret, last: "other", goal: undefined, yanked: undefined, menu: undefined };
}

function move(editor: Editor, caret: number): Editor {
  return { ...editor, caret, last: "moved", goal: undefined, yanked: undefined, menu: undefined };
}

function remove(editor: Editor, start: number, end: number): Editor {
  return start === end ? editor : replace(editor, { start, end, text: "" }, "new");
}

/** Several in a row are yanked together. */
function kill(editor: Editor, start: number, end: number): Editor {
  if (start === end) return editor;
  const killed = editor.text.slice(start, end);
  const [newest = "", ...older] = editor.kills;
  const joined = start < editor.caret ? killed + newest : newest + killed;
  const kills = editor.last === "killed" ? [joined, ...older] : [killed, ...editor.kills].slice(0, killsMax);
  return { ...replace(editor, { start, end, text: "" }, "new"), kills, last: "killed" };
}

function yank(editor: Editor, index: number): Editor {
  const text = editor.kills[index];
  if (text === undefined) return editor;
  const start = editor.last === "yanked" ? (editor.yanked?.start ?? editor.caret) : editor.caret;
  const changed = replace(editor, { start, end: editor.caret, text }, "new");
  return { ...changed, last: "yanked", yanked: { start, kill: index } };
}

function wordLeft({ text, caret }: Editor): number {
  const before = text.slice(0, caret);
  const found = /[\p{L}\p{N}\p{M}_]+[^\p{L}\p{N}\p{M}_]*$/u.exec(before);
  return boundaryAtOrAfter(text, found?.index ?? 0);
}

function wordRight({ text, caret }: Editor): number {
  const found = /^[^\p{L}\p{N}\p{M}_]*[\p{L}\p{N}\p{M}_]+/u.exec(text.slice(caret));
  return found === null ? text.length : boundaryAtOrAfter(text, caret + found[0].length);
}

function lineStart({ text, caret }: Editor): number {
  return caret === 0 ? 0 : text.lastIndexOf("\n", caret - 1) + 1;
}

function lineEnd({ text, caret }: Editor): number {
  const end = text.indexOf("\n", caret);
  return end === -1 ? text.length : end;
}

function visit(editor: Editor, index: number): Editor {
  const draft = editor.visiting?.draft ?? snapshot(editor);
  if (index >= editor.history.length) return { ...restore(editor, draft), visiting: undefined };
  const entry = editor.history[index];
  if (entry === undefined) return editor;
  return { ...showEntry(editor, entry), visiting: { index, draft } };
}

function showEntry(editor: Editor, entry: string): Editor {
  const cleared = { ...editor, text: "", caret: 0 };
  return { ...paste(cleared, entry), past: editor.past, future: editor.future, last: "other" };
}

function vertical(editor: Editor, width: number, step: -1 | 1): Editor {
  const moved = moveVertically(editor, width, step);
  if (moved === undefined) return step === -1 ? actions.history_back(editor) : actions.history_forward(editor);
  return { ...move(editor, moved.caret), goal: moved.goal };
}

/** Opens the paste before the caret, or else the first one. */
function openPaste(editor: Editor): Editor {
  const found = [...editor.text.matchAll(placeholders)];
  const here = found.findLast(({ index }) => index < editor.caret) ?? found[0];
  if (here === undefined) return editor;
  const text = editor.pastes[here[0]] ?? "";
  return replace(editor, { start: here.index, end: here.index + here[0].length, text }, "new");
}

/** The newest entry before `from` that holds the query. */
export function searchHistory(editor: Editor, query: string, from: number): Editor {
  const before = editor.search?.before ?? snapshot(editor);
  const wanted = query.toLowerCase();
  const index = editor.history.findLastIndex((entry, at) => at < from && entry.toLowerCase().includes(wanted));
  const entry = query === "" ? undefined : editor.history[index];
  const shown = entry === undefined ? editor : showEntry(editor, entry);
  return { ...shown, search: { query, index: entry === undefined ? undefined : index, before }, menu: undefined };
}

export function endSearch(editor: Editor, how: "accept" | "cancel"): Editor {
  const { search } = editor;
  if (search === undefined) return editor;
  const kept = how === "accept" ? { ...editor, past: [...editor.past, search.before] } : restore(editor, search.before);
  return { ...kept, search: undefined };
}

function stepMenu(editor: Editor, step: -1 | 1): Editor {
  const { menu } = editor;
  if (menu === undefined) return editor;
  const count = menu.items.length;
  return { ...editor, menu: { ...menu, selected: (menu.selected + step + count) % count } };
}

const actions = {
  left: (editor: Editor) => move(editor, previousBoundary(editor.text, editor.caret)),
  right: (editor: Editor) => move(editor, nextBoundary(editor.text, editor.caret)),
  word_left: (editor: Editor) => move(editor, wordLeft(editor)),
  word_right: (editor: Editor) => move(editor, wordRight(editor)),
  line_start: (editor: Editor) => move(editor, lineStart(editor)),
  line_end: (editor: Editor) => move(editor, lineEnd(editor)),
  text_start: (editor: Editor) => move(editor, 0),
  text_end: (editor: Editor) => move(editor, editor.text.length),
  up: (editor: Editor, width: number): Editor => vertical(editor, width, -1),
  down: (editor: Editor, width: number): Editor => vertical(editor, width, 1),
  newline: (editor: Editor) => replace(editor, { start: editor.caret, end: editor.caret, text: "\n" }, "new"),
  backspace: (editor: Editor) => remove(editor, previousBoundary(editor.text, editor.caret), editor.caret),
  delete: (editor: Editor) => remove(editor, editor.caret, nextBoundary(editor.text, editor.caret)),
  kill_word_left: (editor: Editor) => kill(editor, wordLeft(editor), editor.caret),
  kill_word_right: (editor: Editor) => kill(editor, editor.caret, wordRight(editor)),
  kill_to_start: (editor: Editor) => kill(editor, lineStart(editor), editor.caret),
  /** At the end of a line the line end goes. */
  kill_to_end: (editor: Editor) => {
    const end = lineEnd(editor);
    return kill(editor, editor.caret, end === editor.caret ? nextBoundary(editor.text, end) : end);
  },
  yank: (editor: Editor) => yank({ ...editor, last: "other" }, 0),
  yank_next: (editor: Editor) =>
    editor.last === "yanked" ? yank(editor, ((editor.yanked?.kill ?? 0) + 1) % editor.kills.length) : editor,
  undo: (editor: Editor) => {
    const before = editor.past.at(-1);
    if (before === undefined) return editor;
    return { ...restore(editor, before), past: editor.past.slice(0, -1), future: [snapshot(editor), ...editor.future] };
  },
  redo: (editor: Editor) => {
    const [next, ...future] = editor.future;
    return next === undefined ? editor : { ...restore(editor, next), past: remember(editor), future };
  },
  history_back: (editor: Editor): Editor => visit(editor, (editor.visiting?.index ?? editor.history.length) - 1),
  history_forward: (editor: Editor): Editor =>
    editor.visiting === undefined ? editor : visit(editor, editor.visiting.index + 1),
  search_history: (editor: Editor): Editor =>
    searchHistory(editor, editor.search?.query ?? "", editor.search?.index ?? editor.history.length),
  open_paste: openPaste,
  menu_next: (editor: Editor) => stepMenu(editor, 1),
  menu_previous: (editor: Editor) => stepMenu(editor, -1),
} as const satisfies { readonly [action: string]: (editor: Editor, width: number) => Editor };
