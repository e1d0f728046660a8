import type { Item, ItemBody } from "./items.ts";

/** The same item for those who make it. */
export type MutableItem = Mutable<Item>;
export type MutableOf<Type extends Item["type"]> = Extract<MutableItem, { type: Type }>;
type Mutable<Value> = Value extends unknown ? { -readonly [Key in keyof Value]: Value[Key] } : never;

/** A part of an entry, named so that what has arrived of it can become it. */
export type Part = { readonly key: string; readonly body: ItemBody };

/**
 * Items in their order: what is in the log, then what is arriving and has no entry yet, then what waits for its turn.
 * Notices stand where they were said.
 */
export type ItemList = {
  readonly items: MutableItem[];
  readonly changedSince: (revision: number) => { readonly revision: number; readonly from: number };
  /** Before what is arriving, as it will be in the log. */
  readonly addLogged: (id: string, body: ItemBody, entry_uuid?: string) => MutableItem;
  readonly addArriving: (key: string, body: ItemBody) => MutableItem;
  readonly addNotice: (body: ItemBody) => MutableItem;
  readonly addQueued: (text: string) => void;
  /** The first with this text, or all of them. */
  readonly dropQueued: (text?: string) => void;
  readonly arriving: (key: string) => MutableItem | undefined;
  /** What arrived is thrown away. */
  readonly discardArriving: () => void;
  /** What arrived becomes what the log says it is. Items stay the same objects, so that a reader's place is kept. */
  readonly settleArriving: (entry_uuid: string, parts: readonly Part[]) => readonly MutableItem[];
  readonly remove: (item: MutableItem) => boolean;
  /** These instead of those there are. What is arriving and what waits has to be among them, in its place. */
  readonly setItems: (items: readonly MutableItem[]) => void;
  readonly insertAt: (index: number, items: readonly MutableItem[]) => void;
  readonly lastingId: (id: string) => string;
};

export function createItemList(): ItemList {
  const items: MutableItem[] = [];
  const lasting = new Map<string, string>();
  const edits = createEdits();
  let arriving: { readonly key: string; readonly item: MutableItem }[] = [];
  let arrivingAt = 0;
  let queued = 0;
  let counted = 0;

  const endOfLog = (): number => (arriving.length > 0 ? arrivingAt : items.length - queued);
  const newId = (): string => `~${(counted += 1)}`;
  const insertAt = (index: number, added: readonly MutableItem[]): void => {
    items.splice(index, 0, ...added);
    if (arriving.length > 0 && index <= arrivingAt) arrivingAt += added.length;
    edits.note(index);
  };
  const removeAt = (index: number): void => {
    items.splice(index, 1);
    if (arriving.length > 0 && index < arrivingAt) arrivingAt -= 1;
    edits.note(index);
  };

  return {
    items,
    changedSince: edits.since,
    addLogged(id, body, entry_uuid) {
      const item = itemOf(id, body, entry_uuid);
      insertAt(endOfLog(), [item]);
      return item;
    },
    addArriving(key, body) {
      const item = itemOf(newId(), body);
      if (arriving.length === 0) arrivingAt = items.length - queued;
      const index = arrivingAt + arriving.length;
      arriving.push({ key, item });
      items.splice(index, 0, item);
      edits.note(index);
      return item;
    },
    addNotice(body) {
      const item = itemOf(newId(), body);
      const index = items.length - queued;
      items.splice(index, 0, item);
      edits.note(index);
      return item;
    },
    addQueued(text) {
      queued += 1;
      items.push(itemOf(newId(), { type: "queued", text }));
      edits.note(items.length - 1);
    },
    dropQueued(text) {
      for (let index = items.length - queued; index < items.length;) {
        const item = items[index];
        if (text !== undefined && (item?.type !== "queued" || item.text !== text)) index += 1;
        else {
          queued -= 1;
          removeAt(index);
          if (text !== undefined) return;
        }
      }
    },
    arriving: (key) => arriving.find((one) => one.key === key)?.item,
    discardArriving() {
      if (arriving.length === 0) return;
      items.splice(arrivingAt, arriving.length);
      edits.note(arrivingAt);
      arriving = [];
    },
    settleArriving(entry_uuid, parts) {
      const index = endOfLog();
      const settled = parts.map((part) => {
        const known = arriving.find(({ key }) => key === part.key)?.item;
        const item = settledItem(known, part, entry_uuid);
        if (item === known) lasting.set(item.id, partId(entry_uuid, part));
        return item;
      });
      items.splice(index, arriving.length, ...settled);
      arriving = [];
      edits.note(index);
      return settled;
    },
    remove(item) {
      const index = items.lastIndexOf(item);
      if (index >= 0) removeAt(index);
      return index >= 0;
    },
    setItems(next) {
      const from = next.findIndex((item, index) => items[index] !== item);
      if (from === -1 && next.length === items.length) return;
      const first = from === -1 ? next.length : from;
      items.length = first;
      for (const item of next.slice(first)) items.push(item);
      const [newest] = arriving;
      if (newest !== undefined) arrivingAt = items.indexOf(newest.item);
      edits.note(first);
    },
    insertAt,
    lastingId: (id) => lasting.get(id) ?? id,
  };
}

function settledItem(known: MutableItem | undefined, part: Part, entry_uuid: string): MutableItem {
  const { body } = part;
  if (known?.type !== body.type) return itemOf(partId(entry_uuid, part), body, entry_uuid);
  // How long it thought is known to those who were there.
  const time = known.type === "thinking" && known.duration_ms !== undefined ? { duration_ms: known.duration_ms } : {};
  rewrite(known, { ...body, ...time }, entry_uuid);
  return known;
}

function partId(entry_uuid: string, { key }: Part): string {
  return `${entry_uuid}:${key}`;
}

/** Fields of an item that grows, and its next version. */
export function change<Changed extends MutableItem>(
  item: Changed,
  fields: Partial<Omit<Changed, "id" | "version">>,
): void {
  Object.assign(item, fields);
  item.version += 1;
}

/** Another body of the same type. */
export function rewrite(item: MutableItem, body: ItemBody, entry_uuid?: string): void {
  for (const field of Object.keys(item)) {
    if (field !== "id" && field !== "version" && !(field in body)) Reflect.deleteProperty(item, field);
  }
  Object.assign(item, body, entry_uuid === undefined ? {} : { entry_uuid });
  item.version += 1;
}

function itemOf(id: string, body: ItemBody, entry_uuid?: string): MutableItem {
  return { id, version: 1, ...(entry_uuid === undefined ? {} : { entry_uuid }), ...body };
}

/** Where the list changed, edit by edit; who has missed too many of them starts anew. */
function createEdits() {
  let first = 1;
  let froms: number[] = [];
  return {
    note(from: number): void {
      froms.push(from);
      if (froms.length < editsKept) return;
      first += froms.length - editsKept / 2;
      froms = froms.slice(-editsKept / 2);
    },
    since: (revision: number) => {
      const newest = first + froms.length - 1;
      const missed = froms.slice(Math.max(0, revision - first + 1));
      const from = revision + 1 < first ? 0 : Math.min(Number.POSITIVE_INFINITY, ...missed);
      return { revision: newest, from };
    },
  };
}

const editsKept = 256;
