import { sql, type RawBuilder } from "kysely";
import { agentStatuses, type AgentStatus, type JsonObject, type LogEntry, type ModelChoice } from "../core/index.ts";
import { appendEntries, newEntries } from "./append.ts";
import type { Context } from "./context.ts";
import type { Database, WriteTransaction } from "./engine.ts";
import { notFound, StoreError } from "./errors.ts";
import { newUuid } from "./ids.ts";
import type { Row } from "./tables.ts";
import { decodeText } from "./text.ts";

export type Agent = {
  readonly uuid: string;
  readonly session_uuid: string;
  readonly parent_uuid?: string;
  /** The newest entry it knows of the log it was forked from. */
  readonly fork_message_uuid?: string;
  readonly name?: string;
  readonly status: AgentStatus;
  readonly provider?: string;
  readonly model?: string;
  readonly thinking_level?: string;
  /** The process that runs it. */
  readonly owner?: string;
  readonly data?: JsonObject;
  readonly created_at: number;
  readonly updated_at: number;
};

export type NewAgent = Partial<ModelChoice> & {
  readonly uuid?: string;
  readonly name?: string;
  readonly status?: AgentStatus;
  readonly data?: JsonObject;
};

export type Fork = NewAgent & {
  /** Where it branches off: any entry, in force or not. Default: the newest. */
  readonly at_uuid?: string;
  readonly prompt?: string;
};

export type Agents = {
  readonly create: (session_uuid: string, agent?: NewAgent) => Promise<Agent>;
  /** A child that knows everything its parent knew at that entry. One row and one entry, however long the history. */
  readonly fork: (parent_uuid: string, fork?: Fork) => Promise<Agent>;
  readonly get: (uuid: string) => Promise<Agent>;
  /** Oldest first. */
  readonly list: (session_uuid: string) => Promise<readonly Agent[]>;
  /** With all its descendants, itself first. */
  readonly tree: (uuid: string) => Promise<readonly Agent[]>;
  readonly update: (
    uuid: string,
    change: { readonly status?: AgentStatus; readonly name?: string; readonly data?: JsonObject },
  ) => Promise<void>;
  /** Ends an agent and its descendants; from any process. Those that were dead already are not among the answer. */
  readonly kill: (
    uuid: string,
    reason?: { readonly text?: string; readonly by_uuid?: string },
  ) => Promise<readonly LogEntry[]>;
};

export function createAgents(shared: Context): Agents {
  const context = { ...shared, now: increasing(shared.now) };
  const { db, outbox } = context;
  return {
    create: (session_uuid, fields = {}) => {
      const agent = newAgent(context, session_uuid, fields);
      return outbox.write({ run: (db) => insertAgent(context, db, agent).then(() => agent), unwritten: agent });
    },
    async fork(parent_uuid, fork = {}) {
      const parent = await readAgent(db, parent_uuid);
      const { at_uuid, prompt, ...fields } = fork;
      const inherited = { provider: parent.provider, model: parent.model, thinking_level: parent.thinking_level };
      const named = newAgent(context, parent.session_uuid, { ...fields, parent_uuid });
      const child: Agent = { ...named, ...(named.model === undefined ? inherited : {}) };
      const entry = newEntries(context, parent_uuid, [
        {
          kind: "fork",
          data: { child_uuid: child.uuid, ...choiceOf(child) },
          ...(prompt === undefined ? {} : { content: prompt }),
        },
      ]);
      return outbox.write({
        run: async (db) => {
          const point = await forkPoint(db, parent_uuid, at_uuid);
          await insertAgent(context, db, child, point?.id);
          await appendEntries(context, db, { entries: entry, writer: "anyone" });
          return point === undefined ? child : { ...child, fork_message_uuid: point.uuid };
        },
        unwritten: at_uuid === undefined ? child : { ...child, fork_message_uuid: at_uuid },
        entries: entry,
      });
    },
    get: (uuid) => readAgent(db, uuid),
    list: async (session_uuid) => {
      const rows = await agentRows(db)
        .where("sessions.uuid", "=", session_uuid)
        .orderBy("agents.created_at")
        .orderBy("agents.uuid")
        .execute();
      return rows.map(agentFrom);
    },
    tree: async (uuid) => {
      const uuids = await descendants(db, uuid);
      const rows = await agentRows(db).where("agents.uuid", "in", uuids).execute();
      const found = new Map(rows.map((row) => [row.uuid, agentFrom(row)]));
      return uuids.flatMap((uuid) => found.get(uuid) ?? []);
    },
    update: (uuid, { status, name, data }) =>
      outbox.write({
        run: async (db) => {
          const change = {
            ...(status === undefined ? {} : { status: unlessDead(status) }),
            ...(name === undefined ? {} : { name: context.seal(name) }),
            ...(data === undefined ? {} : { data: context.sealJson(data) }),
            updated_at: context.now(),
          };
          await db.updateTable("agents").set(change).where("uuid", "=", uuid).execute();
          await context.tell(db, { what: "agents", agent_uuid: uuid });
        },
        unwritten: undefined,
      }),
    kill: async (uuid, { text, by_uuid } = {}) => {
      const killed = await context.write((db) =>
        kill(context, db, uuid, (agent_uuid) =>
          newEntries(context, agent_uuid, [
            {
              kind: "agent_killed",
              ...(text === undefined ? {} : { content: text }),
              ...(by_uuid === undefined ? {} : { data: { by_uuid } }),
            },
          ]),
        ),
      );
      return killed;
    },
  };
}

