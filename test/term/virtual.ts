import { Terminal as Xterm } from "@xterm/headless";
import type { OptionalMode, Size, Terminal, TerminalHandlers } from "../../src/term/index.ts";
import type { Clock } from "../../src/term/frames.ts";
import { enterScreen, leaveScreen } from "../../src/term/ansi.ts";

/** A terminal without a window: what a person would see of what was written. */
export type VirtualTerminal = Terminal & {
  /** Bytes from the keyboard. */
  readonly type: (text: string) => void;
  readonly resize: (columns: number, rows: number) => void;
  /** The rows of the screen, without blanks at their ends. */
  readonly screen: () => Promise<readonly string[]>;
  /** Everything the terminal holds, with what has scrolled out. */
  readonly everything: () => Promise<readonly string[]>;
  /** The cells of a row of the screen; the second half of a wide character is empty. */
  readonly row: (index: number) => readonly string[];
  readonly cursor: () => Promise<{ readonly row: number; readonly column: number }>;
  /** Everything that was written, one entry per write. */
  readonly writes: readonly string[];
  readonly modes: ReadonlySet<OptionalMode>;
  readonly handlers: () => TerminalHandlers | undefined;
};

export function createVirtualTerminal(columns = 80, rows = 24): VirtualTerminal {
  const xterm = new Xterm({ cols: columns, rows, allowProposedApi: true, scrollback: 100_000 });
  const writes: string[] = [];
  const modes = new Set<OptionalMode>();
  let handlers: TerminalHandlers | undefined;
  let size: Size = { columns, rows };
  let last: Promise<void> = Promise.resolve();

  function put(text: string): true {
    writes.push(text);
    last = new Promise((resolve) => {
      xterm.write(text, resolve);
    });
    return true;
  }

  function rowsFrom(start: number, end: number): readonly string[] {
    const buffer = xterm.buffer.active;
    return Array.from(
      { length: end - start },
      (_, index) => buffer.getLine(start + index)?.translateToString(true) ?? "",
    );
  }

  return {
    size: () => size,
    write: put,
    setMode(mode, state) {
      if (state === "on") modes.add(mode);
      else modes.delete(mode);
    },
    start(given) {
      handlers = given;
      put(enterScreen);
    },
    pause: () => void put(leaveScreen),
    resume() {
      put(enterScreen);
      handlers?.repaint();
    },
    suspend: () => undefined,
    stop: (text = "") => void put(`${leaveScreen}${text}`),
    type: (text) => handlers?.input(new TextEncoder().encode(text)),
    resize(nextColumns, nextRows) {
      size = { columns: nextColumns, rows: nextRows };
      xterm.resize(nextColumns, nextRows);
      handlers?.repaint();
    },
    async screen() {
      await last;
      const { baseY } = xterm.buffer.active;
      return rowsFrom(baseY, baseY + size.rows);
    },
    async everything() {
      await last;
      return rowsFrom(0, xterm.buffer.active.length);
    },
    row(index) {
      const cells = xterm.buffer.active.getLine(xterm.buffer.active.baseY + index);
      return Array.from({ length: size.columns }, (_, column) => cells?.getCell(column)?.getChars() ?? "");
    },
    async cursor() {
      await last;
      return { row: xterm.buffer.active.cursorY, column: xterm.buffer.active.cursorX };
    },
    writes,
    modes,
    handlers: () => handlers,
  };
}

/** Time that stands still until it is told to go on. */
export type HandClock = Clock & { readonly advance: (ms: number) => void; readonly waiting: () => number };

export function createHandClock(): HandClock {
  let now = 0;
  let timers: { readonly at: number; readonly act: () => void }[] = [];
  return {
    now: () => now,
    after(ms, act) {
      const timer = { at: now + ms, act };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const next = timers.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
        if (next === undefined) break;
        timers = timers.filter((timer) => timer !== next);
        now = Math.max(now, next.at);
        next.act();
      }
      now = end;
    },
    waiting: () => timers.length,
  };
}
