import { describe, expect, test } from "vitest";
import type { Answer, Fault, FaultKind, MockRequest, ScriptEntry } from "../../src/testing/index.ts";
import { engineNames, histories } from "../store/support/engines.ts";
import { call, claude, gemini, gpt, said, stage, tool, type Stage } from "./support.ts";

describe.each(engineNames)("a tree of agents on %s", (engine) => {
  const { open } = histories(engine);

  test("a fork knows what its parent knew, on another provider, and nothing is copied", async () => {
    const store = await open();
    const here = await stage(store);
    await here.say("Remember the word crane");
    const { children, lines } = await here.agents.command({
      type: "fork",
      agent_uuid: here.root,
      models: [gpt, gemini],
      prompt: "Which word?",
    });
    expect(children).toHaveLength(2);
    expect(lines.filter((line) => line.startsWith("✓"))).toEqual(
      children.map((child) =>
        expect.stringContaining(`Forked ${child.slice(0, 4)} from ${here.root.slice(0, 4)} at message `),
      ),
    );
    expect(lines).toContain("  On OpenAI gpt-6.1-sol (Responses API)");
    expect(lines).toContain("  ⚠ 1 thinking block stays with Anthropic");
    expect(lines).toContain("  Parent: anthropic:claude-opus-5-5/low");
    expect(lines.at(-1)).toMatch(/^ {2}The first request reads ~\d+ tokens, from \$0\.\d{4}$/);
    for (const child of children) {
      await here.agents.settled(child);
      expect(said(here, child)).toEqual([
        "user: Remember the word crane",
        "assistant: <thinking> You said: Remember the word crane",
        "user: Which word?",
        expect.stringContaining("You said: Which word?"),
      ]);
      const own = await store.history.log(child);
      expect(own.map(({ kind }) => kind)).toEqual(["model", "user", "assistant"]);
    }
    expect(said(here, here.root)).toHaveLength(2);
    const providers = children.map((child) => here.agents.view(child).model?.provider);
    expect(providers).toEqual(["openai", "google"]);
    expect(here.agents.view(here.root).tree_totals.requests).toBe(3);
    expect(here.emulator.requests().every(({ status }) => status === 200)).toBe(true);
    await here.agents.close();
  });

  test("U30 from any event: the original is untouched", async () => {
    const here = await stage(await open());
    await here.say("One");
    await here.say("Two");
    const at_uuid = here.agents.view(here.root).entries.find(({ content }) => content === "You said: One")?.uuid;
    const { children } = await here.agents.command({
      type: "fork",
      agent_uuid: here.root,
      prompt: "Instead",
      ...(at_uuid === undefined ? {} : { at_uuid }),
    });
    const [child = ""] = children;
    await here.agents.settled(child);
    expect(said(here, child).filter((line) => line.startsWith("user"))).toEqual(["user: One", "user: Instead"]);
    expect(said(here, here.root)).toHaveLength(4);
    await here.agents.close();
  });

  test("agents on three providers fork, call tools, write to each other; one is killed", async () => {
    const here = await stage(await open(), {
      emulator: { rule: withFaults(conductor) },
      limits: { session_usd: 1_000 },
      world: { tools: [tool("read", ({ value }) => `content of ${String(value)}`)] },
    });
    await here.say("conduct");
    const all = here.agents.list();
    expect(all.map(({ model }) => model?.provider)).toEqual(["anthropic", "openai", "google", "anthropic"]);
    const [root, player1, player2, sleeper] = all;
    expect(root?.state).toBe("idle");
    expect(sleeper?.state).toBe("dead");
    // Both letters are in the conductor's history, each once.
    const letters = here.of("mail", here.root);
    expect(new Set(letters.map(({ from_uuid }) => from_uuid))).toEqual(new Set([player1?.uuid, player2?.uuid]));
    expect(letters.map(({ text }) => text)).toEqual(Array.from({ length: 2 }, () => "I have read content of score."));
    expect(said(here, here.root).at(-1)).toContain("The concert is over");
    expect(here.of("retrying").length).toBeGreaterThan(3);
    expect(here.emulator.requests().filter(({ status, rule }) => status >= 400 || rule !== undefined)).toEqual([]);
    await consistent(here);
    await here.agents.close();
  });

  test("U28 killing ends every descendant, in the middle of an answer or a tool", async () => {
    let aborted = 0;
    const wait = tool("wait_long", (_args, signal) => {
      const { promise, reject } = Promise.withResolvers<string>();
      signal.addEventListener("abort", () => {
        aborted += 1;
        reject(new Error("told to stop"));
      });
      return promise;
    });
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages }) =>
          messages.at(-1)?.text.includes("tool") === true
            ? { tool_calls: [call("wait_long", "x")] }
            : { answer: { text: "Once upon a time" }, fault: "stall" },
      },
      world: { tools: [wait] },
    });
    const fork = async (agent_uuid: string, prompt: string): Promise<string> =>
      (await here.agents.command({ type: "fork", agent_uuid, prompt })).children[0] ?? "";
    const child = await fork(here.root, "a tool");
    const grandchild = await fork(child, "a story");
    await here.until("both work", () => here.of("tool_started").length === 1 && here.emulator.requests().length === 2);
    const { killed } = await here.agents.command({ type: "kill", agent_uuid: child });
    expect(killed).toEqual([child, grandchild]);
    expect(aborted).toBe(1);
    for (const uuid of killed) {
      expect(here.agents.view(uuid).state).toBe("dead");
      expect(await here.store.agents.get(uuid)).toMatchObject({ status: "killed" });
    }
    await expect(here.agents.command({ type: "say", agent_uuid: child, content: "Hello?" })).rejects.toThrow(/is dead/);
    expect(await here.agents.command({ type: "reap", agent_uuid: here.root })).toEqual({
      reaped: expect.arrayContaining([child, grandchild]),
    });
    expect(here.agents.list().map(({ uuid }) => uuid)).toEqual([here.root]);
    await here.agents.close();
  });

  test("an agent killed by another process ends here, too", async () => {
    const here = await stage(await open(), { emulator: { rule: () => ({ answer: { text: "…" }, fault: "stall" }) } });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("streaming", () => here.emulator.requests().length === 1);
    // What another process does: only the store knows.
    await here.store.agents.kill(here.root);
    await here.until("dead", () => here.agents.view(here.root).state === "dead");
    await here.agents.settled(here.root);
    await here.agents.close();
  });
});

