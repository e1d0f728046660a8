// Agents: one conversation forks into three, on three models, and their answers come back.
//
//   node examples/agents.mjs "Tabs or spaces?"

import { textOf } from "ikigai";
import { createWorld, openAgents, openStore } from "ikigai/agents";

const question = process.argv[2] ?? "Tabs or spaces?";
// A file, or postgres://…, and everything is there the next time; in memory it is gone with the program.
const store = await openStore({ path: ":memory:" });
const agents = await openAgents(
  createWorld({
    store,
    model: "claude-opus-5-5/low",
    system: "You are one of several reviewers. Answer in one sentence.",
    limits: { session_usd: 0.5 },
    unattended: "deny",
  }),
);

agents.subscribe((event) => {
  if (event.type === "turn_ended")
    console.log(`${name(event.agent_uuid)} ${event.outcome}, $${event.cost_usd.toFixed(4)}`);
  if (event.type === "warning") console.error(`${name(event.agent_uuid)} ${event.message}`);
});

function name(uuid) {
  const { depth, model } = agents.list().find((agent) => agent.uuid === uuid);
  return `${depth === 0 ? "parent" : "child"} on ${model?.model}:`;
}

const { root_uuid: agent_uuid } = agents;
await agents.command({ type: "say", agent_uuid, content: "We are choosing a style for a new project." });
await agents.settled(agent_uuid);

// Children know what their parent knows; nothing is copied.
const models = ["claude-opus-5-5/high", "gpt-6.1-sol/med", "gemini-3.8-flash/low"];
const { children } = await agents.command({ type: "fork", agent_uuid, models, prompt: question });
await Promise.all(children.map((uuid) => agents.settled(uuid)));

console.log("");
for (const uuid of children) {
  const { model, messages } = agents.view(uuid);
  console.log(`${model.model}: ${textOf(messages.at(-1))}`);
}
console.log(`${agents.list().length} agents, ${agents.view(agent_uuid).tree_totals.requests} answers`);

await agents.close();
await store.close();
