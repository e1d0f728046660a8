import { describe, expect, test } from "vitest";
import { engineNames, histories } from "../store/support/engines.ts";
import { stage } from "./support.ts";

const dear = { input_tokens: 100_000, output_tokens: 20_000 };

describe.each(engineNames)("money on %s", (engine) => {
  const { open } = histories(engine);

  test("warns at 80 %, asks at 100 %, goes on when a person says so", async () => {
    const store = await open();
    const probe = await stage(store, { emulator: { rule: () => ({ text: "Dear.", usage: dear }) } });
    await probe.say("How much?");
    const one = probe.of("turn_ended")[0]?.cost_usd ?? 0;
    expect(one).toBeGreaterThan(0.1);
    await probe.agents.close();
    const here = await stage(store, {
      emulator: { rule: () => ({ text: "Dear.", usage: dear }) },
      limits: { session_usd: one * 1.2 },
    });
    await here.say("One");
    expect(here.of("warning")).toEqual([]);
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Two" });
    await here.agents.settled(here.root);
    expect(here.of("warning").map(({ code }) => code)).toEqual(["budget"]);
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Three" });
    await here.until("asked", () => here.of("limit_reached").length === 1);
    expect(here.agents.view(here.root).state).toBe("asking");
    expect(here.of("limit_reached")[0]).toMatchObject({
      limit: "session_usd",
      message: expect.stringContaining("spent"),
    });
    const { approval_id = "" } = here.of("limit_reached")[0] ?? {};
    await here.agents.command({ type: "approve", agent_uuid: here.root, approval_id });
    await here.agents.settled(here.root);
    expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["done", "done", "done"]);
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "Four" });
    await here.until("asked again", () => here.of("limit_reached").length === 2);
    const again = here.of("limit_reached")[1]?.approval_id ?? "";
    await here.agents.command({ type: "deny", agent_uuid: here.root, approval_id: again });
    await here.agents.settled(here.root);
    expect(here.of("turn_ended").at(-1)).toMatchObject({ outcome: "limit", limit: "session_usd", requests: 0 });
    expect(here.emulator.requests()).toHaveLength(3);
    await here.agents.close();
  });

  test("what was spent before counts: of the session when it is resumed, of the day in any", async () => {
    const store = await open();
    const rule = () => ({ text: "Dear.", usage: dear });
    const first = await stage(store, { emulator: { rule } });
    await first.say("One");
    await first.agents.close();
    const { session_uuid } = first.agents;
    const resumed = await stage(store, {
      emulator: { rule },
      limits: { session_usd: 0.01 },
      world: { unattended: "deny" },
      open: { session_uuid },
    });
    await resumed.say("Two");
    expect(resumed.of("turn_ended")).toMatchObject([{ outcome: "limit", limit: "session_usd" }]);
    await resumed.agents.close();
    const today = await stage(store, { emulator: { rule }, limits: { day_usd: 0.01 }, world: { unattended: "allow" } });
    await today.say("Three");
    expect(today.of("turn_ended")).toMatchObject([{ outcome: "limit", limit: "day_usd" }]);
    await today.agents.close();
  });

  test("an agent's own: its budget counts its children, its requests only itself", async () => {
    const here = await stage(await open(), { emulator: { rule: () => ({ text: "Dear.", usage: dear }) } });
    const fork = async (agent_uuid: string, limits: object): Promise<string> =>
      (await here.agents.command({ type: "fork", agent_uuid, limits })).children[0] ?? "";
    const poor = await fork(here.root, { budget_usd: 0.01 });
    const child = await fork(poor, {});
    await here.say("One", child);
    await here.say("Two", poor);
    await here.say("Three", child);
    expect(here.of("turn_ended").map(({ outcome, limit }) => [outcome, limit])).toEqual([
      ["done", undefined],
      ["limit", "agent_usd"],
      ["limit", "agent_usd"],
    ]);
    const once = await fork(here.root, { requests_max: 1 });
    await here.say("One", once);
    await here.say("Two", once);
    expect(here.of("turn_ended", once).at(-1)).toMatchObject({ outcome: "limit", limit: "agent_requests" });
    await here.agents.close();
  });
});

describe("a price nobody knows", () => {
  const { open } = histories("sqlite");
  const model = "claude-unheard-of-9";

  test("asks first where money is limited", async () => {
    const here = await stage(await open(), { emulator: { unknown_models: "serve" }, world: { model } });
    await here.agents.command({ type: "say", agent_uuid: here.root, content: "One" });
    await here.until("asked", () => here.of("limit_reached").length === 1);
    expect(here.of("limit_reached")[0]).toMatchObject({ limit: "unknown_price" });
    const { approval_id = "" } = here.of("limit_reached")[0] ?? {};
    await here.agents.command({ type: "approve", agent_uuid: here.root, approval_id });
    await here.agents.settled(here.root);
    await here.say("Two");
    expect(here.of("limit_reached")).toHaveLength(1);
    expect(here.of("turn_ended")).toMatchObject([{ outcome: "done", unpriced: 1 }, { outcome: "done" }]);
    await here.agents.close();
  });

  test("is only mentioned where nobody can be asked", async () => {
    const here = await stage(await open(), {
      emulator: { unknown_models: "serve" },
      world: { model, unattended: "deny" },
    });
    await here.say("One");
    expect(here.of("warning").map(({ code }) => code)).toContain("unknown_price");
    expect(here.of("turn_ended")).toMatchObject([{ outcome: "done" }]);
    await here.agents.close();
  });
});
