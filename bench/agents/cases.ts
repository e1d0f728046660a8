import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Case } from "../cases.ts";
import type { Row } from "../report.ts";
import { summarise } from "../stats.ts";

/** Many agents in one process, each with its own answer arriving, all written to one history. */
export const agentCases: readonly Case[] = [
  {
    name: "agents/turn",
    title: "An answer of 7 KB that takes its provider a second or two, by how many agents get one at once",
    unit: "ms",
    run: async () =>
      (await crowds()).map(({ count, took_ms }) =>
        row(count, took_ms, "first and last close together: nobody starves"),
      ),
  },
  {
    name: "agents/memory",
    title: "Memory per agent that streams",
    unit: "KB of heap",
    run: async () =>
      (await crowds()).map(({ count, peak_kb_per_agent, rss_mb, cpu_ms_per_agent }) =>
        row(
          count,
          [peak_kb_per_agent],
          `${rss_mb.toFixed(0)} MB resident, ${cpu_ms_per_agent.toFixed(1)} ms of CPU each`,
        ),
      ),
  },
  {
    name: "agents/interrupt",
    title: "From the interrupt of all of them to each being ready again",
    unit: "ms",
    run: async () => (await crowds()).map(({ count, stopped_ms }) => row(count, stopped_ms)),
  },
];

type Crowd = {
  readonly count: number;
  readonly took_ms: readonly number[];
  readonly stopped_ms: readonly number[];
  readonly peak_kb_per_agent: number;
  readonly cpu_ms_per_agent: number;
  readonly rss_mb: number;
};

let measured: Promise<readonly Crowd[]> | undefined;

/** The three cases look at the same runs. */
function crowds(): Promise<readonly Crowd[]> {
  measured ??= (async () => {
    const found: Crowd[] = [];
    for (const count of counts) found.push(await measure(count));
    return found;
  })();
  return measured;
}

async function measure(count: number): Promise<Crowd> {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-crowd-"));
  try {
    const script = fileURLToPath(new URL("./crowd.ts", import.meta.url));
    const child = spawn(process.execPath, ["--expose-gc", script, String(count), folder], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let output = "";
    child.stdout.on("data", (data: Buffer) => (output += data.toString("utf8")));
    const code = await new Promise((settle) => void child.once("close", settle));
    if (code !== 0) throw new Error(`a crowd of ${count} ended with ${String(code)}`);
    return { count, ...(JSON.parse(output) as Omit<Crowd, "count">) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function row(count: number, values: readonly number[], note?: string): Row {
  return { driver: `${count} agents`, value: summarise([...values]), ...(note === undefined ? {} : { note }) };
}

const counts = [1, 10, 100];
