import { sql } from "kysely";
import { agentStatuses, isJsonObject, parseJson } from "../core/index.ts";
import type { Database } from "./engine.ts";
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
export async function remarksOn({ engine: { db } }: Store): Promise<readonly string[]> {
  const arriving = await db
    .selectFrom("checkpoints")
    .select(({ fn }) => fn.count<number>("message_uuid").distinct().as("n"))
    .executeTakeFirstOrThrow();
  const named = await changedFiles(db);
  const kept = new Set((await db.selectFrom("blobs").select("hash").execute()).map(({ hash }) => hash));
  const oddities = [
    {
      n: arriving.n,
      one: "answer was still arriving; what was cut off is kept",
      many: "answers were still arriving; what was cut off is kept",
    },
    {
      n: countMissing(named, kept),
      one: "earlier state of a file is missing and cannot be restored",
      many: "earlier states of files are missing and cannot be restored",
    },
    {
      n: countMissing(kept, named),
      one: "state of a file belongs to no conversation",
      many: "states of files belong to no conversation",
    },
  ];
  return oddities.filter(({ n }) => n > 0).map(({ n, one, many }) => `${n} ${n === 1 ? one : many}`);
}

function countMissing(wanted: ReadonlySet<string>, there: ReadonlySet<string>): number {
  return [...wanted].filter((hash) => !there.has(hash)).length;
}

/**
 * The hashes of all states of files that entries name. Read here and not by the database: PostgreSQL refuses to look into
 * JSON that holds U+0000 or half of a pair anywhere.
 */
async function changedFiles(db: Database): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom("messages")
      .select(["id", "data"])
      .where("kind", "=", "file_change")
      .where("id", ">", after)
      .orderBy("id")
      .limit(pageSize)
      .execute();
    for (const { data } of rows) {
      const change = parseJson(data ?? "");
      if (!isJsonObject(change)) continue;
      for (const hash of [change["before"], change["after"]]) if (typeof hash === "string") hashes.add(hash);
    }
    const last = rows.at(-1);
    if (last === undefined) return hashes;
    after = last.id;
  }
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

const pageSize = 1_000;
