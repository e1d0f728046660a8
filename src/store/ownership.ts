import { assistantEntry, createCollector, errorInfo, type LogEntry, type StreamEvent } from "../core/index.ts";
import { appendEntries, lockAgent, newEntries, type NewEntry } from "./append.ts";
import type { Context } from "./context.ts";
import type { WriteTransaction } from "./engine.ts";
import type { DraftHead } from "./drafts.ts";
import { heartbeatMs, isAlive } from "./process.ts";
import type { Row } from "./tables.ts";

/**
 * One process runs an agent. When that process has died, whoever claims the agent next also gets what it left unfinished,
 * written down as interrupted.
 */
export type Ownership = {
  /** `take_over` also takes it from a process that is alive; that one is told at its next write. */
  readonly claim: (agent_uuid: string, options?: { readonly take_over?: boolean }) => Promise<Claim>;
  readonly release: (agent_uuid: string) => Promise<void>;
  /** Agents whose process died in the middle of something. */
  readonly abandoned: (session_uuid?: string) => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type Claim =
  | { readonly owned: true; readonly recovered: readonly LogEntry[] }
  /** It runs elsewhere: it can be watched, or taken over. */
  | { readonly owned: false; readonly owner: { readonly pid: number; readonly host: string } };

export function createOwnership(context: Context): Ownership {
  const { db, self, outbox } = context;
  let heartbeat: NodeJS.Timeout | undefined;

  const register = async (db: WriteTransaction): Promise<void> => {
    const heartbeat_at = context.now();
    await db
      .insertInto("processes")
      .values({ ...self, heartbeat_at })
      .onConflict((conflict) => conflict.column("uuid").doUpdateSet({ heartbeat_at }))
      .execute();
  };
  const beat = (): void => {
    // A missed beat is no failure: there are three in the time after which a process counts as dead.
    context.write(register).catch(() => undefined);
  };

  return {
    async claim(agent_uuid, { take_over = false } = {}) {
      const claim = await context.write(async (db): Promise<Claim> => {
        const { owner } = await lockAgent(context, db, agent_uuid, "anyone");
        const process = owner === null || owner === self.uuid ? undefined : await processRow(db, owner);
        if (process !== undefined && !take_over && isAlive(process, context.now())) {
          return { owned: false, owner: { pid: process.pid, host: process.host.split(" ")[0] ?? "" } };
        }
        await register(db);
        await db.updateTable("agents").set({ owner: self.uuid }).where("uuid", "=", agent_uuid).execute();
        const recovered = owner === self.uuid ? [] : await recover(context, db, agent_uuid);
        if (owner !== null && owner !== self.uuid) await forget(db, owner);
        await context.tell(db, { what: "agents", agent_uuid });
        return { owned: true, recovered };
      });
      if (claim.owned) {
        heartbeat ??= setInterval(beat, heartbeatMs).unref();
      }
      return claim;
    },
    release: (agent_uuid) =>
      outbox.write({
        run: async (db) => {
          await db
            .updateTable("agents")
            .set({ owner: null })
            .where("uuid", "=", agent_uuid)
            .where("owner", "=", self.uuid)
            .execute();
          await context.tell(db, { what: "agents", agent_uuid });
        },
        unwritten: undefined,
      }),
    async abandoned(session_uuid) {
      let query = db
        .selectFrom("agents")
        .leftJoin("processes", "processes.uuid", "agents.owner")
        .innerJoin("sessions", "sessions.id", "agents.session_id")
        .selectAll("processes")
        .select("agents.uuid as agent_uuid")
        .where("agents.owner", "is not", null)
        .where("agents.owner", "!=", self.uuid);
      if (session_uuid !== undefined) query = query.where("sessions.uuid", "=", session_uuid);
      const rows = await query.execute();
      return rows.filter((row) => !aliveRow(row, context.now())).map((row) => row.agent_uuid);
    },
    async close() {
      clearInterval(heartbeat);
      if (heartbeat === undefined) return;
      await context.write(async (db) => {
        await db.updateTable("agents").set({ owner: null }).where("owner", "=", self.uuid).execute();
        await db.deleteFrom("processes").where("uuid", "=", self.uuid).execute();
        await context.tell(db, { what: "agents" });
      });
    },
  };
}

function processRow(db: WriteTransaction, uuid: string): Promise<Row<"processes"> | undefined> {
  return db.selectFrom("processes").selectAll().where("uuid", "=", uuid).executeTakeFirst();
}

/** Nobody asks again for a process that owns nothing; one that is alive signs in anew. */
async function forget(db: WriteTransaction, uuid: string): Promise<void> {
  const left = await db.selectFrom("agents").select("uuid").where("owner", "=", uuid).limit(1).executeTakeFirst();
  if (left === undefined) await db.deleteFrom("processes").where("uuid", "=", uuid).execute();
}

type MaybeProcess = { readonly [column in keyof Row<"processes">]: Row<"processes">[column] | null };

function aliveRow({ uuid, pid, host, started, heartbeat_at }: MaybeProcess, now: number): boolean {
  if (uuid === null || pid === null || host === null || started === null || heartbeat_at === null) return false;
  return isAlive({ uuid, pid, host, started, heartbeat_at }, now);
}

/**
 * What a dead process left behind becomes entries: the answer as far as it had arrived, marked as incomplete, and the
 * fact that it was interrupted. An agent that was only running a tool is interrupted as well.
 */
async function recover(context: Context, db: WriteTransaction, agent_uuid: string): Promise<readonly LogEntry[]> {
  const agent = await db.selectFrom("agents").select("status").where("uuid", "=", agent_uuid).executeTakeFirst();
  const pieces = await db
    .selectFrom("checkpoints")
    .select(["message_uuid", "data", "created_at"])
    .where("agent_uuid", "=", agent_uuid)
    .orderBy("message_uuid")
    .orderBy("seq")
    .execute();
  const drafts = Map.groupBy(pieces, (piece) => piece.message_uuid);
  const bodies = [...drafts].map(([uuid, rows]) => draftEntry(uuid, rows));
  const busy = agent !== undefined && unfinished.includes(agent.status);
  if (bodies.length === 0 && !busy) return [];
  await db.deleteFrom("checkpoints").where("agent_uuid", "=", agent_uuid).execute();
  await db
    .updateTable("agents")
    .set({ status: "interrupted" })
    .where("uuid", "=", agent_uuid)
    .where("status", "not in", ["killed", "reaped"])
    .execute();
  const entries = newEntries(context, agent_uuid, [
    ...bodies,
    { kind: "interrupted", content: "the program ended in the middle of this turn", data: { reason: "crash" } },
  ]);
  return appendEntries(context, db, { entries, writer: "owner" });
}

/** The pieces of an answer, put together as far as they go. */
function draftEntry(uuid: string, rows: readonly Pick<Row<"checkpoints">, "data" | "created_at">[]): NewEntry {
  const [first = "{}", ...rest] = rows.map((row) => row.data);
  const head = JSON.parse(first) as DraftHead;
  const collector = createCollector(head.origin);
  for (const piece of rest) for (const event of JSON.parse(piece) as readonly StreamEvent[]) collector.add(event);
  const end = collector.end();
  const { origin: _origin, ...known } = head;
  const created_at = rows.at(-1)?.created_at;
  const outcome =
    end?.type === "done"
      ? {
          finish_reason: end.finish_reason,
          raw_finish_reason: end.raw_finish_reason,
          usage: end.usage,
          ...(end.cost_usd === undefined ? {} : { cost_usd: end.cost_usd }),
        }
      : { error: end?.error ?? interrupted, ...(end?.usage === undefined ? {} : { usage: end.usage }) };
  return {
    ...assistantEntry(collector.message(), { ...known, ...outcome }),
    uuid,
    ...(created_at === undefined ? {} : { created_at }),
  };
}

const interrupted = errorInfo({
  category: "aborted",
  message: "the program ended while this answer was arriving",
  retryable: true,
});

const unfinished = ["running", "waiting", "asking"];
