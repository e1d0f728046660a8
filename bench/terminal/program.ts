import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

/** The built program on a terminal of its own, made by `script`; what it uses is read from /proc. */
export type OnTerminal = {
  /** Since its start, when this was first written. */
  readonly until: (wanted: string) => Promise<number>;
  readonly type: (keys: string) => void;
  readonly residentMb: () => number;
  /** Per cent of a core, over so long. */
  readonly cpuShare: (seconds: number) => Promise<number>;
  readonly end: () => Promise<void>;
};

export const available =
  process.platform === "linux" && spawnSync("script", ["-qec", "true", "/dev/null"], { stdio: "ignore" }).status === 0;

/** Somebody without keys and without a history, in a folder of their own. */
export function newHome(): { readonly home: string; readonly folder: string; readonly remove: () => void } {
  const home = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
  const folder = join(home, "project");
  mkdirSync(folder);
  return { home, folder, remove: () => rmSync(home, { recursive: true, force: true }) };
}

export function onTerminal({ home, folder }: { readonly home: string; readonly folder: string }): OnTerminal {
  const startedAt = performance.now();
  const child = start(`'${process.execPath}' '${launcher}'`, { home, folder });
  let written = "";
  let heard: (() => void) | undefined;
  child.stdout?.on("data", (data: Buffer) => {
    written += data.toString("utf8");
    heard?.();
  });
  const ended = new Promise((resolve) => child.once("close", resolve));
  const pid = (): number => programBelow(child.pid ?? 0);
  return {
    async until(wanted) {
      for (const deadline = performance.now() + patienceMs; !written.includes(wanted);) {
        if (performance.now() > deadline)
          throw new Error(`never written: ${wanted}; the end of what was: ${written.slice(-500)}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        heard = resolve;
        await Promise.race([promise, sleep(100)]);
      }
      return performance.now() - startedAt;
    },
    type: (keys) => void child.stdin?.write(keys),
    residentMb: () => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid()}/status`, "utf8"))?.[1]) / 1024,
    async cpuShare(seconds) {
      const before = ticksOf(pid());
      await sleep(seconds * 1000);
      // A tick is a hundredth of a second.
      return (ticksOf(pid()) - before) / seconds;
    },
    async end() {
      child.stdin?.write("\x03\x03\x04");
      await Promise.race([ended, sleep(5_000)]);
      child.kill("SIGKILL");
    },
  };
}

/** A Node that does nothing, on a terminal that is made in the same way. */
export async function emptyNode(place: { readonly home: string; readonly folder: string }): Promise<number> {
  const startedAt = performance.now();
  const child = start(`'${process.execPath}' -e 0`, place);
  await new Promise((resolve) => child.once("close", resolve));
  return performance.now() - startedAt;
}

function start(command: string, { home, folder }: { readonly home: string; readonly folder: string }): ChildProcess {
  const env = { PATH: process.env["PATH"], HOME: home, TERM: "xterm-256color", LANG: "C.UTF-8", SHELL: "/bin/sh" };
  const argv = ["-qefc", `exec ${command}`, "/dev/null"];
  return spawn("script", argv, { cwd: folder, env, stdio: ["pipe", "pipe", "ignore"] });
}

function programBelow(pid: number): number {
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    const [child] = readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ");
    if (child !== undefined && child !== "") return Number(child);
  }
  throw new Error("the program has ended");
}

function ticksOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return Number(fields[11]) + Number(fields[12]);
}

const launcher = fileURLToPath(new URL("../../bin/ikigai.cjs", import.meta.url));
const patienceMs = 60_000;
