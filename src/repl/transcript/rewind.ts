import type { LogEntry } from "../../core/index.ts";
import type { Item } from "./items.ts";
import { change, type MutableItem, type MutableOf } from "./list.ts";
import { addItem, type Log } from "./state.ts";

/** What came after the target is no longer in force: it is folded into the rewind, where it can still be read. */
export function addRewind(log: Log, entry: LogEntry & { readonly kind: "rewind" }): void {
  const label = entry.content === undefined ? {} : { label: entry.content };
  const item = addItem(log, entry, { type: "rewind", ...label, folded: [], messages: 0 });
  log.rewinds.set(item, entry.data.target_uuid);
  foldRewound(log);
}

/**
 * Shows what is in force: from the end backwards, at each rewind going on at its target. What is between the two is in the
 * rewind, in the order of the log. Where the target is on an older page, that is everything there is before it.
 */
export function foldRewound(log: Log): void {
  const all = inOrderOfLog(log.list.items);
  const places = new Map(all.map((item, index) => [item, index]));
  const inForce: MutableItem[] = [];
  for (let index = all.length - 1; index >= 0;) {
    const item = all[index];
    if (item === undefined) break;
    inForce.push(item);
    const target = item.type === "rewind" ? log.rewinds.get(item) : undefined;
    if (item.type !== "rewind" || target === undefined) index -= 1;
    else {
      const anchor = log.anchors.get(target);
      const back = anchor === undefined ? -1 : (places.get(anchor) ?? index - 1);
      fold(item, all.slice(back + 1, index));
      index = back;
    }
  }
  const seen = new Set(inForce);
  for (const item of log.rewinds.keys()) if (item.type === "rewind" && !seen.has(item)) fold(item, []);
  log.list.setItems(inForce.reverse());
}

/** With everything that is folded. */
export function inOrderOfLog(items: readonly MutableItem[]): readonly MutableItem[] {
  // What is folded was made here, and can be changed here.
  return items.flatMap((item) =>
    item.type === "rewind" ? [...(item.folded as readonly MutableItem[]), item] : [item],
  );
}

function fold(item: MutableOf<"rewind">, folded: readonly MutableItem[]): void {
  const same = folded.length === item.folded.length && folded.every((one, index) => one === item.folded[index]);
  if (!same) change(item, { folded, messages: messagesIn(folded) });
}

/** People count what was said and answered, not its parts. */
function messagesIn(items: readonly Item[]): number {
  const entries = items.filter(({ type }) => counted.has(type)).map(({ entry_uuid, id }) => entry_uuid ?? id);
  return new Set(entries).size;
}

const counted: ReadonlySet<Item["type"]> = new Set(["user", "mail", "text", "thinking", "tool"]);
