import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { call, said, stage, tool } from "./support.ts";

describe.each(engineNames)("a turn on %s", (engine) => {
  const { open } = histories(engine);

  test("what was said and answered is in the log, with usage and cost", async () => {
    const store = await open();
    const here = await stage(store, { emulator: { script: [{ answer: { thinking: "Hm.", text: "Hello." } }] } });
    await here.say("Hi");
    expect(said(here, here.root)).toEqual(["user: Hi", "assistant: <thinking> Hello."]);
    const [end] = here.of("turn_ended");
    expect(end).toMatchObject({ outcome: "done", finish_reason: "stop", requests: 1 });
    expect(end?.cost_usd).toBeGreaterThan(0);
    expect(here.agents.view(here.root)).toMatchObject({ state: "idle", totals: { requests: 1 } });
    const log = await store.history.log(here.root);
    expect(log.map(({ kind }) => kind)).toEqual(["model", "user", "assistant"]);
    expect(log.at(-1)?.data).toMatchObject({ thinking_level: "low", thinking_level_applied: "low" });
    expect(await store.agents.get(here.root)).toMatchObject({ status: "idle" });
    await here.agents.close();
  });

  test("calls are run and their results sent back, those that read side by side", async () => {
    const both = Promise.withResolvers<void>();
    let started = 0;
    // Neither of the first two ends before both have begun.
    const read = tool("read", async ({ value }) => {
      if ((started += 1) === 2) both.resolve();
      await both.promise;
      return `content of ${String(value)}`;
    });
    const order: string[] = [];
    const write = tool("write", ({ value }) => `written ${order.push(String(value))}`, "write");
    const tool_calls = [
      call("read", "a"),
      call("read", "b"),
      call("write", "1"),
      call("write", "2"),
      call("read", "c"),
    ];
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls } }, { answer: { text: "Done." } }] },
      world: { tools: [read, write] },
    });
    await here.say("Go");
    expect(order).toEqual(["1", "2"]);
    expect(said(here, here.root).at(-1)).toBe("assistant: Done.");
    expect(here.emulator.requests().map(({ status }) => status)).toEqual([200, 200]);
    expect(here.of("tool_ended")).toHaveLength(5);
    const log = await here.store.history.log(here.root);
    const results = log.filter(({ kind }) => kind === "tool_result");
    expect(new Set(results.map(({ content }) => content))).toEqual(
      new Set(["content of a", "content of b", "content of c", "written 1", "written 2"]),
    );
    const firstCall = log.findIndex(({ kind }) => kind === "tool_call");
    expect(log[firstCall - 1]?.kind).toBe("assistant");
    await here.agents.close();
  });
});

