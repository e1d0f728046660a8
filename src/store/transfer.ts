import { logVersion, type LogEntry } from "../core/index.ts";
import { agentFrom, agentRows, insertAgent, type Agent } from "./agents.ts";
import { targetId } from "./append.ts";
import { insertBlob } from "./blobs.ts";
import { compareLines, type Comparison } from "./compare.ts";
import type { Context } from "./context.ts";
import type { Database, WriteTransaction } from "./engine.ts";
import { notFound } from "./errors.ts";
import { checkedLine, type HistoryLine } from "./lines.ts";
import { insertLetter, letterFrom, type Letter } from "./mail.ts";
import { entryColumns, entryFrom, entryRow, targetOf } from "./rows.ts";
import { insertSession, sessionFrom, type Session } from "./sessions.ts";
import type { NewRow } from "./tables.ts";

export type ImportCounts = { readonly [type in HistoryLine["type"]]: number };

export type Transfer = {
  /** One session, or all of them, in the order in which things happened. */
  readonly lines: (session_uuid?: string) => AsyncGenerator<HistoryLine, void, undefined>;
  /**
   * Adds what is not there yet; the same file twice changes nothing. Of a session, an agent or a letter that is there the
   * newer state is kept. Counts the lines read.
   */
  readonly take: (lines: Lines) => Promise<ImportCounts>;
  /** What `take` would find; throws where it must not be done. Writes nothing. */
  readonly compare: (lines: Lines) => Promise<Comparison>;
};

/** Each is checked before it is believed. */
type Lines = AsyncIterable<unknown> | Iterable<unknown>;

export function createTransfer(context: Context): Transfer {
  const { db } = context;
  return {
    async *lines(session_uuid) {
      for await (const row of sessionsOf(db, session_uuid)) {
        yield { type: "session", version: logVersion, ...sessionFrom(row) };
        yield* sessionLines(db, row.id);
      }
    },
    async take(lines) {
      const counts = { session: 0, agent: 0, entry: 0, mail: 0, blob: 0 };
      let batch: HistoryLine[] = [];
      const flush = async (): Promise<void> => {
        const taken = batch;
        batch = [];
        await context.write(async (db) => {
          await insertLines(context, db, taken);
          await context.tell(db, {});
        });
      };
      for await (const value of lines) {
        const line = checkedLine(value);
        counts[line.type] += 1;
        batch.push(line);
        if (batch.length === batchSize) await flush();
      }
      await flush();
      return counts;
    },
    compare: (lines) => compareLines(context, checkedLines(lines)),
  };
}

async function* checkedLines(lines: Lines): AsyncGenerator<HistoryLine, void, undefined> {
  for await (const value of lines) yield checkedLine(value);
}

async function* sessionsOf(db: Database, session_uuid: string | undefined) {
  let after = 0;
  for (;;) {
    let query = db.selectFrom("sessions").selectAll().where("id", ">", after).orderBy("id").limit(batchSize);
    if (session_uuid !== undefined) query = query.where("uuid", "=", session_uuid);
    const rows = await query.execute();
    if (after === 0 && rows.length === 0 && session_uuid !== undefined) throw notFound("session", session_uuid);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || session_uuid !== undefined) return;
    after = last.id;
  }
}

/** Each agent stands before its first entry, each file's bytes before the change they belong to. */
async function* sessionLines(db: Database, session_id: number): AsyncGenerator<HistoryLine, void, undefined> {
  const rows = await agentRows(db)
    .where("agents.session_id", "=", session_id)
    .orderBy("agents.created_at")
    .orderBy("agents.uuid")
    .execute();
  const agents = new Map(rows.map((row) => [row.uuid, agentFrom(row)]));
  const named = new Set<string>();
  const withParents = (uuid: string | undefined): readonly Agent[] => {
    const agent = uuid === undefined ? undefined : agents.get(uuid);
    if (agent === undefined || named.has(agent.uuid)) return [];
    named.add(agent.uuid);
    return [...withParents(agent.parent_uuid), agent];
  };
  const blobs = new Set<string>();
  for await (const entry of entriesOf(db, session_id)) {
    for (const agent of withParents(entry.agent_uuid)) yield agentLine(agent);
    yield* blobLines(db, entry, blobs);
    const { id: _id, ...line } = entry;
    yield { type: "entry", ...line };
  }
  for (const uuid of agents.keys()) for (const agent of withParents(uuid)) yield agentLine(agent);
  for await (const letter of lettersOf(db, session_id)) yield { type: "mail", ...letter };
}

function agentLine({ owner: _owner, ...agent }: Agent): HistoryLine {
  return { type: "agent", ...agent };
}

