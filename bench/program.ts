import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { ours, type Row } from "./report.ts";
import { ratios, summarise } from "./stats.ts";

/** From the start of the program to its end, in milliseconds, against a Node that does nothing. */
export function programTimes(args: readonly string[], rounds: number): readonly Row[] {
  const empty: number[] = [];
  const own: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const [nothing, program] = [timeOf(["-e", "0"]), timeOf([launcher, ...args])];
    // The first fills the caches of the disk.
    if (round < 0) continue;
    empty.push(nothing);
    own.push(program);
  }
  return [
    { driver: "Node itself", value: summarise(empty) },
    {
      driver: ours,
      value: summarise(own),
      ratio: summarise(ratios(own, empty)),
      best_ratio: Math.min(...own) / Math.min(...empty),
    },
  ];
}

function timeOf(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status } = spawnSync(process.execPath, args, { stdio: "ignore" });
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}`);
  return performance.now() - startedAt;
}

const launcher = fileURLToPath(new URL("../bin/ikigai.cjs", import.meta.url));
