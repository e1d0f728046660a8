import type { LogEntry } from "../../core/index.ts";
import type { Item } from "./items.ts";
import { change, type MutableItem } from "./list.ts";
import { addItem, type Log } from "./state.ts";

/**
 * What came after the target is no longer in force: it is folded into the rewind, where it can still be read. Where the
 * target is on an older page, everything is, and `joinOlder` goes on with it.
 */
export function foldAfter(log: Log, entry: LogEntry & { readonly kind: "rewind" }): void {
  const { target_uuid } = entry.data;
  const known = log.anchors.has(target_uuid);
  const folded = log.list.takeFrom(known ? placeAfter(log, target_uuid) : 0);
  const label = entry.content === undefined ? {} : { label: entry.content };
  const item = addItem(log, entry, { type: "rewind", ...label, folded, messages: messagesIn(folded) });
  if (!known) log.rewinding.set(item, target_uuid);
}

/** More that came after the target, from an older page. */
export function foldBefore(item: MutableItem & { type: "rewind" }, older: readonly MutableItem[]): void {
  const folded = [...older, ...item.folded];
  change(item, { folded, messages: messagesIn(folded) });
}

/** The index behind what was there after an entry. A rewind to what was itself rewound brings that back. */
export function placeAfter(log: Log, target_uuid: string): number {
  const { list } = log;
  const anchor = log.anchors.get(target_uuid);
  if (anchor === undefined) return 0;
  for (let holder = unfoldingTo(list.items, anchor); holder !== undefined; holder = unfoldingTo(list.items, anchor)) {
    const index = list.items.indexOf(holder);
    const brought = holder.folded.map((item) => item as MutableItem);
    change(holder, { folded: [], messages: 0 });
    log.rewinding.delete(holder);
    list.insertAt(index, brought);
  }
  return list.items.indexOf(anchor) + 1;
}

/** The rewind on the surface that has the item in it, at whatever depth. */
function unfoldingTo(items: readonly MutableItem[], wanted: Item): (MutableItem & { type: "rewind" }) | undefined {
  for (const item of items) {
    if (item === wanted) return undefined;
    if (item.type === "rewind" && holds(item, wanted)) return item;
  }
  return undefined;
}

function holds(item: Item & { readonly type: "rewind" }, wanted: Item): boolean {
  return item.folded.some((inner) => inner === wanted || (inner.type === "rewind" && holds(inner, wanted)));
}

/** People count what was said and answered, not its parts. */
function messagesIn(items: readonly Item[]): number {
  const entries = new Set<string>();
  let inner = 0;
  for (const item of items) {
    if (item.type === "rewind") inner += item.messages;
    else if (counted.has(item.type)) entries.add(item.entry_uuid ?? item.id);
  }
  return entries.size + inner;
}

const counted: ReadonlySet<Item["type"]> = new Set(["user", "mail", "text", "thinking", "tool"]);
