import fuzzysort from "fuzzysort";
import type { Input } from "./keys.ts";
import { cut, line, lineWidth, type Line, span, spread } from "./line.ts";
import { type OverlayStep, overlayTitle, type OverlayView, windowOf } from "./overlay.ts";
import { clean, previousBoundary, widthOf } from "./width.ts";

export type PickerItem<Value> = {
  readonly value: Value;
  readonly label: string;
  /** At the right, dim. Found by the filter as well. */
  readonly hint?: string;
};

/** A list to choose from: type to filter, number keys, arrows, Enter, Escape. */
export type Picker<Value> = {
  readonly title: string;
  readonly items: readonly PickerItem<Value>[];
  readonly query: string;
  readonly selected: number;
};

export function createPicker<Value>(
  title: string,
  items: readonly PickerItem<Value>[],
  { query = "", selected = 0 }: { readonly query?: string; readonly selected?: number } = {},
): Picker<Value> {
  return { title, items, query, selected };
}

/**
 * Whoever made the list knows what comes first: those that have the words in them stay in its order, by their name before
 * what is said of them. What only resembles follows, best first.
 */
export function pickerMatches<Value>({ items, query }: Picker<Value>): readonly PickerItem<Value>[] {
  const typed = query.trim().toLowerCase();
  if (typed === "") return items;
  const words = typed.split(/\s+/);
  const ranked: PickerItem<Value>[][] = [[], [], []];
  const rest: { readonly item: PickerItem<Value>; readonly text: string }[] = [];
  for (const item of items) {
    const label = item.label.toLowerCase();
    const text = `${item.label} ${item.hint ?? ""}`;
    const isIn = (whole: string): boolean => words.every((word) => whole.includes(word));
    const rank = label === typed ? 0 : isIn(label) ? 1 : isIn(text.toLowerCase()) ? 2 : undefined;
    if (rank === undefined) rest.push({ item, text });
    else ranked[rank]?.push(item);
  }
  const alike = fuzzysort.go(query.trim(), rest, { keys: ["text"], threshold: 0, limit: rest.length });
  return [...ranked.flat(), ...alike.map(({ obj }) => obj.item)];
}

export function typeIntoPicker<Value>(picker: Picker<Value>, input: Input): OverlayStep<Picker<Value>, Value> {
  const open = (changed: Partial<Picker<Value>>) => ({ type: "open" as const, state: { ...picker, ...changed } });
  if (input.type === "paste") return open({ query: picker.query + input.text.replaceAll("\n", " "), selected: 0 });
  if (input.type !== "key") return open({});
  const matches = pickerMatches(picker);
  const take = (index: number): OverlayStep<Picker<Value>, Value> => {
    const item = matches[index];
    return item === undefined ? open({}) : { type: "done", result: item.value };
  };
  const number = /^(alt\+)?([1-9])$/.exec(input.key);
  // In a filter a digit is a letter like others; with Alt it always chooses.
  if (number !== null && (number[1] !== undefined || picker.query === "")) return take(Number(number[2]) - 1);
  const moved = moves[input.key];
  if (moved !== undefined)
    return open({ selected: Math.max(0, Math.min(picker.selected + moved, matches.length - 1)) });
  if (input.key === "enter") return take(picker.selected);
  if (input.key === "escape" || input.key === "ctrl+c") return { type: "cancelled" };
  if (input.key === "ctrl+u") return open({ query: "", selected: 0 });
  if (input.key === "backspace") {
    return open({ query: picker.query.slice(0, previousBoundary(picker.query, picker.query.length)), selected: 0 });
  }
  return input.text === "" ? open({}) : open({ query: picker.query + input.text, selected: 0 });
}

export function viewPicker<Value>(picker: Picker<Value>, width: number, rowsMax: number): OverlayView {
  const matches = pickerMatches(picker);
  const { first, last } = windowOf(matches.length, picker.selected, Math.max(1, rowsMax - 2));
  const title = overlayTitle(
    line(span(picker.title, { bold: true })),
    `${matches.length}/${picker.items.length}`,
    width,
  );
  const filter = line(span(" filter: ", { color: "muted" }), picker.query);
  const rows = matches.slice(first, last).map((item, index): Line => itemRow(item, first + index, picker, width));
  const none = matches.length === 0 ? [line(span("   nothing matches", { color: "muted" }))] : [];
  const column = Math.min(width - 1, lineWidth(filter));
  return { rows: [title, filter, ...rows, ...none], caret: { row: 1, column } };
}

function itemRow<Value>(item: PickerItem<Value>, index: number, picker: Picker<Value>, width: number): Line {
  const chosen = index === picker.selected;
  const style = chosen ? ({ back: "selected_back" } as const) : undefined;
  const number = index < 9 ? String(index + 1) : " ";
  const left = line(
    span(` ${chosen ? "›" : " "} ${number} `, { ...style, color: "muted" }),
    span(clean(item.label), style),
  );
  const hint = clean(item.hint ?? "");
  // What is chosen has to be readable; what is said of it gives way.
  const room = Math.max(0, width - Math.min(lineWidth(left), width) - 1);
  const right =
    widthOf(hint) === 0 || room < hintMin ? [] : cut(line(span(` ${hint} `, { ...style, color: "muted" })), room);
  return spread(left, right, width).map((part) => (chosen ? { ...part, style: { ...style, ...part.style } } : part));
}

/** Shorter ones say nothing. */
const hintMin = 6;

const moves: { readonly [key: string]: number } = {
  up: -1,
  down: 1,
  "ctrl+p": -1,
  "ctrl+n": 1,
  "shift+tab": -1,
  tab: 1,
  pageup: -10,
  pagedown: 10,
  home: Number.NEGATIVE_INFINITY,
  end: Number.POSITIVE_INFINITY,
};