/** Every request breaks off the first time it is made, one way or another. */
function withFaults(rule: typeof conductor): typeof conductor {
  const faults = ["cut", "reset"] as const;
  const seen = new Set<string>();
  return (request) => {
    const answer = rule(request);
    const key = JSON.stringify(request.messages);
    if (seen.has(key) || "fault" in answer) return answer;
    seen.add(key);
    return { answer, fault: { kind: faults[seen.size % faults.length] ?? "cut", after_frames: seen.size % 4 } };
  };
}

/** Forks three players, waits for two, kills the third. What it does next follows from what it has done. */
function conductor(request: MockRequest): Answer | (ScriptEntry & { readonly fault: Fault | FaultKind }) {
  const last = request.messages.at(-1);
  const asked = request.messages.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? "";
  const results = request.messages.flatMap(({ tool_results }) => tool_results.map(({ text }) => text));
  if (/sleep/.test(asked)) return { answer: { text: "zzz" }, fault: "stall" as const };
  if (/play/.test(asked)) {
    return (last?.tool_results.length ?? 0) > 0
      ? { text: `I have read ${results.find((text) => text.includes("score"))}.` }
      : { thinking: "A score.", tool_calls: [call("read", "score"), call("read", "notes")] };
  }
  const children = results.flatMap((text) => /child agent is (\S+)\./.exec(text)?.[1] ?? []);
  if (children.length === 0) {
    const fork = (model: string, prompt: string) => ({
      name: "fork",
      arguments: { prompt, model, name: null, budget_usd: null },
    });
    return { text: "Let us begin.", tool_calls: [fork(gpt, "play"), fork(gemini, "play"), fork(claude, "sleep")] };
  }
  const done = request.messages.flatMap(({ tool_calls }) => tool_calls.map(({ name }) => name));
  if (!done.includes("wait"))
    return { tool_calls: [{ name: "wait", arguments: { from: children.slice(0, 2), seconds: null } }] };
  if (!done.includes("kill")) return { tool_calls: [{ name: "kill", arguments: { id: children[2] ?? "" } }] };
  return { text: "The concert is over." };
}

