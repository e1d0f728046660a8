import { setTimeout as sleep } from "node:timers/promises";
import type { Case } from "../cases.ts";
import { ours, type Row } from "../report.ts";
import { ratios, summarise } from "../stats.ts";
import { longConversation } from "./history.ts";
import { available, emptyNode, newHome, onTerminal, type OnTerminal } from "./program.ts";

/** What the built program costs on a terminal: U05–U07. */
export const terminalCases: readonly Case[] = [
  {
    name: "terminal/prompt",
    title: "`ikigai` on a terminal, from start to the first picture with its prompt",
    unit: "ms",
    goal: { of: "ratio", max: 6 },
    run: ({ rounds }) => whereThereIsOne(() => prompts(Math.ceil(rounds / 4))),
  },
  {
    name: "terminal/memory",
    title: "Memory of an `ikigai` that waits for a first line",
    unit: "MB resident",
    goal: { of: "value", max: 100 },
    run: () => whereThereIsOne(() => measured(async (program) => [program.residentMb()])),
  },
  {
    name: "terminal/long",
    title: "Memory after 10,000 lines and 1,000 results of 50 KB, read to their beginning",
    unit: "MB resident",
    goal: { of: "value", max: 250 },
    run: () => whereThereIsOne(longMemory),
  },
  {
    name: "terminal/reopen",
    title: "The same conversation, from start to its last line on the screen",
    unit: "ms",
    goal: { of: "value", max: 1000 },
    run: ({ rounds }) => whereThereIsOne(() => reopened(Math.ceil(rounds / 12))),
  },
  {
    name: "terminal/idle",
    title: "An `ikigai` that waits, ten seconds long",
    unit: "% of a core",
    goal: { of: "value", max: 0.2 },
    run: () => whereThereIsOne(() => measured(async (program) => [await program.cpuShare(10)])),
  },
  {
    name: "terminal/stalled",
    title: "An answer that stalls, with a spinner, ten seconds long",
    unit: "% of a core",
    goal: { of: "value", max: 1 },
    run: () => whereThereIsOne(() => measured(stalled)),
  },
];

async function whereThereIsOne(run: () => Promise<readonly Row[]>): Promise<readonly Row[]> {
  return available ? run() : [{ driver: ours, failed: "needs Linux and `script` of util-linux" }];
}

async function prompts(rounds: number): Promise<readonly Row[]> {
  const [empty, first, whole]: [number[], number[], number[]] = [[], [], []];
  for (let round = -1; round < rounds; round++) {
    const place = newHome();
    const nothing = await emptyNode(place);
    const program = onTerminal(place);
    const shown = await program.until(hint);
    const open = await program.until("Three things to try");
    await program.end();
    place.remove();
    // The first fills the caches of the disk.
    if (round < 0) continue;
    empty.push(nothing);
    first.push(shown);
    whole.push(open);
  }
  return [
    { driver: "Node itself", value: summarise(empty) },
    {
      driver: ours,
      value: summarise(first),
      ratio: summarise(ratios(first, empty)),
      best_ratio: Math.min(...first) / Math.min(...empty),
      note: `with history, models and tools after ${summarise(whole).median.toFixed(0)} ms`,
    },
  ];
}

async function measured(read: (program: OnTerminal) => Promise<readonly number[]>): Promise<readonly Row[]> {
  const place = newHome();
  const program = onTerminal(place);
  try {
    await program.until("Three things to try");
    await sleep(settleMs);
    return [{ driver: ours, value: summarise(await read(program)) }];
  } finally {
    await program.end();
    place.remove();
  }
}

async function stalled(program: OnTerminal): Promise<readonly number[]> {
  program.type("stall");
  await sleep(500);
  program.type("\r");
  await program.until("And t");
  await sleep(settleMs);
  return [await program.cpuShare(10)];
}

const long = { lines: 10_000, results: 1_000 };

async function longMemory(): Promise<readonly Row[]> {
  const place = newHome();
  await longConversation(place, long);
  const program = onTerminal(place);
  try {
    await program.until("the end");
    await sleep(settleMs);
    const opened = program.residentMb();
    program.type("\x1b[H");
    await program.until("part 0");
    await sleep(settleMs);
    const note = `${opened.toFixed(0)} MB when it is opened`;
    return [{ driver: ours, value: summarise([program.residentMb()]), note }];
  } finally {
    await program.end();
    place.remove();
  }
}

async function reopened(rounds: number): Promise<readonly Row[]> {
  const place = newHome();
  await longConversation(place, long);
  const times: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const program = onTerminal(place);
    const shown = await program.until("the end");
    await program.end();
    if (round >= 0) times.push(shown);
  }
  place.remove();
  return [{ driver: ours, value: summarise(times) }];
}

const hint = "ask anything";
const settleMs = 2_000;
