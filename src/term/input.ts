import { createKeyDecoder, type Input, type KeyInput } from "./keys.ts";

/**
 * Bytes and time → keys. Knows no clock: whoever reads the terminal says when something came, asks for `deadline`, and
 * calls `tick` when it has passed.
 */
export type InputReader = {
  readonly feed: (bytes: Uint8Array, nowMs: number) => readonly Input[];
  readonly tick: (nowMs: number) => readonly Input[];
  readonly deadline: () => number | undefined;
};

/** After a lone escape this long without more it was the key. */
const escapeMs = 40;
/** A paste whose end never comes. */
const pasteMs = 2000;
/** Nobody types two keys within this time. */
const burstMs = 20;

/**
 * Also tells a paste without brackets from typing, because an Enter inside of one must not send anything: text that comes
 * faster than fingers and has more than one line is a paste. One line with an Enter at its end stays what it is: so
 * programs write, and so does a slow connection.
 */
export function createInputReader(): InputReader {
  const decoder = createKeyDecoder();
  let codeUntil: number | undefined;
  /** From the Enter on that may be inside of a paste. */
  let held: string | undefined;
  let heldUntil = 0;
  let textAt = Number.NEGATIVE_INFINITY;

  function release(): readonly Input[] {
    const text = held;
    held = undefined;
    if (text === undefined) return [];
    return text === "\n" ? [enter] : [{ type: "paste", text }];
  }

  function accept(inputs: readonly Input[], nowMs: number): readonly Input[] {
    const out: Input[] = [];
    if (held === undefined && isWholePaste(inputs)) {
      held = inputs.map(plainText).join("");
      heldUntil = nowMs + burstMs;
      textAt = nowMs;
      return out;
    }
    for (const input of inputs) {
      const text = plainText(input);
      if (text === undefined) {
        out.push(...release(), input);
        textAt = Number.NEGATIVE_INFINITY;
        continue;
      }
      if (held !== undefined) held += text;
      else if (text === "\n" && nowMs - textAt <= burstMs) held = text;
      else out.push(input);
      heldUntil = nowMs + burstMs;
      textAt = nowMs;
    }
    return out;
  }

  function setCodeDeadline(nowMs: number): void {
    const waiting = decoder.waiting();
    codeUntil = waiting === undefined ? undefined : nowMs + (waiting === "paste" ? pasteMs : escapeMs);
  }

  function tick(nowMs: number): readonly Input[] {
    const out: Input[] = [];
    if (held !== undefined && nowMs >= heldUntil) out.push(...release());
    if (codeUntil !== undefined && nowMs >= codeUntil) {
      const inputs = decoder.flush();
      codeUntil = undefined;
      out.push(...accept(inputs, nowMs));
    }
    return out;
  }

  return {
    feed(bytes, nowMs) {
      const late = tick(nowMs);
      const inputs = decoder.feed(bytes);
      setCodeDeadline(nowMs);
      return [...late, ...accept(inputs, nowMs)];
    },
    tick,
    deadline() {
      if (held === undefined) return codeUntil;
      return codeUntil === undefined ? heldUntil : Math.min(codeUntil, heldUntil);
    },
  };
}

/** Text that came at once, with an Enter in it that is not at its end. */
function isWholePaste(inputs: readonly Input[]): boolean {
  const texts = inputs.map(plainText);
  if (texts.includes(undefined) || !texts.some((text) => text !== "\n")) return false;
  const enterAt = texts.indexOf("\n");
  return enterAt !== -1 && enterAt < texts.length - 1;
}

/** What the key is inside of a paste. */
function plainText(input: Input): string | undefined {
  if (input.type !== "key") return undefined;
  if (input.text !== "") return input.text;
  return input.key === "enter" || input.key === "ctrl+j" ? "\n" : input.key === "tab" ? "    " : undefined;
}

const enter: KeyInput = { type: "key", key: "enter", text: "" };
