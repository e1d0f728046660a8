import { pathToFileURL } from "node:url";
import { startEmulator, type Emulator, type Fault } from "../src/testing/index.ts";
import type { Driver, Exchange } from "./driver.ts";
import type { Row } from "./report.ts";
import { summarise } from "./stats.ts";
import type { Entrant } from "./streams.ts";
import { wires } from "./traffic.ts";

/**
 * How many of the answers that broke on their way were reported as broken. What is not reported is taken for whole: half a
 * sentence, or nothing at all, as if the model had said so.
 */
export async function brokenAnswers(entrants: readonly Entrant[]): Promise<readonly Row[]> {
  const emulator = await startEmulator({ unknown_models: "serve" });
  try {
    const rows: Row[] = [];
    for (const entrant of entrants) rows.push(await rowOf(entrant, emulator));
    return rows;
  } finally {
    await emulator.close();
  }
}

async function rowOf({ driver: name, file, wires: spoken = wires }: Entrant, emulator: Emulator): Promise<Row> {
  const { driver }: { driver: Driver } = await import(pathToFileURL(file).href);
  const found: { readonly [ending in Ending]: string[] } = { error: [], word: [], whole: [] };
  for (const wire of spoken) {
    const { ask } = driver.open(wire, emulator.url);
    const usual = await endOf(ask, emulator);
    if (usual === failure) return { driver: name, failed: `does not understand a whole answer on ${wire}` };
    for (const [what, fault] of faults) {
      const finish = await endOf(ask, emulator, fault);
      const ending = finish === failure ? "error" : finish === usual ? "whole" : "word";
      found[ending].push(`${what} (${wire})`);
    }
  }
  const remarks = [
    `of ${spoken.length * faults.length}`,
    ...(found.word.length === 0 ? [] : [`only another finish reason, or none: ${found.word.join(", ")}`]),
    ...(found.whole.length === 0 ? [] : [`taken for whole: ${found.whole.join(", ")}`]),
  ];
  return { driver: name, value: summarise([found.error.length]), note: remarks.join("; ") };
}

type Ending = "error" | "word" | "whole";

/** The finish reason that the library gives, or that it reported a failure. */
async function endOf(ask: Exchange["ask"], emulator: Emulator, fault?: Fault): Promise<string | undefined> {
  emulator.reset();
  const answer = { text: "The first half of a sentence, and here is the other half of it." };
  emulator.script({ answer, chunk_size: 6, times: "always", ...(fault === undefined ? {} : { fault }) });
  try {
    const { finish } = await ask();
    return finish ?? undefined;
  } catch {
    return failure;
  }
}

const failure = "(failure)";

const faults: readonly (readonly [string, Fault])[] = [
  ["ends early", { kind: "cut", after_frames: 6 }],
  ["connection breaks", { kind: "reset", after_frames: 6 }],
  ["error in the middle", { kind: "late_error", error: "server" }],
  ["error with status 200", { kind: "error_in_200", error: "server" }],
  ["a page instead", { kind: "wrong_content_type", text: "<html>Sign in to the network</html>" }],
];
