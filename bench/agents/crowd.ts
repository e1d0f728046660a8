// So many agents of one session stream at once in this process, then are interrupted in the middle of another answer.
// argv: how many, folder for the history. Says as JSON how long each took, how much memory that needs, how soon they stop.
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { defaultLimits, openAgents } from "../../src/agent/index.ts";
import { openStore } from "../../src/store/index.ts";
import { createEmulator } from "../../src/testing/index.ts";

const count = Number(process.argv[2] ?? 100);
const folder = process.argv[3] ?? ".";
const line = "Another line of an answer that goes on for a while, as answers do.\n";
const { fetch } = createEmulator({
  noise: false,
  rule: ({ messages }) => ({
    answer: { text: line.repeat(messages.at(-1)?.text === "on and on" ? 1_000 : 100) },
    chunk_size: 64,
    delay_ms: 10,
  }),
});
const store = await openStore({ path: join(folder, `crowd-${count}.db`) });
const agents = await openAgents({
  store,
  llm: { settings: { providers: { anthropic: { base_url: "http://emulator/anthropic", key: "any" } } }, fetch },
  model: "claude-opus-5-5/none",
  limits: { ...defaultLimits, running_max: count, agents_max: count + 1, session_usd: 1e9 },
  tools: [],
  permissions: { decide: () => ({ verdict: "allow" }), remember: () => undefined },
  tool_env: {},
  cwd: folder,
  root: folder,
  now: Date.now,
  prompt: async () => [],
  readPin: async () => undefined,
  sleep: async (ms, signal) => sleep(ms, undefined, { signal }),
});
const crowd: string[] = [];
for (let made = 0; made < count; made++) {
  crowd.push(...(await agents.command({ type: "fork", agent_uuid: agents.root_uuid })).children);
}
gc?.();
const before = process.memoryUsage().heapUsed;
let heap = before;
const watch = setInterval(() => {
  heap = Math.max(heap, process.memoryUsage().heapUsed);
}, 100);

const started = performance.now();
const cpu = process.cpuUsage();
const took = await Promise.all(crowd.map((agent_uuid) => turn(agent_uuid, "say something")));
const { user, system } = process.cpuUsage(cpu);

for (const agent_uuid of crowd) await agents.command({ type: "say", agent_uuid, content: "on and on" });
await sleep(1_000);
const stopped = await Promise.all(crowd.map(interrupt));
clearInterval(watch);
gc?.();
const after = process.memoryUsage();
console.log(
  JSON.stringify({
    took_ms: took,
    stopped_ms: stopped,
    cpu_ms_per_agent: (user + system) / 1000 / count,
    heap_kb_per_agent: (after.heapUsed - before) / 1024 / count,
    peak_kb_per_agent: (heap - before) / 1024 / count,
    rss_mb: after.rss / 1e6,
  }),
);
await agents.close();
await store.close();

async function turn(agent_uuid: string, content: string): Promise<number> {
  await agents.command({ type: "say", agent_uuid, content });
  await agents.settled(agent_uuid);
  return performance.now() - started;
}

async function interrupt(agent_uuid: string): Promise<number> {
  const at = performance.now();
  await agents.command({ type: "interrupt", agent_uuid });
  return performance.now() - at;
}
