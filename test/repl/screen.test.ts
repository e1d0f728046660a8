import { afterEach, describe, expect, test } from "vitest";
import { histories } from "../store/support/engines.ts";
import { call, tool } from "../agent/support.ts";
import { startScreen } from "../../src/repl/screen/app.ts";
import { createHandClock, createVirtualTerminal } from "../term/virtual.ts";
import { servicesOf } from "./machine.ts";
import { enter, escape, key, type Seat, sit, type SeatOptions } from "./screen.ts";

const { open } = histories("sqlite");
const seats: Seat[] = [];

async function seat(options: SeatOptions = {}): Promise<Seat> {
  const one = await sit(await open(), options);
  seats.push(one);
  return one;
}

afterEach(async () => {
  for (const one of seats.splice(0)) await one.close();
});

describe("talking", () => {
  test("U05 the prompt is painted before anything is opened or asked", async () => {
    const store = await open();
    const one = await seat({ sim: true });
    const terminal = createVirtualTerminal();
    const clock = createHandClock();
    let asked = 0;
    const services = servicesOf(one.here, {
      open: () => {
        asked += 1;
        return new Promise(() => undefined);
      },
    });
    const which = { which: "last" } as const;
    const { app } = startScreen(services, { terminal, clock, env: {}, platform: "linux", colour_bits: 8, which });
    expect(asked).toBe(0);
    clock.advance(0);
    expect((await terminal.screen()).join("\n")).toContain("> ask anything");
    expect(asked).toBe(1);
    app.quit();
    await store.close();
  });

  test("what is typed is sent, answered and counted", async () => {
    const { press, until, here } = await seat({ sim: true });
    await press("hello there", enter);
    await until("› hello there");
    const shown = await until("Tokens:");
    expect(shown).toContain("I follow rules");
    expect(here.agents.view(here.root).messages).toHaveLength(2);
  });

  test("U12 a new line by Shift+Enter, Alt+Enter, Ctrl+J and a backslash", async () => {
    const { press, look, here } = await seat({ sim: true });
    await press("one", key.shift_enter, "two", key.alt_enter, "three", key.ctrl("j"), "four\\", enter, "five");
    const shown = await look();
    for (const word of ["> one", "  two", "  three", "  four", "  five"]) expect(shown).toContain(word);
    expect(here.agents.view(here.root).messages).toHaveLength(0);
  });

  test("U09 a paste of 5,000 lines is one insertion and sends nothing", async () => {
    const { press, look, here } = await seat({ sim: true });
    const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index}`).join("\n");
    await press(`\x1b[200~${lines}\x1b[201~`);
    expect(await look()).toMatch(/> .*5,?000 lines/);
    await press(key.ctrl("x"));
    expect(await look()).toContain("line 4999");
    expect(here.agents.view(here.root).messages).toHaveLength(0);
  });

  test("what was sent before the session is open is sent when it is", async () => {
    const gate = Promise.withResolvers<void>();
    const store = await open();
    const one = await sit(store, { sim: true });
    seats.push(one);
    const again = await sit(store, {
      sim: true,
      early: true,
      services: {
        open: async () => {
          await gate.promise;
          return { agents: one.here.agents, resumed: false, notes: [] };
        },
      },
    });
    await again.press("early", enter);
    expect(await again.look()).toContain("opening…");
    gate.resolve();
    await again.until("› early");
    await again.until("Tokens:");
  });

  test("Enter sends a command whose place was left empty, and takes what was chosen for it", async () => {
    const { press, until, look } = await seat({ sim: true });
    await press("/agents ");
    await until("sim-think/low idle");
    await press(enter);
    await until("── Agents");
    await press(escape);
    await press("/model ");
    await until("no key");
    await press(key.down, enter);
    expect(await look()).toMatch(/> \/model \S+/);
    expect(await look()).not.toContain("── Model");
  });

  test("Up brings back what was typed in this folder, Ctrl+R finds it", async () => {
    const { press, look, idle } = await seat({ sim: true });
    await press("first words", enter);
    await idle();
    await press("second words", enter);
    await idle();
    await press(key.up, key.up);
    expect(await look()).toContain("> first words");
    await press(key.ctrl("c"), key.ctrl("r"), "second");
    expect(await look()).toContain("> second words");
  });
});

describe("interrupting and leaving", () => {
  test("U21 headers, then silence: the countdown is shown and Escape gives the prompt back", async () => {
    let now = 1_000_000;
    const { press, until, here } = await seat({ sim: true, services: { now: () => now } });
    await press("stall", enter);
    await until("And t");
    now += 20_000;
    await until(/silent for \d+s, given up in \d+s/);
    await press(escape);
    await until("interrupted");
    expect(here.agents.list()[0]?.state).toBe("idle");
  });

  test("U22 what waits for its turn survives Escape, and what is being written too", async () => {
    const { press, until, look, idle } = await seat({ sim: true });
    await press("stall", enter);
    await until("And t");
    await press("second line", enter);
    await until(/second line .*waits/);
    await press("a draft", escape);
    await until("You said: “second line”");
    await idle();
    expect(await look()).toContain("> a draft");
  });

  test("U03 on exit the conversation is on the normal screen, with how to go on", async () => {
    const { press, until, terminal, ended, here } = await seat({ sim: true });
    await press("hello", enter);
    await until("Tokens:");
    await press(key.ctrl("d"));
    expect(await ended).toEqual({ reason: "quit" });
    const left = (await terminal.everything()).join("\n");
    expect(left).toContain("› hello");
    expect(left).toContain("I follow rules");
    expect(left).toContain(`ikigai --resume ${here.agents.session_uuid.slice(0, 8)}`);
  });

  test("Ctrl+C throws the text away, and quits when it comes again", async () => {
    const { press, look, ended } = await seat({ sim: true });
    await press("never mind", key.ctrl("c"));
    expect(await look()).toContain("Ctrl+C again quits");
    expect(await look()).not.toContain("never mind");
    await press("x", key.ctrl("c"));
    expect(await look()).toContain("Ctrl+C again quits");
    await press(key.ctrl("c"));
    expect(await ended).toEqual({ reason: "quit" });
  });

  test("U13 a signal gives the terminal back and ends everything", async () => {
    const { terminal, ended } = await seat({ sim: true });
    terminal.handlers()?.signal("SIGTERM");
    expect(await ended).toEqual({ reason: "SIGTERM" });
  });
});

describe("approvals", () => {
  const asking: SeatOptions = {
    world: {
      tools: [tool("touch", () => "touched", "write")],
      permissions: {
        decide: () => ({ verdict: "ask", proposal: [{ tool: "touch" }], proposal_text: ["touch: src/**"] }),
        remember: () => undefined,
      },
    },
    emulator: { script: [{ answer: { tool_calls: [call("touch", "src/a")] } }, { answer: { text: "All done." } }] },
  };

  test("the box names the agent, the call and what a lasting yes allows; 1 is once", async () => {
    const { press, until, clock, here } = await seat(asking);
    await press("go", enter);
    const box = await until("yes, once");
    expect(box).toContain(`root ${here.root.slice(0, 4)} wants to use touch`);
    expect(box).toContain("yes, always: touch: src/**");
    expect(box).toContain("› 4 no");
    clock.advance(500);
    await press("1");
    await until("All done.");
  });

  test.each([
    ["2", "session"],
    ["s", "session"],
    ["3", "always"],
    ["a", "always"],
  ] as const)("%s is a yes that lasts: %s", async (letter, scope) => {
    const remembered: string[] = [];
    const permissions = {
      decide: () => ({ verdict: "ask", proposal: [{ tool: "touch" }], proposal_text: ["touch: src/**"] }) as const,
      remember: (_call: unknown, lasting: string) => void remembered.push(lasting),
    };
    const { press, until, clock } = await seat({ ...asking, world: { ...asking.world, permissions } });
    await press("go", enter);
    await until("yes, always: touch: src/**");
    clock.advance(500);
    await press(letter);
    await until("All done.");
    expect(remembered).toEqual([scope]);
  });

  test("a budget that is spent asks before the next request: y goes on, Escape stops", async () => {
    const usage = { input_tokens: 500_000, output_tokens: 1_000 };
    const { press, until, gone, clock, here } = await seat({
      emulator: { rule: () => ({ text: "Dear words.", usage }) },
      limits: { session_usd: 0.01 },
    });
    await press("one", enter);
    await until("Tokens:");
    await press("two", enter);
    const box = await until("has reached a limit");
    expect(box).toContain(`root ${here.root.slice(0, 4)} has reached a limit`);
    expect(box).toMatch(/\$0\.01/);
    expect(box).toContain("› 2 stop here");
    clock.advance(500);
    await press("y");
    await here.until("the second answer", () => here.of("turn_ended").length === 2);
    await press("three", enter);
    await until("has reached a limit");
    clock.advance(500);
    await press(escape);
    await gone("stop here (n)");
    await here.until("its end", () => here.of("turn_ended").length === 3);
    expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["done", "done", "limit"]);
    expect(here.emulator.requests()).toHaveLength(2);
  });

  test("keys that were on their way are letters, not answers; Enter alone is no", async () => {
    const { press, until, clock, look, here, terminal } = await seat(asking);
    await press("go", enter);
    await here.until("the question", () => here.of("approval_asked").length > 0);
    terminal.type("1y");
    await until("yes, once");
    terminal.type("a");
    expect(here.of("approval_settled")).toHaveLength(0);
    clock.advance(500);
    await press("\x1b[200~ pasted\x1b[201~");
    expect(here.of("approval_settled")).toHaveLength(0);
    await press(enter);
    await here.until("an answer", () => here.of("approval_settled").length > 0);
    expect(here.of("approval_settled")[0]).toMatchObject({ allowed: false });
    expect(await look()).toContain("> 1ya pasted");
  });

  test("the question of an agent that is not shown is announced, and Tab goes there", async () => {
    const { press, until, here, clock } = await seat({
      ...asking,
      emulator: { script: [{ answer: { tool_calls: [call("touch", "b")] } }, { answer: { text: "Child is done." } }] },
    });
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, prompt: "do it" });
    const [child = ""] = children;
    await until("asks (Tab)");
    await press("half a thought", key.tab);
    const box = await until("yes, once");
    expect(box).toContain(`${child.slice(0, 4)} wants to use touch`);
    clock.advance(500);
    await press("y");
    await until("Child is done.");
  });
});
