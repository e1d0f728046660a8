import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { call, said, stage, tool } from "./support.ts";

describe.each(engineNames)("interrupting on %s", (engine) => {
  const { open } = histories(engine);

  test("U21 headers, a few words, then silence: the agent is ready again and what came is kept", async () => {
    const here = await stage(await open(), {
      emulator: {
        script: [
          { answer: { text: "And then there was nothing" }, fault: { kind: "stall", after_frames: 4 } },
          { answer: { text: "Good." } },
        ],
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("words", () => here.of("stream").some(({ event }) => event.type === "text_delta"));
    const { interrupted } = await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    expect(interrupted).toBe(true);
    expect(here.agents.view(here.root).state).toBe("idle");
    expect(here.of("turn_ended")[0]).toMatchObject({ outcome: "interrupted" });
    const log = await here.store.history.log(here.root);
    expect(log.map(({ kind }) => kind).slice(-2)).toEqual(["assistant", "interrupted"]);
    expect(log.at(-2)?.data).toMatchObject({ incomplete: true, error: { category: "aborted" } });
    expect(log.at(-2)?.content).not.toBe("");
    await here.say("Still there?");
    expect(said(here, here.root).at(-1)).toBe("assistant: Good.");
    // The partial answer is part of what the model is shown next.
    expect(JSON.stringify(here.emulator.requests().at(-1)?.body)).toContain("And ");
    expect(here.emulator.requests().at(-1)?.status).toBe(200);
    await here.agents.close();
  });

  test("U22 what was typed meanwhile survives the interrupt and is next", async () => {
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { text: "Hm" }, fault: "stall" }, { answer: { text: "Two." } }] },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "One" });
    await here.until("streaming", () => here.emulator.requests().length === 1);
    expect(await here.agents.command({ type: "say", agent_uuid: here.root, content: "Two?" })).toEqual({
      queued: true,
    });
    expect(here.of("queued")).toMatchObject([{ text: "Two?", waiting: 1 }]);
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    await here.agents.settled(here.root);
    expect(said(here, here.root).slice(-2)).toEqual(["user: Two?", "assistant: Two."]);
    await here.agents.close();
  });

  test("a tool is told, and one that does not listen is left behind", async () => {
    let told = false;
    const stuck = Promise.withResolvers<string>();
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [call("deaf", "1"), call("slow", "2"), call("slow", "3")] } }] },
      world: {
        tools: [
          tool("deaf", () => stuck.promise),
          tool("slow", (_args, signal) => {
            const { promise, reject } = Promise.withResolvers<string>();
            signal.addEventListener("abort", () => {
              told = true;
              reject(new Error("aborted"));
            });
            return promise;
          }),
        ],
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("tools run", () => here.of("tool_started").length === 3);
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    expect(told).toBe(true);
    expect(here.agents.view(here.root).state).toBe("idle");
    const log = await here.store.history.log(here.root);
    expect(log.filter(({ kind }) => kind === "tool_result")).toHaveLength(3);
    expect(log.at(-1)).toMatchObject({ kind: "interrupted", data: { reason: "user" } });
    stuck.resolve("at last");
    await here.agents.close();
  });

  test("while it asks: the question is moot", async () => {
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [call("write", "1")] } }] },
      world: {
        tools: [tool("write", () => "never", "write")],
        permissions: { decide: () => ({ verdict: "ask" }), remember: () => undefined },
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("asked", () => here.of("approval_asked").length === 1);
    await here.agents.command({ type: "interrupt", agent_uuid: here.root });
    expect(here.of("approval_settled")).toMatchObject([{ allowed: false }]);
    const late = { agent_uuid: here.root, approval_id: here.of("approval_asked")[0]?.approval_id ?? "" };
    expect(await here.agents.command({ type: "approve", ...late })).toEqual({ settled: false });
    await here.agents.close();
  });
});

describe("a hundred random moments", () => {
  const { open } = histories("sqlite");

  test("nothing is left running, and every log is one a provider accepts", async () => {
    let running = 0;
    const slow = tool("slow", async (_args, signal) => {
      running += 1;
      try {
        await sleep(5, undefined, { signal });
        return "slept";
      } finally {
        running -= 1;
      }
    });
    const here = await stage(await open(), {
      emulator: {
        seed: 3,
        delay_ms: 1,
        rule: ({ messages }) =>
          (messages.at(-1)?.tool_results.length ?? 0) > 0
            ? { thinking: "So.", text: "That took a while, but here is what came out of it." }
            : { thinking: "Let me see.", text: "I will look.", tool_calls: [call("slow", "a"), call("slow", "b")] },
      },
      world: { tools: [slow] },
    });
    let random = 42;
    const next = (): number => (random = (random * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    for (let round = 0; round < 100; round++) {
      await here.agents.command({ type: "say", agent_uuid: here.root, content: `Round ${round}` });
      await sleep(next() * 60);
      await here.agents.command({ type: "interrupt", agent_uuid: here.root });
      await here.agents.settled(here.root);
      expect(running).toBe(0);
      expect(here.agents.view(here.root).state).toBe("idle");
    }
    const outcomes = here.of("turn_ended").map(({ outcome }) => outcome);
    expect(outcomes).toHaveLength(100);
    expect(outcomes).toContain("interrupted");
    await here.say("And now in peace");
    expect(here.of("turn_ended").at(-1)).toMatchObject({ outcome: "done" });
    expect(here.emulator.requests().filter(({ status }) => status !== 200)).toEqual([]);
    const left = await here.store.engine.db.selectFrom("checkpoints").selectAll().execute();
    expect(left).toEqual([]);
    // What is in memory is what a new process would read.
    const fresh = await here.store.history.replay(here.root);
    expect(fresh.messages()).toEqual(here.agents.view(here.root).messages);
    await here.agents.close();
  }, 60_000);
});
