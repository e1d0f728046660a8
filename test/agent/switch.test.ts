import { describe, expect, test } from "vitest";
import { switchLines } from "../../src/agent/feedback.ts";
import { explain } from "../../src/llm/index.ts";
import { histories } from "../store/support/engines.ts";
import { call, claude, gemini, gpt, stage, tool } from "./support.ts";

const { open } = histories("sqlite");
const nothing = {
  losses: [],
  messages: [],
  makers: new Map<string, string>(),
  cache: { reason: "none", tokens: 0, message: "" },
} as const;

describe("U20 three providers, three rounds, another one every turn", () => {
  test("every request is legal, and each gets back its own thinking", async () => {
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages, model }) =>
          (messages.at(-1)?.tool_results.length ?? 0) > 0
            ? { thinking: `${model} weighs it.`, text: `${model} has read it.` }
            : {
                thinking: `${model} wonders.`,
                text: "I look.",
                tool_calls: [call("read", "a"), call("read", "b")],
              },
      },
      world: { tools: [tool("read", ({ value }) => `content of ${String(value)}`)] },
    });
    for (let round = 0; round < 3; round++) {
      for (const model of [claude, gpt, gemini]) {
        await here.agents.command({ type: "model", agent_uuid: here.root, model });
        await here.say(`Round ${round}`);
      }
    }
    expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(Array.from({ length: 9 }, () => "done"));
    expect(here.emulator.requests()).toHaveLength(18);
    expect(here.emulator.requests().filter(({ status }) => status !== 200)).toEqual([]);
    const last = JSON.stringify(here.emulator.requests().findLast(({ wire }) => wire === "messages")?.body);
    expect(last.match(/"signature"/g)?.length).toBeGreaterThan(3);
    const makers = here.agents
      .view(here.root)
      .messages.flatMap((message) => (message.role === "assistant" ? [message.origin.provider] : []));
    expect(new Set(makers)).toEqual(new Set(["anthropic", "openai", "google"]));
    await here.agents.close();
  });
});

describe("what a switch says", () => {
  test("who, what the level becomes, what stays behind, what is read again", async () => {
    const here = await stage(await open(), {
      emulator: { rule: () => ({ thinking: "Hm.", text: "Hello." }) },
    });
    await here.say("One");
    await here.say("Two");
    const { lines, choice, cache } = await here.agents.command({
      type: "model",
      agent_uuid: here.root,
      model: "gpt-6.1-sol/med",
    });
    expect(choice).toEqual({ provider: "openai", model: "gpt-6.1-sol", thinking_level: "med" });
    expect(lines[0]).toBe("✓ Switched to OpenAI gpt-6.1-sol (Responses API)");
    expect(lines).toContain("  Thinking: medium (medium effort)");
    expect(lines).toContain("  ⚠ 2 thinking blocks stay with Anthropic");
    expect(cache.reason).toBe("model");
    expect(lines.at(-1)).toMatch(/cached tokens be read again uncached/);
    await here.say("Three");
    expect(here.emulator.requests().at(-1)).toMatchObject({ wire: "responses", status: 200 });
    const back = await here.agents.command({ type: "model", agent_uuid: here.root, model: "claude-opus-5-5" });
    // Who changes the model keeps the level.
    expect(back.choice).toEqual({ provider: "anthropic", model: "claude-opus-5-5", thinking_level: "med" });
    expect(back.lines).toContain("  ⚠ 1 thinking block stays with OpenAI");
    await here.agents.close();
  });

  test.each([
    [
      "claude-sonnet-4-5/med",
      ["✓ Switched to X claude-sonnet-4-5 (Messages API)", "  Thinking: medium (43,008 tokens)"],
    ],
    [
      "gemini-2.5-pro/high",
      ["✓ Switched to X gemini-2.5-pro (generateContent API)", "  Thinking: high (32,768 tokens)"],
    ],
    ["gpt-6.1-sol/high", ["✓ Switched to X gpt-6.1-sol (Responses API)", "  Thinking: high (high effort)"]],
    ["claude-haiku-4-5/none", ["✓ Switched to X claude-haiku-4-5 (Messages API)", "  Thinking: off"]],
  ])("%s in the seeds' words", async (model, lines) => {
    const explanation = await explain(model);
    expect(switchLines({ explanation, provider: "X", ...nothing })).toEqual(lines);
  });

  test("a model that cannot stop thinking says so", async () => {
    const explanation = await explain("gemini-2.5-pro/none");
    const lines = switchLines({ explanation, provider: "Google", ...nothing });
    expect(lines[1]).toMatch(/^ {2}⚠ /);
    expect(lines.at(-1)).toBe("  Thinking: none (128 tokens)");
  });

  test("a name nobody knows changes nothing", async () => {
    const here = await stage(await open());
    await expect(
      here.agents.command({ type: "model", agent_uuid: here.root, model: "claude-opus-5-5/loud" }),
    ).rejects.toThrow(/not a thinking level/);
    expect(here.agents.view(here.root).model?.model).toBe("claude-opus-5-5");
    await here.agents.close();
  });

  test("while a turn runs it takes effect at the next request", async () => {
    const release = Promise.withResolvers<string>();
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages }) =>
          (messages.at(-1)?.tool_results.length ?? 0) > 0
            ? { text: "Done." }
            : { thinking: "Hm.", tool_calls: [call("read", "x")] },
      },
      world: { tools: [tool("read", () => release.promise)] },
    });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("the tool runs", () => here.of("tool_started").length === 1);
    await here.agents.command({ type: "model", agent_uuid: here.root, model: gemini });
    release.resolve("read");
    await here.agents.settled(here.root);
    expect(here.emulator.requests().map(({ wire, status }) => [wire, status])).toEqual([
      ["messages", 200],
      ["gemini", 200],
    ]);
    await here.agents.close();
  });
});
