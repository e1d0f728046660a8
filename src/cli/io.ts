/** What a command may touch of the outside world; given in, so that tests can look. */
export type Io = {
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
};

/** Wrong use of the command line: exit code 2, nothing on stdout. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}
