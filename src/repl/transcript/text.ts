import { clean, type Lines, textOf } from "../../term/index.ts";
import { isHidden, itemBlock } from "./block.ts";
import type { ItemContext } from "./context.ts";
import { shortId } from "./figures.ts";
import type { Item } from "./items.ts";

/** What is shown, as text: everything, or the last answer alone as it was written. */
export function transcriptText(items: readonly Item[], what: "all" | "answer"): string {
  return what === "answer" ? lastAnswer(items) : transcriptLines(items, copyWidth).map(textOf).join("\n");
}

/** For the normal screen, when the program has ended. */
export function transcriptLines(items: readonly Item[], width: number, context: ItemContext = plainContext): Lines {
  const visible = items.filter((item) => !isHidden(item, context));
  return visible.flatMap((item, index) => itemBlock(item, context, visible[index - 1]).render(width));
}

function lastAnswer(items: readonly Item[]): string {
  const last = items.findLast(({ type }) => type === "text");
  if (last?.type !== "text") return "";
  const parts = items.filter(
    (item) => item === last || (item.entry_uuid !== undefined && item.entry_uuid === last.entry_uuid),
  );
  return clean(parts.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n\n"));
}

const plainContext: ItemContext = {
  thinking: "collapsed",
  expanded: { has: () => false },
  nameOf: shortId,
  now: () => 0,
  frozen: false,
};

/** Lines are as long as they were written. */
const copyWidth = 10_000;
