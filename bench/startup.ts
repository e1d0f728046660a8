import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { peersFolder } from "./entrants.ts";
import { openServer } from "./lanes.ts";
import type { Row } from "./report.ts";
import { snippets, type Snippet } from "./snippets.ts";
import { ratios, summarise } from "./stats.ts";

/** What importing costs over a Node that imports nothing, in milliseconds of CPU; wall time in the note. That Node first. */
export async function importTimes(rounds: number, wanted: readonly string[] | undefined): Promise<readonly Row[]> {
  const programs = chosen(wanted).map((snippet) => ({ ...snippet, code: `${snippet.imports}\n${report}` }));
  const times = await interleaved(programs, rounds);
  const empty = times.get("floor") ?? [];
  return programs.map(({ driver }): Row => {
    const own = times.get(driver) ?? [];
    if (own.length === 0) return { driver, failed: "does not start" };
    const isNode = driver === "floor";
    const over = (key: keyof Times): readonly number[] =>
      own.map((time, round) => time[key] - (isNode ? 0 : (empty[round]?.[key] ?? 0)));
    const note = `${summarise(over("wall_ms")).median.toFixed(0)} ms of wall time`;
    return { driver: isNode ? "Node itself" : driver, value: summarise(over("cpu_ms")), note };
  });
}

/** From the start of a process to its first delta, in milliseconds of CPU; wall time in the note. */
export async function coldFirstDelta(rounds: number, wanted: readonly string[] | undefined): Promise<readonly Row[]> {
  const server = await openServer();
  try {
    await fetch(`${server.origin}/_ready/messages/text-20`);
    const programs = chosen(wanted)
      .filter(({ first_delta }) => first_delta !== "")
      .map((snippet) => ({ ...snippet, code: coldProgram(snippet, `${server.origin}/messages/text-20/0`) }));
    const times = await interleaved(programs, rounds);
    const floor = times.get("floor") ?? [];
    return programs.map(({ driver }): Row => {
      const own = times.get(driver) ?? [];
      if (own.length === 0) return { driver, failed: "does not start" };
      const list = (from: readonly Times[], key: keyof Times): readonly number[] => from.map((time) => time[key]);
      const wall = summarise(list(own, "wall_ms"));
      const wallRatio = summarise(ratios(list(own, "wall_ms"), list(floor, "wall_ms")));
      return {
        driver,
        value: summarise(list(own, "cpu_ms")),
        ratio: summarise(ratios(list(own, "cpu_ms"), list(floor, "cpu_ms"))),
        best_ratio: Math.min(...list(own, "cpu_ms")) / Math.min(...list(floor, "cpu_ms")),
        note: `${wall.median.toFixed(0)} ms of wall time, × ${wallRatio.median.toFixed(2)}`,
      };
    });
  } finally {
    server.close();
  }
}

type Times = { readonly cpu_ms: number; readonly wall_ms: number };
type Program = { readonly driver: string; readonly code: string };

function chosen(wanted: readonly string[] | undefined): readonly Snippet[] {
  return snippets.filter((snippet) => {
    if (snippet.package === undefined) return true;
    if (wanted !== undefined && !wanted.includes(snippet.driver)) return false;
    return existsSync(join(peersFolder, "node_modules", snippet.package));
  });
}

function coldProgram({ imports, first_delta }: Snippet, origin: string): string {
  return `${imports}\nconst first = () => { ${report} process.exit(); };\n${first_delta.replaceAll("ORIGIN", origin)}`;
}

/** One after the other, round after round, the first one once more at the start to fill the caches of the disk. */
async function interleaved(programs: readonly Program[], rounds: number): Promise<ReadonlyMap<string, Times[]>> {
  const times = new Map<string, Times[]>(programs.map(({ driver }) => [driver, []]));
  for (let round = -1; round < rounds; round++) {
    for (const { driver, code } of programs) {
      const measured = await runOnce(code);
      if (measured !== undefined && round >= 0) times.get(driver)?.push(measured);
    }
  }
  return times;
}

/** A program on standard input resolves packages from its folder, like a file there. */
async function runOnce(code: string): Promise<Times | undefined> {
  const child = spawn(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: peersFolder,
    stdio: ["ignore", "pipe", "ignore"],
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString("utf8")));
  await new Promise((settle) => child.once("close", settle));
  const line = output.split("\n").find((text) => text.startsWith('{"cpu_ms"'));
  return line === undefined ? undefined : (JSON.parse(line) as Times);
}

/** Said by the program itself when it is there: time and CPU since its process began. */
const report =
  "{ const { user, system } = process.cpuUsage(); const wall_ms = performance.now(); " +
  "console.log(JSON.stringify({ cpu_ms: (user + system) / 1000, wall_ms })); }";
