import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { said, stage } from "./support.ts";

describe.each(engineNames)("mail on %s", (engine) => {
  const { open, target } = histories(engine);

  test("wakes an idle child, in the order it was sent, and names its sender", async () => {
    const here = await stage(await open());
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root });
    const [child = ""] = children;
    await here.agents.command({ type: "send", agent_uuid: child, text: "first", from_uuid: here.root });
    await here.agents.command({ type: "send", agent_uuid: child, text: "second" });
    await here.until("both are read", () => here.of("mail", child).length === 2);
    await here.agents.settled(child);
    expect(here.of("mail", child).map(({ text, from_uuid }) => [text, from_uuid])).toEqual([
      ["first", here.root],
      ["second", undefined],
    ]);
    expect(said(here, child).find((line) => line.includes("first"))).toContain(here.root);
    expect(here.of("turn_ended", child).length).toBeGreaterThan(0);
    expect(said(here, child).at(-1)).toContain("second");
    await here.agents.close();
  });

  test("to the first agent is put before the person; the model sees it with the next words", async () => {
    const here = await stage(await open());
    await here.agents.command({ type: "send", agent_uuid: here.root, text: "tests pass" });
    await here.until("it is there", () => here.of("mail", here.root).length === 1);
    await here.agents.settled(here.root);
    expect(here.emulator.requests()).toEqual([]);
    await here.say("What is new?");
    expect(JSON.stringify(here.emulator.requests()[0]?.body)).toContain("tests pass");
    await here.agents.close();
  });

  test("waiting for several says how it stands with each", async () => {
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages }) =>
          messages.at(-1)?.text.includes("forever") === true
            ? { answer: { text: "…" }, fault: "stall" }
            : { text: "Ok." },
      },
    });
    const fork = async (prompt?: string): Promise<string> => {
      const made = await here.agents.command({
        type: "fork",
        agent_uuid: here.root,
        ...(prompt === undefined ? {} : { prompt }),
      });
      return made.children[0] ?? "";
    };
    const [writer, idler, dead, runner] = [await fork(), await fork("a little"), await fork(), await fork("forever")];
    await here.agents.command({ type: "kill", agent_uuid: dead });
    await here.agents.settled(idler);
    const from = [writer, idler, dead, runner];
    const waiting = here.agents.command({ type: "wait", agent_uuid: here.root, from, timeout_ms: 60_000 });
    await here.agents.command({ type: "send", agent_uuid: here.root, text: "done", from_uuid: writer });
    await here.until("it has arrived", () => here.of("mail", here.root).length === 1);
    // The last one still works: only when it ends is the wait over.
    await here.agents.command({ type: "interrupt", agent_uuid: runner });
    const { statuses, letters, timed_out } = await waiting;
    expect(statuses).toEqual({ [writer]: "received", [idler]: "idle", [dead]: "dead", [runner]: "idle" });
    expect(letters).toEqual([{ from_uuid: writer, text: "done" }]);
    expect(timed_out).toBe(false);
    await here.agents.close();
  });

  test("the time runs out; an abort ends it", async () => {
    const here = await stage(await open());
    const none = await here.agents.command({ type: "wait", agent_uuid: here.root, timeout_ms: 10 });
    expect(none).toMatchObject({ letters: [], timed_out: true });
    const signal = AbortSignal.abort();
    const aborted = await here.agents.command({ type: "wait", agent_uuid: here.root, timeout_ms: 60_000, signal });
    expect(aborted).toMatchObject({ letters: [], timed_out: false });
    expect(here.agents.view(here.root).state).toBe("idle");
    await here.agents.close();
  });

  test("survives the end of the program, and so does everything else", async () => {
    const store = await open();
    const first = await stage(store);
    await first.say("Remember");
    const { children } = await first.agents.command({ type: "fork", agent_uuid: first.root, name: "clerk" });
    const [child = ""] = children;
    await first.agents.close();
    await store.mail.send({ to_uuid: child, content: "while you were away" });
    const here = await stage(store, { use: first.emulator, open: { session_uuid: first.agents.session_uuid } });
    expect(here.root).toBe(first.root);
    await here.until("it is read", () => here.of("mail", child).length === 1);
    await here.agents.settled(child);
    expect(said(here, child).at(-1)).toContain("while you were away");
    expect(here.agents.view(child)).toMatchObject({ name: "clerk", depth: 1, parent_uuid: here.root });
    expect(here.agents.view(here.root).totals.requests).toBe(1);
    expect(here.agents.view(here.root).totals.cost_usd).toBeGreaterThan(0);
    await here.agents.close();
  });

  test("U18 an agent that runs elsewhere is read-only until it is taken over", async () => {
    const place = await target();
    const [one, other] = [await open(place), await open(place)];
    const first = await stage(one);
    await first.say("Mine");
    const session = { session_uuid: first.agents.session_uuid };
    const second = await stage(other, { use: first.emulator, open: session });
    expect(second.agents.view(second.root).owner).toMatchObject({ pid: process.pid });
    expect(said(second, second.root)).toEqual(said(first, first.root));
    await expect(second.say("Yours?")).rejects.toThrow(/another process/);
    const third = await stage(other, { use: first.emulator, open: { ...session, take_over: true } });
    await third.say("Now mine");
    expect(said(third, third.root)).toHaveLength(4);
    // The first one notices when it writes.
    await first.say("Still mine?");
    expect(first.of("turn_ended").at(-1)).toMatchObject({ outcome: "failed" });
    for (const { agents } of [second, third, first]) await agents.close();
  });
});