/** What is in memory is what a new process would read, and every call has its result. */
async function consistent(here: Stage): Promise<void> {
  for (const { uuid } of here.agents.list()) {
    const fresh = await here.store.history.replay(uuid);
    expect(fresh.messages()).toEqual(here.agents.view(uuid).messages);
    const messages = fresh.messages();
    const answered = new Set(
      messages.flatMap((message) => (message.role === "tool" ? message.content.map((one) => one.tool_call_id) : [])),
    );
    for (const message of messages) {
      if (message.role !== "assistant" || message.incomplete === true) continue;
      for (const block of message.content) if (block.type === "tool_call") expect(answered).toContain(block.id);
    }
  }
}

describe("limits of a tree", () => {
  const { open } = histories("sqlite");

  test("U29 depth and number are capped", async () => {
    const here = await stage(await open(), { limits: { depth_max: 2, agents_max: 4 } });
    const fork = (agent_uuid: string, models: readonly string[] = []) =>
      here.agents.command({ type: "fork", agent_uuid, models });
    const [child = ""] = (await fork(here.root)).children;
    const [grandchild = ""] = (await fork(child)).children;
    await expect(fork(grandchild)).rejects.toThrow("forks go 2 generations deep");
    await expect(fork(here.root, [claude, gpt])).rejects.toThrow("there are 3 agents, 4 at most");
    expect(here.of("limit_reached").map(({ limit }) => limit)).toEqual(["depth", "agents"]);
    const limited = await here.agents.command({ type: "fork", agent_uuid: here.root, limits: { depth_max: 0 } });
    await expect(fork(limited.children[0] ?? "")).rejects.toThrow("forks go 0 generations deep");
    await here.agents.close();
  });

  test("only so many work at once; the others come in their order", async () => {
    const releases: (() => void)[] = [];
    const order: string[] = [];
    const hold = tool("hold", async ({ value }) => {
      order.push(String(value));
      await new Promise<void>((resolve) => void releases.push(resolve));
      return "held";
    });
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages }) =>
          (messages.at(-1)?.tool_results.length ?? 0) > 0
            ? { text: "Done." }
            : { tool_calls: [call("hold", messages.at(-1)?.text ?? "")] },
      },
      limits: { running_max: 2 },
      world: { tools: [hold] },
    });
    const children: string[] = [];
    for (const prompt of ["1", "2", "3", "4"]) {
      const made = await here.agents.command({ type: "fork", agent_uuid: here.root, prompt });
      children.push(...made.children);
    }
    const states = (): string => children.map((child) => here.agents.view(child).state).join(" ");
    await here.until("two hold, two wait", () => releases.length === 2 && states() === "tool tool waiting waiting");
    for (let released = 0; released < 4; released++) {
      await here.until("somebody holds", () => releases.length > released);
      releases[released]?.();
    }
    for (const child of children) await here.agents.settled(child);
    expect(order.slice(0, 2).sort()).toEqual(["1", "2"]);
    expect(order.slice(2)).toEqual(["3", "4"]);
    await here.agents.close();
  });

  test("who only waits for others takes no place from them", async () => {
    const here = await stage(await open(), {
      emulator: { rule: conductorOfOne },
      limits: { running_max: 1 },
    });
    await here.say("conduct");
    expect(said(here, here.root).at(-1)).toContain("Over.");
    await here.agents.close();
  });
});

function conductorOfOne(request: MockRequest) {
  const asked = request.messages.findLast(({ role, text }) => role === "user" && text !== "")?.text ?? "";
  const names = request.messages.flatMap(({ tool_calls }) => tool_calls.map(({ name }) => name));
  if (/play/.test(asked)) return { text: "Played." };
  if (!names.includes("fork")) {
    return { tool_calls: [{ name: "fork", arguments: { prompt: "play", model: null, name: null, budget_usd: null } }] };
  }
  if (!names.includes("wait")) return { tool_calls: [{ name: "wait", arguments: { from: null, seconds: null } }] };
  return { text: "Over." };
}
