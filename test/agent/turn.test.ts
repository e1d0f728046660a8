import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { said, stage, tool } from "./support.ts";

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
    await here.agents.close();
  });

  test("calls are run and their results sent back, those that read side by side", async () => {
    let running = 0;
    let most = 0;
    const read = tool("read", async ({ value }) => {
      most = Math.max(most, (running += 1));
      await new Promise((resolve) => setTimeout(resolve, 10));
      running -= 1;
      return `content of ${String(value)}`;
    });
    const order: string[] = [];
    const write = tool("write", ({ value }) => `written ${order.push(String(value))}`, "write");
    const call = (name: string, value: string) => ({ name, arguments: { value } });
    const here = await stage(await open(), {
      emulator: {
        script: [
          {
            answer: {
              tool_calls: [
                call("read", "a"),
                call("read", "b"),
                call("write", "1"),
                call("write", "2"),
                call("read", "c"),
              ],
            },
          },
          { answer: { text: "Done." } },
        ],
      },
      world: { tools: [read, write] },
    });
    await here.say("Go");
    expect(most).toBe(2);
    expect(order).toEqual(["1", "2"]);
    expect(said(here, here.root).at(-1)).toBe("assistant: Done.");
    expect(here.emulator.requests().map(({ status }) => status)).toEqual([200, 200]);
    expect(here.of("tool_ended").map(({ name, is_error }) => [name, is_error])).toHaveLength(5);
    const log = await here.store.history.log(here.root);
    const results = log.filter(({ kind }) => kind === "tool_result");
    expect(new Set(results.map(({ content }) => content))).toEqual(
      new Set(["content of a", "content of b", "content of c", "written 1", "written 2"]),
    );
    await here.agents.close();
  });
});
