/**
 * Terminals, and nothing of conversations. A program describes its screen as a value (`Screen`, made of `Line`s), and the
 * stage paints what differs:
 *
 *     const terminal = createTerminal({ stdin: process.stdin, stdout: process.stdout, process });
 *     const stage = createStage({ terminal, draw: (size) => composeScreen(screen, size), input, depth, ended });
 *     …change your state…; stage.redraw();
 *     stage.stop(transcript);
 *
 * What a key does to an editor or an overlay are functions from one value to the next: `typeInto`, `typeIntoPicker`,
 * `typeIntoChoice`, `typeIntoPager`. What is heavy (Markdown, highlighting, diffs) is loaded by `load…` when it is needed.
 */
export {
  cut,
  line,
  type Line,
  type Lines,
  lineWidth,
  pad,
  restyle,
  type Role,
  type Span,
  span,
  spread,
  type Style,
  textOf,
} from "./line.ts";
export { clean, widthOf } from "./width.ts";
export { wrap, wrapText } from "./wrap.ts";
export { encodeLine } from "./ansi.ts";
export { type ColorDepth, colorDepth, createPalette, type Palette, type ThemeName } from "./theme.ts";

export {
  createTerminal,
  type EndSignal,
  type OptionalMode,
  type Size,
  type Terminal,
  type TerminalHandlers,
} from "./terminal.ts";
export { type Clock, realClock } from "./frames.ts";
export { type Caret, type Frame } from "./paint.ts";
export { createStage, type Stage, type StageOptions } from "./stage.ts";

export { type Input, type KeyInput, type MouseInput } from "./keys.ts";
export { actionOf, createKeyMap, type KeyMap, type KeyProblem, parseKey, showKey } from "./keymap.ts";

export {
  continueLine,
  createEditor,
  type EditAction,
  type Editor,
  edit,
  editorValue,
  insert,
  type Menu,
  type MenuItem,
  paste,
  setText,
  submitted,
  withMenu,
} from "./editor.ts";
export { editorKeys, typeInto, viewEditor } from "./editor-view.ts";

export { composeScreen, type Screen, transcriptBox } from "./screen.ts";
export {
  type Block,
  blockAt,
  type BlockCache,
  createBlockCache,
  following,
  type Found,
  type Scroll,
  scrollBy,
  scrollToFound,
  scrollToTop,
  searchTranscript,
  type Transcript,
  viewScroll,
} from "./scroll.ts";
export { type OverlayStep, type OverlayView } from "./overlay.ts";
export { createPicker, type Picker, type PickerItem, pickerMatches, typeIntoPicker, viewPicker } from "./picker.ts";
export { type Choice, type ChoiceOption, createChoice, typeIntoChoice, viewChoice } from "./choice.ts";
export { createPager, type Pager, typeIntoPager, viewPager } from "./pager.ts";

export { copyText, type CopyResult, type CopyWorld } from "./copy.ts";
export { createPlainWriter, type PlainWriter } from "./plain.ts";
export { elapsed, spinnerAt } from "./spinner.ts";
export { renderTable, type Table } from "./table.ts";

export type { Highlighter } from "./highlight.ts";
export type { MarkdownText } from "./markdown.ts";
export type { DiffView } from "./diff.ts";
/** `createMarkdown`, `renderMarkdown` */
export const loadMarkdown = () => import("./markdown.ts");
/** `createHighlighter` */
export const loadHighlighter = () => import("./highlight.ts");
/** `viewDiff`, `viewPatch` */
export const loadDiff = () => import("./diff.ts");
