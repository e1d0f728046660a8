import { writeSync } from "node:fs";
import {
  enterScreen,
  kittyKeysOff,
  kittyKeysOn,
  leaveScreen,
  mouseOff,
  mouseOn,
  otherKeysOff,
  otherKeysOn,
} from "./ansi.ts";

export type Size = { readonly columns: number; readonly rows: number };

export type TerminalHandlers = {
  readonly input: (bytes: Uint8Array) => void;
  /** The size changed, or others have written on the screen: everything has to be painted again. */
  readonly repaint: () => void;
  /** What was written has reached the terminal. */
  readonly drained: () => void;
  /** The terminal is gone. */
  readonly closed: () => void;
  /** The screen has been given back already; whoever asked us to end expects that we do. */
  readonly signal: (name: EndSignal) => void;
};

export type EndSignal = "SIGTERM" | "SIGHUP" | "SIGINT";
/** Modes that are switched on when the terminal has them or a person wants them. */
export type OptionalMode = "kitty_keys" | "other_keys" | "mouse";

export type Terminal = {
  readonly size: () => Size;
  /** False: the terminal is behind; wait for `drained` before the next frame. */
  readonly write: (text: string) => boolean;
  readonly setMode: (mode: OptionalMode, state: "on" | "off") => void;
  /** Takes the screen. */
  readonly start: (handlers: TerminalHandlers) => void;
  /** Gives the terminal back as it was, until `resume`: an editor runs, or the shell has it. */
  readonly pause: () => void;
  readonly resume: () => void;
  /** Ctrl+Z: back to the shell, until it calls us. */
  readonly suspend: () => void;
  /** Gives the terminal back for good. `last` goes to the normal screen. */
  readonly stop: (last?: string) => void;
};

export type TerminalParts = {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream & { readonly fd: number };
  readonly process: NodeJS.Process;
};

/** The terminal this process runs in. Nothing happens before `start`, and nothing stays behind, however it ends. */
export function createTerminal({ stdin, stdout, process }: TerminalParts): Terminal {
  const modes = new Set<OptionalMode>();
  let handlers: TerminalHandlers | undefined;
  let taken = false;
  let suspended = false;

  function take(): void {
    if (taken) return;
    taken = true;
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(`${enterScreen}${[...modes].map((mode) => modeCodes[mode].on).join("")}`);
  }

  /** In one synchronous write: after an exception or before an exit there is no later. */
  function giveBack(last = ""): void {
    if (!taken) {
      writeNow(stdout.fd, last);
      return;
    }
    taken = false;
    writeNow(stdout.fd, `${[...modes].map((mode) => modeCodes[mode].off).join("")}${leaveScreen}${last}`);
    try {
      stdin.setRawMode(false);
    } catch {
      // The terminal is gone, and its modes with it.
    }
  }

  const onData = (bytes: Uint8Array) => handlers?.input(bytes);
  const onResize = () => handlers?.repaint();
  const onDrain = () => handlers?.drained();
  const onClosed = () => handlers?.closed();
  const onExit = () => giveBack();
  const onSignal = (name: EndSignal) => {
    // Ctrl+C in an editor that has the terminal is meant for the editor.
    if (name === "SIGINT" && !taken) return;
    giveBack();
    handlers?.signal(name);
  };
  /** The shell calls us back. Somebody else may have stopped us, too, and the shell has set its own modes since. */
  const onContinue = () => {
    if (!taken && !suspended) return;
    suspended = taken = false;
    resume();
  };

  function resume(): void {
    take();
    handlers?.repaint();
  }

  function pause(): void {
    giveBack();
    stdin.pause();
  }

  function listen(): void {
    stdin.on("data", onData).on("end", onClosed).on("error", onClosed);
    stdout.on("resize", onResize).on("drain", onDrain).on("error", onClosed);
    process.on("exit", onExit).on("uncaughtExceptionMonitor", onExit).on("SIGCONT", onContinue);
    for (const name of endSignals) process.on(name, onSignal);
  }

  function unlisten(): void {
    stdin.off("data", onData).off("end", onClosed).off("error", onClosed);
    stdout.off("resize", onResize).off("drain", onDrain).off("error", onClosed);
    process.off("exit", onExit).off("uncaughtExceptionMonitor", onExit).off("SIGCONT", onContinue);
    for (const name of endSignals) process.off(name, onSignal);
  }

  return {
    size: () => ({ columns: stdout.columns > 0 ? stdout.columns : 80, rows: stdout.rows > 0 ? stdout.rows : 24 }),
    write: (text) => (taken ? stdout.write(text) : true),
    setMode(mode, state) {
      if ((state === "on") === modes.has(mode)) return;
      if (state === "on") modes.add(mode);
      else modes.delete(mode);
      if (taken) stdout.write(modeCodes[mode][state]);
    },
    start(given) {
      handlers = given;
      listen();
      take();
    },
    pause,
    resume,
    suspend() {
      pause();
      suspended = true;
      // The whole group, as the terminal itself would do it: a parent that waits for us has to stop too.
      process.kill(0, "SIGTSTP");
    },
    stop(last) {
      if (handlers === undefined) return;
      giveBack(last);
      unlisten();
      handlers = undefined;
      stdin.pause();
    },
  };
}

/** The other side may be slow, or gone. */
function writeNow(file: number, text: string): void {
  let rest: Uint8Array = Buffer.from(text);
  for (let attempt = 0; attempt < writesMax && rest.length > 0; attempt++) {
    try {
      rest = rest.subarray(writeSync(file, rest));
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2);
    }
  }
}

/** Two seconds at most. */
const writesMax = 1000;

const endSignals: readonly EndSignal[] = ["SIGTERM", "SIGHUP", "SIGINT"];

const modeCodes: { readonly [mode in OptionalMode]: { readonly on: string; readonly off: string } } = {
  kitty_keys: { on: kittyKeysOn, off: kittyKeysOff },
  other_keys: { on: otherKeysOn, off: otherKeysOff },
  mouse: { on: mouseOn, off: mouseOff },
};