/** Who was killed stays dead, whatever the process that ran him has yet to say; he can only be put away. */
function unlessDead(status: AgentStatus): RawBuilder<string> | AgentStatus {
  if (status === "reaped") return status;
  return sql<string>`CASE WHEN status IN ('killed', 'reaped') THEN status ELSE ${status} END`;
}

/** Agents made in the same millisecond are still listed in the order they were made in. */
function increasing(now: () => number): () => number {
  let last = 0;
  return () => (last = Math.max(now(), last + 1));
}

function newAgent(context: Context, session_uuid: string, fields: NewAgent & { readonly parent_uuid?: string }): Agent {
  const now = context.now();
  const { uuid = newUuid(), parent_uuid, name, status = "idle", provider, model, thinking_level, data } = fields;
  return {
    uuid,
    session_uuid,
    ...(parent_uuid === undefined ? {} : { parent_uuid }),
    ...(name === undefined ? {} : { name }),
    status,
    ...(provider === undefined ? {} : { provider }),
    ...(model === undefined ? {} : { model }),
    ...(thinking_level === undefined ? {} : { thinking_level }),
    ...(data === undefined ? {} : { data }),
    created_at: now,
    updated_at: now,
  };
}

function choiceOf({ provider, model }: Agent): Partial<ModelChoice> {
  return { ...(provider === undefined ? {} : { provider }), ...(model === undefined ? {} : { model }) };
}

export async function insertAgent(
  context: Context,
  db: WriteTransaction,
  agent: Omit<Agent, "owner">,
  fork_message_id?: number,
): Promise<void> {
  const session = await db
    .selectFrom("sessions")
    .select("id")
    .where("uuid", "=", agent.session_uuid)
    .executeTakeFirst();
  if (session === undefined) throw notFound("session", agent.session_uuid);
  await db
    .insertInto("agents")
    .values({
      uuid: agent.uuid,
      session_id: session.id,
      parent_uuid: agent.parent_uuid ?? null,
      fork_message_id: fork_message_id ?? null,
      name: agent.name === undefined ? null : context.seal(agent.name),
      status: agent.status,
      provider: agent.provider ?? null,
      model: agent.model ?? null,
      thinking_level: agent.thinking_level ?? null,
      owner: null,
      data: agent.data === undefined ? null : context.sealJson(agent.data),
      created_at: agent.created_at,
      updated_at: agent.updated_at,
    })
    .onConflict((conflict) => conflict.column("uuid").doNothing())
    .execute();
  const { uuid: agent_uuid, session_uuid } = agent;
  await context.tell(db, { what: "agents", agent_uuid, session_uuid });
}

