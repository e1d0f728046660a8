import { existsSync, mkdirSync, renameSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { root } from "../../tools/files.mjs";
import { openStore } from "../../src/store/index.ts";

/** Made once and kept: a million messages take a minute to write. */
const folder = join(root, "node_modules/.cache/ikigai");

export type MadeHistory = { readonly path: string; readonly messages: number; readonly megabytes: number };

/**
 * A history of so many messages: thousands of short conversations and one that holds a third of everything. The words are
 * those of a language, a few in nearly every message and most of them rare.
 */
export async function historyOf(messages: number): Promise<MadeHistory> {
  const path = join(folder, `history-${messages}.db`);
  if (!existsSync(path)) {
    mkdirSync(folder, { recursive: true });
    const draft = `${path}.draft`;
    for (const ending of ["", "-wal", "-shm"]) rmSync(draft + ending, { force: true });
    await write(draft, messages);
    renameSync(draft, path);
  }
  return { path, messages, megabytes: Math.round(statSync(path).size / 1e6) };
}

async function write(path: string, messages: number): Promise<void> {
  const store = await openStore({ path });
  const long = Math.floor(messages / 3);
  const random = generator(1);
  const agents: { readonly session_id: number; readonly agent_uuid: string; readonly count: number }[] = [];
  for (let left = messages - long; left > 0; left -= 60) {
    const session = await store.sessions.create({ folder: `/home/somebody/project-${agents.length % 50}` });
    const agent = await store.agents.create(session.uuid);
    agents.push({ session_id: agents.length + 1, agent_uuid: agent.uuid, count: Math.min(60, left) });
  }
  const session = await store.sessions.create({ folder: "/home/somebody/long" });
  const agent = await store.agents.create(session.uuid);
  agents.push({ session_id: agents.length + 1, agent_uuid: agent.uuid, count: long });
  await store.close();
  const database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF; PRAGMA cache_size = -200000");
  const insert = database.prepare(
    `INSERT INTO messages (uuid, session_id, agent_uuid, kind, content, data, version, provider, model, input_tokens,
       cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, cost_usd, created_at)
     VALUES (?, ?, ?, ?, ?, ?, 1, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  let made = 0;
  for (const { session_id, agent_uuid, count } of agents) {
    database.exec("BEGIN");
    for (let index = 0; index < count; index++) {
      const text = sentence(random, 40);
      const created_at = 1_700_000_000_000 + made * 1_000;
      const uuid = `m${String(made).padStart(21, "0")}`;
      if (made++ % 2 === 0) {
        const nothing = [null, null, null, null, null, null, null, null] as const;
        insert.run(uuid, session_id, agent_uuid, "user", text, null, ...nothing, created_at);
      } else {
        const model = `model-${made % 7}`;
        const data = {
          provider: "somebody",
          api: "wire",
          model,
          blocks: [{ type: "text", text }],
          finish_reason: "stop",
        };
        const spent = ["somebody", model, 1_000, 5_000, 200, 400, 300, 0.01] as const;
        insert.run(uuid, session_id, agent_uuid, "assistant", text, JSON.stringify(data), ...spent, created_at);
      }
    }
    database.exec("COMMIT");
  }
  database.exec("PRAGMA optimize; PRAGMA wal_checkpoint(TRUNCATE)");
  database.close();
}

function sentence(random: () => number, words: number): string {
  // Squared twice: the first words of the list are in nearly every sentence, the last in hardly any.
  return Array.from({ length: words }, () => `word${Math.floor(random() ** 4 * 100_000)}`).join(" ");
}

/** The same numbers every time. */
export function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
