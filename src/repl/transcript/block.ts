import { type Block, type Line, type Lines, restyle, span } from "../../term/index.ts";
import type { ItemContext } from "./context.ts";
import type { Item, TranscriptModel } from "./items.ts";
import { isMoving, renderItem } from "./render.ts";

/** An item for the scroll view. Rendered only when it is looked at; `previous` decides whether a blank row is between. */
export function itemBlock(item: Item, context: ItemContext, previous?: Item): Block {
  const gap = previous !== undefined && hasGap(previous, item);
  return {
    id: item.id,
    version: `${item.version} ${gap} ${stamp(item, context)}`,
    render: (width) => framed(item, context, { width, gap }),
  };
}

/** The blocks of a conversation, in step with its items: only what came or went is looked at. */
export type BlockList = { readonly blocks: readonly Block[]; readonly refresh: () => void };

export function createBlockList(model: TranscriptModel, context: () => ItemContext): BlockList {
  const blocks: Block[] = [];
  let revision = 0;
  return {
    blocks,
    refresh() {
      const changed = model.changedSince(revision);
      if (changed.revision === revision) return;
      revision = changed.revision;
      const items = model.items();
      blocks.length = Math.min(blocks.length, changed.from);
      for (let index = blocks.length; index < items.length; index++) {
        const item = items[index];
        if (item !== undefined)
          blocks.push(livingBlock(item, () => visibleBefore(items, item, index, context()), context));
      }
    },
  };
}

/** Reads the item anew each time: it may have grown. */
function livingBlock(item: Item, previous: () => Item | undefined, context: () => ItemContext): Block {
  return {
    id: item.id,
    get version() {
      return itemBlock(item, context(), previous()).version;
    },
    render: (width) => itemBlock(item, context(), previous()).render(width),
  };
}

function visibleBefore(items: readonly Item[], item: Item, index: number, context: ItemContext): Item | undefined {
  // An edit before it makes a new block with its new place, so the index holds.
  if (items[index] !== item) return undefined;
  for (let at = index - 1; at >= 0; at--) {
    const before = items[at];
    if (before !== undefined && !isHidden(before, context)) return before;
  }
  return undefined;
}

export function isHidden(item: Item, { thinking, expanded }: ItemContext): boolean {
  return item.type === "thinking" && thinking === "hidden" && !expanded.has(item.id);
}

function framed(
  item: Item,
  context: ItemContext,
  { width, gap }: { readonly width: number; readonly gap: boolean },
): Lines {
  if (isHidden(item, context)) return [];
  const margin = width >= marginFrom ? 1 : 0;
  const rows = renderItem(item, context, Math.max(1, width - 2 * margin));
  const shown = margin === 0 ? rows : rows.map((row): Line => (row.length === 0 ? row : [space, ...row]));
  const dim = context.frozen ? shown.map((row) => restyle(row, { dim: true })) : shown;
  return gap && dim.length > 0 ? [[], ...dim] : dim;
}

/** What else changes the look of an item. */
function stamp(item: Item, context: ItemContext): string {
  const { thinking, expanded, frozen, rich, now } = context;
  const opened = expanded.has(item.id) ? "open" : "";
  const moment = isMoving(item) ? Math.floor(now() / frameMs) : "";
  const view = item.type === "thinking" || item.type === "rewind" ? thinking : "";
  return `${opened} ${frozen} ${view} ${rich?.version() ?? ""} ${moment} ${namesIn(item, context)}`;
}

function namesIn(item: Item, { nameOf }: ItemContext): string {
  const uuid =
    item.type === "mail"
      ? item.from_uuid
      : item.type === "fork"
        ? item.child_uuid
        : item.type === "forked_from"
          ? item.parent_uuid
          : item.type === "killed"
            ? item.by_uuid
            : undefined;
  return uuid === undefined ? "" : nameOf(uuid);
}

function hasGap(before: Item, item: Item): boolean {
  if (before.type === "user") return true;
  if (before.type === "maker" || tight.has(item.type)) return false;
  if (item.type === before.type) return !joined.has(item.type);
  return !(besides.has(item.type) && besides.has(before.type));
}

const space = span(" ");
/** Below it every column counts. */
const marginFrom = 60;
/** As often as the spinner turns. */
const frameMs = 100;

/** Belong to what is above them. */
const tight: ReadonlySet<Item["type"]> = new Set([
  "exchange",
  "extra",
  "interrupted",
  "retrying",
  "error",
  "warning",
  "limit",
]);
/** Follow their like without a blank row. */
const joined: ReadonlySet<Item["type"]> = new Set([
  "tool",
  "queued",
  "setting",
  "mail",
  "fork",
  "maker",
  "killed",
  "mark",
  "rewind",
]);
const besides: ReadonlySet<Item["type"]> = new Set(["thinking", "tool", "setting", "fork"]);
