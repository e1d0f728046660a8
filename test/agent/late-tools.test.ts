import { expect, test } from "vitest";
import { openAgents, type World } from "../../src/agent/index.ts";
import { histories } from "../store/support/engines.ts";
import { stage, tool } from "./support.ts";

const { open } = histories("sqlite");

/** Tools that arrive when they are told to. */
function late() {
  const { promise, resolve } = Promise.withResolvers<void>();
  let tools = [tool("look", () => "seen")];
  return {
    world: {
      get tools() {
        return tools;
      },
      toolsReady: () => promise,
    },
    arrive() {
      tools = [...tools, tool("server__find", () => "found")];
      resolve();
    },
  };
}

/** Getters stay getters. */
function worldWith(base: World, more: Pick<World, "tools" | "toolsReady">): World {
  return Object.defineProperties({ ...base }, Object.getOwnPropertyDescriptors(more));
}

async function opened() {
  const store = await open();
  const first = await stage(store);
  await first.agents.close();
  const tools = late();
  const agents = await openAgents(worldWith(first.world, tools.world));
  return { agents, tools, emulator: first.emulator, root: agents.root_uuid };
}

test("the first request waits for tools that are on their way, and offers them", async () => {
  const { agents, tools, emulator, root } = await opened();
  await agents.command({ type: "say", agent_uuid: root, content: "hello" });
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(emulator.requests()).toHaveLength(0);
  expect(agents.view(root).messages).toHaveLength(1);
  tools.arrive();
  await agents.settled(root);
  expect(JSON.stringify(emulator.requests()[0]?.body)).toContain("server__find");
  await agents.close();
});

test("Escape does not wait for them, and neither does the end", async () => {
  const { agents, emulator, root } = await opened();
  await agents.command({ type: "say", agent_uuid: root, content: "hello" });
  await new Promise((resolve) => setTimeout(resolve, 30));
  await agents.command({ type: "interrupt", agent_uuid: root });
  await agents.settled(root);
  expect(agents.view(root).state).toBe("idle");
  await agents.command({ type: "say", agent_uuid: root, content: "again" });
  await agents.close();
  expect(emulator.requests()).toHaveLength(0);
});
