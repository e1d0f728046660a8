import type { Host } from "../host.ts";

/** A slash command. The table of them is what runs, completes, helps, and what docs/reference is made from. */
export type SlashCommand = {
  readonly name: string;
  readonly aliases?: readonly string[];
  /** `/model [NAME[/LEVEL]]` */
  readonly usage: string;
  /** One line. */
  readonly summary: string;
  /** A few lines more, the last ones an example. */
  readonly help: readonly string[];
  /** What can be completed, by place; the last one goes for all that follow. */
  readonly completes?: readonly Completes[];
  /** The same for `--options` with a value; those without one are null. */
  readonly options?: { readonly [option: string]: Completes | null };
  /** `text` is everything after the name, as it was typed. */
  readonly run: (host: Host, text: string) => Promise<void> | void;
};

/** What stands in a place: one of a kind of things, or one of some words. */
export type Completes =
  | "model"
  | "agent"
  | "mark"
  | "tool"
  | "path"
  | "pin"
  | "session"
  | "command"
  | "text"
  | readonly string[];

/** The line was not meant that way: it is shown with the command's usage, and given back to be mended. */
export class WrongUse extends Error {
  override readonly name = "WrongUse";
}
