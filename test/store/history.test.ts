import { describe, expect, test } from "vitest";
import { engineNames, histories } from "./support/engines.ts";

describe.each(engineNames)("history on %s", (engine) => {
  const { open } = histories(engine);

  test("appends return ids that grow", async () => {
    const store = await open();
    const session = await store.sessions.create({ folder: "/home/somebody/project" });
    const agent = await store.agents.create(session.uuid, { name: "root" });
    const [first] = await store.history.append(agent.uuid, [{ kind: "user", content: "hello" }]);
    const [second, third] = await store.history.append(agent.uuid, [
      { kind: "mark", content: "here" },
      { kind: "user", content: "and now?" },
    ]);
    expect(first?.id).toBeGreaterThan(0);
    expect(second?.id).toBeGreaterThan(first?.id ?? 0);
    expect(third?.id).toBeGreaterThan(second?.id ?? 0);
    const view = await store.history.view(agent.uuid);
    expect(await view.older(10)).toEqual([first, second, third]);
  });
});
