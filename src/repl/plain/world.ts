import type { ColorDepth } from "../../term/index.ts";
import type { SessionChoice } from "../services.ts";

/** What the plain mode is given: lines in, text out. */
export type PlainWorld = {
  readonly input: AsyncIterable<string | Uint8Array>;
  readonly write: (text: string) => void;
  /** For what is wrong at the start; else it is written like everything. */
  readonly writeError?: (text: string) => void;
  /** Somebody types. Otherwise the lines are a script: each waits for everything before it. */
  readonly interactive: boolean;
  readonly which: SessionChoice;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  readonly colour_depth: ColorDepth;
  /** Columns for what is laid out in some; where nobody says, as many as a page has. */
  readonly columns?: () => number | undefined;
  /** Calls back for each Ctrl-C. Returns how to stop. */
  readonly onInterrupt?: (listener: () => void) => () => void;
};
