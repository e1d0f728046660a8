import { afterEach, describe, expect, test } from "vitest";
import { stripLine } from "../../src/repl/screen/bars.ts";
import { createChoice, textOf } from "../../src/term/index.ts";
import type { Store } from "../../src/store/index.ts";
import { histories } from "../store/support/engines.ts";
import { enter, escape, key, type Seat, sit, type SeatOptions } from "./screen.ts";

const { open, target } = histories("sqlite");
const seats: Seat[] = [];

async function seat(options: SeatOptions = {}, store?: Store): Promise<Seat> {
  const one = await sit(store ?? (await open()), options);
  seats.push(one);
  return one;
}

afterEach(async () => {
  for (const one of seats.splice(0)) await one.close();
});

describe("reading", () => {
  test("U02 PgUp while it streams keeps the first line; new lines are counted; End returns", async () => {
    const { press, until, look, idle } = await seat({ sim: true, delay_ms: 2 });
    await press("write 80 lines", enter);
    await until(/^ [23]\d\. /m);
    await press(key.page_up);
    const [, first] = (await look()).split("\n");
    const later = await until(/\d\d+ new lines · End/);
    expect(later.split("\n")[1]).toBe(first);
    await idle();
    expect((await look()).split("\n")[1]).toBe(first);
    await press(key.end);
    expect(await look()).toContain(" 80. ");
  });

  test("U01 2,000 lines into 24 rows: nothing is cleared, every frame is synchronized and small", async () => {
    // A piece each: ten lines.
    const text = Array.from({ length: 200 }, (_, piece) =>
      Array.from({ length: 10 }, (_line, index) => `${piece * 10 + index + 1}. short\n`).join(""),
    );
    const { press, until, terminal } = await seat({ emulator: { delay_ms: 2, script: [{ answer: { text } }] } });
    const before = terminal.writes.length;
    await press("write 2000 lines", enter);
    await until(" 2000. ");
    const frames = terminal.writes.slice(before).filter((write) => write !== "");
    expect(frames.length).toBeGreaterThan(20);
    for (const frame of frames) {
      expect(frame).not.toContain("\x1b[2J");
      expect(frame.startsWith("\x1b[?2026h")).toBe(true);
      expect(frame.length).toBeLessThanOrEqual(24 * 80 * 8);
    }
  });

  test("U04 Ctrl+F finds text anywhere, also on pages that are not loaded", async () => {
    const store = await open();
    const one = await seat({ sim: true }, store);
    await one.press("the needle is here", enter);
    await one.until("Tokens:");
    const entries = Array.from({ length: 600 }, (_, index) => ({ kind: "mark", content: `m${index}` }) as const);
    await store.history.append(one.here.root, entries);
    const two = await seat({ sim: true, open: { session_uuid: one.here.agents.session_uuid } }, store);
    await two.until("m599");
    expect(await two.look()).not.toContain("needle");
    await two.press(key.ctrl("f"), "needle is here", enter);
    await two.until("“the needle is here”");
    await two.press(escape);
    await two.gone("find:");
  });

  test("U11 100 → 40 → 100 columns in the middle of a stream: one copy of each line", async () => {
    const { press, until, terminal, look, idle } = await seat({ sim: true, columns: 100, delay_ms: 3 });
    await press("write 12 lines", enter);
    await until(/^ 3\. /m);
    terminal.resize(40, 24);
    await look();
    terminal.resize(100, 24);
    await idle();
    const shown = await until("Tokens:");
    for (let number = 4; number <= 12; number++) {
      expect(shown.split("\n").filter((row) => row.startsWith(` ${number}. `))).toHaveLength(1);
    }
  });

  test("U10 the cursor is at the caret after wide characters", async () => {
    const { press, terminal } = await seat({ sim: true });
    await press("한글 日本語");
    expect((await terminal.cursor()).column).toBe(2 + 4 + 1 + 6);
  });

  test("U10 the cursor is at the caret after 👨‍👩‍👧‍👦, however wide the terminal draws it, and one key takes it away", async () => {
    const { press, terminal } = await seat({ sim: true });
    await press("한글 👨‍👩‍👧‍👦");
    const at = await terminal.cursor();
    await press("#");
    expect(terminal.row(at.row)[at.column]).toBe("#");
    expect((await terminal.cursor()).column).toBe(at.column + 1);
    await press("\x7f", "\x7f");
    expect((await terminal.cursor()).column).toBe(2 + 4 + 1);
  });

  test("a click opens what is folded, Ctrl+T all thinking, Ctrl+O the whole output of the last tool", async () => {
    const { press, until, terminal, look, clock } = await seat({ sim: true });
    await press("think about clicks", enter);
    const shown = await until("Tokens:");
    expect(shown).not.toContain("The user brings up");
    const row = shown.split("\n").findIndex((text) => text.includes("▸ thought"));
    terminal.type(`\x1b[<0;5;${row + 1}M\x1b[<0;5;${row + 1}m`);
    await until("The user brings up");
    terminal.type(`\x1b[<0;5;${row + 1}M\x1b[<0;5;${row + 1}m`);
    clock.advance(100);
    expect(await look()).not.toContain("The user brings up");
    await press(key.ctrl("t"));
    expect(await look()).toContain("The user brings up");
    await press(key.ctrl("o"));
    expect(await look()).toContain("no tool was used");
  });

  test("U08 /mouse off gives the mouse to the terminal; the wheel scrolls while it is ours", async () => {
    const { press, until, terminal, gone } = await seat({ sim: true });
    expect(terminal.modes.has("mouse")).toBe(true);
    await press("write 60 lines", enter);
    await until("Tokens:");
    terminal.type("\x1b[<64;5;5M");
    await gone("Tokens:");
    await press("/mouse off", enter);
    await until("The mouse is the terminal's");
    expect(terminal.modes.has("mouse")).toBe(false);
  });

  test("? lists the keys on an empty line and is a letter elsewhere", async () => {
    const { press, look, until } = await seat({ sim: true });
    await press("what?");
    expect(await look()).toContain("> what?");
    await press(key.ctrl("c"), "?");
    await until("── Keys");
    expect(await look()).toContain("interrupt the running turn, and only that");
    await press(escape);
    await until("ask anything");
  });

  test("keys of one's own: what they take from others is said, what is none is reported", async () => {
    const { press, look, until } = await seat({
      sim: true,
      services: {
        preferences: {
          keys: { help: ["f1"], find: ["no such key"] },
          theme: "dark",
          mouse: false,
          thinking: "collapsed",
          history_size: 100,
        },
      },
    });
    await until("this is no key");
    await press("?");
    expect(await look()).toContain("> ?");
    await press("\x1bOP");
    await until("── Keys");
  });
});