describe("calls", () => {
  const { open } = histories("sqlite");

  test.each([
    ["arguments that are no JSON", { name: "read", arguments: "{broken" }, /not a JSON object/],
    ["arguments that do not fit", { name: "read", arguments: { other: 1 } }, /Invalid arguments/],
  ])("%s become a result the model can act on", async (_what, bad, message) => {
    const here = await stage(await open(), {
      emulator: {
        // Only a wire without strict schemas lets such calls through.
        script: [{ answer: { tool_calls: [bad] } }, { answer: { text: "Sorry." } }],
      },
      world: { tools: [tool("read", () => "never")] },
    });
    await here.say("Go");
    const [result] = (await here.store.history.log(here.root)).filter(({ kind }) => kind === "tool_result");
    expect(result?.content).toMatch(message);
    expect(result?.data).toMatchObject({ is_error: true });
    expect(said(here, here.root).at(-1)).toBe("assistant: Sorry.");
    await here.agents.close();
  });

  test("a tool that throws is a result, too", async () => {
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [call("read", "x")] } }, { answer: { text: "Oh." } }] },
      world: {
        tools: [
          tool("read", () => {
            throw new Error("disk on fire");
          }),
        ],
      },
    });
    await here.say("Go");
    const [ended] = here.of("tool_ended");
    expect(ended).toMatchObject({ is_error: true, name: "read" });
    expect(JSON.stringify(here.emulator.requests().at(-1)?.body)).toContain("disk on fire");
    await here.agents.close();
  });

  test("at the limit of tool turns one last request asks for an answer without tools", async () => {
    const here = await stage(await open(), {
      emulator: {
        rule: ({ tool_choice }) =>
          tool_choice === "none" ? { text: "So far." } : { tool_calls: [call("read", "again")] },
      },
      limits: { max_tool_turns: 3 },
      world: { tools: [tool("read", () => "more")] },
    });
    await here.say("Go");
    expect(here.emulator.requests()).toHaveLength(4);
    expect(here.emulator.requests().every(({ status }) => status === 200)).toBe(true);
    expect(here.of("turn_ended")[0]).toMatchObject({ outcome: "limit", limit: "tool_turns", requests: 4 });
    expect(said(here, here.root).at(-1)).toBe("assistant: So far.");
    await here.agents.close();
  });

  test("a call that needs permission waits for a person; the prompt names the agent", async () => {
    const scopes: string[] = [];
    const here = await stage(await open(), {
      emulator: {
        script: [
          { answer: { tool_calls: [call("write", "1")] } },
          { answer: { tool_calls: [call("write", "2")] } },
          { answer: { text: "Done." } },
        ],
      },
      world: {
        tools: [tool("write", ({ value }) => `wrote ${String(value)}`, "write")],
        permissions: {
          decide: () => ({ verdict: "ask", reason: "it writes" }),
          remember: (asked, scope) => void scopes.push(`${asked.tool} ${scope}`),
        },
      },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("asked", () => here.of("approval_asked").length === 1);
    expect(here.agents.view(here.root).state).toBe("asking");
    const [first] = here.of("approval_asked");
    expect(first).toMatchObject({ agent_uuid: here.root, name: "write", summary: "write 1", reason: "it writes" });
    const answer = { agent_uuid: here.root, approval_id: first?.approval_id ?? "" };
    await here.agents.command({ type: "approve", ...answer, scope: "session" });
    await here.until("asked again", () => here.of("approval_asked").length === 2);
    const second = here.of("approval_asked")[1]?.approval_id ?? "";
    await here.agents.command({ type: "deny", agent_uuid: here.root, approval_id: second, reason: "not that one" });
    await here.agents.settled(here.root);
    expect(scopes).toEqual(["write session"]);
    const results = (await here.store.history.log(here.root)).filter(({ kind }) => kind === "tool_result");
    expect(results.map(({ content }) => content)).toEqual(["wrote 1", "The user said no: not that one"]);
    await here.agents.close();
  });

  test.each([
    ["allow", "wrote 1"],
    ["deny", "Not allowed: write 1 needs a person's permission, and nobody can be asked"],
  ] as const)("with nobody there: %s", async (unattended, content) => {
    const here = await stage(await open(), {
      emulator: { script: [{ answer: { tool_calls: [call("write", "1")] } }, { answer: { text: "Ok." } }] },
      world: {
        unattended,
        tools: [tool("write", ({ value }) => `wrote ${String(value)}`, "write")],
        permissions: { decide: () => ({ verdict: "ask" }), remember: () => undefined },
      },
    });
    await here.say("Go");
    const results = (await here.store.history.log(here.root)).filter(({ kind }) => kind === "tool_result");
    expect(results.map((entry) => entry.content)).toEqual([content]);
    await here.agents.close();
  });

  test("long results are kept whole and shown in part, always the same part", async () => {
    const here = await stage(await open(), {
      emulator: {
        script: [{ answer: { tool_calls: [call("read", "x")] } }, { answer: { text: "1" } }, { answer: { text: "2" } }],
      },
      limits: { shown_bytes: 1_000 },
      world: { tools: [tool("read", () => "äb".repeat(5_000))] },
    });
    await here.say("Go");
    await here.say("On");
    const shown = here.emulator.requests().map(({ body }) => /"(äb[^"]*)"/.exec(JSON.stringify(body))?.[1] ?? "");
    expect(shown[1]?.length).toBeLessThan(1_200);
    expect(shown[1]).toContain("of 15000 bytes left out");
    expect(shown[2]).toBe(shown[1]);
    const [result] = (await here.store.history.log(here.root)).filter(({ kind }) => kind === "tool_result");
    expect(result?.content).toHaveLength(10_000);
    await here.agents.close();
  });
});
