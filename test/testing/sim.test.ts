import { describe, expect, test } from "vitest";
import { textOf, toolResult, user, type Message, type ToolCallBlock } from "../../src/core/index.ts";
import { ask, IkigaiError } from "../../src/llm/index.ts";
import { simProvider } from "../../src/testing/index.ts";

const options = { providers: [simProvider({ delay_ms: 0 })] };
const bash = {
  name: "bash",
  parameters: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
};

describe("the simulated models", () => {
  test("say what they are in their first answer, and only there", async () => {
    const messages: Message[] = [user("good morning")];
    const first = await ask("sim-echo", messages, options);
    const second = await ask("sim-echo", [...messages, first.message, user("and again")], options);
    expect(textOf(first.message)).toContain("This is a simulation");
    expect(textOf(first.message)).toContain("good morning");
    expect(textOf(second.message)).not.toContain("This is a simulation");
    expect(first.cost_usd).toBe(0);
  });

  test("answer the same words with the same words", async () => {
    const once = await ask("sim-think/high", "what is a year", options);
    const again = await ask("sim-think/high", "what is a year", { providers: [simProvider({ delay_ms: 0 })] });
    expect(textOf(again.message)).toBe(textOf(once.message));
  });

  test("think with signatures that are checked when they come back", async () => {
    const first = await ask("sim-think/low", "what is a day", options);
    expect(first.message.content[0]).toMatchObject({
      type: "thinking",
      opaque: { data: { signature: expect.any(String) } },
    });
    expect(first.usage.thinking_tokens).toBeGreaterThan(0);
    const history: Message[] = [user("what is a day"), first.message, user("go on")];
    await expect(ask("sim-think/low", history, options)).resolves.toMatchObject({ finish_reason: "stop" });
    const forged = structuredClone(history);
    const thinking = forged[1]?.content[0] as { text: string };
    thinking.text = "something else";
    await expect(ask("sim-think/low", forged, options)).rejects.toThrow(IkigaiError);
  });

  test("do not think when thinking is off", async () => {
    const answer = await ask("sim-think/none", "what is a day", options);
    expect(answer.message.content.map(({ type }) => type)).toEqual(["text"]);
  });

  test("call a tool that is offered, and comment on what it says", async () => {
    const messages: Message[] = [user("run ls")];
    const first = await ask("sim-tools", { messages, tools: [bash] }, options);
    const call = first.message.content.find((block): block is ToolCallBlock => block.type === "tool_call");
    expect(call).toMatchObject({ name: "bash", arguments: { command: "ls" } });
    const results: Message = { role: "tool", content: [toolResult(call?.id ?? "", "README.md")] };
    const second = await ask("sim-tools", { messages: [...messages, first.message, results], tools: [bash] }, options);
    expect(textOf(second.message)).toContain("README.md");
    expect(second.finish_reason).toBe("stop");
  });

  test.each([
    ["show me code in rust", "```rust\nfn "],
    ["show me code in cobol", "```typescript\nfunction "],
    ["show me code in constructor", "```typescript\nfunction fibonacci"],
  ])("write code: %s", async (say, start) => {
    expect(textOf((await ask("sim-echo", say, options)).message)).toContain(start);
  });

  test("say so when the tool is not there", async () => {
    const answer = await ask("sim-tools", "run ls", options);
    expect(textOf(answer.message)).toContain("no tools");
  });

  test.each(["rate_limit", "overloaded", "server", "context_length", "billing", "timeout"])(
    "fail with %s on demand",
    async (category) => {
      const failure = await ask("sim-echo", `fail ${category}`, options).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ info: { category } });
    },
  );

  test("break off on demand, with what had arrived", async () => {
    const failure = await ask("sim-echo", "cut", options).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(failure).toMatchObject({ info: { category: "network", retryable: true } });
    expect((failure as IkigaiError).partial?.content.length).toBeGreaterThan(0);
  });
});
