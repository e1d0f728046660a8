import { expect, test } from "vitest";
import { openStore } from "../../src/store/index.ts";
import { claude, gpt, stage } from "./support.ts";

test("a chain of one agent's own: the hop is seen, paid for and kept, and a child inherits it", async () => {
  const store = await openStore({ path: ":memory:" });
  const { agents, root, emulator, say, of } = await stage(store);
  await agents.command({ type: "model", agent_uuid: root, model: claude, fallback: [gpt] });
  emulator.script({ match: { wire: "messages" }, error: "billing", times: "always" });
  await say("hello");
  const hop = of("stream").find(({ event }) => event.type === "fallback")?.event;
  expect(hop).toMatchObject({
    from: expect.stringContaining("claude"),
    to: expect.stringContaining("gpt"),
    error: { category: "billing" },
  });
  const entry = agents.view(root).entries.findLast(({ kind }) => kind === "assistant");
  expect(entry).toMatchObject({ data: { provider: "openai", hops: [{ error: { category: "billing" } }] } });
  const { children } = await agents.command({ type: "fork", agent_uuid: root });
  const [child = ""] = children;
  expect(agents.view(child).model?.fallback).toEqual([gpt]);
  await agents.close();
  await store.close();
});
