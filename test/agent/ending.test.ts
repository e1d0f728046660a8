import { expect, test } from "vitest";
import { histories } from "../store/support/engines.ts";
import { stage } from "./support.ts";

const { open } = histories("sqlite");
const stalled = { script: [{ answer: { text: "…" }, fault: "stall" } as const] };

test("a session is closed while something waits in a queue", async () => {
  const here = await stage(await open(), { emulator: stalled });
  await here.agents.command({ type: "say", agent_uuid: here.root, content: "one" });
  await here.agents.command({ type: "say", agent_uuid: here.root, content: "two" });
  await here.until("a request is under way", () => here.emulator.requests().length > 0);
  await here.agents.close();
  expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["interrupted"]);
});

test("an agent is killed while something waits in its queue", async () => {
  const here = await stage(await open(), { emulator: stalled });
  const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, prompt: "one" });
  const [agent_uuid = ""] = children;
  await here.agents.command({ type: "say", agent_uuid, content: "two" });
  await here.until("a request is under way", () => here.emulator.requests().length > 0);
  await here.agents.command({ type: "kill", agent_uuid });
  await here.agents.settled(agent_uuid);
  expect(here.agents.view(agent_uuid).state).toBe("dead");
  await here.agents.close();
});
