import { agentCases } from "./agents/cases.ts";
import { anthropicBundles, threeVendorBundles } from "./bundles.ts";
import { floorAndOurs } from "./entrants.ts";
import { brokenAnswers } from "./faults.ts";
import { flood } from "./memory.ts";
import { installedPackages } from "./packages.ts";
import type { Goal, Row } from "./report.ts";
import { programTimes } from "./program.ts";
import { coldFirstDelta, importTimes } from "./startup.ts";
import { storeCases } from "./store/cases.ts";
import { terminalCases } from "./terminal/cases.ts";
import { runStreams, type Entrant, type StreamCase } from "./streams.ts";
import { switching } from "./switching.ts";
import { partsOf, wires, type AnswerName, type Wire } from "./traffic.ts";
import { checkTimes } from "./types.ts";

export type Case = {
  /** `group` or `group/wire`; both can be named on the command line. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly goal?: Goal;
  readonly run: (setup: Setup) => Promise<readonly Row[]> | readonly Row[];
};

export type Setup = {
  readonly peers: readonly Entrant[];
  /** More of them for quieter figures, fewer for quicker ones. */
  readonly rounds: number;
};

const wireNames: { readonly [wire in Wire]: string } = {
  messages: "Anthropic Messages",
  responses: "OpenAI Responses",
  chat: "OpenAI Chat",
  gemini: "Gemini",
};

const perDelta = "µs of CPU per delta";
const floorGoal: Goal = { of: "ratio", max: 1.5 };

export const cases: readonly Case[] = [
  ...wires.map((wire) => streamed("text", wire, { title: "20,000 text deltas", answer: "text-20000", times: 1 })),
  ...wires.map((wire) =>
    streamed("mix", wire, { title: "2,000 deltas of thinking, text and a call", answer: "mix-2000", times: 10 }),
  ),
  ...wires.map(flatness),
  ...wires.map((wire) =>
    paced("paced-100", wire, {
      title: "100 streams at once, a delta every 10 ms",
      count: 100,
      pause_ms: 10,
      goal: { of: "ratio", max: 1.3 },
    }),
  ),
  paced("paced-1000", "messages", { title: "1,000 streams at once, a delta every 100 ms", count: 1000, pause_ms: 100 }),
  ...wires.map(longArguments),
  ...wires.map(longHistory),
  {
    name: "cold",
    title: "From the start of a process to the first delta (Anthropic)",
    unit: "ms of CPU",
    goal: { of: "ratio", max: 1.3 },
    run: ({ peers, rounds }) => coldFirstDelta(Math.ceil(rounds / 3), names(peers)),
  },
  {
    name: "import",
    title: "Importing, over a Node that imports nothing",
    unit: "ms of CPU",
    goal: { of: "value", max: 15 },
    run: ({ peers, rounds }) => importTimes(Math.ceil(rounds / 3), names(peers)),
  },
  {
    name: "program/version",
    title: "`ikigai --version`, from start to end",
    unit: "ms",
    goal: { of: "ratio", max: 1.5 },
    run: async ({ rounds }) => programTimes(["--version"], rounds),
  },
  {
    name: "program/help",
    title: "`ikigai --help`, from start to end",
    unit: "ms",
    goal: { of: "ratio", max: 3 },
    run: async ({ rounds }) => programTimes(["--help"], rounds),
  },
  {
    name: "program/command-help",
    title: "`ikigai mock --help`, from start to end",
    unit: "ms",
    goal: { of: "ratio", max: 3 },
    run: async ({ rounds }) => programTimes(["mock", "--help"], rounds),
  },
  {
    name: "bundle/anthropic",
    title: "What a page that asks Anthropic loads, minified and compressed",
    unit: "KB",
    goal: { of: "value", max: 20 },
    run: anthropicBundles,
  },
  {
    name: "bundle/three",
    title: "The same for Anthropic, OpenAI and Google",
    unit: "KB",
    goal: { of: "value", max: 45 },
    run: threeVendorBundles,
  },
  {
    name: "packages",
    title: "Packages to be installed for asking Anthropic, OpenAI and Google",
    unit: "packages",
    run: ({ peers }) => installedPackages(names(peers)),
  },
  {
    name: "switching",
    title: "One conversation with thinking on three vendors in turn, twice",
    unit: "of 6 requests taken",
    run: ({ peers }) => switching(names(peers)),
  },
  {
    name: "broken",
    title: "Answers that break on their way, five ways on each wire",
    unit: "are an error",
    run: ({ peers }) => brokenAnswers([...floorAndOurs.slice(1), ...peers]),
  },
  {
    name: "memory",
    title: "96 MiB of deltas passed on under a heap of 80 MiB",
    unit: "MB of heap at most",
    run: () => flood(96, 80),
  },
  {
    name: "types",
    title: "Type-checking fifty tools",
    unit: "ms more than none",
    run: ({ rounds }) => checkTimes(Math.ceil(rounds / 12)),
  },
  ...storeCases,
  ...agentCases,
  ...terminalCases,
];

