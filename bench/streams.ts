import { existsSync } from "node:fs";
import { openLane, openServer, type Lane } from "./lanes.ts";
import { longHistory } from "./history.ts";
import { ratios, summarise, type Summary } from "./stats.ts";
import { digestOf, partsOf, understoodFrom, type AnswerName, type Wire } from "./traffic.ts";
import type { Measured, Task } from "./worker.ts";

/** One kind of stream on one wire, read by everyone in turn. */
export type StreamCase = {
  readonly wire: Wire;
  readonly answer: AnswerName;
  /** Between two frames; 0: as fast as the socket takes them. */
  readonly pause_ms: number;
  readonly at_once: number;
  readonly times: number;
  readonly rounds: number;
  readonly history_characters?: number;
  /** What one figure is about: a delta, a request … */
  readonly unit: { readonly name: string; readonly per_exchange: number };
};

export type Lap = { readonly driver: string; readonly file: string };

export type StreamResult = {
  readonly driver: string;
  /** CPU per unit, in microseconds. */
  readonly cpu_us?: Summary;
  readonly ratio?: Summary;
  /** Not read by this library on this wire, so not part of the comparison of contents. */
  readonly unread?: readonly string[];
  readonly failed?: string;
};

/** Everyone warms up, then everyone takes a turn in every round, the floor first. */
export async function runStreams(one: StreamCase, laps: readonly Lap[]): Promise<readonly StreamResult[]> {
  const server = await openServer();
  const lanes = new Map<string, Lane>();
  const failures = new Map<string, string>();
  const samples = new Map<string, Measured[]>();
  const base_url = `${server.origin}/${one.wire}/${one.answer}/${one.pause_ms}`;
  const task: Task = { wire: one.wire, base_url, ...pick(one) };
  const attempt = async (driver: string, work: () => Promise<Measured>): Promise<Measured | undefined> => {
    if (failures.has(driver)) return undefined;
    try {
      const measured = await work();
      await verify(one, measured, server.origin);
      return measured;
    } catch (error) {
      failures.set(driver, error instanceof Error ? error.message : String(error));
      return undefined;
    }
  };
  try {
    await fetch(`${server.origin}/_ready/${one.wire}/${one.answer}`);
    for (const { driver, file } of laps) {
      if (!existsSync(file)) failures.set(driver, "is not installed");
      await attempt(driver, async () => {
        const lane = await openLane(file);
        lanes.set(driver, lane);
        return lane.run(task);
      });
    }
    for (let round = -warmUpRounds; round < one.rounds; round++) {
      for (const { driver } of laps) {
        const measured = await attempt(driver, () => runIn(lanes, driver, task));
        if (measured !== undefined && round >= 0) samples.set(driver, [...(samples.get(driver) ?? []), measured]);
      }
    }
  } finally {
    for (const lane of lanes.values()) lane.close();
    server.close();
  }
  return results(one, laps, { samples, failures });
}

function pick({
  at_once,
  times,
  history_characters,
}: StreamCase): Pick<Task, "at_once" | "times" | "history_characters"> {
  return { at_once, times, ...(history_characters === undefined ? {} : { history_characters }) };
}

async function runIn(lanes: ReadonlyMap<string, Lane>, driver: string, task: Task): Promise<Measured> {
  const lane = lanes.get(driver);
  if (lane === undefined) throw new Error("did not start");
  return lane.run(task);
}

/** A fast reader that reads wrongly is not fast. */
async function verify(one: StreamCase, { digests, unread }: Measured, origin: string): Promise<void> {
  const wanted = digestOf(understoodFrom(partsOf(one.wire, one.answer)), unread);
  if (digests.length !== 1 || digests[0] !== wanted) throw new Error("understood something else than was sent");
  if (one.history_characters === undefined) return;
  const response = await fetch(`${origin}/_received`);
  const { bytes }: { bytes: number } = (await response.json()) as { bytes: number };
  const least = longHistory(one.history_characters).length;
  if (bytes < one.history_characters) throw new Error(`sent ${bytes} bytes of ${least} turns`);
}

function results(
  one: StreamCase,
  laps: readonly Lap[],
  found: { readonly samples: ReadonlyMap<string, Measured[]>; readonly failures: ReadonlyMap<string, string> },
): readonly StreamResult[] {
  const units = one.unit.per_exchange * one.at_once * one.times;
  const costs = (driver: string): readonly number[] =>
    (found.samples.get(driver) ?? []).map(({ cpu_us }) => cpu_us / units);
  const floor = costs(laps[0]?.driver ?? "");
  return laps.map(({ driver }) => {
    const failed = found.failures.get(driver);
    if (failed !== undefined) return { driver, failed };
    const unread = found.samples.get(driver)?.[0]?.unread ?? [];
    return {
      driver,
      cpu_us: summarise(costs(driver)),
      ratio: summarise(ratios(costs(driver), floor)),
      ...(unread.length === 0 ? {} : { unread }),
    };
  });
}

const warmUpRounds = 2;
