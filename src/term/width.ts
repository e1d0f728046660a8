import fastStringWidth from "fast-string-width";

export type Grapheme = { readonly text: string; readonly width: number; readonly index: number };

/** What a person sees as one character, with the columns it takes. */
export function* graphemes(text: string): Generator<Grapheme> {
  if (narrow.test(text)) {
    for (let index = 0; index < text.length; index++) yield { text: text.charAt(index), width: 1, index };
    return;
  }
  for (const { segment, index } of segments(text)) {
    yield { text: segment, width: graphemeWidth(segment), index };
  }
}

/** Columns on the screen. Control characters have none: `clean` the text first. */
export function widthOf(text: string): number {
  if (narrow.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segments(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (grapheme.length === 1) {
    const code = grapheme.charCodeAt(0);
    if (code >= 0x20 && code < 0x7f) return 1;
  }
  let width = widths.get(grapheme);
  if (width !== undefined) return width;
  // A cluster takes one cell of a terminal or two, however many code points are in it.
  width = Math.min(fastStringWidth(grapheme), 2);
  if (widths.size >= widthsMax) widths.clear();
  widths.set(grapheme, width);
  return width;
}

/** The first boundary between graphemes at or after `offset`. */
export function boundaryAtOrAfter(text: string, offset: number): number {
  if (simple.test(text)) return Math.min(offset, text.length);
  const found = segments(text).containing(offset);
  return found === undefined || found.index === offset
    ? Math.min(offset, text.length)
    : found.index + found.segment.length;
}

export function nextBoundary(text: string, offset: number): number {
  if (simple.test(text)) return Math.min(offset + 1, text.length);
  const found = segments(text).containing(offset);
  return found === undefined ? text.length : found.index + found.segment.length;
}

export function previousBoundary(text: string, offset: number): number {
  if (simple.test(text)) return Math.max(0, offset - 1);
  return offset <= 0 ? 0 : (segments(text).containing(offset - 1)?.index ?? 0);
}

/**
 * Text from models, tools and clipboards, as it may stand on a screen: no escape codes, no control characters, tabs as
 * spaces. What hides or turns around other text is shown by its number: nobody should approve a command they cannot see.
 */
export function clean(text: string): string {
  if (printable.test(text)) return text;
  return text
    .replace(escapeCodes, "")
    .replace(/\r\n?/g, "\n")
    .replaceAll("\t", "    ")
    .replace(turners, (found) => `<U+${found.charCodeAt(0).toString(16).toUpperCase()}>`)
    .replace(controls, "");
}

/** The last guard before the terminal: whatever is left of controls goes. */
export function withoutControls(text: string): string {
  return ascii.test(text) ? text : text.replace(lastControls, "");
}

/** Made when the first text needs it: it takes longer to make than all the rest of this folder to load. */
let segmenter: Intl.Segmenter | undefined;

function segments(text: string): Intl.Segments {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: "grapheme" });
  return segmenter.segment(text);
}

const widths = new Map<string, number>();
const widthsMax = 5000;
/** Characters of one column that join with nothing: Latin, Greek, Cyrillic, punctuation, arrows, boxes, Braille. */
export const narrow =
  /^[\x20-\x7e\xa1-\xac\xae-\u02ff\u0370-\u0377\u0391-\u03a1\u03a3-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u203b\u2190-\u2193\u2500-\u259f\u2800-\u28ff]*$/;
/** The same with line ends. */
const simple = new RegExp(narrow.source.replace("^[", "^[\\n"));
const ascii = /^[\x20-\x7e]*$/;
const printable = /^[\x20-\x7e\n]*$/;
/** CSI, OSC and other strings with their end, and two-character codes. */
const escapeCodes = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]?/g;
const controls = /[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029]/g;
const lastControls = /[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;
const turners = /[\u202a-\u202e\u2066-\u2069]/g;
