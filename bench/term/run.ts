import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { compose } from "../../test/term/composition.ts";
import type { Terminal, TerminalHandlers } from "../../src/term/index.ts";
import { root } from "../../tools/files.mjs";

// node bench/term/run.ts: what the screen costs. Goals are U05–U07; the small program of test/term stands in for ours.

/** A terminal that only takes notes. */
function createSink(columns: number, rows: number) {
  let handlers: TerminalHandlers | undefined;
  const seen = { bytes: 0, writes: 0 };
  const terminal: Terminal = {
    size: () => ({ columns, rows }),
    write(text) {
      seen.bytes += text.length;
      seen.writes += 1;
      return true;
    },
    setMode: () => undefined,
    start(given) {
      handlers = given;
    },
    pause: () => undefined,
    resume: () => undefined,
    suspend: () => undefined,
    stop: () => undefined,
  };
  return { terminal, seen, type: (text: string) => handlers?.input(new TextEncoder().encode(text)) };
}

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;
const cpuMs = () => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;

async function keys(): Promise<void> {
  const { terminal, seen, type } = createSink(120, 40);
  const { say } = compose(terminal);
  for (let index = 0; index < 10_000; index++) say(`line ${index}`, `transcript line ${index} with some words in it`);
  await sleep(50);
  const waits: number[] = [];
  const cpu = cpuMs();
  const count = 300;
  for (let index = 0; index < count; index++) {
    const writes = seen.writes;
    const start = performance.now();
    type(index % 40 === 39 ? "\x15" : "x");
    while (seen.writes === writes) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
    }
    waits.push(performance.now() - start);
    // Longer than a frame: people type slower than that.
    await sleep(20);
  }
  console.log(`key to output, 10,000 lines: ${median(waits).toFixed(2)} ms (worst ${Math.max(...waits).toFixed(1)})`);
  console.log(`CPU per key: ${((cpuMs() - cpu) / count).toFixed(2)} ms, with the waiting`);
}

async function stream(): Promise<void> {
  const { terminal, seen } = createSink(120, 40);
  const { say } = compose(terminal);
  await sleep(50);
  const cpu = cpuMs();
  const bytes = seen.bytes;
  for (let index = 0; index < 2000; index++) {
    say("answer", `streamed line ${index} with some words in it\n`);
    if (index % 10 === 0) await sleep(10);
  }
  await sleep(50);
  console.log(
    `2,000 streamed lines: ${(cpuMs() - cpu).toFixed(0)} ms CPU, ${((seen.bytes - bytes) / 1024).toFixed(0)} KB written`,
  );
}

/** The demo in tmux, its use of the processor read from /proc. */
async function inTmux(name: string, env: string, seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
  const tmux = (...args: readonly string[]) =>
    execFileSync("tmux", ["-S", join(folder, "tmux"), "-f", "/dev/null", ...args], { encoding: "utf8" });
  try {
    const command = `cd ${root} && exec env ${env} ${process.execPath} test/term/demo.ts`;
    tmux("new-session", "-d", "-s", "demo", "-x", "120", "-y", "40", command);
    await sleep(2000);
    const pid = tmux("display-message", "-p", "-t", "demo", "#{pane_pid}").trim();
    const ticks = () => {
      const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
        .replace(/^.*\) /, "")
        .split(" ");
      return Number(fields[11]) + Number(fields[12]);
    };
    const before = ticks();
    await sleep(seconds * 1000);
    const share = (ticks() - before) / seconds;
    const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    console.log(`${name}: ${share.toFixed(2)} % of a core, ${(Number(resident) / 1024).toFixed(0)} MB`);
  } finally {
    spawnSync("tmux", ["-S", join(folder, "tmux"), "kill-server"]);
    rmSync(folder, { recursive: true, force: true });
  }
}

await keys();
await stream();
if (process.platform === "linux" && spawnSync("tmux", ["-V"]).status === 0) {
  await inTmux("idle", "DEMO_LINES=0", 20);
  await inTmux("idle, 10,000 lines", "DEMO_LINES=10000", 20);
  await inTmux("moving", "DEMO_ANIMATE=1", 20);
}
// The program above never ends by itself: it waits for keys.
process.exit(0);
