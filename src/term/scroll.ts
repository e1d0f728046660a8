import { type Line, type Lines, mark, textOf } from "./line.ts";

/** A piece of a transcript. Rendered only when it is looked at. */
export type Block = {
  readonly id: string;
  /** Another one whenever `render` would give something else. */
  readonly version: number | string;
  readonly render: (width: number) => Lines;
};

/** Follows the end, or holds the row a person is reading. A plain value: agents keep theirs while another is shown. */
export type Scroll = { readonly mode: "follow" } | Hold;
type Hold = {
  readonly mode: "hold";
  readonly top: Place;
  /** The end when holding began: what comes after it is new. */
  readonly seen: Place;
};
/**
 * A row of a block, by the letters before it: those stay the same when the width changes. `line` is exact as long as
 * the width is.
 */
type Place = { readonly block: string; readonly letters: number; readonly line: number; readonly width: number };

export const following: Scroll = { mode: "follow" };

export type ScrollBox = { readonly width: number; readonly rows: number };
export type ScrollView = {
  readonly rows: Lines;
  /** Came after the person stopped following. */
  readonly new_lines: number;
  /** The first row of the first block is visible: older ones could be loaded now. */
  readonly at_top: boolean;
};

/** Rendered blocks. Those that nobody has looked at for long are forgotten. */
export type BlockCache = { readonly lines: (block: Block, width: number) => Lines };

const cachedLinesMax = 20_000;

export function createBlockCache(): BlockCache {
  const known = new Map<string, { readonly version: number | string; readonly width: number; readonly lines: Lines }>();
  let total = 0;
  return {
    lines(block, width) {
      const found = known.get(block.id);
      if (found !== undefined && found.version === block.version && found.width === width) return found.lines;
      const lines = block.render(width);
      total += lines.length - (found?.lines.length ?? 0);
      known.delete(block.id);
      known.set(block.id, { version: block.version, width, lines });
      for (const [id, old] of known) {
        if (total <= cachedLinesMax || id === block.id) break;
        known.delete(id);
        total -= old.lines.length;
      }
      return lines;
    },
  };
}

/** The blocks, oldest first, where they are rendered. */
export type Transcript = { readonly blocks: readonly Block[]; readonly cache: BlockCache };

export function viewScroll(transcript: Transcript, scroll: Scroll, box: ScrollBox): ScrollView {
  const top = topOf(transcript, scroll, box);
  const rows = rowsFrom(transcript, top, box);
  const new_lines = scroll.mode === "hold" ? linesAfter(transcript, scroll.seen, box.width) : 0;
  return { rows, new_lines, at_top: top.index === 0 && top.line === 0 };
}

/** By so many rows, negative is up. At the end it follows again. */
export function scrollBy(transcript: Transcript, scroll: Scroll, rows: number, box: ScrollBox): Scroll {
  const moved = step(transcript, topOf(transcript, scroll, box), rows, box.width);
  const end = topOf(transcript, following, box);
  return isBefore(moved, end) ? holdAt(transcript, scroll, moved, box.width) : following;
}

/** The block whose row is so many rows below the top of the box. */
export function blockAt(transcript: Transcript, scroll: Scroll, row: number, box: ScrollBox): Block | undefined {
  const { index, line } = topOf(transcript, scroll, box);
  let left = line + row;
  for (const block of transcript.blocks.slice(index, index + box.rows + 1)) {
    const height = transcript.cache.lines(block, box.width).length;
    if (left < height) return block;
    left -= height;
  }
  return undefined;
}

export function scrollToTop(transcript: Transcript, scroll: Scroll, box: ScrollBox): Scroll {
  return holdAt(transcript, scroll, { index: 0, line: 0 }, box.width);
}

export type Found = { readonly block: string; readonly letters: number };

/** Text anywhere in the transcript, also where it is wrapped now: the newest place before `from`, or the oldest after it. */
export function searchTranscript(
  { blocks }: Transcript,
  query: string,
  { from, direction }: { readonly from?: Found | undefined; readonly direction: "older" | "newer" },
): Found | undefined {
  const wanted = query.toLowerCase();
  if (wanted === "") return undefined;
  const start = from === undefined ? -1 : blocks.findIndex(({ id }) => id === from.block);
  const order = direction === "older" ? [...blocks.keys()].reverse() : [...blocks.keys()];
  for (const index of order) {
    const block = blocks[index];
    if (block === undefined || (start !== -1 && (direction === "older" ? index > start : index < start))) continue;
    const places = placesIn(block, wanted).filter(
      (letters) =>
        index !== start || (direction === "older" ? letters < (from?.letters ?? 0) : letters > (from?.letters ?? 0)),
    );
    const letters = direction === "older" ? places.at(-1) : places[0];
    if (letters !== undefined) return { block: block.id, letters };
  }
  return undefined;
}

