import type { Input } from "./keys.ts";
import { cut, line, type Line, type Lines, span, spread } from "./line.ts";
import { type OverlayStep, overlayTitle, type OverlayView } from "./overlay.ts";
import { wrap } from "./wrap.ts";

export type ChoiceOption<Value> = {
  readonly value: Value;
  readonly label: string;
  /** One letter. */ readonly key: string;
};

/** A question with few answers and something to look at first: a command, a diff. Escape is no answer. */
export type Choice<Value> = {
  readonly title: Line;
  /** Shown above the answers; scrolls where it is long. */
  readonly body: (width: number) => Lines;
  readonly options: readonly ChoiceOption<Value>[];
  readonly selected: number;
  readonly top: number;
};

/** `selected` is what Enter answers: somebody may be typing when the question comes up. */
export function createChoice<Value>(given: Omit<Choice<Value>, "selected" | "top">, selected = 0): Choice<Value> {
  return { ...given, selected, top: 0 };
}

export function typeIntoChoice<Value>(choice: Choice<Value>, input: Input): OverlayStep<Choice<Value>, Value> {
  const open = (changed: Partial<Choice<Value>>) => ({ type: "open" as const, state: { ...choice, ...changed } });
  // A paste answers no question.
  if (input.type !== "key") return open({});
  const { options } = choice;
  const chosen =
    options.find(({ key }) => key === input.text.toLowerCase()) ??
    (/^[1-9]$/.test(input.text) ? options[Number(input.text) - 1] : undefined) ??
    (input.key === "enter" ? options[choice.selected] : undefined);
  if (chosen !== undefined) return { type: "done", result: chosen.value };
  if (input.key === "escape" || input.key === "ctrl+c") return { type: "cancelled" };
  const moved = moves[input.key];
  if (moved !== undefined) return open({ selected: (choice.selected + moved + options.length) % options.length });
  const scrolled = scrolls[input.key];
  return open(scrolled === undefined ? {} : { top: Math.max(0, choice.top + scrolled) });
}

export function viewChoice<Value>(choice: Choice<Value>, width: number, rowsMax: number): OverlayView {
  const body = choice.body(width);
  const most = rowsMax - 1 - Math.min(body.length, bodyRowsMin);
  const fitting = [optionRows(choice, width, "wrapped"), optionRows(choice, width, "cut")].find(
    (rows) => rows.length <= most,
  );
  const options = fitting ?? [optionsInOne(choice, width)];
  const room = Math.max(1, rowsMax - 1 - options.length);
  return {
    rows: [overlayTitle(choice.title, "Esc = no", width), ...bodyRows(choice, body, { width, room }), ...options],
  };
}

/** Nobody should say yes to something of which nothing can be seen. */
function bodyRows(
  { top: wanted }: Pick<Choice<unknown>, "top">,
  body: Lines,
  { width, room }: { readonly width: number; readonly room: number },
): Lines {
  if (body.length <= room) return body;
  const rows = Math.max(1, room - 1);
  const top = Math.min(wanted, Math.max(0, body.length - rows));
  const shown = body.slice(top, top + rows);
  const hidden = body.length - top - shown.length;
  if (hidden === 0) return body.slice(-room);
  const more = line(span(`   … ${hidden} more ${hidden === 1 ? "line" : "lines"} (PgDn)`, muted));
  if (room > 1) return [...shown, cut(more, width)];
  return shown.map((row) => spread(row, line(span(`… ${hidden} more (PgDn)`, muted)), width));
}

/** Wrapped if possible: how far an answer reaches stands at its end. */
function optionRows<Value>({ options, selected }: Choice<Value>, width: number, shape: "wrapped" | "cut"): Lines {
  return options.flatMap(({ label, key }, index): Lines => {
    const chosen = index === selected;
    const style = chosen ? chosenStyle : undefined;
    const row = line(span(` ${chosen ? "›" : " "} ${index + 1} ${label} `, style), span(`(${key})`, muted));
    return shape === "cut" ? [cut(row, width)] : wrap(row, width, line("     "));
  });
}

/** Where there is no room for a row each: only what they are, not how far they go. */
function optionsInOne<Value>({ options, selected }: Choice<Value>, width: number): Line {
  const parts = options.flatMap(({ label, key }, index) => {
    const words = label.replace(/:.*$/s, "").replace(/^.*, /, "");
    return [
      span(`${index === 0 ? " " : " · "}${key} `, muted),
      span(words, index === selected ? chosenStyle : undefined),
    ];
  });
  return cut(line(...parts), width);
}

const muted = { color: "muted" } as const;
const chosenStyle = { bold: true, color: "accent" } as const;
const bodyRowsMin = 3;

type Steps = { readonly [key: string]: number };
const moves: Steps = { up: -1, down: 1, left: -1, right: 1, tab: 1, "shift+tab": -1 };
const scrolls: Steps = { pageup: -10, pagedown: 10 };
