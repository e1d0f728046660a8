// A terminal without a window, for one program: takes what is written, gives what is typed.

import xterm from "@xterm/headless";
import { enterScreen, leaveScreen } from "../../src/term/ansi.ts";

/** @param {{columns: number, rows: number}} size */
export function createWindow(size) {
  const screen = new xterm.Terminal({ cols: size.columns, rows: size.rows, allowProposedApi: true });
  let handlers;
  let last = Promise.resolve();
  const write = (text) => {
    last = new Promise((resolve) => screen.write(text, resolve));
    return true;
  };
  return {
    terminal: {
      size: () => size,
      write,
      setMode: () => undefined,
      start(given) {
        handlers = given;
        write(enterScreen);
      },
      pause: () => write(leaveScreen),
      resume: () => write(enterScreen),
      suspend: () => undefined,
      stop: () => undefined,
    },
    type: (text) => handlers?.input(new TextEncoder().encode(text)),
    /** The rows of cells that are to be seen now. */
    async lines() {
      await last;
      const { active } = screen.buffer;
      return Array.from({ length: size.rows }, (_, row) => active.getLine(active.baseY + row));
    },
    async text() {
      return (await this.lines()).map((line) => line?.translateToString(true) ?? "").join("\n");
    },
  };
}
