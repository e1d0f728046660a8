/** A part of a text that does not keep the rest of it in memory: a slice of a string holds the whole. */
function copyOf(text: string): string {
  return Buffer.from(text).toString();
}

export function beginningOf(text: string, charactersMax: number): string {
  return text.length <= charactersMax ? text : `${copyOf(text.slice(0, charactersMax - 1))}…`;
}

/** The last lines of an output, and how many there are in all. */
export function endOf(text: string): { readonly text: string; readonly lines: number } {
  const whole = text.endsWith("\n") ? text.slice(0, -1) : text;
  if (whole === "") return { text: "", lines: 0 };
  const kept = lastLines(whole);
  return { text: kept.length < whole.length ? copyOf(kept) : kept, lines: lineEnds(whole) + 1 };
}

/** The same, piece by piece. */
export type Tail = { readonly add: (text: string) => void; readonly text: () => string; readonly lines: () => number };

export function createTail(): Tail {
  let kept = "";
  let ends = 0;
  return {
    add(text) {
      ends += lineEnds(text);
      kept += text;
      if (kept.length > 2 * charactersKept) kept = copyOf(lastLines(kept));
    },
    text: () => lastLines(kept.endsWith("\n") ? kept.slice(0, -1) : kept),
    lines: () => (kept === "" ? 0 : ends + (kept.endsWith("\n") ? 0 : 1)),
  };
}

function lastLines(text: string): string {
  let start = text.length;
  for (let lines = 0; lines < linesKept && start >= 0; lines++) {
    start = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  }
  return text.slice(Math.max(start + 1, text.length - charactersKept));
}

function lineEnds(text: string): number {
  let found = 0;
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) found += 1;
  return found;
}

/** What a screen can show of it. The rest is in the log. */
const linesKept = 60;
const charactersKept = 8_000;
