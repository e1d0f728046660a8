import { describe, expect, test } from "vitest";
import type { LogEntry } from "../../src/core/index.ts";
import type { Store } from "../../src/store/index.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, says, skipIds, withAgent } from "./support/make.ts";

describe.each(engineNames)("what a screen needs, on %s", (engine) => {
  const { open, target } = histories(engine);

  test("sessions to go on with: those of a folder in which somebody spoke, newest first, with what they came to", async () => {
    let now = 1_000_000;
    const store = await open(undefined, { now: () => now });
    for (const [folder, words] of [
      ["/a", "first"],
      ["/b", "elsewhere"],
      ["/a", "second"],
      ["/a", undefined],
    ] as const) {
      now += 10_000;
      const { agent } = await withAgent(store, folder);
      if (words === undefined) await store.history.append(agent.uuid, [{ kind: "system", content: "rules" }]);
      else await store.history.append(agent.uuid, [says(words), answers("yes", { cost_usd: 0.5 }), answers("well")]);
      if (words === "second") await store.agents.fork(agent.uuid);
    }
    const recent = await store.sessions.recent({ folder: "/a" });
    expect(recent).toMatchObject([
      { first_text: "second", agents: 2, messages: 3, cost_usd: 0.5, unpriced: 1, total_tokens: 300 },
      { first_text: "first", agents: 1, messages: 3, models: [{ provider: "somebody", model: "model-1" }] },
    ]);
    const [newest] = recent;
    expect(await store.sessions.recent({ folder: "/a", limit: 1 })).toEqual([newest]);
    const before = newest === undefined ? {} : { before: newest };
    expect(await store.sessions.recent({ ...before, limit: 1 })).toMatchObject([{ first_text: "elsewhere" }]);
    expect(await store.sessions.list({ folder: "/a", spoken: true, limit: 1 })).toMatchObject([
      { first_text: "second" },
    ]);
    expect(await store.sessions.list({ folder: "/a", limit: 1 })).not.toMatchObject([{ first_text: "second" }]);
    expect(await store.sessions.recent({ folder: "/nowhere" })).toEqual([]);
  });

  test("what sessions came to, in the order in which they were asked for, however long the history is", async () => {
    const store = await open();
    const { agent, session } = await withAgent(store);
    await store.history.append(agent.uuid, [
      says("1"),
      answers("2", { cost_usd: 0.25 }),
      { kind: "tool_call", data: { tool_call_id: "c", name: "bash" } },
      { kind: "tool_result", content: "ok", data: { tool_call_id: "c", is_error: false } },
      answers("3", { model: "model-2", cost_usd: 1 }),
      { kind: "compact", content: "by hand", data: {} },
      { kind: "compact", content: "by a model", data: { provider: "somebody", model: "model-1", cost_usd: 0.5 } },
      { kind: "clear" },
    ]);
    const child = await store.agents.fork(agent.uuid);
    await store.history.append(child.uuid, [says("4"), answers("5")]);
    const other = await withAgent(store);
    await store.history.append(other.agent.uuid, [says("6")]);
    const { session: silent } = await withAgent(store);
    const nothing = { messages: 0, models: [], total_tokens: 0, cost_usd: 0, unpriced: 0 };
    const expected = [
      { ...nothing, messages: 1 },
      {
        messages: 5,
        models: [
          { provider: "somebody", model: "model-2" },
          { provider: "somebody", model: "model-1" },
        ],
        total_tokens: 450,
        cost_usd: 1.75,
        unpriced: 1,
      },
      nothing,
      nothing,
    ];
    const uuids = [other.session.uuid, session.uuid, silent.uuid, "unknown"];
    expect(await store.sessions.totals(uuids)).toEqual(expected);
    await skipIds(store, silent.uuid, 1_000_000);
    expect(await store.sessions.totals(uuids)).toEqual(expected);
    expect(await store.sessions.totals([])).toEqual([]);
  });

  test("pages of everything that led to an agent's newest entry, over forks, in force or not", async () => {
    const store = await open();
    const { agent: root } = await withAgent(store);
    await store.history.append(root.uuid, [says("1"), answers("2"), { kind: "clear" }, says("3")]);
    const child = await store.agents.fork(root.uuid);
    await store.history.append(root.uuid, [says("only the root")]);
    const grandchild = await store.agents.fork(child.uuid);
    const [four] = await store.history.append(grandchild.uuid, [says("4")]);
    await store.history.append(grandchild.uuid, [says("5")]);
    await store.history.append(grandchild.uuid, [{ kind: "rewind", data: { target_uuid: four?.uuid ?? "" } }]);
    await store.history.append(grandchild.uuid, [says("6")]);

    const all = ["1", "2", "clear", "3", "4", "5", "rewind", "6"];
    for (const limit of [1, 2, 3, 4, 7, 8, 100]) {
      expect(await pagesOf(store, grandchild.uuid, limit)).toEqual(all);
    }
    expect(await store.history.page(grandchild.uuid, { limit: 2 })).toMatchObject({
      entries: [{ kind: "rewind" }, { content: "6" }],
      older: true,
    });
    expect(await store.history.page(grandchild.uuid, { limit: 8 })).toMatchObject({ older: false });
    expect(await pagesOf(store, root.uuid, 2)).toEqual(["1", "2", "clear", "3", "fork", "only the root"]);
    await expect(store.history.page("nobody", { limit: 1 })).rejects.toMatchObject({ kind: "not_found" });
    await expect(store.history.page(root.uuid, { limit: 1, before: "x" })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("a page is the same whatever is written meanwhile", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("1"), says("2"), says("3")]);
    const { entries } = await store.history.page(agent.uuid, { limit: 2 });
    const before = entries[0]?.uuid ?? "";
    await store.history.append(agent.uuid, [{ kind: "clear" }, says("4")]);
    expect(await store.history.page(agent.uuid, { limit: 2, before })).toMatchObject({
      entries: [{ content: "1" }],
      older: false,
    });
  });

  test("states by name, kept over restarts, replaced, forgotten, without keys", async () => {
    const where = await target();
    const key = ["sk", "canary", "0123456789abcdef"].join("-");
    const store = await open(where, { secrets: () => [key] });
    expect(await store.states.get("session:1")).toBeUndefined();
    await store.states.set("session:1", { draft: `use ${key}\0`, scroll: [1, 2.5], current: null });
    await store.states.set("session:2", "other");
    await store.close();
    const again = await open(where);
    expect(await again.states.get("session:1")).toEqual({ draft: "use [secret]\0", scroll: [1, 2.5], current: null });
    await again.states.set("session:1", 7);
    expect(await again.states.get("session:1")).toBe(7);
    await again.states.set("session:1", undefined);
    expect(await again.states.get("session:1")).toBeUndefined();
    expect(await again.states.get("session:2")).toBe("other");
    await expect(again.states.set("x", "x".repeat(2_000_000))).rejects.toMatchObject({ kind: "invalid" });
  });

  test("lines typed in a folder, newest kept, without keys, apart from the conversations", async () => {
    const key = ["sk", "canary", "0123456789abcdef"].join("-");
    const store = await open(undefined, { secrets: () => [key] });
    for (const content of ["one", "/model x", "/model x", "one", `/login ${key}`]) {
      await store.inputs.add({ folder: "/a", content });
      await store.inputs.add({ content: "nowhere" });
    }
    await store.inputs.add({ folder: "/b", content: "b\nand more" });
    expect(await store.inputs.recent({ folder: "/a", limit: 10 })).toEqual([
      "one",
      "/model x",
      "one",
      "/login [secret]",
    ]);
    expect(await store.inputs.recent({ folder: "/a", limit: 2 })).toEqual(["one", "/login [secret]"]);
    expect(await store.inputs.recent({ folder: "/b", limit: 2 })).toEqual(["b\nand more"]);
    expect(await store.inputs.recent({ limit: 2 })).toEqual(["nowhere"]);
    expect(await store.search("nowhere")).toEqual([]);
    for await (const line of store.transfer.lines()) expect.unreachable(line.type);
  });
});

/** All pages, newest first, put together. */
async function pagesOf(store: Store, agent_uuid: string, limit: number): Promise<readonly string[]> {
  let entries: readonly LogEntry[] = [];
  for (let older = true; older;) {
    const [first] = entries;
    const page = await store.history.page(agent_uuid, {
      limit,
      ...(first === undefined ? {} : { before: first.uuid }),
    });
    entries = [...page.entries, ...entries];
    older = page.older;
  }
  return entries.map(({ kind, content }) => content ?? kind);
}
