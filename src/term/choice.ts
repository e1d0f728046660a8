import type { Input } from "./keys.ts";
import { cut, line, type Line, type Lines, span } from "./line.ts";
import { type OverlayStep, overlayTitle, type OverlayView } from "./overlay.ts";

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
  const room = Math.max(1, rowsMax - 1 - choice.options.length);
  const long = body.length > room;
  const top = Math.min(choice.top, Math.max(0, body.length - room + 1));
  const shown = long ? body.slice(top, top + room - 1) : body;
  const hidden = body.length - top - shown.length;
  const more = long ? [line(span(`   … ${hidden} more lines (PgDn)`, { color: "muted" }))] : [];
  const options = choice.options.map(({ label, key }, index): Line => {
    const chosen = index === choice.selected;
    const style = chosen ? ({ bold: true, color: "accent" } as const) : undefined;
    return cut(
      line(span(` ${chosen ? "›" : " "} ${index + 1} ${label} `, style), span(`(${key})`, { color: "muted" })),
      width,
    );
  });
  return { rows: [overlayTitle(choice.title, "Esc = no", width), ...shown, ...more, ...options] };
}

type Steps = { readonly [key: string]: number };
const moves: Steps = { up: -1, down: 1, left: -1, right: 1, tab: 1, "shift+tab": -1 };
const scrolls: Steps = { pageup: -10, pagedown: 10 };
