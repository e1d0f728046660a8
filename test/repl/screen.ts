import { setTimeout as sleep } from "node:timers/promises";
import type { Services } from "../../src/repl/services.ts";
import { startScreen, type Running } from "../../src/repl/screen/app.ts";
import type { Store } from "../../src/store/index.ts";
import { simProvider } from "../../src/testing/sim/index.ts";
import { stage, type Stage, type StageOptions } from "../agent/support.ts";
import { createHandClock, createVirtualTerminal, type HandClock, type VirtualTerminal } from "../term/virtual.ts";
import { servicesOf } from "./machine.ts";

/** The whole screen over real agents and a real history, in a terminal without a window. Time passes when it is told to. */
export type Seat = Running & {
  readonly here: Stage;
  readonly services: Services;
  readonly terminal: VirtualTerminal;
  readonly clock: HandClock;
  /** Types, and lets what follows from it happen. */
  readonly press: (...keys: readonly string[]) => Promise<void>;
  /** Waits until the screen shows it; gives back what it shows. */
  readonly until: (wanted: string | RegExp) => Promise<string>;
  readonly gone: (unwanted: string | RegExp) => Promise<string>;
  readonly look: () => Promise<string>;
  /** The agent does nothing and the screen says so. */
  readonly idle: () => Promise<string>;
};

export type SeatOptions = StageOptions & {
  readonly columns?: number;
  readonly rows?: number;
  readonly services?: Partial<Services>;
  /** The simulated provider instead of the emulator with its scripts. */
  readonly sim?: boolean;
  /** Does not wait until the session is open. */
  readonly early?: boolean;
  /** Time between the pieces of its answers. */
  readonly delay_ms?: number;
};

export async function sit(store: Store, given: SeatOptions = {}): Promise<Seat> {
  const options = given.sim === true ? withSim(given) : given;
  const { columns = 80, rows = 24 } = options;
  const here = await stage(store, options);
  const services = servicesOf(here, {
    preferences: { keys: {}, theme: "dark", mouse: true, thinking: "collapsed", history_size: 100 },
    recall: async (uuid) => (await store.states.get(`screen:${uuid}`)) as string | undefined,
    remember: (uuid, state) => store.states.set(`screen:${uuid}`, state),
    typed: () => store.inputs.recent({ folder: "/somewhere", limit: 100 }),
    keepTyped: (content) => store.inputs.add({ folder: "/somewhere", content }),
    entry: (uuid) => store.history.entry(uuid),
    ...options.services,
  });
  const terminal = createVirtualTerminal(columns, rows);
  const clock = createHandClock();
  const running = startScreen(services, {
    terminal,
    clock,
    env: {},
    platform: "linux",
    colour_bits: 8,
    which: { which: "last" },
  });
  const look = async (): Promise<string> => {
    clock.advance(20);
    return (await terminal.screen()).join("\n");
  };
  const untilSo = async (what: string, check: (shown: string) => boolean): Promise<string> => {
    for (let looks = 0; looks < 1_000; looks++) {
      const shown = await look();
      if (check(shown)) return shown;
      await sleep(5);
    }
    throw new Error(`waited for ${what}, saw:\n${await look()}`);
  };
  const holds = (shown: string, wanted: string | RegExp): boolean =>
    typeof wanted === "string" ? shown.includes(wanted) : wanted.test(shown);
  const seat: Seat = {
    ...running,
    here,
    services,
    terminal,
    clock,
    async press(...keys) {
      for (const key of keys) {
        terminal.type(key);
        clock.advance(60);
        await sleep(0);
        await look();
      }
    },
    until: (wanted) => untilSo(String(wanted), (shown) => holds(shown, wanted)),
    gone: (unwanted) => untilSo(`the end of ${String(unwanted)}`, (shown) => !holds(shown, unwanted)),
    look,
    idle: () =>
      untilSo("an idle agent", () => here.agents.list().every(({ state, queued }) => state === "idle" && queued === 0)),
  };
  if (options.early !== true) await seat.gone("opening…");
  return seat;
}

function withSim(options: SeatOptions): SeatOptions {
  return {
    ...options,
    world: {
      llm: { providers: [simProvider({ delay_ms: options.delay_ms ?? 0 })] },
      model: "sim-think/low",
      ...options.world,
    },
    services: { without_key: true, ...options.services },
  };
}

export const enter = "\r";
export const escape = "\x1b";
export const key = {
  ctrl: (letter: string) => String.fromCharCode(letter.charCodeAt(0) - 96),
  page_up: "\x1b[5~",
  page_down: "\x1b[6~",
  home: "\x1b[H",
  end: "\x1b[F",
  ctrl_up: "\x1b[1;5A",
  ctrl_down: "\x1b[1;5B",
  ctrl_right: "\x1b[1;5C",
  ctrl_left: "\x1b[1;5D",
  up: "\x1b[A",
  down: "\x1b[B",
  tab: "\t",
  shift_enter: "\x1b[13;2u",
  alt_enter: "\x1b\r",
} as const;

/** Ids and times are others each run: letters instead of ids, no seconds. Widths stay. */
export function lasting(shown: string, agents: readonly string[]): string {
  const named = agents.reduce((text, uuid, index) => {
    const letter = "abcdefgh".charAt(index);
    return text.replaceAll(uuid, letter.repeat(uuid.length)).replaceAll(uuid.slice(0, 4), letter.repeat(4));
  }, shown);
  return named.replaceAll(/\b\d+(\.\d)?s\b/g, (time) => time.replaceAll(/\d/g, "0"));
}
