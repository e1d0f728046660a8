import { clean, cut, type Lines, span, wrapText } from "../../term/index.ts";
import { count, seconds } from "./figures.ts";
import type { Item } from "./items.ts";
import type { Place } from "./context.ts";
import { hung, indent, muted } from "./rows.ts";

export function renderText(item: Extract<Item, { readonly type: "text" }>, { width, rich }: Place): Lines {
  const { text, growing, incomplete } = item;
  const rows = rich?.markdown(text, { width, owner: item, growing }) ?? wrapText(text.trimEnd(), width);
  return incomplete ? [...rows, [span("… not finished", muted)]] : rows;
}

export function renderThinking(
  item: Extract<Item, { readonly type: "thinking" }>,
  { thinking, expanded, width }: Place,
): Lines {
  const { id, text, growing, sealed } = item;
  const isOpen = !sealed && text.trim() !== "" && (thinking === "shown") !== expanded.has(id);
  const facts = [
    ...(item.duration_ms === undefined ? [] : [seconds(item.duration_ms)]),
    ...(item.tokens === undefined ? [] : [`${count(item.tokens)} tok`]),
    ...(sealed && !growing ? ["the provider does not show it"] : []),
  ];
  const head = [growing ? "thinking…" : "thought", facts.join(" · ")].filter((part) => part !== "").join(" ");
  const sign = span(`${isOpen ? "▾" : "▸"} `, muted);
  const rows = [cut([sign, span(head, muted)], width)];
  if (isOpen) return [...rows, ...hung(indent, text.trim(), width, thought)];
  const last = growing ? lastLine(text) : "";
  return last === "" ? rows : [...rows, cut([indent, span(last, thought)], width)];
}

/** Only the end of it is looked at: it is asked for with every piece that comes. */
function lastLine(text: string): string {
  const lines = clean(text.slice(-lookedAt)).trimEnd().split("\n");
  return lines.at(-1)?.trim() ?? "";
}

const thought = { dim: true, italic: true } as const;
const lookedAt = 2_000;