describe("agents on the screen", () => {
  test("a fork is shown in the strip; keys go to parent, child, siblings and numbers; each keeps its draft", async () => {
    const { press, until, look, here } = await seat({ sim: true });
    await press('/fork --model sim-echo "one"', enter);
    await until("› one");
    const child = here.agents.list()[1]?.uuid.slice(0, 4) ?? "";
    const current = new RegExp(`● ${child}`);
    await until(current);
    await press("for the child");
    await press(key.ctrl_up);
    expect(await look()).toMatch(/● root/);
    expect(await look()).not.toContain("for the child");
    await press(key.ctrl_down);
    expect(await look()).toContain("> for the child");
    await press("\x1b1");
    expect(await look()).toMatch(/● root/);
    await press("\x1b2");
    expect(await look()).toMatch(current);
  });

  test("the strip and /agents tell who is done, who failed and who has done nothing", async () => {
    const { press, until, gone, here, idle, look } = await seat({ sim: true, columns: 120 });
    for (const prompt of ["hello", "fail billing"]) {
      await here.agents.command({ type: "fork", agent_uuid: here.root, prompt });
    }
    await idle();
    const [done = "", failed = ""] = here.agents
      .list()
      .flatMap(({ uuid }) => (uuid === here.root ? [] : [uuid.slice(0, 4)]));
    await until(
      new RegExp(`● root \\S+ sim-think/low idle │ ✓ ${done} sim-think/low │ ✗ ${failed} sim-think/low failed`),
    );
    await press("/agents", enter);
    const tree = await until("── Agents");
    expect(tree).toContain(`${done} sim-think/low idle`);
    expect(tree).toContain(`${failed} sim-think/low failed`);
    await press(escape);
    await gone("── Agents");
    await press("\x1b3");
    expect(await look()).toMatch(new RegExp(`○ root \\S+ sim-think/low idle │ .* │ ✗ ${failed}`));
    await press("hello", enter);
    await until(new RegExp(`● ${failed} sim-think/low idle`));
  });

  test.each([
    [80, 24],
    [120, 40],
  ])("of ten agents the one that is shown is in the strip at %i×%i", async (columns, rows) => {
    const { press, look, here } = await seat({ sim: true, columns, rows });
    for (let child = 0; child < 9; child++) await here.agents.command({ type: "fork", agent_uuid: here.root });
    const uuids = here.agents.list().map(({ uuid }) => uuid.slice(0, 4));
    await look();
    for (const [index, uuid] of uuids.slice(0, 9).entries()) {
      await press(`\x1b${index + 1}`);
      const strip = (await look()).split("\n").find((row) => row.includes("│")) ?? "";
      expect(strip).toMatch(new RegExp(`● (root )?${uuid.replaceAll("-", "\\-")} sim-think/low idle`));
      expect(strip.length).toBeLessThanOrEqual(columns);
    }
  });

  test("who asks and has no place in the strip is announced at its end", async () => {
    const { app, here } = await seat({ sim: true });
    for (let child = 0; child < 9; child++) await here.agents.command({ type: "fork", agent_uuid: here.root });
    const summaries = here.agents.list();
    const choice = createChoice<"no">({ title: [], body: () => [], options: [] });
    const shown = (asks: number): string => {
      const questions = [{ id: "q", agent_uuid: summaries[asks]?.uuid ?? "", choice }];
      const state = { ...app.state, summaries, questions };
      return textOf(stripLine(state, { now: 0, activity: () => undefined }, 60) ?? []);
    };
    expect(shown(1)).toMatch(/\? \S{4} asks \(Tab\).*│ \d›$/);
    expect(shown(9)).toMatch(/│ \d› \? \(Tab\)$/);
  });

  test("the footer keeps the money of the tree where there is little room", async () => {
    const { press, until, here } = await seat({ sim: true, columns: 64 });
    await press("think about money", enter);
    await until("Tokens:");
    await here.agents.command({ type: "fork", agent_uuid: here.root });
    expect(await until("tree $0.00")).toMatch(/ sim-think\/low .*ctx \d+%.*\? keys/);
  });

  test.each([
    [80, "db sqlite · cannot be written, 3 wait", "db sqlite "],
    [40, "⚠ 3 unwritten", "sim-think/low"],
  ])(
    "what cannot be written is said as soon as it is known, and no longer, at %i columns",
    async (columns, bad, good) => {
      let tell = (): void => undefined;
      const onUnwritten = (listener: () => void) => {
        tell = listener;
        return () => undefined;
      };
      const { until, gone, services } = await seat({ sim: true, columns, services: { onUnwritten } });
      const become = (unwritten: number | undefined, store_label: string): void => {
        Object.assign(services, { unwritten, store_label });
        tell();
      };
      become(3, "db sqlite · cannot be written, 3 wait");
      await until(bad);
      become(undefined, "db sqlite");
      expect(await gone(bad)).toContain(good);
    },
  );

  test("a dead agent stays readable and says so, until it is put away", async () => {
    const { press, until, gone, here } = await seat({ sim: true });
    await press('/fork "short life"', enter);
    await until("You said: “short life”");
    await here.agents.command({ type: "kill", agent_uuid: here.agents.list()[1]?.uuid ?? "" });
    const shown = await until("dead: can be read and forked");
    expect(shown).toContain("short life");
    expect(shown).toMatch(/✗ /);
    await press("/reap", enter);
    await until("Put away: ");
    await gone("✗ ");
  });

  test("U18 an agent that runs in another process is read-only until it is taken over", async () => {
    const place = await target();
    const one = await seat({ sim: true }, await open(place));
    await one.press("mine", enter);
    await one.until("Tokens:");
    const { session_uuid } = one.here.agents;
    const two = await seat({ sim: true, open: { session_uuid } }, await open(place));
    await one.press("again", enter);
    await two.until("› again");
    await two.until(`read-only: runs in process ${process.pid} on`);
    await two.press("now mine", enter);
    await two.until("Take it over?");
    await two.press("n");
    await two.until("> now mine");
    await two.press(enter);
    await two.until("Take it over?");
    await two.press("y");
    await two.until("› now mine");
    await one.press("lost", enter);
    await one.until("is run by another process");
  });
});
