import { logVersion, type EntryBody, type LogEntry } from "../core/index.ts";
import type { Context } from "./context.ts";
import type { WriteTransaction } from "./engine.ts";
import { notFound, StoreError } from "./errors.ts";
import { newEntryUuid } from "./ids.ts";
import { entryRow, targetOf } from "./rows.ts";

/** What a caller hands in: an id and a time may come with it, for answers that were known before they were whole. */
export type NewEntry = EntryBody & { readonly uuid?: string; readonly created_at?: number };

/** Who may write: the process that owns the agent, or anyone (to kill, to deliver). */
export type Writer = "owner" | "anyone";

export function newEntries(
  context: Pick<Context, "now">,
  agent_uuid: string,
  bodies: readonly NewEntry[],
): readonly LogEntry[] {
  return bodies.map((body) => {
    const created_at = body.created_at ?? context.now();
    return { ...body, uuid: body.uuid ?? newEntryUuid(created_at), agent_uuid, version: logVersion, created_at };
  });
}

/** Adds entries to an agent's log and does what they imply for its row. The same entries again change nothing. */
export async function appendEntries(
  context: Context,
  db: WriteTransaction,
  { entries, writer }: { readonly entries: readonly LogEntry[]; readonly writer: Writer },
): Promise<readonly LogEntry[]> {
  const agent_uuid = entries[0]?.agent_uuid;
  if (agent_uuid === undefined) return [];
  const { session_id } = await lockAgent(context, db, agent_uuid, writer);
  const written: LogEntry[] = [];
  for (const entry of entries) {
    const target_id = await targetId(db, entry);
    const id = await insertEntry(context, db, entry, { session_id, target_id });
    await applyToAgent(db, entry);
    written.push({ ...entry, id });
  }
  await touchSession(context, db, session_id);
  await context.tell(db, { what: "entries", agent_uuid });
  return written;
}

export async function lockAgent(
  context: Context,
  db: WriteTransaction,
  agent_uuid: string,
  writer: Writer,
): Promise<{ readonly session_id: number; readonly owner: string | null }> {
  const agent = await context.engine
    .locked(db.selectFrom("agents").select(["session_id", "owner"]).where("uuid", "=", agent_uuid))
    .executeTakeFirst();
  if (agent === undefined) throw notFound("agent", agent_uuid);
  if (writer === "owner" && agent.owner !== null && agent.owner !== context.self.uuid) {
    throw new StoreError("not_owner", `agent ${agent_uuid} is run by another process`);
  }
  return agent;
}

export async function targetId(db: WriteTransaction, entry: LogEntry): Promise<number | null> {
  const target = targetOf(entry);
  if (target === undefined) return null;
  const found = await db.selectFrom("messages").select("id").where("uuid", "=", target).executeTakeFirst();
  if (found === undefined) throw new StoreError("invalid", `${entry.kind} points to ${target}, which is no entry`);
  return found.id;
}

async function insertEntry(
  context: Context,
  db: WriteTransaction,
  entry: LogEntry,
  place: { readonly session_id: number; readonly target_id: number | null },
): Promise<number> {
  const inserted = await db
    .insertInto("messages")
    .values(entryRow(entry, place, context))
    .onConflict((conflict) => conflict.column("uuid").doNothing())
    .returning("id")
    .executeTakeFirst();
  if (inserted !== undefined) return inserted.id;
  const { id } = await db
    .selectFrom("messages")
    .select("id")
    .where("uuid", "=", entry.uuid)
    .executeTakeFirstOrThrow(() => new StoreError("conflict", `entry ${entry.uuid} could not be written`));
  return id;
}

/** The row says what is next; the entry says why. */
async function applyToAgent(db: WriteTransaction, entry: LogEntry): Promise<void> {
  const { agent_uuid, created_at: updated_at } = entry;
  const agent = db.updateTable("agents").where("uuid", "=", agent_uuid);
  if (entry.kind === "model") {
    const { provider, model, thinking_level = null } = entry.data;
    await agent.set({ provider, model, thinking_level, updated_at }).execute();
  }
  if (entry.kind === "agent_killed") await agent.set({ status: "killed", updated_at }).execute();
  if (entry.kind === "assistant") {
    await db
      .deleteFrom("checkpoints")
      .where("agent_uuid", "=", agent_uuid)
      .where("message_uuid", "=", entry.uuid)
      .execute();
  }
}

/** Once a second is enough to tell which session is the latest. */
async function touchSession(context: Context, db: WriteTransaction, session_id: number): Promise<void> {
  const now = context.now();
  await db
    .updateTable("sessions")
    .set({ updated_at: now })
    .where("id", "=", session_id)
    .where("updated_at", "<", now - 1_000)
    .execute();
}
