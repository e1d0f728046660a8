import { afterAll, beforeAll, expect, test } from "vitest";
import { user, type AssistantMessage, type StreamEvent } from "../../src/core/index.ts";
import { ask, complete, IkigaiError } from "../../src/llm/index.ts";
import {
  faultKinds,
  startEmulator,
  type Answer,
  type Emulator,
  type Fault,
  type ScriptedToolCall,
} from "../../src/testing/index.ts";
import { callsIn, checkEvents, emulatorOptions, textIn, thinkingIn, weather } from "./lab.ts";
import { contractRows, optionsFor, specOf, titleOf, type ContractRow } from "./providers.ts";

const seeds = Array.from({ length: 1_000 }, (_seed, index) => index + 1);
/** Whatever happens, an exchange is over by then. */
const hangMs = 60_000;

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({
    ...emulatorOptions(),
    rule: ({ messages }) => {
      const { answer, fault } = planFor(Number(/seed (\d+)/.exec(messages.at(-1)?.text ?? "")?.[1]));
      return { answer, fault };
    },
  });
});
afterAll(() => emulator.close());

test(`seeds 1 to ${seeds.length}: no hang, no crash, nothing lost, one end`, { timeout: 180_000 }, async () => {
  // Those that end in silence wait together, for not too long; the others never have to.
  const silent = seeds.filter((seed) => silences.includes(planFor(seed).fault.kind));
  const others = seeds.filter((seed) => !silent.includes(seed));
  const ends = [
    ...(await inLanes(others, { lanes: 10, idle_timeout_ms: 30_000 })),
    ...(await inLanes(silent, { lanes: silent.length, idle_timeout_ms: 700 })),
  ];
  expect(ends.filter((end) => end !== "done" && end !== "error")).toEqual([]);
  expect(ends.length).toBe(seeds.length);
  for (const how of ["done", "error"]) expect(ends.filter((end) => end === how).length).toBeGreaterThan(100);
});

/** How each exchange ended, or what was wrong with it. */
async function inLanes(
  some: readonly number[],
  { lanes, idle_timeout_ms }: { readonly lanes: number; readonly idle_timeout_ms: number },
): Promise<readonly string[]> {
  const waiting = [...some];
  const ends: string[] = [];
  const lane = async (): Promise<void> => {
    for (let seed = waiting.shift(); seed !== undefined; seed = waiting.shift()) {
      const plan = planFor(seed);
      try {
        ends.push(await exchange(seed, plan, idle_timeout_ms));
      } catch (error) {
        ends.push(`seed ${seed} (${titleOf(plan.row)}, ${JSON.stringify(plan.fault)}): ${String(error)}`);
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return ends;
}

type Plan = {
  readonly row: ContractRow;
  readonly streamed: boolean;
  readonly answer: Answer & { readonly text: string; readonly tool_calls: readonly ScriptedToolCall[] };
  readonly fault: Fault;
  /** When the listener leaves, in events. */
  readonly leaves_after: number;
};

function planFor(seed: number): Plan {
  const dice = makeDice(seed);
  const row = dice.pick(contractRows);
  const kind = dice.pick(faultKinds);
  const place = dice.pick([{ after_frames: dice.upTo(30) }, { after_bytes: dice.upTo(4_000) }, {}]);
  const delay = kind === "slow" || kind === "never_ending" ? { delay_ms: 1 } : {};
  const fault: Fault = { kind, ...place, ...delay, ...(kind === "split" ? { size: 16 + dice.upTo(200) } : {}) };
  const thinking = "Hm, ŝ. ".repeat(dice.upTo(12));
  const text = "Words and 🌍. ".repeat(1 + dice.upTo(20));
  const tool_calls = Array.from({ length: dice.upTo(2) }, (_call, index) => ({
    name: "get_weather",
    arguments: { city: "Rome ".repeat(1 + index) },
  }));
  const answer = { thinking, text, tool_calls };
  return { row, streamed: dice.upTo(3) > 0, answer, fault, leaves_after: 3 + dice.upTo(40) };
}

async function exchange(seed: number, plan: Plan, idle_timeout_ms: number): Promise<"done" | "error"> {
  const { row, streamed, answer, fault, leaves_after } = plan;
  const controller = new AbortController();
  const options = { ...optionsFor(row, emulator, { idle_timeout_ms }), signal: controller.signal };
  const conversation = { messages: [user(`seed ${seed}`)], tools: [weather] };
  const asked = (streamed ? ask : complete)(specOf(row), conversation, options);
  const events: StreamEvent[] = [];
  const listen = async (): Promise<AssistantMessage | undefined> => {
    for await (const event of asked) {
      events.push(event);
      if (fault.kind === "never_ending" && events.length === leaves_after) controller.abort();
    }
    return asked.then(
      ({ message }) => message,
      (error: unknown) => {
        if (error instanceof IkigaiError) return error.partial;
        throw error;
      },
    );
  };
  const message = await inTime(listen());
  checkEvents(events);
  const whole = events.at(-1)?.type === "done" && fault.kind !== "never_ending" && fault.kind !== "thinking_eats_limit";
  expect(textIn(message), "what was heard is what is kept").toBe(heard(events, "text_delta"));
  expect(thinkingIn(message)).toBe(heard(events, "thinking_delta"));
  if (fault.kind === "never_ending") expect(endless.startsWith(textIn(message)), "nothing is made up").toBe(true);
  else expect(answer.text.startsWith(textIn(message)), "nothing is made up").toBe(true);
  if (whole) expect(textIn(message)).toBe(answer.text);
  if (whole) expect(callsIn(message).length).toBe(answer.tool_calls.length);
  for (const { invalid, arguments: given } of callsIn(message)) {
    const sent = answer.tool_calls.map((call) => JSON.stringify(call.arguments));
    expect(invalid === true || sent.includes(JSON.stringify(given)), "no half of a call can be run").toBe(true);
  }
  return events.at(-1)?.type === "done" ? "done" : "error";
}

function heard(events: readonly StreamEvent[], type: "text_delta" | "thinking_delta"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

async function inTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("it hangs")), hangMs);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** What never ends begins like this. */
const endless = Array.from({ length: 2_000 }, (_more, index) => `and ${index + 1} more `).join("");

/** In one piece an answer without end is silence, too. */
const silences = ["stall", "keep_alives_only", "stay_open", "never_ending"];

type Dice = { readonly upTo: (most: number) => number; readonly pick: <Item>(items: readonly Item[]) => Item };

/** The same numbers for the same seed (mulberry32). */
function makeDice(seed: number): Dice {
  let state = seed * 0x9e3779b9;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const upTo = (most: number): number => Math.floor(next() * (most + 1));
  return {
    upTo,
    pick: (items) => {
      const item = items[upTo(items.length - 1)];
      if (item === undefined) throw new Error("nothing to pick from");
      return item;
    },
  };
}
