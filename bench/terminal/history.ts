import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { toolResult, toolResultEntry, usageFrom, assistantEntry, type EntryBody } from "../../src/core/index.ts";
import { openStore } from "../../src/store/index.ts";

/** The last conversation of a folder: so many lines of answers, and so many results of 50 KB. */
export async function longConversation(
  { home, folder }: { readonly home: string; readonly folder: string },
  { lines, results }: { readonly lines: number; readonly results: number },
): Promise<void> {
  const data = join(home, ".local/share/ikigai");
  mkdirSync(data, { recursive: true, mode: 0o700 });
  const store = await openStore({ path: join(data, "ikigai.db") });
  const session = await store.sessions.create({ folder });
  const agent = await store.agents.create(session.uuid);
  const choice = { provider: "sim", model: "sim-think", thinking_level: "low" } as const;
  await store.history.append(agent.uuid, [{ kind: "model", data: choice }]);
  const perTurn = Math.ceil(lines / results);
  for (let turn = 0; turn < results; turn++) await store.history.append(agent.uuid, turnOf(turn, perTurn));
  await store.history.append(agent.uuid, [{ kind: "mark", content: "the end" }]);
  await store.close();
}

function turnOf(turn: number, lines: number): readonly EntryBody[] {
  const id = `call_${turn}`;
  const origin = { provider: "sim", api: "messages", model: "sim-think" };
  const text = Array.from({ length: lines }, (_, line) => `Line ${turn * lines + line + 1} of the answer.\n`).join(
    "\n",
  );
  const args = { command: `cat part-${turn}` };
  const about = { usage, thinking_level: "low" } as const;
  return [
    { kind: "user", content: `Look at part ${turn}` },
    assistantEntry(
      { role: "assistant", content: [{ type: "tool_call", id, name: "bash", arguments: args }], origin },
      about,
    ),
    { kind: "tool_call", data: { tool_call_id: id, name: "bash" } },
    toolResultEntry(toolResult(id, `${turn} ${"output ".repeat(8)}\n`.repeat(850), false), { name: "bash" }),
    assistantEntry({ role: "assistant", content: [{ type: "text", text }], origin }, about),
  ];
}

const usage = usageFrom({
  input_tokens: 1000,
  cache_read_tokens: 0,
  cache_write_tokens: 0,
  output_tokens: 100,
  thinking_tokens: 0,
});
