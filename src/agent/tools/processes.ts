import { spawn, type ChildProcess } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { storedBytes } from "./output.ts";
import { createWatchdog, markVariable, runMark } from "./watchdog.ts";

/** A program with everything it starts, in a process group of its own, and what it has printed so far. */
export type Running = {
  readonly group: number;
  /** Settles when the program itself has ended; what it left in the background may still run and print. */
  readonly ended: Promise<Ending>;
  /** The newest output, at most `kept_bytes`; `dropped` bytes came before it. */
  readonly output: () => { readonly text: string; readonly dropped: number };
  /** Whether anything of it still runs. */
  readonly isAlive: () => boolean;
  /** TERM to all of it, KILL to what is left after a moment. Settles when nothing is left. */
  readonly stop: () => Promise<void>;
};

export type Ending = { readonly exit_code: number | null; readonly signal: string | null; readonly problem?: string };

export type Launch = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly onOutput: (text: string) => void;
  /** Of its output, the newest. */
  readonly kept_bytes?: number;
};

/**
 * Starts a program without input. Both its outputs must go to its standard output, so that they stay in order; the
 * standard error is read as well, for what is said before it could be joined.
 */
export function launch({ argv, cwd, env, onOutput, kept_bytes = storedBytes }: Launch): Running {
  const mark = `${runMark}-${(serial += 1)}`;
  const [program = "", ...args] = argv;
  const child = spawn(program, args, {
    cwd,
    env: { ...env, [markVariable]: mark },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const buffer = tailBuffer(kept_bytes);
  const ended = endingOf(child);
  const decoder = new TextDecoder();
  let printed = 0;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      buffer.add(chunk);
      printed += chunk.length;
      if (printed > printedBytesMax && printed - chunk.length <= printedBytesMax) void running.stop();
      onOutput(decoder.decode(chunk, { stream: true }));
    });
    stream.on("error", () => {});
  }
  const group = child.pid ?? 0;
  const running: Running = {
    group,
    ended,
    output: buffer.read,
    isAlive: () => group !== 0 && membersOf(group, mark).length > 0,
    stop: () => stopGroup(group, mark),
  };
  if (group !== 0) watchOver(running, child, mark);
  return running;
}

/** Variables for a process that somebody else starts: it ends with this program, however that ends. */
export function endsWithUs(name: string): Readonly<Record<string, string>> {
  return watchdog.mark(name);
}

/** Ends everything that was started here and still runs. Nothing of ours outlives the program. */
export async function stopAllProcesses(): Promise<void> {
  await Promise.all([...alive.values()].map(({ running }) => running.stop()));
}

/** How long after TERM follows KILL, and how long after the end of a program the rest of its output is waited for. */
const graceMs = 500;
const drainMs = 40;
/** Who prints more than this is not going to say anything new. */
const printedBytesMax = 64 * 1024 * 1024;

let serial = 0;
const watchdog = createWatchdog();
let exitIsWatched = false;
const alive = new Map<number, { readonly running: Running; readonly mark: string }>();

function endingOf(child: ChildProcess): Promise<Ending> {
  return new Promise((settle) => {
    child.on("error", (error) => settle({ exit_code: null, signal: null, problem: error.message }));
    child.on("exit", (exit_code, signal) => {
      // What runs on in the background may hold the pipe for ever, so its end is waited for only a moment.
      const done = (): void => {
        clearTimeout(timer);
        settle({ exit_code, signal });
      };
      const timer = setTimeout(done, drainMs);
      child.on("close", done);
    });
  });
}

function watchOver(running: Running, child: ChildProcess, mark: string): void {
  alive.set(running.group, { running, mark });
  watchdog.watch(running.group);
  if (!exitIsWatched) {
    exitIsWatched = true;
    process.on("exit", () => {
      for (const [group, { mark }] of alive) signalAll(group, mark, "SIGKILL");
    });
  }
  const forget = (): void => {
    if (!running.isAlive()) forgetGroup(running.group);
  };
  child.on("close", forget);
  void running.ended.then(() => {
    forget();
    // Whatever was left in the background must not keep the program from ending; it is ended with it.
    child.unref();
    for (const stream of [child.stdout, child.stderr]) if (stream !== null && "unref" in stream) unref(stream);
  });
}

function unref(stream: object): void {
  if ("unref" in stream && typeof stream.unref === "function") stream.unref();
}

async function stopGroup(group: number, mark: string): Promise<void> {
  if (group === 0) return;
  signalAll(group, mark, "SIGTERM");
  const deadline = Date.now() + graceMs;
  while (membersOf(group, mark).length > 0) {
    if (Date.now() >= deadline) signalAll(group, mark, "SIGKILL");
    await new Promise((settle) => setTimeout(settle, 15));
    if (Date.now() > deadline + 4 * graceMs) return;
  }
  forgetGroup(group);
}

function forgetGroup(group: number): void {
  if (alive.delete(group)) watchdog.forget(group);
}

function signalAll(group: number, mark: string, signal: NodeJS.Signals): void {
  trySignal(-group, signal);
  for (const pid of membersOf(group, mark)) trySignal(pid, signal);
}

function trySignal(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(target, signal);
    return true;
  } catch {
    return false;
  }
}

/**
 * Who belongs to a call: the group, and on Linux whoever left the group (`setsid`) but still carries the mark in its
 * environment. A zombie is nobody.
 */
function membersOf(group: number, mark: string): readonly number[] {
  const processes = processTable();
  if (processes === undefined) return trySignal(-group, 0) ? [group] : [];
  return processes
    .filter(({ state }) => state !== "Z" && state !== "X")
    .filter(({ pid, pgrp }) => pgrp === group || carries(pid, mark))
    .map(({ pid }) => pid);
}

type ProcessRow = { readonly pid: number; readonly state: string; readonly pgrp: number };

function processTable(): readonly ProcessRow[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? processRow(Number(name)) : []));
  } catch {
    return undefined;
  }
}

function processRow(pid: number): readonly ProcessRow[] {
  try {
    // The name in parentheses may hold anything, so what follows is counted from the last one.
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", , pgrp = ""] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return [{ pid, state, pgrp: Number(pgrp) }];
  } catch {
    return [];
  }
}

function carries(pid: number, mark: string): boolean {
  try {
    return `\0${readFileSync(`/proc/${pid}/environ`, "latin1")}`.includes(`\0${markVariable}=${mark}\0`);
  } catch {
    return false;
  }
}

/** Keeps the newest bytes. Adding costs nothing but the chunk itself, whatever was there before. */
function tailBuffer(bytesMax: number): {
  readonly add: (chunk: Buffer) => void;
  readonly read: () => { readonly text: string; readonly dropped: number };
} {
  const chunks: Buffer[] = [];
  let held = 0;
  let dropped = 0;
  return {
    add(chunk) {
      chunks.push(chunk);
      held += chunk.length;
      let first = chunks[0];
      while (first !== undefined && held - first.length >= bytesMax) {
        chunks.shift();
        held -= first.length;
        dropped += first.length;
        first = chunks[0];
      }
    },
    read: () => ({ text: Buffer.concat(chunks).toString("utf8"), dropped }),
  };
}
