import { createPalette, createPlainWriter, type Line, textOf } from "../../term/index.ts";
import type { PlainWorld } from "./world.ts";

/** What is written, and never taken back. */
export type Output = {
  readonly line: (row: Line | string) => void;
  readonly lines: (rows: readonly (Line | string)[]) => void;
  /** A piece of a text that is still coming. */
  readonly stream: (text: string) => void;
  readonly end: () => void;
  /** Something that comes while a person may be typing: the prompt it has pushed up is shown again. */
  readonly aside: (text: string) => void;
  /** Says that it is the person's turn, where there is one. As long as a question waits, that is what is shown. */
  readonly prompt: (text: string) => void;
  readonly ask: (text: string) => void;
  readonly asked: (how: "answered" | "given_up") => void;
  /** The person pressed Enter: the prompt's line has ended. */
  readonly answered: () => void;
};

export function createOutput({ write, interactive, colour_depth }: PlainWorld): Output {
  let prompted: string | undefined;
  let question: string | undefined;
  const writer = createPlainWriter(
    (text) => {
      // What comes by itself begins below the prompt, not behind it.
      write(prompted === undefined ? text : `\n${text}`);
      prompted = undefined;
    },
    createPalette("dark", colour_depth),
  );
  const line = (row: Line | string): void => {
    if (typeof row !== "string" && colour_depth > 0) return writer.line(row);
    // Without colours there is no bold, either: nobody asked whether codes are understood here.
    const text = typeof row === "string" ? row : textOf(row).trimEnd();
    for (const part of text.split("\n")) writer.line(part);
  };
  const show = (text: string): void => {
    if (!interactive || prompted !== undefined) return;
    writer.end();
    write(text);
    prompted = text;
  };
  return {
    line,
    lines: (rows) => rows.forEach(line),
    stream: writer.stream,
    end: writer.end,
    aside(text) {
      const before = prompted;
      line(text);
      if (before !== undefined) show(before);
    },
    prompt: (text) => show(question ?? text),
    ask(text) {
      question = text;
      show(text);
    },
    asked(how) {
      question = undefined;
      // Nobody has pressed Enter.
      if (how === "given_up" && prompted !== undefined) write("\n");
      prompted = undefined;
    },
    answered: () => void (prompted = undefined),
  };
}
