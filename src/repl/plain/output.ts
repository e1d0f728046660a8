import { createPalette, createPlainWriter, type Line, textOf } from "../../term/index.ts";
import type { PlainWorld } from "./world.ts";

/** What is written, and never taken back. */
export type Output = {
  readonly line: (row: Line | string) => void;
  readonly lines: (rows: readonly (Line | string)[]) => void;
  /** A piece of a text that is still coming. */
  readonly stream: (text: string) => void;
  readonly end: () => void;
  /** Says that it is the person's turn, where there is one. */
  readonly prompt: (text: string) => void;
  /** The person pressed Enter: the prompt's line has ended. */
  readonly answered: () => void;
};

export function createOutput({ write, interactive, colour_depth }: PlainWorld): Output {
  let prompted = false;
  const writer = createPlainWriter(
    (text) => {
      // What comes by itself begins below the prompt, not behind it.
      write(prompted ? `\n${text}` : text);
      prompted = false;
    },
    createPalette("dark", colour_depth),
  );
  const line = (row: Line | string): void => {
    if (typeof row !== "string" && colour_depth > 0) return writer.line(row);
    // Without colours there is no bold, either: nobody asked whether codes are understood here.
    const text = typeof row === "string" ? row : textOf(row).trimEnd();
    for (const part of text.split("\n")) writer.line(part);
  };
  return {
    line,
    lines: (rows) => rows.forEach(line),
    stream: writer.stream,
    end: writer.end,
    prompt(text) {
      if (!interactive || prompted) return;
      writer.end();
      write(text);
      prompted = true;
    },
    answered: () => void (prompted = false),
  };
}