/** Holds with the found row in the upper third. */
export function scrollToFound(transcript: Transcript, scroll: Scroll, found: Found, box: ScrollBox): Scroll {
  const index = transcript.blocks.findIndex(({ id }) => id === found.block);
  const block = transcript.blocks[index];
  if (block === undefined) return scroll;
  const line = lineOfLetters(transcript.cache.lines(block, box.width), found.letters);
  const above = step(transcript, { index, line }, -Math.floor(box.rows / 3), box.width);
  return holdAt(transcript, scroll, above, box.width);
}

/** Every occurrence in the row, marked. */
export function markFound(row: Line, query: string): Line {
  const wanted = query.toLowerCase();
  if (wanted === "") return row;
  const text = textOf(row).toLowerCase();
  let marked = row;
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    marked = mark(marked, at, at + wanted.length, { back: "found_back" });
  }
  return marked;
}

type Position = { readonly index: number; readonly line: number };

function topOf(transcript: Transcript, scroll: Scroll, box: ScrollBox): Position {
  const bottom = step(transcript, { index: transcript.blocks.length, line: 0 }, -box.rows, box.width);
  if (scroll.mode === "follow") return bottom;
  const index = transcript.blocks.findIndex(({ id }) => id === scroll.top.block);
  const block = transcript.blocks[index];
  if (block === undefined) return bottom;
  const line = lineOf(transcript.cache.lines(block, box.width), scroll.top, box.width);
  // Never past the end: a wider window shows more of what is above.
  return isBefore({ index, line }, bottom) ? { index, line } : bottom;
}

function isBefore(one: Position, other: Position): boolean {
  return one.index < other.index || (one.index === other.index && one.line < other.line);
}

function holdAt({ blocks, cache }: Transcript, before: Scroll, { index, line }: Position, width: number): Scroll {
  const block = blocks[index];
  const last = blocks.at(-1);
  if (block === undefined || last === undefined) return following;
  const lastLines = cache.lines(last, width);
  const seen = before.mode === "hold" ? before.seen : placeOf(last.id, lastLines, lastLines.length, width);
  return { mode: "hold", top: placeOf(block.id, cache.lines(block, width), line, width), seen };
}

function placeOf(block: string, lines: Lines, line: number, width: number): Place {
  const letters = lines.slice(0, line).reduce((sum, row) => sum + countLetters(textOf(row)), 0);
  return { block, letters, line, width };
}

function lineOf(lines: Lines, place: Place, width: number): number {
  return place.width === width
    ? Math.min(place.line, Math.max(0, lines.length - 1))
    : lineOfLetters(lines, place.letters);
}

/** The row with the letter that has so many before it. */
function lineOfLetters(lines: Lines, letters: number): number {
  let before = 0;
  for (const [index, row] of lines.entries()) {
    before += countLetters(textOf(row));
    if (before > letters) return index;
  }
  return Math.max(0, lines.length - 1);
}

/** Up or down over the borders of blocks; stops at both ends. Only the blocks on the way are rendered. */
function step({ blocks, cache }: Transcript, from: Position, rows: number, width: number): Position {
  const height = (index: number) => {
    const block = blocks[index];
    return block === undefined ? 0 : cache.lines(block, width).length;
  };
  let { index, line } = from;
  line += rows;
  while (line < 0 && index > 0) {
    index -= 1;
    line += height(index);
  }
  while (index < blocks.length - 1 && line >= height(index)) {
    line -= height(index);
    index += 1;
  }
  return { index, line: Math.max(0, Math.min(line, Math.max(0, height(index) - 1))) };
}

function rowsFrom({ blocks, cache }: Transcript, from: Position, box: ScrollBox): Lines {
  const rows: Line[] = [];
  let skipped = from.line;
  for (let index = from.index; index < blocks.length && rows.length < box.rows; index++) {
    const block = blocks[index];
    if (block === undefined) break;
    rows.push(...cache.lines(block, box.width).slice(skipped, skipped + box.rows - rows.length));
    skipped = 0;
  }
  return rows;
}

function linesAfter({ blocks, cache }: Transcript, seen: Place, width: number): number {
  const index = blocks.findIndex(({ id }) => id === seen.block);
  if (index === -1) return 0;
  return blocks.slice(index).reduce((sum, block, offset) => {
    const lines = cache.lines(block, width);
    if (offset > 0) return sum + lines.length;
    const old = seen.width === width ? seen.line : lineOfLetters(lines, seen.letters - 1) + 1;
    return sum + Math.max(0, lines.length - old);
  }, 0);
}

/** How many letters stand before each occurrence, in rows that are hardly ever wrapped. */
function placesIn(block: Block, wanted: string): readonly number[] {
  const places: number[] = [];
  let before = 0;
  for (const row of block.render(searchWidth)) {
    const text = textOf(row);
    const lower = text.toLowerCase();
    for (let at = lower.indexOf(wanted); at !== -1; at = lower.indexOf(wanted, at + wanted.length)) {
      places.push(before + countLetters(text.slice(0, at)));
    }
    before += countLetters(text);
  }
  return places;
}

/** Rules and borders grow with the width; letters do not. */
function countLetters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}

const searchWidth = 4000;
