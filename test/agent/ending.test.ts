import { execFileSync } from "node:child_process";
import { tmpdir } from "node:os";
import { expect, test } from "vitest";
import { builtInTools, stopAllProcesses } from "../../src/agent/tools/index.ts";
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

test("what was said is interrupted in the same moment", async () => {
  const here = await stage(await open());
  await here.agents.settled(here.root);
  const said = here.agents.command({ type: "say", agent_uuid: here.root, content: "one" });
  const { interrupted } = await here.agents.command({ type: "interrupt", agent_uuid: here.root });
  await said;
  await here.agents.settled(here.root);
  expect(interrupted).toBe(true);
  expect(here.of("turn_ended").map(({ outcome }) => outcome)).toEqual(["interrupted"]);
  expect(here.emulator.requests()).toHaveLength(0);
  await here.agents.close();
});

/** A store whose letters take their time, and a child that looks for one. */
async function withSlowMail() {
  const store = await open();
  const [looked, arrives] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let slow = "";
  const take: typeof store.mail.take = async (agent_uuid) => {
    const letters = await store.mail.take(agent_uuid);
    if (agent_uuid !== slow || letters.length === 0) return letters;
    looked.resolve();
    await arrives.promise;
    return letters;
  };
  const here = await stage({ ...store, mail: { ...store.mail, take } }, { emulator: stalled });
  const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root });
  const [agent_uuid = ""] = children;
  await here.agents.settled(agent_uuid);
  slow = agent_uuid;
  await here.agents.command({ type: "send", agent_uuid, text: "work" });
  await looked.promise;
  return { here, agent_uuid, arrives: arrives.resolve };
}

test("an agent that is killed while it takes its letters asks nobody", async () => {
  const { here, agent_uuid, arrives } = await withSlowMail();
  const killed = here.agents.command({ type: "kill", agent_uuid });
  await here.until("it is dead", () => here.agents.view(agent_uuid).state === "dead");
  arrives();
  await killed;
  expect(here.emulator.requests()).toHaveLength(0);
  await here.agents.close();
});

test("a session is closed while an agent takes its letters", async () => {
  const { here, arrives } = await withSlowMail();
  const closed = here.agents.close();
  arrives();
  await closed;
  expect(here.emulator.requests()).toHaveLength(0);
});

test("what an agent left running in the background ends with it, and what others left does not", async () => {
  const started = (name: string) => ({
    tool_calls: [{ name: "bash", arguments: { command: name, background: true } }],
  });
  const here = await stage(await open(), {
    emulator: {
      rule: ({ messages }) => {
        const said = messages.at(-1)?.text ?? "";
        if (said === "root") return started("sleep 78.2");
        return said === "child" ? started("sleep 78.1") : { text: "ok" };
      },
    },
    world: { tools: builtInTools(), cwd: tmpdir(), root: tmpdir(), tool_env: { PATH: process.env["PATH"] ?? "" } },
  });
  const running = (): string => execFileSync("ps", ["-eo", "ppid,args"], { encoding: "utf8" });
  await here.say("root");
  const { children } = await here.agents.command({ type: "fork", agent_uuid: here.root, prompt: "child" });
  const [agent_uuid = ""] = children;
  await here.agents.settled(agent_uuid);
  expect([running().includes(" sleep 78.1"), running().includes(" sleep 78.2")]).toEqual([true, true]);
  await here.agents.command({ type: "kill", agent_uuid });
  await here.until("the child's is gone", () => !running().includes(" sleep 78.1"));
  expect(running()).toContain(" sleep 78.2");
  await here.agents.close();
  await stopAllProcesses();
});
