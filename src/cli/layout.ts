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

export type Column = {
  readonly title: string;
  readonly align?: "right";
  /** At most so many columns of the screen. */
  readonly max?: number;
  /** Takes what the others leave of the screen. One column at most. */
  readonly rest?: true;
};

/** Rows under their titles. Without a screen nothing has to fit, and only `max` counts. */
export function table(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  screenColumns: number | undefined,
): readonly string[] {
  const cells = rows.map((row) => row.map((cell, index) => fit(cell, columns[index]?.max ?? Number.MAX_SAFE_INTEGER)));
  const natural = columns.map(({ title }, index) =>
    Math.max(widthOf(title), ...cells.map((row) => widthOf(row[index] ?? ""))),
  );
  const gaps = gap.length * (columns.length - 1);
  const others = natural.reduce((sum, width, index) => sum + (columns[index]?.rest ? 0 : width), gaps);
  const left = screenColumns === undefined ? Number.MAX_SAFE_INTEGER : Math.max(restMin, screenColumns - others);
  const widths = natural.map((width, index) => (columns[index]?.rest ? Math.min(width, left) : width));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, index) => padTo(fit(cell, widths[index] ?? 0), widths[index] ?? 0, columns[index]?.align))
      .join(gap)
      .trimEnd();
  return [columns.map(({ title }) => title), ...cells].map(line);
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

/** `?` where no price is known, `$1.20 + ?` where some are missing. */
export function money(cost_usd: number, unpriced: number, exchanges: number): string {
  if (exchanges === 0) return "–";
  if (unpriced >= exchanges) return "?";
  return unpriced > 0 ? `${dollars(cost_usd)} + ?` : dollars(cost_usd);
}

export function dollars(usd: number): string {
  return usd > 0 && usd < 0.995 ? `$${usd.toFixed(4)}` : `$${usd.toFixed(2)}`;
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
/** However narrow the screen is. */
const restMin = 16;
