/** One word of a command line, as far as it can be known without running anything. */
export type Word = {
  /** What the program will see, where `fixed`; else as it was written. */
  readonly text: string;
  /** The value is known: nothing in it is expanded but perhaps a leading `~/`. */
  readonly fixed: boolean;
  /** It may become several words, or none. */
  readonly splits: boolean;
  /** The text with a mark for everything unknown: what a glob may become, what an expansion may become. */
  readonly shape: string;
  /** As written, quotes and all. */
  readonly raw: string;
};

export const globMark = "\u0001";
export const unknownMark = "\u0002";

export type Redirect = { readonly operator: string; readonly target: Word };

export type SimpleCommand = {
  readonly assignments: readonly { readonly name: string; readonly value: Word }[];
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
};

/** A command line that is not understood, with the reason. */
export class NotUnderstood extends Error {}

export function fixedWord(text: string): Word {
  return { text, fixed: true, splits: false, shape: text, raw: text };
}

/** Anything at all, as many words as it likes: what `xargs` adds. */
export const anyWord: Word = { text: "…", fixed: false, splits: true, shape: unknownMark, raw: "…" };
