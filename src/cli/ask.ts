import { createInterface } from "node:readline/promises";
import { StringDecoder } from "node:string_decoder";
import type { ReadStream, WriteStream } from "node:tty";

export type AskStreams = { readonly input: ReadStream; readonly output: WriteStream };

/** One line from the person at the terminal, shown as it is typed or not at all. Undefined: cancelled. */
export async function askTerminal(
  prompt: string,
  how: "shown" | "hidden",
  streams: AskStreams,
): Promise<string | undefined> {
  return how === "hidden" ? askHidden(prompt, streams) : askShown(prompt, streams);
}

async function askShown(prompt: string, { input, output }: AskStreams): Promise<string | undefined> {
  const lines = createInterface({ input, output });
  const closed = new AbortController();
  lines.once("close", () => closed.abort());
  lines.once("SIGINT", () => lines.close());
  try {
    return await lines.question(prompt, { signal: closed.signal });
  } catch {
    output.write("\n");
    return undefined;
  } finally {
    lines.close();
  }
}

/** The terminal is told not to echo before the prompt appears, so that nothing typed after it can be seen. */
function askHidden(prompt: string, { input, output }: AskStreams): Promise<string | undefined> {
  return new Promise((resolve) => {
    const decoder = new StringDecoder("utf8");
    const line = createHiddenLine();
    let over = false;
    const finish = (answer: string | undefined): void => {
      over = true;
      const close = (): void => {
        input.off("data", onData);
        input.off("end", onEnd);
        input.setRawMode(false);
        input.pause();
        output.write("\n");
        resolve(answer);
      };
      // What else was pasted is on its way, and must not become a command of the shell.
      setTimeout(close, pasteMs);
    };
    const onEnd = (): void => (over ? undefined : finish(undefined));
    const onData = (bytes: Buffer): void => {
      if (over) return;
      const state = line.type(decoder.write(bytes));
      if (state === "entered") finish(line.text());
      else if (state === "cancelled") finish(undefined);
    };
    input.setRawMode(true);
    input.on("data", onData);
    input.once("end", onEnd);
    input.resume();
    output.write(prompt);
  });
}

type HiddenLine = {
  /** What follows the end of the line is dropped: a pasted second line must not reach the shell. */
  readonly type: (characters: string) => "open" | "entered" | "cancelled";
  readonly text: () => string;
};

/** A line being typed blind, with the few keys a person uses there. */
export function createHiddenLine(): HiddenLine {
  let typed: string[] = [];
  return {
    type(characters) {
      for (const character of characters.replace(escapeSequences, "")) {
        if (character === "\r" || character === "\n") return "entered";
        if (character === ctrlC) return "cancelled";
        if (character === ctrlD) return typed.length === 0 ? "cancelled" : "entered";
        if (character === ctrlU) typed = [];
        else if (character === backspace || character === "\b") typed.pop();
        else if (character >= " ") typed.push(character);
      }
      return "open";
    },
    text: () => typed.join(""),
  };
}

const pasteMs = 50;
/** Arrow keys, and the marks some terminals put around what is pasted. */
const escapeSequences = new RegExp(`${String.fromCharCode(27)}(\\[[0-9;?]*[ -/]*[@-~]|O.)?`, "g");
const ctrlC = "\u0003";
const ctrlD = "\u0004";
const ctrlU = "\u0015";
const backspace = "\u007f";
