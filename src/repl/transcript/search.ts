import { clean, textOf } from "../../term/index.ts";
import { itemBlock } from "./block.ts";
import type { ItemContext } from "./context.ts";
import type { Item, TranscriptModel } from "./items.ts";
import { itemWords } from "./words.ts";

export type FoundItem = {
  readonly id: string;
  /** It stands where nothing is shown of it: the item has to be opened to see it. */
  readonly hidden: boolean;
};

/**
 * The next item with a text, from one item (not included) or from the end or the beginning. Older pages are read until
 * it is found or there are none; `signal` ends that.
 */
export async function findItem(
  model: TranscriptModel,
  query: string,
  how: {
    readonly direction: "older" | "newer";
    readonly from?: string;
    readonly context: ItemContext;
    readonly signal?: AbortSignal;
  },
): Promise<FoundItem | undefined> {
  const { direction, from, context, signal } = how;
  const wanted = query.toLowerCase();
  if (wanted === "") return undefined;
  const items = model.items();
  const at = from === undefined ? -1 : items.findIndex(({ id }) => id === from);
  if (direction === "newer")
    return seen(
      items.slice(at + 1).find((item) => holds(item, wanted)),
      wanted,
      context,
    );
  let end = at === -1 ? items.length : at;
  for (;;) {
    const found = seen(
      items.slice(0, end).findLast((item) => holds(item, wanted)),
      wanted,
      context,
    );
    if (found !== undefined || signal?.aborted === true) return found;
    const before = items.length;
    if (!(await model.loadOlder())) return undefined;
    // What was read stands before everything that has been looked at.
    end = Math.max(0, items.length - before);
  }
}

function seen(item: Item | undefined, wanted: string, context: ItemContext): FoundItem | undefined {
  if (item === undefined) return undefined;
  const shown = itemBlock(item, context).render(searchWidth).map(textOf).join("\n");
  return { id: item.id, hidden: !shown.toLowerCase().includes(wanted) };
}

function holds(item: Item, wanted: string): boolean {
  return textIn(item).toLowerCase().includes(wanted);
}

/** Everything an item has to say, shown or not. */
function textIn(item: Item): string {
  switch (item.type) {
    case "text":
    case "thinking":
      return clean(item.text);
    case "tool":
      return clean([item.summary, item.arguments_text, item.output, item.diff?.text ?? ""].join("\n"));
    case "rewind":
      return item.folded.map(textIn).join("\n");
    case "command":
      return clean(`${item.text}\n${item.output ?? ""}`);
    default:
      return itemWords(item, { thinking: "shown", nameOf: (uuid) => uuid, now: () => 0 }).join("\n");
  }
}

const searchWidth = 4_000;
