import { colorDepth } from "../term/theme.ts";
import { clean, graphemes, widthOf } from "../term/width.ts";
import type { Io } from "./io.ts";

/** Text from anywhere as one line that does nothing to a terminal. */
export function oneLine(text: string): string {
  return clean(text).replaceAll(/\s+/g, " ").trim();
}

/** At most so many columns, with `…` where something is missing. */
export function fit(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let fitted = "";
  let width = 0;
  for (const grapheme of graphemes(text)) {
    width += grapheme.width;
    if (width > columns - 1) break;
    fitted += grapheme.text;
  }
  return `${fitted.trimEnd()}…`;
}

/** The same from the other end. */
function fitStart(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  const kept = [...graphemes(text)];
  let width = kept.reduce((sum, grapheme) => sum + grapheme.width, 0);
  while (width > columns - 1) width -= kept.shift()?.width ?? width;
  return `…${kept.map((grapheme) => grapheme.text).join("")}`;
}

export type Column = {
  readonly title: string;
  readonly align?: "right";
  /** At most so many columns of the screen, and fewer where it is narrow. */
  readonly max?: number;
  /** What is cut off: the end, or the start of what ends with the best of it. */
  readonly cut?: "start";
  /** Takes what the others leave of the screen. One column at most. */
  readonly rest?: true;
};

/** Rows under their titles. Without a screen nothing has to fit, and only `max` counts. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screenColumns: number | undefined,
): readonly string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const natural = columns.map(({ max = Number.MAX_SAFE_INTEGER }, index) =>
    Math.min(max, Math.max(...all.map((row) => widthOf(row[index] ?? "")))),
  );
  const widths = screenColumns === undefined ? natural : narrowed(columns, natural, screenColumns);
  const cell = (text: string, index: number): string => {
    const { align, cut } = columns[index] ?? {};
    const width = widths[index] ?? 0;
    return padTo(cut === "start" ? fitStart(text, width) : fit(text, width), width, align);
  };
  return all.map((row) => row.map(cell).join(gap).trimEnd());
}

/** The open column gives way first as far as it can still be read, then the widest of those that have a limit. */
function narrowed(columns: readonly Column[], natural: readonly number[], screenColumns: number): readonly number[] {
  const widths = [...natural];
  const excess = (): number =>
    widths.reduce((sum, width) => sum + width, gap.length * (widths.length - 1)) - screenColumns;
  const shrinkRest = (min: number): void => {
    const rest = columns.findIndex((column) => column.rest);
    const width = widths[rest];
    if (width !== undefined) widths[rest] = Math.min(width, Math.max(min, width - excess()));
  };
  shrinkRest(restReadable);
  for (let left = excess(); left > 0; left--) {
    const limited = widths.map((width, index) => (columns[index]?.max === undefined ? 0 : width));
    const widest = limited.indexOf(Math.max(...limited));
    const width = limited[widest] ?? 0;
    if (width <= limitedMin) break;
    widths[widest] = width - 1;
  }
  shrinkRest(restMin);
  return widths;
}

function padTo(text: string, width: number, align: "right" | undefined): string {
  const blanks = " ".repeat(Math.max(0, width - widthOf(text)));
  return align === "right" ? blanks + text : text + blanks;
}

/** `▊▊▊▎`: a part of a whole, in eighths of a column. */
export function bar(part: number, whole: number, columns: number): string {
  if (!(part > 0) || !(whole > 0)) return "";
  const eighths = Math.max(1, Math.round((Math.min(part, whole) / whole) * columns * 8));
  return "█".repeat(Math.floor(eighths / 8)) + " ▏▎▍▌▋▊▉".charAt(eighths % 8).trim();
}

/** `?` where no price is known, `$1.20+?` where some are missing. `total`: 0 where nobody was asked anything. */
export function money({ cost_usd, unpriced, total }: Money, format = dollars): string {
  if (total === 0) return "–";
  if (unpriced === 0) return format(cost_usd);
  return cost_usd > 0 ? `${format(cost_usd)}+?` : "?";
}

type Money = { readonly cost_usd: number; readonly unpriced: number; readonly total: number };

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.995 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
}

/** To the cent, where there is one. */
export function shortDollars(usd: number): string {
  return usd > 0 && usd < 0.01 ? "<$0.01" : `$${usd.toFixed(2)}`;
}

export function count(number: number): string {
  return number.toLocaleString("en-US");
}

export function plural(number: number, one: string, more = `${one}s`): string {
  return `${count(number)} ${number === 1 ? one : more}`;
}

/** `2026-01-31 14:03` where the reader lives. */
export function localTime(time: number): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `01-31 14:03` in this year, `2025-01-31` before it. */
export function shortTime(time: number, now: number): string {
  const whole = localTime(time);
  return whole.slice(0, 4) === localTime(now).slice(0, 4) ? whole.slice(5) : whole.slice(0, 10);
}

/** The home folder as `~`. */
export function shortFolder(folder: string, home: string | undefined): string {
  if (home === undefined || home === "" || home === "/") return folder;
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder;
}

export type Ink = { readonly strong: (text: string) => string; readonly faint: (text: string) => string };

/** Only for a terminal that shows colours. */
export function inkFor(io: Io): Ink {
  const plain = io.screen === undefined || colorDepth(io.env ?? {}, io.screen.colour_bits) === 0;
  const code = (on: string, off: string) => (text: string) => (plain ? text : `\u001b[${on}m${text}\u001b[${off}m`);
  return { strong: code("1", "22"), faint: code("2", "22") };
}

const gap = "  ";
const restReadable = 32;
/** However narrow the screen is. */
const restMin = 8;
const limitedMin = 10;
