import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { said, stage } from "./support.ts";

describe.each(engineNames)("a session opened again on %s", (engine) => {
  const { open, target } = histories(engine);

  test("a long log is not read before it is needed, and then it is whole", async () => {
    const store = await open();
    const first = await stage(store);
    await first.say("The word is crane");
    const lines = Array.from({ length: 120 }, (_, index) => ({ kind: "user", content: `line ${index}` }) as const);
    await store.history.append(first.root, lines);
    const { session_uuid } = first.agents;
    await first.agents.close();

    const here = await stage(store, { open: { session_uuid } });
    const view = here.agents.view(here.root);
    expect(view.whole).toBe(false);
    expect(view.entries.length).toBeLessThan(lines.length);
    expect(view.entries.at(-1)?.content).toBe("line 119");
    expect(view.model?.model).toBe("claude-opus-5-5");
    // Pages from the end, without the rest.
    const pages = await here.agents.history(here.root);
    expect((await pages.older(2)).map(({ content }) => content)).toEqual(["line 118", "line 119"]);
    expect((await pages.older(1)).map(({ content }) => content)).toEqual(["line 117"]);
    expect(here.agents.view(here.root).whole).toBe(false);
    // A mark needs no history; what comes next is sent with everything before it.
    await here.agents.command({ type: "mark", agent_uuid: here.root, label: "here" });
    await here.say("Which word?");
    expect(here.agents.view(here.root).whole).toBe(true);
    const fresh = await store.history.replay(here.root);
    expect(here.agents.view(here.root).messages).toEqual(fresh.messages());
    expect(here.agents.view(here.root).entries.filter(({ kind }) => kind === "mark")).toHaveLength(1);
    expect(JSON.stringify(here.emulator.requests().at(-1)?.body)).toContain("The word is crane");
    await here.agents.close();
  });

  test("how full the window was is known at once", async () => {
    const store = await open();
    const first = await stage(store);
    await first.say("One");
    const { context } = first.agents.view(first.root);
    const { session_uuid } = first.agents;
    await first.agents.close();
    const here = await stage(store, { open: { session_uuid } });
    expect(context?.tokens).toBeGreaterThan(0);
    expect(here.agents.list()[0]?.context).toEqual(context);
    await here.agents.close();
  });

  test("how the last turn ended is known again, until it is taken back", async () => {
    const store = await open();
    const first = await stage(store, {
      emulator: { script: [{ answer: { text: "Well." } }, { error: "authentication" }] },
    });
    const { session_uuid } = first.agents;
    expect(first.agents.view(first.root).outcome).toBeUndefined();
    await first.say("One");
    expect(first.agents.view(first.root).outcome).toBe("done");
    await first.agents.command({ type: "mark", agent_uuid: first.root, label: "well" });
    await first.say("Two");
    expect(first.agents.view(first.root).outcome).toBe("failed");
    await first.agents.close();
    const here = await stage(store, { open: { session_uuid } });
    expect(here.agents.view(here.root).outcome).toBe("failed");
    await here.agents.command({ type: "rewind", agent_uuid: here.root, label: "well" });
    expect(here.agents.view(here.root).outcome).toBeUndefined();
    // A child has done nothing yet, whatever its parent has.
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root });
    expect(here.agents.view(children[0] ?? "").outcome).toBeUndefined();
    await here.agents.close();
  });

  test("how full the window was is known again, unless it was cleared", async () => {
    const store = await open();
    const first = await stage(store);
    await first.say("One");
    const { context } = first.agents.view(first.root);
    const { session_uuid } = first.agents;
    await store.history.append(
      first.root,
      Array.from({ length: 60 }, () => ({ kind: "command", content: "/x" }) as const),
    );
    await first.agents.close();
    const here = await stage(store, { open: { session_uuid } });
    await here.agents.load(here.root);
    expect(here.agents.view(here.root).context).toEqual(context);
    await here.agents.command({ type: "clear", agent_uuid: here.root });
    expect(here.agents.view(here.root).context).toBeUndefined();
    await here.agents.close();
  });

  test("U30 a fork from what is no longer in force, after a restart", async () => {
    const store = await open();
    const first = await stage(store);
    await first.say("Before");
    const at_uuid = first.agents.view(first.root).entries.at(-1)?.uuid ?? "";
    await first.agents.command({ type: "clear", agent_uuid: first.root });
    await first.say("After");
    const { session_uuid } = first.agents;
    await first.agents.close();
    const here = await stage(store, { open: { session_uuid } });
    const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, at_uuid });
    expect(said(here, children[0] ?? "").filter((line) => line.startsWith("user"))).toEqual(["user: Before"]);
    await here.agents.close();
  });

  test("U18 an agent that runs elsewhere is followed while it works, and taken over on request", async () => {
    const where = await target();
    const [theirs, ours] = [await open(where), await open(where)];
    const there = await stage(theirs);
    await there.say("One");
    const { session_uuid } = there.agents;
    const here = await stage(ours, { open: { session_uuid }, use: there.emulator });
    expect(here.root).toBe(there.root);
    expect(here.agents.view(here.root).owner).toMatchObject({ pid: process.pid });
    await expect(here.say("Mine")).rejects.toThrow(/runs in another process/);

    // What happens there is told here: entries, states, and agents that are made.
    await there.say("Two");
    const { children } = await there.agents.command({ type: "fork", agent_uuid: there.root, prompt: "Three" });
    const [child = ""] = children;
    await there.agents.settled(child);
    await here.until("the child", () => here.of("forked").some(({ child_uuid }) => child_uuid === child));
    await here.until("the child's answer", () => said(here, child).at(-1)?.endsWith("You said: Three") === true);
    await here.until("the answer", () => said(here, here.root).at(-1)?.endsWith("You said: Two") === true);
    expect(said(here, here.root)).toEqual(said(there, there.root));
    expect(said(here, child)).toEqual(said(there, child));
    const told = here.of("entry").map(({ entry }) => entry.uuid);
    expect(new Set(told).size).toBe(told.length);
    expect(here.agents.view(here.root).totals.requests).toBe(there.agents.view(there.root).totals.requests);

    expect(await here.agents.command({ type: "take_over", agent_uuid: here.root })).toEqual({ taken: true });
    await here.say("Four");
    expect(said(here, here.root).at(-1)).toContain("You said: Four");
    // The other process notices at its next write and looks on from there.
    await there.agents.command({ type: "say", agent_uuid: there.root, content: "Five" });
    await there.until("noticed", () => there.of("warning").some(({ code }) => code === "taken_over"));
    expect(there.agents.view(there.root).owner).toMatchObject({ pid: process.pid });
    await there.until("caught up", () => said(there, there.root).at(-1)?.includes("You said: Four") === true);
    // Once nobody runs it, whoever says something does.
    await here.agents.close();
    await there.say("Six");
    expect(said(there, there.root).at(-1)).toContain("You said: Six");
    await there.agents.close();
  });
});
