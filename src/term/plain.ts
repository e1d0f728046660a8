import { encodeLine } from "./ansi.ts";
import type { Line } from "./line.ts";
import type { Palette } from "./theme.ts";
import { clean } from "./width.ts";

/**
 * Writes and never takes back: for screen readers, dumb terminals and pipes. Nothing moves, nothing is drawn twice, states
 * are words.
 */
export type PlainWriter = {
  /** A whole line. What was streamed before it ends first. */
  readonly line: (row: Line | string) => void;
  /** A piece of a text that is still coming. */
  readonly stream: (text: string) => void;
  /** Ends a streamed text. */
  readonly end: () => void;
  /** A state in words; said again only when it has changed. */
  readonly state: (words: string) => void;
};

export function createPlainWriter(write: (text: string) => void, palette: Palette): PlainWriter {
  let inLine = false;
  let heldBack = "";
  let said = "";

  function end(): void {
    const rest = clean(heldBack);
    heldBack = "";
    if (rest !== "") {
      write(rest);
      inLine = !rest.endsWith("\n");
    }
    if (inLine) write("\n");
    inLine = false;
  }

  function writeLine(row: Line | string): void {
    end();
    write(`${typeof row === "string" ? clean(row) : encodeLine(row, palette)}\n`);
  }

  return {
    line: writeLine,
    stream(text) {
      const whole = heldBack + text;
      // The beginning of an escape code, or half of a line end, waits for the rest.
      const open = /(?:\r|\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?)?)$/.exec(whole)?.[0] ?? "";
      heldBack = open.length > heldBackMax ? "" : open;
      const safe = clean(whole.slice(0, whole.length - heldBack.length));
      if (safe === "") return;
      write(safe);
      inLine = !safe.endsWith("\n");
    },
    end,
    state(words) {
      if (words === said) return;
      said = words;
      writeLine(words);
    },
  };
}

const heldBackMax = 1000;
