import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { builtInTools, toolEnvironment } from "../../src/agent/tools/index.ts";
import type { Store } from "../../src/store/index.ts";
import { engineNames, histories } from "../store/support/engines.ts";
import { call, said, stage, tool } from "./support.ts";
import { newFolder } from "./tools/support.ts";

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

  test("what waits when the program ends is there again, and is not said by itself", async () => {
    const store = await open();
    const here = await stage(store, { emulator: { rule: () => ({ answer: { text: "Hm" }, fault: "stall" }) } });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "One" });
    await here.until("streaming", () => here.emulator.requests().length === 1);
    for (const content of ["Two?", "Three?"])
      await here.agents.command({ type: "say", agent_uuid: here.root, content });
    const { session_uuid } = here.agents;
    await here.agents.close();
    const again = await stage(store, { open: { session_uuid } });
    expect(again.agents.view(again.root)).toMatchObject({ queued: 0, unsent: ["Two?", "Three?"] });
    await again.agents.settled(again.root);
    expect(again.emulator.requests()).toEqual([]);
    const unqueue = () => again.agents.command({ type: "unqueue", agent_uuid: again.root });
    expect(await unqueue()).toEqual({ texts: ["Two?", "Three?"] });
    expect(await unqueue()).toEqual({ texts: [] });
    await again.agents.close();
    const third = await stage(store, { open: { session_uuid } });
    expect(third.agents.view(third.root).unsent).toBeUndefined();
    await third.agents.close();
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

describe.each(engineNames)("a hundred random moments, on %s", (engine) => {
  const { open } = histories(engine);

  test("no process is left running, and every log is one a provider accepts", async () => {
    const cwd = newFolder();
    // A number that is this test's own, to find what it started.
    const seconds = engine === "sqlite" ? "93.17" : "93.18";
    const command = `sleep ${seconds} & setsid sleep ${seconds} & sh -c 'trap "" TERM; sleep 0.02'; echo done; kill $!`;
    const calls = [
      { name: "bash", arguments: { command } },
      { name: "bash", arguments: { command: `sleep ${seconds} | cat` } },
    ];
    const here = await stage(await open(), {
      emulator: {
        seed: 3,
        delay_ms: 1,
        rule: ({ messages }) =>
          (messages.at(-1)?.tool_results.length ?? 0) > 0
            ? { thinking: "So.", text: "That took a while, but here is what came out of it." }
            : { thinking: "Let me see.", text: "I will look.", tool_calls: calls },
      },
      world: { tools: builtInTools(), tool_env: toolEnvironment(process.env), cwd, root: cwd },
    });
    let random = 42;
    const next = (): number => (random = (random * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
    for (let round = 0; round < 100; round++) {
      await here.agents.command({ type: "say", agent_uuid: here.root, content: `Round ${round}` });
      // Every other time at some moment after a command has begun, however slow the machine is.
      const begun = here.of("tool_started").length;
      if (round % 2 === 1) await here.until("a command", () => here.of("tool_started").length > begun);
      await sleep(next() * 60);
      await here.agents.command({ type: "interrupt", agent_uuid: here.root });
      expect(here.agents.view(here.root).state).toBe("idle");
    }
    expect(here.of("turn_ended")).toHaveLength(100);
    expect(here.of("tool_started").length).toBeGreaterThanOrEqual(50);
    await here.agents.close();
    await expect.poll(() => running(`sleep ${seconds}`), { timeout: 10_000 }).toEqual([]);
    expect(here.emulator.requests().filter(({ status }) => status !== 200)).toEqual([]);
    expect(await here.store.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    const fresh = await here.store.history.replay(here.root);
    expect(fresh.messages()).toEqual(here.agents.view(here.root).messages);
    await checkCalls(here.store, here.root);
  }, 120_000);
});

/** Every call that was begun has a result after it, once. */
async function checkCalls(store: Store, agent_uuid: string): Promise<void> {
  const log = await store.history.log(agent_uuid, { limit: 10_000 });
  const ids = (kind: "tool_call" | "tool_result"): readonly string[] =>
    log.flatMap((entry) => (entry.kind === kind && "tool_call_id" in entry.data ? [entry.data.tool_call_id] : []));
  const results = ids("tool_result");
  expect(new Set(results).size).toBe(results.length);
  for (const id of ids("tool_call")) expect(results).toContain(id);
}

function running(command: string): readonly string[] {
  const rows = execFileSync("ps", ["-eo", "stat=,args="], { encoding: "utf8" }).split("\n");
  return rows.map((row) => row.trim()).filter((row) => !row.startsWith("Z") && row.replace(/^\S+\s+/, "") === command);
}

describe("a hundred random moments of a tool in this process", () => {
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
