/** Lines of an input that comes in pieces, handed to whoever waits for one: a question before everything else. */
export type LineSource = {
  /** The next line, without its end. Undefined: there is none any more. */
  readonly next: () => Promise<string | undefined>;
  /**
   * The answer to a question. `new_only`: what was typed before the question was there is no answer to it.
   * Undefined: the input has ended, or the question was taken back.
   */
  readonly answer: (how: { readonly new_only: boolean; readonly signal: AbortSignal }) => Promise<string | undefined>;
  /** The line was not for whoever took it. */
  readonly putBack: (line: string) => void;
  readonly close: () => void;
};

export function createLines(input: AsyncIterable<string | Uint8Array>): LineSource {
  const waiting: string[] = [];
  const readers: Reader[] = [];
  const answerers: Reader[] = [];
  let ended = false;
  let room: (() => void) | undefined;

  const give = (line: string): void => {
    const reader = answerers.shift() ?? readers.shift();
    if (reader === undefined) waiting.push(line);
    else reader(line);
  };
  const end = (): void => {
    ended = true;
    for (const reader of [...answerers.splice(0), ...readers.splice(0)]) reader(undefined);
    room?.();
  };
  const take = (): string | undefined => {
    const line = waiting.shift();
    if (waiting.length < waitingMax) room?.();
    return line;
  };
  const pump = async (): Promise<void> => {
    for await (const line of linesOf(input)) {
      give(line);
      if (ended) return;
      // Whoever writes more than is read waits in the pipe.
      if (waiting.length >= waitingMax) await new Promise<void>((resolve) => void (room = resolve));
    }
  };
  void pump().then(end, end);

  return {
    next: () =>
      waiting.length > 0 || ended ? Promise.resolve(take()) : new Promise((resolve) => void readers.push(resolve)),
    answer({ new_only, signal }) {
      if (signal.aborted) return Promise.resolve(undefined);
      if (!new_only && waiting.length > 0) return Promise.resolve(take());
      if (ended) return Promise.resolve(undefined);
      return new Promise((resolve) => {
        const done: Reader = (line) => {
          signal.removeEventListener("abort", giveUp);
          resolve(line);
        };
        const giveUp = (): void => {
          const place = answerers.indexOf(done);
          if (place !== -1) answerers.splice(place, 1);
          resolve(undefined);
        };
        answerers.push(done);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    putBack: (line) => void waiting.unshift(line),
    close: end,
  };
}

type Reader = (line: string | undefined) => void;

async function* linesOf(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let open = "";
  for await (const chunk of input) {
    const lines = (open + (typeof chunk === "string" ? chunk : decoder.decode(chunk, { stream: true }))).split(/\r?\n/);
    open = lines.pop() ?? "";
    yield* lines;
    if (open.length > lineLengthMax) {
      yield open;
      open = "";
    }
  }
  open += decoder.decode();
  if (open !== "") yield open.replace(/\r$/, "");
}

const waitingMax = 1_000;
/** Longer ones are taken in pieces. */
const lineLengthMax = 4 * 1024 * 1024;
