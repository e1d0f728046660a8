import { cut, type Line, line, type Lines, span, spread } from "./line.ts";
import type { Caret } from "./paint.ts";

/** Something over the screen that has the keys until it is done. */
export type OverlayView = { readonly rows: Lines; readonly caret?: Caret | undefined };

/** What a key did: the overlay goes on as `state`, or it is over. */
export type OverlayStep<State, Result> =
  | { readonly type: "open"; readonly state: State }
  | { readonly type: "done"; readonly result: Result }
  | { readonly type: "cancelled" };

/** A rule with a title in it and, at the right, what can be done. */
export function overlayTitle(title: Line, help: string, width: number): Line {
  const left = cut([span("── ", { color: "accent" }), ...title, span(" ", { color: "accent" })], width);
  const right = line(span(` ${help} ──`, { color: "muted" }));
  return fillBetween(left, right, width);
}

function fillBetween(left: Line, right: Line, width: number): Line {
  const row = spread(left, right, width);
  return row.map((part) =>
    /^ {2,}$/.test(part.text) ? span("─".repeat(part.text.length), { color: "accent" }) : part,
  );
}

/** The part of a list around the chosen one. */
export function windowOf(
  count: number,
  selected: number,
  rows: number,
): { readonly first: number; readonly last: number } {
  const first = Math.min(Math.max(0, selected - Math.floor(rows / 2)), Math.max(0, count - rows));
  return { first, last: Math.min(count, first + rows) };
}
