import type { Line, Span } from "./line.ts";
import type { Palette } from "./theme.ts";
import { withoutControls } from "./width.ts";

/** A line as bytes for a terminal. Ends with no style set. */
export function encodeLine(row: Line, palette: Palette): string {
  let out = "";
  for (const part of row) out += encodeSpan(part, palette);
  return out;
}

function encodeSpan({ text, style }: Span, palette: Palette): string {
  const safe = withoutControls(text);
  if (style === undefined) return safe;
  const codes = palette.codes(style);
  const styled = codes === "" ? safe : `\x1b[${codes}m${safe}\x1b[0m`;
  const address = style.link === undefined ? undefined : safeAddress(style.link);
  return address === undefined ? styled : `\x1b]8;;${address}\x1b\\${styled}\x1b]8;;\x1b\\`;
}

/** An address could carry escape codes of its own. */
function safeAddress(address: string): string | undefined {
  return /^(?:https?|file|mailto):[\x21-\x7e]{1,2000}$/.test(address) ? address : undefined;
}

export const synchronizedStart = "\x1b[?2026h";
export const synchronizedEnd = "\x1b[?2026l";

export function moveTo(row: number, column: number): string {
  return `\x1b[${row + 1};${column + 1}H`;
}

/** On while we have the screen, and back to what they were at the end, in this order. */
const modes = [
  // Alternate screen. First on, last off.
  { on: "\x1b[?1049h", off: "\x1b[?1049l" },
  // Rows never wrap by themselves: a width we got wrong costs the end of one row, not the picture.
  { on: "\x1b[?7l", off: "\x1b[?7h" },
  // Bracketed paste.
  { on: "\x1b[?2004h", off: "\x1b[?2004l" },
  // The window's title is kept and given back.
  { on: "\x1b[22;0t", off: "\x1b[23;0t" },
  { on: "", off: "\x1b[?25h\x1b[0 q\x1b[0m" },
];

export const enterScreen = modes.map(({ on }) => on).join("");
/** Also ends a frame that was cut short. */
export const leaveScreen = `${synchronizedEnd}${modes
  .map(({ off }) => off)
  .reverse()
  .join("")}`;

/** Buttons, dragging and the wheel, with coordinates that have no limit. */
export const mouseOn = "\x1b[?1002h\x1b[?1006h";
export const mouseOff = "\x1b[?1006l\x1b[?1002l";

/** Kitty's protocol, level 1: keys that had no code of their own get one. */
export const kittyKeysOn = "\x1b[>1u";
export const kittyKeysOff = "\x1b[<u";
/** xterm's older way, which tmux understands. */
export const otherKeysOn = "\x1b[>4;2m";
export const otherKeysOff = "\x1b[>4;0m";

/** Kitty's keys? Which background? And one that every terminal answers, so that we know when no answer will come. */
export const questions = "\x1b[?u\x1b]11;?\x1b\\\x1b[c";

export function titleCode(title: string): string {
  return `\x1b]2;${withoutControls(title)}\x1b\\`;
}
