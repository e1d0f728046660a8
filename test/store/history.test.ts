import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  assistantEntry,
  messagesOf,
  toolResultEntry,
  userEntry,
  type AssistantMessage,
  type LogEntry,
} from "../../src/core/index.ts";
import type { Store } from "../../src/store/index.ts";
import { decodeText, encodeText } from "../../src/store/text.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, contents, readAll, says, withAgent } from "./support/make.ts";
import { bodyOf, inForce, pinsOf, steps, systemOf } from "./support/reference.ts";

describe.each(engineNames)("history on %s", (engine) => {
  const { open, target } = histories(engine);

  test("gives back what was written, with ids that grow", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const [first] = await store.history.append(agent.uuid, [says("hello")]);
    const [second, third] = await store.history.append(agent.uuid, [{ kind: "mark", content: "here" }, answers("hi")]);
    expect(first?.id).toBeGreaterThan(0);
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
    expect(third?.id).toBeGreaterThan(second?.id ?? 0);
    expect(await readAll(store, agent.uuid)).toEqual([first, second, third]);
    expect(await store.history.entry(second?.uuid ?? "")).toEqual(second);
    expect(await store.history.log(agent.uuid, { after_id: first?.id ?? 0 })).toEqual([second, third]);
    expect(await store.history.log(agent.uuid, { before_id: third?.id ?? 0, kinds: ["user"] })).toEqual([first]);
  });

  test("is the same after closing and opening again", async () => {
    const where = await target();
    const store = await open(where);
    const { agent } = await withAgent(store);
    const written = await store.history.append(agent.uuid, [
      says("one"),
      answers("two"),
      { kind: "clear" },
      says("three"),
    ]);
    expect(await store.close()).toEqual([]);
    const again = await open(where);
    expect(await readAll(again, agent.uuid)).toEqual(written.slice(2));
    expect((await again.history.replay(agent.uuid)).messages()).toHaveLength(1);
  });

  test("the same entry twice is one entry", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const entry = { ...says("once"), uuid: "AAAAAAAAAAAAAAAAAAAAAA", created_at: 5 };
    const first = await store.history.append(agent.uuid, [entry]);
    expect(await store.history.append(agent.uuid, [entry, says("twice")])).toMatchObject([
      { id: first[0]?.id },
      { content: "twice" },
    ]);
    expect(await contents(store, agent.uuid)).toEqual(["once", "twice"]);
  });

  test("entries of an agent nobody knows are refused, and what points nowhere too", async () => {
    const store = await open();
    await expect(store.history.append("nobody", [says("hello")])).rejects.toMatchObject({ kind: "not_found" });
    const { agent } = await withAgent(store);
    const rewind = { kind: "rewind", data: { target_uuid: "nowhere" } } as const;
    await expect(store.history.append(agent.uuid, [says("one"), rewind])).rejects.toMatchObject({ kind: "invalid" });
    expect(await contents(store, agent.uuid)).toEqual([]);
    expect(store.outbox.state()).toEqual({ waiting: 0 });
  });

  test("text comes back unit for unit, U+0000 and half surrogates included", async () => {
    const store = await open();
    const { agent } = await withAgent(store, "/odd/\0folder");
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: anyUnit }),
        fc.dictionary(fc.string({ unit: anyUnit }), anyJson),
        async (text, data) => {
          const entry = { kind: "command", content: text, data } as const;
          const [written] = await store.history.append(agent.uuid, [entry]);
          const read = await store.history.entry(written?.uuid ?? "");
          expect(read.content).toBe(text);
          expect(JSON.stringify(read.data)).toBe(JSON.stringify(data));
        },
      ),
      { numRuns: engine === "sqlite" ? 200 : 60 },
    );
    expect(await store.sessions.latest("/odd/\0folder")).toMatchObject({ folder: "/odd/\0folder" });
  });

  test("an answer keeps every block with its maker's data, key for key", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const message: AssistantMessage = {
      role: "assistant",
      origin: { provider: "somebody", api: "wire", model: "model-1" },
      content: [
        {
          type: "thinking",
          text: "hm \ud800",
          opaque: { provider: "somebody", model: "model-1", data: { z: 1, a: "\0", "10": 2, "9": 1 } },
        },
        { type: "text", text: "well " },
        {
          type: "tool_call",
          id: "call_1",
          name: "bash",
          arguments: { b: 1, a: [null, 1e21] },
          arguments_text: '{ "b":1 }',
        },
        { type: "text", text: "then" },
        { type: "provider", opaque: { provider: "somebody", model: "model-1", data: { encrypted: "AAAA" } } },
      ],
    };
    const entry = assistantEntry(message, { thinking_level: "high", thinking_level_applied: "med", latency_ms: 1_200 });
    expect(entry).toMatchObject({ content: "well then", data: { thinking: "hm \ud800" } });
    const [written] = await store.history.append(agent.uuid, [entry]);
    const read = await store.history.entry(written?.uuid ?? "");
    expect(JSON.stringify(read.data)).toBe(JSON.stringify(entry.data));
    expect(messagesOf([read])).toEqual([message]);
  });

  test("pictures and results come back as messages", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const picture = {
      role: "user",
      content: [
        { type: "text", text: "what is this?" },
        { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" },
      ],
    } as const;
    const result = {
      type: "tool_result",
      tool_call_id: "call_1",
      content: [{ type: "text", text: "ok" }],
      is_error: true,
    } as const;
    await store.history.append(agent.uuid, [
      userEntry(picture),
      toolResultEntry(result, { name: "bash", exit_code: 1 }),
    ]);
    const replay = await store.history.replay(agent.uuid);
    expect(replay.messages()).toEqual([picture, { role: "tool", content: [result] }]);
  });

  test("clear, rewind and compaction are applied after a restart exactly as before it", async () => {
    const where = await target();
    const store = await open(where);
    const { agent } = await withAgent(store);
    const [, mark] = await store.history.append(agent.uuid, [says("one"), { kind: "mark", content: "m" }, says("two")]);
    const target_uuid = mark?.uuid ?? "";
    const [, three] = await store.history.append(agent.uuid, [
      { kind: "rewind", data: { target_uuid } },
      says("three"),
    ]);
    await store.history.append(agent.uuid, [
      { kind: "compact", content: "so far", data: { target_uuid: three?.uuid ?? "" } },
      says("four"),
    ]);
    const before = await store.history.replay(agent.uuid);
    await store.close();
    const again = await open(where);
    const after = await again.history.replay(agent.uuid);
    expect(after.entries()).toEqual(before.entries());
    expect(after.messages().map((message) => message.content)).toMatchObject([
      [{ text: "so far" }],
      [{ text: "three" }],
      [{ text: "four" }],
    ]);
    const view = await again.history.view(agent.uuid);
    expect(await view.marks()).toEqual([]);
    expect(await (await again.history.view(agent.uuid, three?.uuid)).marks()).toMatchObject([{ content: "m" }]);
  });

  test("a summary may keep an older one, leave it out, or reach behind it", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const [a, b, c] = await store.history.append(agent.uuid, ["a", "b", "c", "d"].map(says));
    const compact = async (content: string, target_uuid = ""): Promise<LogEntry | undefined> =>
      (await store.history.append(agent.uuid, [{ kind: "compact", content, data: { target_uuid } }]))[0];
    const all = async (): Promise<string> =>
      (await readAll(store, agent.uuid)).flatMap((entry) => entry.content ?? []).join(" ");
    const first = await compact("[1]", b?.uuid);
    expect(await all()).toBe("[1] b c d");
    await compact("[2]", c?.uuid);
    expect(await all()).toBe("[2] c d");
    await store.history.append(agent.uuid, [{ kind: "rewind", data: { target_uuid: first?.uuid ?? "" } }, says("e")]);
    await compact("[3]", first?.uuid);
    expect(await all()).toBe("[3] [1] b c d e");
    // What is no longer in force cannot be where the kept part begins: then everything is kept.
    await compact("[4]", a?.uuid);
    expect(await all()).toBe("[4] [3] [1] b c d e");
  });

  test("U30 a fork starts at any event, copies nothing and leaves the original alone", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const [one] = await store.history.append(agent.uuid, [says("one"), says("two"), says("three")]);
    const rows = async (): Promise<number> =>
      Number(
        (
          await store.engine.db
            .selectFrom("messages")
            .select(({ fn }) => fn.countAll().as("n"))
            .executeTakeFirstOrThrow()
        ).n,
      );
    const before = await rows();
    const early = await store.agents.fork(agent.uuid, { at_uuid: one?.uuid ?? "" });
    const late = await store.agents.fork(agent.uuid, { prompt: "try this" });
    expect(await rows()).toBe(before + 2);
    await store.history.append(early.uuid, [says("elsewhere")]);
    await store.history.append(agent.uuid, [says("four")]);
    const grandchild = await store.agents.fork(early.uuid);
    await store.history.append(grandchild.uuid, [says("further")]);
    expect(await contents(store, agent.uuid)).toEqual(["one", "two", "three", "four"]);
    expect(await contents(store, early.uuid)).toEqual(["one", "elsewhere"]);
    expect(await contents(store, late.uuid)).toEqual(["one", "two", "three"]);
    expect(await contents(store, grandchild.uuid)).toEqual(["one", "elsewhere", "further"]);
    expect(await store.agents.get(early.uuid)).toMatchObject({ parent_uuid: agent.uuid, fork_message_uuid: one?.uuid });
    const forks = await store.history.log(agent.uuid, { kinds: ["fork"] });
    expect(forks).toMatchObject([{ data: { child_uuid: early.uuid } }, { content: "try this" }]);
  });

  test("a child inherits settings up to its fork, and the model unless it has its own", async () => {
    const store = await open();
    const { session, agent } = await withAgent(store);
    await store.history.append(agent.uuid, [
      { kind: "system", content: "be kind" },
      { kind: "pin", content: "a.md" },
      { kind: "model", data: { provider: "somebody", model: "model-1", thinking_level: "high" } },
    ]);
    const child = await store.agents.fork(agent.uuid);
    const other = await store.agents.fork(agent.uuid, { provider: "other", model: "model-2", thinking_level: "low" });
    await store.history.append(agent.uuid, [{ kind: "system", content: "be quick" }]);
    await store.history.append(child.uuid, [{ kind: "pin", content: "b.md" }]);
    const settings = async (uuid: string) => (await store.history.view(uuid)).settings();
    expect(await settings(child.uuid)).toMatchObject({ system: [{ text: "be kind" }], pins: ["a.md", "b.md"] });
    expect(await settings(agent.uuid)).toMatchObject({ system: [{ text: "be quick" }], pins: ["a.md"] });
    expect(await store.agents.list(session.uuid)).toMatchObject([
      { name: "root", model: "model-1", thinking_level: "high" },
      { model: "model-1", thinking_level: "high", parent_uuid: agent.uuid },
      { provider: "other", model: "model-2", thinking_level: "low" },
    ]);
    expect(other.model).toBe("model-2");
  });

  test("replay of any log of any tree of agents equals the reference", async () => {
    const store = await open();
    await fc.assert(
      fc.asyncProperty(steps, async (todo) => {
        const logs = await play(store, todo);
        for (const [agent_uuid, log] of logs) {
          const expected = inForce(log);
          expect(await readAll(store, agent_uuid)).toEqual(expected);
          const replay = await store.history.replay(agent_uuid);
          expect(replay.entries()).toEqual(expected);
          expect(replay.messages()).toEqual(messagesOf(expected));
          expect(
            replay
              .settings()
              .system.map((block) => block.text)
              .join(""),
          ).toBe(systemOf(log));
          expect(new Set(replay.settings().pins)).toEqual(pinsOf(log));
          const view = await store.history.view(agent_uuid);
          expect(await view.marks()).toEqual(expected.filter((entry) => entry.kind === "mark").toReversed());
        }
      }),
      { numRuns: engine === "sqlite" ? 60 : 15 },
    );
  });

  test("B44 keys that are known never reach the database", async () => {
    const where = await target();
    const key = ["sk", "canary", "0123456789abcdef"].join("-");
    const quoted = ["a", "key", "0123456789"].join('"\\');
    const store = await open(where, { secrets: () => [key, quoted, "short"] });
    const { session, agent } = await withAgent(store);
    await store.history.append(agent.uuid, [
      says(`my key is ${key}, in short`),
      { kind: "tool_result", content: key, data: { tool_call_id: "1", is_error: false, name: key } },
      { kind: "tool_result", content: quoted, data: { tool_call_id: "2", is_error: false, name: quoted } },
    ]);
    await store.mail.send({ to_uuid: agent.uuid, content: `use ${key}` });
    const draft = store.history.draft(agent.uuid, { origin: { provider: "p", api: "a", model: "m" } });
    draft.add({ type: "text_delta", block_index: 0, text: `the key: ${key}` });
    await draft.flush();
    for (const table of ["messages", "mail", "checkpoints"] as const) {
      const rows = await store.engine.db.selectFrom(table).selectAll().execute();
      expect(JSON.stringify(rows)).not.toContain(key);
      expect(JSON.stringify(rows)).toContain("[secret]");
    }
    expect(await contents(store, agent.uuid)).toEqual(["my key is [secret], in short"]);
    const [, ...results] = await store.history.log(agent.uuid);
    for (const result of results) expect(result).toMatchObject({ content: "[secret]", data: { name: "[secret]" } });
    expect(session.uuid).toHaveLength(22);
  });
});