/** The given entry, or the newest the parent knows: its own, or the one it was forked at itself. */
async function forkPoint(
  db: WriteTransaction,
  parent_uuid: string,
  at_uuid: string | undefined,
): Promise<{ readonly id: number; readonly uuid: string } | undefined> {
  if (at_uuid !== undefined) {
    const found = await db.selectFrom("messages").select(["id", "uuid"]).where("uuid", "=", at_uuid).executeTakeFirst();
    if (found === undefined) throw notFound("entry", at_uuid);
    return found;
  }
  const newest = await db
    .selectFrom("messages")
    .select(["id", "uuid"])
    .where("agent_uuid", "=", parent_uuid)
    .orderBy("id", "desc")
    .limit(1)
    .executeTakeFirst();
  if (newest !== undefined) return newest;
  return db
    .selectFrom("agents")
    .innerJoin("messages", "messages.id", "agents.fork_message_id")
    .select(["messages.id", "messages.uuid"])
    .where("agents.uuid", "=", parent_uuid)
    .executeTakeFirst();
}

async function kill(
  context: Context,
  db: WriteTransaction,
  uuid: string,
  entriesFor: (agent_uuid: string) => readonly LogEntry[],
): Promise<readonly LogEntry[]> {
  const uuids = await descendants(db, uuid);
  if (uuids.length === 0) throw notFound("agent", uuid);
  const dead = await db
    .selectFrom("agents")
    .select("uuid")
    .where("uuid", "in", uuids)
    .where("status", "in", ["killed", "reaped"])
    .execute();
  const written: LogEntry[] = [];
  for (const agent_uuid of uuids) {
    if (dead.some((row) => row.uuid === agent_uuid)) continue;
    written.push(...(await appendEntries(context, db, { entries: entriesFor(agent_uuid), writer: "anyone" })));
  }
  return written;
}

/** Parents before their children. */
async function descendants(db: Database, uuid: string): Promise<string[]> {
  const { rows } = await sql<{ readonly uuid: string }>`
    WITH RECURSIVE tree (uuid, depth) AS (
      SELECT uuid, 0 FROM agents WHERE uuid = ${uuid}
      UNION ALL
      SELECT agents.uuid, tree.depth + 1 FROM tree JOIN agents ON agents.parent_uuid = tree.uuid
    ) SELECT uuid FROM tree ORDER BY depth`.execute(db);
  return rows.map((row) => row.uuid);
}

export async function readAgent(db: Database, uuid: string): Promise<Agent> {
  const row = await agentRows(db).where("agents.uuid", "=", uuid).executeTakeFirst();
  if (row === undefined) throw notFound("agent", uuid);
  return agentFrom(row);
}

export function agentRows(db: Database) {
  return db
    .selectFrom("agents")
    .innerJoin("sessions", "sessions.id", "agents.session_id")
    .leftJoin("messages", "messages.id", "agents.fork_message_id")
    .selectAll("agents")
    .select(["sessions.uuid as session_uuid", "messages.uuid as fork_message_uuid"]);
}

type AgentRow = Row<"agents"> & { readonly session_uuid: string; readonly fork_message_uuid: string | null };

export function agentFrom(row: AgentRow): Agent {
  const optional = { ...row, name: row.name === null ? null : decodeText(row.name) };
  const given = optionalFields.flatMap((field) => {
    const value = optional[field];
    return value === null ? [] : [[field, field === "data" ? JSON.parse(value) : value]];
  });
  const { uuid, session_uuid, created_at, updated_at } = row;
  return { uuid, session_uuid, ...Object.fromEntries(given), status: statusOf(row), created_at, updated_at };
}

function statusOf({ uuid, status }: AgentRow): AgentStatus {
  const known = agentStatuses.find((word) => word === status);
  if (known === undefined)
    throw new StoreError("newer", `agent ${uuid} is "${status}", a word this ikigai does not know`);
  return known;
}

const optionalFields = [
  "parent_uuid",
  "fork_message_uuid",
  "name",
  "provider",
  "model",
  "thinking_level",
  "owner",
  "data",
] as const;
