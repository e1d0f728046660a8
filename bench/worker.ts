// One driver in a process of its own. Started by lanes.ts with the driver's file; measures what it is told to.

import { pathToFileURL } from "node:url";
import type { Driver } from "./driver.ts";
import { longHistory } from "./history.ts";
import { digestOf, type Understood, type Wire } from "./traffic.ts";

export type Task = {
  readonly wire: Wire;
  readonly base_url: string;
  /** How many exchanges are under way at once, and how often that is done. */
  readonly at_once: number;
  readonly times: number;
  readonly history_characters?: number;
};

export type Measured = {
  readonly cpu_us: number;
  readonly wall_ms: number;
  /** Of every answer, each different one once. */
  readonly digests: readonly string[];
  readonly unread: readonly (keyof Understood)[];
};

export type Reply = Measured | { readonly failed: string };

const [file = ""] = process.argv.slice(2);
const { driver }: { driver: Driver } = await import(pathToFileURL(file).href);
let opened: { readonly task: string; readonly ask: () => Promise<Understood> } | undefined;

process.on("message", (task: Task) => {
  void measure(task)
    .catch((error: unknown): Reply => ({ failed: error instanceof Error ? error.message : String(error) }))
    .then((reply) => process.send?.(reply));
});
process.on("disconnect", () => process.exit());
process.send?.("ready");

async function measure(task: Task): Promise<Reply> {
  const ask = open(task);
  const answers: Understood[] = [];
  // No forced collection here: it also throws away the shapes of objects that optimised code depends on, and with them
  // the code, so that every sample would measure its compilation.
  const startedAt = performance.now();
  const before = process.cpuUsage();
  for (let time = 0; time < task.times; time++) {
    if (task.at_once === 1) answers.push(await ask());
    else answers.push(...(await Promise.all(Array.from({ length: task.at_once }, ask))));
  }
  const { user, system } = process.cpuUsage(before);
  const wall_ms = performance.now() - startedAt;
  const unread = driver.unread?.[task.wire] ?? [];
  const digests = [...new Set(answers.map((answer) => digestOf(answer, unread)))];
  return { cpu_us: user + system, wall_ms, digests, unread };
}

function open(task: Task): () => Promise<Understood> {
  const { wire, base_url, history_characters } = task;
  const name = JSON.stringify([wire, base_url, history_characters]);
  if (opened?.task === name) return opened.ask;
  const exchange = driver.open(wire, base_url);
  const ask = history_characters === undefined ? exchange.ask : exchange.continue?.(longHistory(history_characters));
  if (ask === undefined) throw new Error("takes no history");
  opened = { task: name, ask };
  return ask;
}
