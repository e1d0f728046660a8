import { sql } from "kysely";
import type { Store } from "./store.ts";

/** Looks for what should never be: damage the engine can see, and rows that contradict each other. Empty: all is well. */
export async function checkHistory(store: Store): Promise<readonly string[]> {
  const { engine } = store;
  const found = [...(await engine.check())];
  for (const { what, query } of contradictions) {
    const { rows } = await sql<{ readonly name: string }>`${sql.raw(query)} LIMIT 20`.execute(engine.db);
    found.push(...rows.map(({ name }) => `${what}: ${name}`));
  }
  return found;
}

const contradictions: readonly { readonly what: string; readonly query: string }[] = [
  {
    what: "an entry in another session than its agent",
    query:
      "SELECT m.uuid AS name FROM messages m JOIN agents a ON a.uuid = m.agent_uuid WHERE a.session_id <> m.session_id",
  },
  {
    what: "an entry that points forwards",
    query: "SELECT uuid AS name FROM messages WHERE target_id >= id",
  },
  {
    what: "an agent in another session than its parent",
    query:
      "SELECT a.uuid AS name FROM agents a JOIN agents p ON p.uuid = a.parent_uuid WHERE a.session_id <> p.session_id",
  },
  {
    what: "an agent that was forked after its own first entry",
    query:
      "SELECT a.uuid AS name FROM agents a WHERE a.fork_message_id >= (SELECT min(m.id) FROM messages m WHERE m.agent_uuid = a.uuid)",
  },
  {
    what: "a letter in another session than its reader",
    query: "SELECT l.uuid AS name FROM mail l JOIN agents a ON a.uuid = l.to_uuid WHERE a.session_id <> l.session_id",
  },
];
