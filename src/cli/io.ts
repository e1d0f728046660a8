import type { Environment } from "../config/index.ts";
import type { Fetch } from "../llm/index.ts";

/** What a command may touch of the outside world; given in, so that tests can look. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Absent: nothing is set and no file of the user is read. */
  readonly env?: Environment;
  /** Asks the person at the terminal; absent where nobody sits there. Undefined: the question was cancelled. */
  readonly ask?: (prompt: string, how: "shown" | "hidden") => Promise<string | undefined>;
  /** What the output goes to, where that is a terminal. */
  readonly screen?: { readonly columns: number; readonly rows: number; readonly colour_bits: number };
  /** Instead of the built-in one. */
  readonly fetch?: Fetch;
};

/** Wrong use of the command line: exit code 2, nothing on stdout. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
