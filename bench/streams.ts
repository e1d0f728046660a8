import { existsSync } from "node:fs";
import { openLane, openServer, type Lane } from "./lanes.ts";
import type { Row } from "./report.ts";
import { ratios, summarise } from "./stats.ts";
import { digestOf, partsOf, understoodFrom, type AnswerName, type Wire } from "./traffic.ts";
import type { Measured, Task } from "./worker.ts";

/** One kind of stream on one wire, read by everyone in turn. */
export type StreamCase = {
  readonly wire: Wire;
  readonly answer: AnswerName;
  /** Between two frames; 0: as fast as the socket takes them. */
  readonly pause_ms: number;
  /** Exchanges under way at once, and how often that is done for one sample. */
  readonly at_once: number;
  readonly times: number;
  readonly rounds: number;
  readonly history_characters?: number;
  /** How many of what a figure is about (deltas, requests) one exchange has. */
  readonly units: number;
};

/**
 * Who takes part, and the file that knows how. The first is the measure for the others. `every`: in how many rounds it
 * takes a turn; what is ten times slower can be told apart with fewer.
 */
export type Entrant = {
  readonly driver: string;
  readonly file: string;
  readonly wires?: readonly Wire[];
  readonly every?: number;
};

/** Everyone warms up, then everyone takes a turn in every round. CPU per unit, in microseconds. */
export async function runStreams(one: StreamCase, entrants: readonly Entrant[]): Promise<readonly Row[]> {
  const server = await openServer();
  const { wire, answer, pause_ms, at_once, history_characters } = one;
  const task: Task = {
    wire,
    base_url: `${server.origin}/${wire}/${answer}/${pause_ms}`,
    at_once,
    times: 1,
    ...(history_characters === undefined ? {} : { history_characters }),
  };
  const runners: Runner[] = [];
  try {
    await fetch(`${server.origin}/_ready/${wire}/${answer}`);
    for (const entrant of entrants.filter(({ wires }) => wires?.includes(wire) ?? true)) {
      const runner = await start(entrant, task, one);
      runners.push(runner);
      if (history_characters !== undefined) runner.received = await received(server.origin);
    }
    for (let round = 0; round < one.rounds; round++) {
      for (const runner of runners) await takeTurn(runner, task, { ...one, round });
    }
  } finally {
    for (const { lane } of runners) lane?.close();
    server.close();
  }
  return rows(runners, one);
}

type Runner = {
  readonly driver: string;
  readonly every: number;
  lane?: Lane;
  /** Of those who are too slow for all of them. */
  times: number;
  spent_ms: number;
  failed?: string;
  unread: readonly string[];
  /** What the server saw of the history. */
  received?: string;
  readonly cpu_us: (number | undefined)[];
};

async function start({ driver, file, every = 1 }: Entrant, task: Task, one: StreamCase): Promise<Runner> {
  const runner: Runner = { driver, every, times: 1, spent_ms: 0, unread: [], cpu_us: [] };
  if (!existsSync(file)) return { ...runner, failed: "is not there" };
  try {
    const lane = await openLane(file);
    runner.lane = lane;
    const first = await lane.run(task);
    verify(one, first);
    runner.unread = first.unread;
    runner.times = Math.max(1, Math.min(one.times, Math.floor(sampleMsMax / first.wall_ms)));
    for (let warm = first.wall_ms, count = 0; warm < warmUpMsMax && count < warmUps; count++) {
      warm += (await lane.run({ ...task, times: runner.times })).wall_ms;
    }
  } catch (error) {
    runner.failed = messageOf(error);
  }
  return runner;
}

async function takeTurn(runner: Runner, task: Task, one: StreamCase & { readonly round: number }): Promise<void> {
  const { lane, times } = runner;
  const isOut = runner.failed !== undefined || runner.spent_ms > turnsMsMax;
  // A round that one of them skips is still a round, so that figures are compared within it.
  if (isOut || lane === undefined || one.round % runner.every !== 0) {
    return void runner.cpu_us.push(undefined);
  }
  try {
    const measured = await lane.run({ ...task, times });
    verify(one, measured);
    runner.spent_ms += measured.wall_ms;
    runner.cpu_us.push(measured.cpu_us / (one.units * one.at_once * times));
  } catch (error) {
    runner.failed = messageOf(error);
  }
}

/** A fast reader that reads wrongly is not fast. */
function verify(one: StreamCase, { digests, unread }: Measured): void {
  const name = [one.wire, one.answer, ...unread].join(" ");
  const wanted = wantedDigests.get(name) ?? digestOf(understoodFrom(partsOf(one.wire, one.answer)), unread);
  wantedDigests.set(name, wanted);
  if (digests.length !== 1 || digests[0] !== wanted) throw new Error("understood something else than was sent");
}

const wantedDigests = new Map<string, string>();

async function received(origin: string): Promise<string> {
  const response = await fetch(`${origin}/_received`);
  const { digest } = (await response.json()) as { digest: string };
  return digest;
}

function rows(runners: readonly Runner[], one: StreamCase): readonly Row[] {
  const [floor] = runners;
  return runners.map((runner): Row => {
    const { driver, failed, cpu_us } = runner;
    if (failed !== undefined) return { driver, failed };
    const notes = [
      ...(runner.unread.length > 0 ? [`does not read ${runner.unread.join(", ")} here`] : []),
      ...(runner.received === floor?.received ? [] : ["sends another history than it was given"]),
      ...(runner.times < one.times ? [`${runner.times} of ${one.times} exchanges a sample`] : []),
    ];
    return {
      driver,
      value: summarise(cpu_us.filter((value) => value !== undefined)),
      ratio: summarise(ratios(cpu_us, floor?.cpu_us ?? [])),
      best_ratio: lowest(cpu_us) / lowest(floor?.cpu_us ?? []),
      ...(notes.length === 0 ? {} : { note: notes.join("; ") }),
    };
  });
}

function lowest(values: readonly (number | undefined)[]): number {
  return Math.min(...values.filter((value) => value !== undefined));
}

function messageOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  return message.split("\n")[0] ?? message;
}

const warmUps = 10;
const warmUpMsMax = 3_000;
const sampleMsMax = 1_000;
const turnsMsMax = 20_000;
