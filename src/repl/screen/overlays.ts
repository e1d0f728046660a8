import {
  type Choice,
  clean,
  createPager,
  cut,
  type Found,
  type Input,
  line,
  type Lines,
  type OverlayView,
  type Pager,
  type Picker,
  pad,
  type Size,
  span,
  typeIntoChoice,
  typeIntoPager,
  typeIntoPicker,
  viewChoice,
  viewPager,
  viewPicker,
  widthOf,
} from "../../term/index.ts";
import type { PickAction } from "../host.ts";

/** Something over the editor that has the keys. Values are kept as `unknown` until whoever asked takes them back. */
export type Overlay =
  | {
      readonly type: "picker";
      readonly picker: Picker<unknown>;
      readonly actions: readonly PickAction<unknown>[];
      readonly done: (value: unknown) => void;
    }
  | { readonly type: "choice"; readonly choice: Choice<unknown>; readonly done: (value: unknown) => void }
  | { readonly type: "pager"; readonly pager: Pager; readonly body: (width: number) => Lines; readonly width: number }
  | { readonly type: "during"; readonly lines: () => readonly string[]; readonly abort: () => void }
  | { readonly type: "find"; readonly query: string; readonly note: string; readonly found?: Found | undefined };

/** What a key did: the overlay goes on as another value, or is over; `after` happens then. */
export type OverlayResult = { readonly overlay?: Overlay | undefined; readonly after?: () => void };

export function pagerOverlay(title: string, body: (width: number) => Lines, width: number): Overlay {
  return { type: "pager", pager: createPager(title, body(width)), body, width };
}

export function viewOverlay(overlay: Overlay, width: number, rowsMax: number): OverlayView {
  switch (overlay.type) {
    case "picker": {
      const view = viewPicker(overlay.picker, width, Math.min(rowsMax, pickerRowsMax));
      return overlay.actions.length === 0
        ? view
        : { ...view, rows: [...view.rows, actionLine(overlay.actions, width)] };
    }
    case "choice":
      return viewChoice(overlay.choice, width, Math.max(4, rowsMax - 2));
    case "pager":
      return viewPager(fitted(overlay, width).pager, width, rowsMax);
    case "during":
      return viewDuring(overlay.lines(), width, rowsMax);
    case "find":
      return viewFind(overlay, width);
  }
}

/** Keys of `find` are the screen's: it needs the conversation for them. */
export function typeIntoOverlay(overlay: Overlay, input: Input, size: Size): OverlayResult {
  switch (overlay.type) {
    case "picker":
      return typeIntoList(overlay, input);
    case "choice": {
      const step = typeIntoChoice(overlay.choice, input);
      if (step.type === "open") return { overlay: { ...overlay, choice: step.state } };
      return { after: () => overlay.done(step.type === "done" ? step.result : undefined) };
    }
    case "pager": {
      const fitting = fitted(overlay, size.columns);
      const step = typeIntoPager(fitting.pager, input, size.rows - 1);
      return step.type === "open" ? { overlay: { ...fitting, pager: step.state } } : {};
    }
    case "during":
      // It closes when the work has ended.
      return input.type === "key" && (input.key === "escape" || input.key === "ctrl+c")
        ? { overlay, after: overlay.abort }
        : { overlay };
    case "find":
      return { overlay };
  }
}

function typeIntoList(overlay: Overlay & { readonly type: "picker" }, input: Input): OverlayResult {
  const { picker, actions, done } = overlay;
  const action = input.type === "key" ? actions.find(({ key }) => key === input.key) : undefined;
  if (action !== undefined) {
    // What Enter would take is what the other keys are for.
    const taken = typeIntoPicker(picker, { type: "key", key: "enter", text: "" });
    if (taken.type !== "done") return { overlay };
    return {
      after() {
        done(undefined);
        action.run(taken.result);
      },
    };
  }
  const step = typeIntoPicker(picker, input);
  if (step.type === "open") return { overlay: { ...overlay, picker: step.state } };
  return { after: () => done(step.type === "done" ? step.result : undefined) };
}

/** The text of a pager is laid out again when the window has another width. */
function fitted(overlay: Overlay & { readonly type: "pager" }, width: number): Overlay & { readonly type: "pager" } {
  if (overlay.width === width) return overlay;
  return { ...overlay, width, pager: { ...overlay.pager, lines: overlay.body(width) } };
}

function actionLine(actions: readonly PickAction<unknown>[], width: number): Lines[number] {
  const words = [
    "Enter opens",
    ...actions.map(({ key, label }) => `${key.replace("ctrl+", "^").toUpperCase()} ${label}`),
  ];
  return cut(line(span(` ${words.join(" · ")}`, { color: "muted" })), width);
}

function viewDuring(lines: readonly string[], width: number, rowsMax: number): OverlayView {
  const rows = lines
    .slice(-Math.max(1, rowsMax - 2))
    .map((text) => cut(line(clean(text).replaceAll("\n", " ")), width));
  const title = pad(line(span("── Esc ends this ", { color: "accent" })), width);
  return { rows: [title, ...rows] };
}

function viewFind({ query, note }: Overlay & { readonly type: "find" }, width: number): OverlayView {
  const rule = line(span("─".repeat(width), { color: "accent" }));
  const begin = " find: ";
  const help = note === "" ? "Enter older · ↓ newer · Esc" : note;
  const row = line(span(begin, { color: "muted" }), clean(query), span(`   ${help}`, { color: "muted" }));
  return {
    rows: [rule, cut(row, width)],
    caret: { row: 1, column: Math.min(width - 1, begin.length + widthOf(query)) },
  };
}

const pickerRowsMax = 16;