async function* entriesOf(db: Database, session_id: number): AsyncGenerator<LogEntry, void, undefined> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom("messages")
      .select(entryColumns)
      .where("session_id", "=", session_id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute();
    for (const row of rows) yield entryFrom(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* lettersOf(db: Database, session_id: number): AsyncGenerator<Letter, void, undefined> {
  for (let after = 0; ;) {
    const rows = await db
      .selectFrom("mail")
      .selectAll()
      .where("session_id", "=", session_id)
      .where("id", ">", after)
      .orderBy("id")
      .limit(batchSize)
      .execute();
    for (const row of rows) yield letterFrom(row);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last.id;
  }
}

async function* blobLines(db: Database, entry: LogEntry, seen: Set<string>): AsyncGenerator<HistoryLine> {
  if (entry.kind !== "file_change") return;
  for (const hash of [entry.data.before, entry.data.after]) {
    if (hash === undefined || seen.has(hash)) continue;
    seen.add(hash);
    const row = await db.selectFrom("blobs").selectAll().where("hash", "=", hash).executeTakeFirst();
    if (row === undefined) continue;
    yield { type: "blob", hash, base64: Buffer.from(row.bytes).toString("base64"), created_at: row.created_at };
  }
}

/** Entries that follow each other are written together. */
async function insertLines(context: Context, db: WriteTransaction, lines: readonly HistoryLine[]): Promise<void> {
  const sessions = new Map<string, number>();
  let rows: NewRow<"messages">[] = [];
  const flush = async (): Promise<void> => {
    if (rows.length > 0) {
      await db
        .insertInto("messages")
        .values(rows)
        .onConflict((conflict) => conflict.column("uuid").doNothing())
        .execute();
    }
    rows = [];
  };
  for (const line of lines) {
    // What a line points to may be among the rows that are not written yet.
    const entry = line.type === "entry" ? entryOf(line) : undefined;
    if (entry === undefined || targetOf(entry) !== undefined) await flush();
    if (entry === undefined) await insertOther(context, db, line);
    else {
      const session_id = sessions.get(entry.agent_uuid) ?? (await sessionOf(db, entry.agent_uuid));
      sessions.set(entry.agent_uuid, session_id);
      rows.push(entryRow(entry, { session_id, target_id: await targetId(db, entry) }, context));
    }
  }
  await flush();
}

/** Only the entry: what it implied for its agent is in the agent's own line. */
function entryOf({ type: _type, ...entry }: HistoryLine & { readonly type: "entry" }): LogEntry {
  return entry as LogEntry;
}

async function insertOther(context: Context, db: WriteTransaction, line: HistoryLine): Promise<void> {
  switch (line.type) {
    case "session":
      await insertSession(context, db, line);
      return renewSession(context, db, line);
    case "agent": {
      const { fork_message_uuid } = line;
      const fork = fork_message_uuid === undefined ? undefined : await entryId(db, fork_message_uuid);
      await insertAgent(context, db, line, fork);
      return renewAgent(context, db, line);
    }
    case "mail":
      await insertLetter(context, db, line, await sessionOf(db, line.to_uuid));
      return renewLetter(db, line);
    case "blob":
      return insertBlob(db, {
        hash: line.hash,
        bytes: Buffer.from(line.base64, "base64"),
        created_at: line.created_at,
      });
    case "entry":
      return;
  }
}

async function renewSession(
  { seal }: Context,
  db: WriteTransaction,
  { uuid, title, updated_at }: Session,
): Promise<void> {
  await db
    .updateTable("sessions")
    .set({ updated_at, ...(title === undefined ? {} : { title: seal(title) }) })
    .where("uuid", "=", uuid)
    // A name is given without anything being added.
    .where((eb) =>
      eb.or([eb("updated_at", "<", updated_at), eb.and([eb("updated_at", "=", updated_at), eb("title", "is", null)])]),
    )
    .execute();
}

/** One that a process runs is that process's. */
async function renewAgent(context: Context, db: WriteTransaction, agent: Omit<Agent, "owner">): Promise<void> {
  const { uuid, name, status, provider, model, thinking_level, data, updated_at } = agent;
  await db
    .updateTable("agents")
    .set({
      status,
      updated_at,
      ...(name === undefined ? {} : { name: context.seal(name) }),
      ...(provider === undefined ? {} : { provider }),
      ...(model === undefined ? {} : { model }),
      ...(thinking_level === undefined ? {} : { thinking_level }),
      ...(data === undefined ? {} : { data: context.sealJson(data) }),
    })
    .where("uuid", "=", uuid)
    .where("updated_at", "<", updated_at)
    .where("owner", "is", null)
    .execute();
}

async function renewLetter(db: WriteTransaction, { uuid, read_at }: Letter): Promise<void> {
  if (read_at === undefined) return;
  await db.updateTable("mail").set({ read_at }).where("uuid", "=", uuid).where("read_at", "is", null).execute();
}

async function sessionOf(db: Database, agent_uuid: string): Promise<number> {
  const row = await db.selectFrom("agents").select("session_id").where("uuid", "=", agent_uuid).executeTakeFirst();
  if (row === undefined) throw notFound("agent", agent_uuid);
  return row.session_id;
}

async function entryId(db: Database, uuid: string): Promise<number> {
  const row = await db.selectFrom("messages").select("id").where("uuid", "=", uuid).executeTakeFirst();
  if (row === undefined) throw notFound("entry", uuid);
  return row.id;
}

const batchSize = 200;
