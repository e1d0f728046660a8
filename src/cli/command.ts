import type { Io } from "./io.ts";

/** A row of what the program can do. The dispatcher, the help, the completion of shells and the reference are made from these. */
export type Command = {
  /** Empty: the program without a command. */
  readonly name: string;
  /** What follows `ikigai`, one line per form. */
  readonly usage: readonly string[];
  /** For the list of all commands: a line. */
  readonly summary: string;
  /** Paragraphs. */
  readonly about: readonly string[];
  /** What stands for a word that is no flag. */
  readonly words?: Words;
  readonly flags: readonly Flag[];
  /** Paragraphs after the flags. */
  readonly notes?: readonly string[];
  readonly examples: readonly string[];
  /** Where they are special. `all`: see the table of exit codes. */
  readonly exit_codes?: "all" | { readonly [code: number]: string };
  readonly load: () => Promise<(args: readonly string[], io: Io) => Promise<number>>;
};

export type Flag = {
  readonly name: string;
  readonly short?: string;
  /** What follows it, in capitals; absent: nothing does. */
  readonly value?: string;
  /** What a shell can offer for the value. */
  readonly words?: Words;
  readonly says: string;
};

export type Words = "models" | "providers" | "files" | "folders" | readonly string[];

/** The flag that most of them have. */
export function json(says: string): Flag {
  return { name: "json", says };
}
