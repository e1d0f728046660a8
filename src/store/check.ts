import { sql } from "kysely";
import { agentStatuses } from "../core/index.ts";
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

/** What is nobody's fault and good to know: answers that were cut off, bytes of files that are missing or not needed. */
export async function remarksOn(store: Store): Promise<readonly string[]> {
  const remarks: string[] = [];
  for (const { says, query } of oddities) {
    const { rows } = await sql<{ readonly n: number }>`${sql.raw(query)}`.execute(store.engine.db);
    const n = rows[0]?.n ?? 0;
    if (n > 0) remarks.push(says(n));
  }
  return remarks;
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
    what: "an entry that points into another session",
    query:
      "SELECT m.uuid AS name FROM messages m JOIN messages t ON t.id = m.target_id WHERE t.session_id <> m.session_id",
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
    what: "an agent in a state that nobody knows",
    query: `SELECT uuid AS name FROM agents WHERE status NOT IN (${agentStatuses.map((status) => `'${status}'`).join(", ")})`,
  },
  {
    what: "a letter in another session than its reader",
    query: "SELECT l.uuid AS name FROM mail l JOIN agents a ON a.uuid = l.to_uuid WHERE a.session_id <> l.session_id",
  },
  {
    what: "an answer that is whole and still arriving",
    query: "SELECT DISTINCT c.message_uuid AS name FROM checkpoints c JOIN messages m ON m.uuid = c.message_uuid",
  },
  {
    what: "an arriving answer of which a piece is missing",
    query:
      "SELECT message_uuid AS name FROM checkpoints GROUP BY agent_uuid, message_uuid HAVING min(seq) <> 0 OR max(seq) + 1 <> count(*)",
  },
];

const changedFiles =
  "SELECT data ->> 'before' AS hash FROM messages WHERE kind = 'file_change' UNION SELECT data ->> 'after' FROM messages WHERE kind = 'file_change'";

const oddities: readonly { readonly says: (n: number) => string; readonly query: string }[] = [
  {
    says: (n) => `${n} ${n === 1 ? "answer was" : "answers were"} still arriving; what was cut off is kept`,
    query: "SELECT count(DISTINCT message_uuid) AS n FROM checkpoints",
  },
  {
    says: (n) =>
      `${n} earlier ${n === 1 ? "state of a file is" : "states of files are"} missing and cannot be restored`,
    query: `SELECT count(*) AS n FROM (${changedFiles}) AS f WHERE hash IS NOT NULL AND hash NOT IN (SELECT hash FROM blobs)`,
  },
  {
    says: (n) => `${n} ${n === 1 ? "state of a file belongs" : "states of files belong"} to no conversation`,
    query: `SELECT count(*) AS n FROM blobs WHERE hash NOT IN (SELECT hash FROM (${changedFiles}) AS f WHERE hash IS NOT NULL)`,
  },
];
