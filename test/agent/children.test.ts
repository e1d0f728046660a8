import { describe, expect, test } from "vitest";
import { sessionPermissions, type Rule } from "../../src/agent/permissions/index.ts";
import { engineNames, histories } from "../store/support/engines.ts";
import { call, gpt, said, stage, tool, type Stage } from "./support.ts";

const context = { root: "/somewhere", cwd: "/somewhere" };

/** The model makes one call of `write` and then says what came of it. */
const writes = {
  rule: ({
    messages,
  }: {
    readonly messages: readonly { readonly tool_results: readonly { readonly text: string }[] }[];
  }) => {
    const [result] = messages.at(-1)?.tool_results ?? [];
    return result === undefined ? { tool_calls: [call("write", "x")] } : { text: `It said: ${result.text}` };
  },
};
const write = tool("write", () => "written", "write");
const read = tool("read", () => "content");

async function forkOf(here: Stage, agent_uuid: string, more: object = {}): Promise<string> {
  const { children } = await here.agents.command({ type: "fork", agent_uuid, ...more });
  return children[0] ?? "";
}

describe.each(engineNames)("U25 a child can never do what its parent may not, on %s", (engine) => {
  const { open } = histories(engine);

  test("its tools are never more than those above it, whenever theirs change", async () => {
    const here = await stage(await open(), { emulator: writes, world: { tools: [write, read] } });
    const child = await forkOf(here, here.root);
    const grandchild = await forkOf(here, child, { tools: ["write", "read"] });
    expect(here.agents.view(grandchild).tools).toEqual(["write", "read"]);
    await here.agents.command({ type: "toolset", agent_uuid: here.root, tools: ["read"] });
    expect(here.agents.view(child).tools).toEqual(["read"]);
    expect(here.agents.view(grandchild).tools).toEqual(["read"]);
    const more = here.agents.command({ type: "toolset", agent_uuid: grandchild, tools: ["write"] });
    await expect(more).rejects.toThrow(/write is not for this agent/);
    const all = await here.agents.command({ type: "toolset", agent_uuid: grandchild });
    expect(all.tools).toEqual(["read"]);
    // A model that calls it all the same is told that there is none.
    await here.say("Go", grandchild);
    expect(said(here, grandchild).at(-1)).toContain('There is no tool "write"');
    await here.agents.close();
  });

  test("rules given to a child hold below it and after a restart, and a session's answer does not lift them", async () => {
    const store = await open();
    const permissions = () => sessionPermissions({ rules: [], context });
    const options = { emulator: writes, world: { tools: [write] } };
    const here = await stage(store, { ...options, world: { ...options.world, permissions: permissions() } });
    const restrict: readonly Rule[] = [{ decision: "deny", tool: "write" }];
    const child = await forkOf(here, here.root, { restrict });
    const grandchild = await forkOf(here, child, { restrict: [{ decision: "allow", tool: "write" }] });
    // The parent may, for the whole session.
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Go" });
    await here.until("asked", () => here.of("approval_asked").length === 1);
    const { approval_id = "" } = here.of("approval_asked")[0] ?? {};
    await here.agents.command({ type: "approve", agent_uuid: here.root, approval_id, scope: "session" });
    await here.agents.settled(here.root);
    expect(said(here, here.root).at(-1)).toContain("It said: written");
    for (const uuid of [child, grandchild]) {
      await here.say("Go", uuid);
      expect(said(here, uuid).at(-1)).toContain("It said: Not allowed");
    }
    const { session_uuid } = here.agents;
    await here.agents.close();
    const again = await stage(store, {
      ...options,
      world: { ...options.world, permissions: permissions() },
      open: { session_uuid },
    });
    await again.say("Go", grandchild);
    expect(said(again, grandchild).at(-1)).toContain("It said: Not allowed");
    expect(again.of("approval_asked")).toEqual([]);
    await again.agents.close();
  });
});

describe("what a fork says", () => {
  const { open } = histories("sqlite");

  test("who, from whom, where, on what, within which limits, and what the first request reads", async () => {
    const here = await stage(await open(), { emulator: { delay_ms: 1 } });
    await here.say("One");
    const { children, lines } = await here.agents.command({
      type: "fork",
      agent_uuid: here.root,
      models: [gpt],
      name: "second opinion",
      prompt: "And you? ".repeat(400),
      limits: { budget_usd: 0.5, requests_max: 3, depth_max: 1 },
    });
    await here.agents.settled(children[0] ?? "");
    expect(lines).toEqual([
      `✓ Forked ${children[0]?.slice(0, 4)} (second opinion) from ${here.root.slice(0, 4)} at message 2`,
      "  On OpenAI gpt-6.1-sol (Responses API)",
      "  Thinking: low (low effort)",
      "  ⚠ 1 thinking block stays with Anthropic",
      "  Parent: anthropic:claude-opus-5-5/low",
      "  At most: $0.50 with everything below it, 3 requests, 1 generation of forks",
      expect.stringMatching(/^ {2}The first request reads ~\d+,?\d* tokens, from \$0\.\d{4}$/),
    ]);
    // The prompt is part of what it reads, once.
    const tokens = Number(/~([\d,]+)/.exec(lines.at(-1) ?? "")?.[1]?.replace(",", ""));
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThan(2_500);
    await here.agents.close();
  });

  test.each([
    [{ budget_usd: -1 }, /US dollars/],
    [{ requests_max: 0 }, /requests/],
    [{ depth_max: 1.5 }, /depth/],
  ])("limits that make no sense are refused: %o", async (limits, words) => {
    const here = await stage(await open());
    await expect(here.agents.command({ type: "fork", agent_uuid: here.root, limits })).rejects.toThrow(words);
    expect(here.agents.list()).toHaveLength(1);
    await here.agents.close();
  });

  test("the tool takes the same limits", async () => {
    const asked = { prompt: "Look", turns: 2, depth: 0, budget_usd: 1, tools: ["read", "bash"] };
    const here = await stage(await open(), {
      emulator: {
        rule: ({ messages }) =>
          messages.some(({ tool_results }) => tool_results.length > 0) ||
          messages.at(-1)?.text.includes("Look") === true
            ? { text: "Seen." }
            : { tool_calls: [{ name: "fork", arguments: asked }] },
      },
      world: { tools: [read, write] },
    });
    await here.say("Go");
    const child = here.of("forked")[0]?.child_uuid ?? "";
    await here.agents.settled(child);
    expect(here.agents.view(child).tools).toEqual(["read"]);
    expect((await here.store.agents.get(child)).data).toMatchObject({
      limits: { budget_usd: 1, requests_max: 2, depth_max: 0 },
    });
    await expect(here.agents.command({ type: "fork", agent_uuid: child })).rejects.toThrow(/0 generations deep/);
    await here.agents.close();
  });
});