test("stored text is well-formed whatever it was, and decodes to what it was", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyUnit }), (text) => {
      const stored = encodeText(text);
      expect(stored.isWellFormed()).toBe(true);
      expect(stored).not.toContain("\0");
      expect(decodeText(stored)).toBe(text);
    }),
  );
  expect(encodeText("plain \u{1F600}")).toBe("plain \u{1F600}");
});

const anyUnit = fc.oneof(
  fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
  fc.constantFrom("\0", "\ud800", "\udc00", "\uFDD0", "0000", "a", "é", "\u{1F600}"),
);
const anyJson = fc.jsonValue({ maxDepth: 2 });

/** Plays steps against the store and, beside it, keeps each agent's whole log as a list. */
async function play(
  store: Store,
  todo: readonly { readonly agent: number }[] & Parameters<Parameters<typeof steps.map>[0]>[0],
): Promise<ReadonlyMap<string, readonly LogEntry[]>> {
  const { agent } = await withAgent(store);
  const logs = new Map<string, LogEntry[]>([[agent.uuid, []]]);
  for (const step of todo) {
    const [agent_uuid = "", log = []] = [...logs][step.agent % logs.size] ?? [];
    const body = bodyOf(step, log);
    if (body !== undefined) log.push(...(await store.history.append(agent_uuid, [body])));
    else if (step.what === "fork" || (step.what === "fork_at" && log.length > 0)) {
      const place = step.what === "fork" ? log.length - 1 : step.pick % log.length;
      const at_uuid = log[place]?.uuid;
      const at = step.what === "fork" || at_uuid === undefined ? {} : { at_uuid };
      const child = await store.agents.fork(agent_uuid, at);
      const [forked] = await store.history.log(agent_uuid, { before_id: Number.MAX_SAFE_INTEGER, limit: 1 });
      logs.set(child.uuid, log.slice(0, place + 1));
      if (forked !== undefined) log.push(forked);
    }
  }
  return logs;
}
