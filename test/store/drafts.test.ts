import { afterEach, describe, expect, test, vi } from "vitest";
import { messagesOf, unreportedUsage, type StreamEvent } from "../../src/core/index.ts";
import { thisProcess } from "../../src/store/process.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, contents, readAll, says, withAgent } from "./support/make.ts";

const origin = { provider: "somebody", api: "wire", model: "model-1" };
const dead = () => ({ ...thisProcess(), started: "1" });

function text(words: string): StreamEvent {
  return { type: "text_delta", block_index: 1, text: words };
}

const stream: readonly StreamEvent[] = [
  { type: "start", model: "model-1" },
  { type: "thinking_delta", block_index: 0, text: "let me " },
  { type: "thinking_delta", block_index: 0, text: "see" },
  { type: "opaque", block_index: 0, opaque: { provider: "somebody", model: "model-1", data: { signature: "AAAA" } } },
  text("I will "),
  text("look."),
  { type: "tool_call_start", block_index: 2, id: "call_1", name: "bash" },
  { type: "tool_call_delta", block_index: 2, json_fragment: '{"command":' },
  { type: "tool_call_delta", block_index: 2, json_fragment: '"ls"}' },
];

afterEach(() => {
  vi.useRealTimers();
});

describe.each(engineNames)("an answer while it arrives, on %s", (engine) => {
  const { open, target } = histories(engine);

  test("U14 survives the death of its process as far as it was written, and shows as interrupted", async () => {
    const where = await target();
    const store = await open(where, { self: dead() });
    const { agent } = await withAgent(store);
    await store.ownership.claim(agent.uuid);
    await store.history.append(agent.uuid, [says("what is here?")]);
    const draft = store.history.draft(agent.uuid, { origin, thinking_level: "high" });
    for (const event of stream) {
      draft.add(event);
      await draft.flush();
    }
    const heir = await open(where);
    const claim = await heir.ownership.claim(agent.uuid);
    expect(claim).toMatchObject({
      owned: true,
      recovered: [
        {
          kind: "assistant",
          uuid: draft.uuid,
          content: "I will look.",
          data: {
            ...origin,
            incomplete: true,
            thinking: "let me see",
            thinking_level: "high",
            error: { category: "aborted" },
          },
        },
        { kind: "interrupted", data: { reason: "crash" } },
      ],
    });
    const [, answer] = messagesOf(await readAll(heir, agent.uuid));
    expect(answer).toEqual({
      role: "assistant",
      origin,
      incomplete: true,
      content: [
        {
          type: "thinking",
          text: "let me see",
          opaque: { provider: "somebody", model: "model-1", data: { signature: "AAAA" } },
        },
        { type: "text", text: "I will look." },
        {
          type: "tool_call",
          id: "call_1",
          name: "bash",
          arguments: {},
          arguments_text: '{"command":"ls"}',
          invalid: true,
        },
      ],
    });
    expect(await heir.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    expect(await heir.ownership.claim(agent.uuid)).toEqual({ owned: true, recovered: [] });
    await heir.history.append(agent.uuid, [says("go on")]);
    expect(await contents(heir, agent.uuid)).toEqual(["what is here?", "I will look.", "go on"]);
  });

  test("that was whole but not yet an entry becomes one that is complete", async () => {
    const where = await target();
    const store = await open(where, { self: dead() });
    const { agent } = await withAgent(store);
    await store.ownership.claim(agent.uuid);
    const draft = store.history.draft(agent.uuid, { origin });
    draft.add(text("done"));
    draft.add({ type: "done", finish_reason: "stop", raw_finish_reason: "end", usage: unreportedUsage, cost_usd: 0.5 });
    await draft.flush();
    const heir = await open(where);
    const claim = await heir.ownership.claim(agent.uuid);
    const [entry] = claim.owned ? claim.recovered : [];
    expect(entry).toMatchObject({ content: "done", data: { finish_reason: "stop", cost_usd: 0.5 } });
    expect(entry?.kind === "assistant" ? entry.data.incomplete : "?").toBeUndefined();
  });

  test("leaves nothing behind once it is an entry", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const draft = store.history.draft(agent.uuid, { origin });
    draft.add(text("half"));
    await draft.flush();
    draft.add(text("and whole"));
    const written = await draft.finish(answers("half and whole"), {
      kind: "tool_call",
      data: { tool_call_id: "1", name: "bash" },
    });
    expect(written).toMatchObject([{ uuid: draft.uuid, kind: "assistant" }, { kind: "tool_call" }]);
    expect(await store.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    expect(await contents(store, agent.uuid)).toEqual(["half and whole"]);
    const given = store.history.draft(agent.uuid, { origin });
    given.add(text("never mind"));
    await given.flush();
    await given.discard();
    expect(await store.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
  });

  test("stops being written when another process has taken the agent over", async () => {
    const where = await target();
    const first = await open(where);
    const second = await open(where);
    const { agent } = await withAgent(first);
    await first.ownership.claim(agent.uuid);
    const draft = first.history.draft(agent.uuid, { origin });
    draft.add(text("one"));
    await draft.flush();
    const claim = await second.ownership.claim(agent.uuid, { take_over: true });
    expect(claim).toMatchObject({ recovered: [{ content: "one" }, { kind: "interrupted" }] });
    draft.add(text("two"));
    expect(await draft.flush()).toBe(false);
    await expect(draft.finish(answers("one two"))).rejects.toMatchObject({ kind: "not_owner" });
    expect(await contents(second, agent.uuid)).toEqual(["one"]);
    expect(await second.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
  });
});

describe("the rate of writing", () => {
  const { open } = histories("sqlite");

  test("is at most four times a second, never more than a quarter of a second behind, each piece once", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const draft = store.history.draft(agent.uuid, { origin });
    const rows = () => store.engine.db.selectFrom("checkpoints").select("data").orderBy("seq").execute();
    const stored = async (): Promise<string> =>
      (await rows())
        .map(({ data }) => [...data.matchAll(/"text":"([^"]*)"/g)].map(([, words]) => words).join(""))
        .join("");
    let written = "";
    for (let tick = 0; tick < 1_000; tick++) {
      const words = String(tick % 10);
      draft.add(text(words));
      written += words;
      await vi.advanceTimersByTimeAsync(10);
      // What was said a quarter of a second ago is there.
      if (tick % 7 === 0) expect((await stored()).length).toBeGreaterThanOrEqual(written.length - 26);
    }
    await vi.advanceTimersByTimeAsync(250);
    expect(await stored()).toBe(written);
    const writes = (await rows()).length - 1;
    expect(writes).toBeGreaterThan(30);
    expect(writes).toBeLessThanOrEqual(42);
  });
});