function streamed(
  group: string,
  wire: Wire,
  { title, answer, times }: { readonly title: string; readonly answer: AnswerName; readonly times: number },
): Case {
  return {
    name: `${group}/${wire}`,
    title: `${title}, ${wireNames[wire]}`,
    unit: perDelta,
    goal: floorGoal,
    run: ({ peers, rounds }) =>
      runStreams(fast(wire, { answer, times, rounds, units: deltasOf(wire, answer) }), [...floorAndOurs, ...peers]),
  };
}

/** The same answer, ten and a hundred times as long. Only we and the floor: others are measured above. */
function flatness(wire: Wire): Case {
  return {
    name: `flat/${wire}`,
    title: `Cost of a delta by the length of the answer, ${wireNames[wire]}`,
    unit: perDelta,
    async run({ rounds }) {
      const rows: Row[] = [];
      for (const [deltas, times] of [
        [2_000, 10],
        [20_000, 1],
        [200_000, 1],
      ] as const) {
        const one = fast(wire, { answer: `text-${deltas}`, times, rounds: Math.ceil(rounds / 3), units: deltas });
        const found = await runStreams(one, floorAndOurs);
        rows.push(...found.map((row) => ({ ...row, driver: `${row.driver}, ${deltas.toLocaleString("en")} deltas` })));
      }
      return rows;
    },
  };
}

function paced(
  group: string,
  wire: Wire,
  {
    title,
    count,
    pause_ms,
    goal,
  }: { readonly title: string; readonly count: number; readonly pause_ms: number; readonly goal?: Goal },
): Case {
  const answer = `text-${pause_ms >= 100 ? 50 : 200}` as const;
  return {
    name: `${group}/${wire}`,
    title: `${title}, ${wireNames[wire]}`,
    unit: perDelta,
    ...(goal === undefined ? {} : { goal }),
    run: ({ peers, rounds }) =>
      runStreams(
        {
          ...fast(wire, { answer, times: 1, rounds: Math.ceil(rounds / 12), units: deltasOf(wire, answer) }),
          pause_ms,
          at_once: count,
        },
        [...floorAndOurs, ...peers],
      ),
  };
}

function longArguments(wire: Wire): Case {
  const pieces = wire === "gemini" ? "in one chunk" : "in pieces of 20 characters";
  return {
    name: `arguments/${wire}`,
    title: `A call with 1 MiB of arguments ${pieces}, ${wireNames[wire]}`,
    unit: "µs of CPU per KiB",
    run: ({ peers, rounds }) => {
      const times = wire === "gemini" ? 5 : 1;
      const one = fast(wire, { answer: "arguments-1048576", times, rounds: Math.ceil(rounds / 3), units: 1024 });
      return runStreams(one, [...floorAndOurs, ...peers]);
    },
  };
}

function longHistory(wire: Wire): Case {
  return {
    name: `history/${wire}`,
    title: `A question after a history of 5 MB, ${wireNames[wire]}`,
    unit: "µs of CPU per request",
    run: ({ peers, rounds }) => {
      const one = fast(wire, { answer: "text-20", times: 1, rounds: Math.ceil(rounds / 3), units: 1 });
      return runStreams({ ...one, history_characters: 5_000_000 }, [...floorAndOurs, ...peers]);
    },
  };
}

function fast(wire: Wire, given: Pick<StreamCase, "answer" | "times" | "rounds" | "units">): StreamCase {
  return { wire, pause_ms: 0, at_once: 1, ...given };
}

function deltasOf(wire: Wire, answer: AnswerName): number {
  return partsOf(wire, answer).reduce((sum, { deltas }) => sum + deltas.length, 0);
}

function names(peers: readonly Entrant[]): readonly string[] {
  return peers.map(({ driver }) => driver);
}
