import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { engineNames, histories } from "./support/engines.ts";
import { answers, says, withAgent } from "./support/make.ts";

const day = 86_400_000;

describe.each(engineNames)("usage on %s", (engine) => {
  const { open } = histories(engine);

  async function spent() {
    let now = Date.UTC(2026, 0, 1, 12);
    const store = await open(undefined, { now: () => now });
    const one = await withAgent(store);
    const two = await withAgent(store);
    const add = (agent_uuid: string, ...entry: Parameters<typeof answers>) =>
      store.history.append(agent_uuid, [says("?"), answers(...entry)]);
    await add(one.agent.uuid, "a", { provider: "p", model: "m1", tokens: 1, cost_usd: 0.25 });
    await add(one.agent.uuid, "b", { provider: "p", model: "m2", tokens: 10, cost_usd: 0.5 });
    now += day;
    await add(two.agent.uuid, "c", { provider: "q", model: "m3", tokens: 100 });
    await store.history.append(two.agent.uuid, [
      {
        kind: "compact",
        content: "short",
        data: { provider: "q", model: "m3", cost_usd: 1, usage: answers("", { tokens: 1000 }).data.usage },
      },
    ]);
    return { store, one, two };
  }

  const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

  test("adds up tokens and money, and says what has no price", async () => {
    const { store } = await spent();
    expect(await store.usage()).toEqual([
      {
        requests: 4,
        input_tokens: 1_111,
        cache_read_tokens: 2_222,
        cache_write_tokens: 3_333,
        output_tokens: 4_444,
        thinking_tokens: 5_555,
        total_tokens: 16_665,
        cost_usd: 1.75,
        unpriced: 1,
      },
    ]);
  });

  test("is split by provider, model, agent, session and day", async () => {
    const { store, one, two } = await spent();
    expect(await store.usage({ by: ["provider"] })).toMatchObject([
      { provider: "q", requests: 2, cost_usd: 1, unpriced: 1 },
      { provider: "p", requests: 2, cost_usd: 0.75, unpriced: 0 },
    ]);
    expect(await store.usage({ by: ["model", "provider"] })).toMatchObject([
      { provider: "q", model: "m3", input_tokens: 1_100 },
      { provider: "p", model: "m2", input_tokens: 10 },
      { provider: "p", model: "m1", input_tokens: 1 },
    ]);
    expect(await store.usage({ by: ["agent"] })).toMatchObject([
      { agent_uuid: two.agent.uuid },
      { agent_uuid: one.agent.uuid },
    ]);
    expect(await store.usage({ by: ["session"] })).toMatchObject([
      { session_uuid: two.session.uuid, requests: 2 },
      { session_uuid: one.session.uuid, requests: 2 },
    ]);
    expect(await store.usage({ by: ["day"], dayOf })).toMatchObject([
      { day: "2026-01-01", requests: 2, cost_usd: 0.75, total_tokens: 165 },
      { day: "2026-01-02", requests: 2, cost_usd: 1, total_tokens: 16_500 },
    ]);
    expect(await store.usage({ by: ["day", "model"], dayOf })).toHaveLength(3);
  });

  test.runIf(engine === "sqlite")("of a long history is added up beside everything else", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [answers("first", { cost_usd: 0.25 })]);
    // As if a hundred thousand others had been before.
    await sql`UPDATE messages SET id = 100000`.execute(store.engine.db);
    await store.history.append(agent.uuid, [answers("last", { cost_usd: 0.5 })]);
    expect(await store.usage()).toMatchObject([{ requests: 2, cost_usd: 0.75, total_tokens: 300 }]);
    expect(await store.usage({ by: ["day"] })).toMatchObject([{ requests: 2 }]);
    expect(await store.usage({ since: Date.now() + 60_000 })).toMatchObject([{ requests: 0 }]);
  });

  test("of some agents, of a session, of a time", async () => {
    const { store, one, two } = await spent();
    expect(await store.usage({ agent_uuids: [one.agent.uuid] })).toMatchObject([{ requests: 2, cost_usd: 0.75 }]);
    expect(await store.usage({ agent_uuids: [] })).toMatchObject([{ requests: 0, cost_usd: 0 }]);
    expect(await store.usage({ session_uuid: two.session.uuid })).toMatchObject([{ requests: 2, cost_usd: 1 }]);
    const noon = Date.UTC(2026, 0, 2);
    expect(await store.usage({ since: noon })).toMatchObject([{ requests: 2, cost_usd: 1 }]);
    expect(await store.usage({ until: noon, by: ["provider"] })).toMatchObject([{ provider: "p", requests: 2 }]);
  });
});
