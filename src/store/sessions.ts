import { sql } from "kysely";
import type { Context } from "./context.ts";
import type { WriteTransaction } from "./engine.ts";
import { notFound, StoreError } from "./errors.ts";
import { newUuid } from "./ids.ts";
import type { Row } from "./tables.ts";
import { decodeText } from "./text.ts";
import { createUsage } from "./usage.ts";

/** A conversation a person had in a folder, with all its agents. */
export type Session = {
  readonly uuid: string;
  /** The folder it was started in. */
  readonly folder?: string;
  readonly title?: string;
  readonly created_at: number;
  /** When something was last added, to the second. */
  readonly updated_at: number;
};

export type SessionSummary = Session & {
  readonly agents: number;
  /** What was said first, to recognise it by. */
  readonly first_text?: string;
};

/** What a conversation came to. */
export type SessionTotals = {
  /** What people and models said; calls, results and everything else are not counted. */
  readonly messages: number;
  /** Who answered, whoever cost the most first. */
  readonly models: readonly { readonly provider: string; readonly model: string }[];
  readonly total_tokens: number;
  /** What is known; `unpriced` says how many exchanges are missing in it. */
  readonly cost_usd: number;
  readonly unpriced: number;
};

export type RecentSession = SessionSummary & SessionTotals;

export type Sessions = {
  readonly create: (session: {
    readonly folder?: string;
    readonly title?: string;
    readonly uuid?: string;
  }) => Promise<Session>;
  /** By its id or the beginning of it, where only one begins like that. */
  readonly find: (id: string) => Promise<Session>;
  /** `unless`: not those of which something is remembered under this and their id (`States`). */
  readonly latest: (folder?: string, options?: { readonly unless?: string }) => Promise<Session | undefined>;
  readonly list: (options?: ListOptions) => Promise<readonly SessionSummary[]>;
  /** Those in which somebody said something, newest first, with what they came to: for whoever picks one to go on with. */
  readonly recent: (options?: ListOptions) => Promise<readonly RecentSession[]>;
  /** One answer for each, in the same order. */
  readonly totals: (uuids: readonly string[]) => Promise<readonly SessionTotals[]>;
  readonly rename: (uuid: string, title: string) => Promise<void>;
};

export type ListOptions = {
  readonly folder?: string;
  readonly limit?: number;
  readonly before?: Session;
  /** Only those in which somebody said something. */
  readonly spoken?: boolean;
};

export function createSessions(context: Context): Sessions {
  const { db, outbox } = context;
  return {
    create(fields) {
      const now = context.now();
      const { uuid = newUuid(), ...rest } = fields;
      const session: Session = { uuid, ...rest, created_at: now, updated_at: now };
      return outbox.write({
        run: async (db) => {
          await insertSession(context, db, session);
          return session;
        },
        unwritten: session,
      });
    },
    async find(id) {
      const rows = await db
        .selectFrom("sessions")
        .selectAll()
        .where("uuid", ">=", id)
        .where("uuid", "<", `${id}~`)
        .limit(2)
        .execute();
      const exact = rows.find((row) => row.uuid === id) ?? (rows.length === 1 ? rows[0] : undefined);
      if (exact !== undefined) return sessionFrom(exact);
      if (rows.length === 0) throw notFound("session", id);
      throw new StoreError("invalid", `more than one session begins with ${JSON.stringify(id)}; write more of its id`);
    },
    async latest(folder, { unless } = {}) {
      let query = db.selectFrom("sessions").selectAll().orderBy("updated_at", "desc").orderBy("id", "desc").limit(1);
      if (folder !== undefined) query = query.where("folder", "=", context.seal(folder));
      if (unless !== undefined) {
        const key = sql<string>`cast(${unless} as text) || sessions.uuid`;
        query = query.where((eb) =>
          eb.not(eb.exists(eb.selectFrom("states").select("states.key").where("states.key", "=", key))),
        );
      }
      const row = await query.executeTakeFirst();
      return row === undefined ? undefined : sessionFrom(row);
    },
    list: (options = {}) => list(context, options),
    recent: async (options = {}) => {
      const found = await list(context, { ...options, spoken: true });
      const sums = await totals(
        context,
        found.map(({ uuid }) => uuid),
      );
      return found.flatMap((session, index) => {
        const sum = sums[index];
        return sum === undefined ? [] : [{ ...session, ...sum }];
      });
    },
    totals: (uuids) => totals(context, uuids),
    rename: (uuid, title) =>
      outbox.write({
        run: async (db) => {
          await db
            .updateTable("sessions")
            .set({ title: context.seal(title) })
            .where("uuid", "=", uuid)
            .execute();
          await context.tell(db, { what: "sessions", session_uuid: uuid });
        },
        unwritten: undefined,
      }),
  };
}

export async function insertSession(context: Context, db: WriteTransaction, session: Session): Promise<void> {
  const { uuid, folder, title, created_at, updated_at } = session;
  await db
    .insertInto("sessions")
    .values({
      uuid,
      folder: folder === undefined ? null : context.seal(folder),
      title: title === undefined ? null : context.seal(title),
      created_at,
      updated_at,
    })
    .onConflict((conflict) => conflict.column("uuid").doNothing())
    .execute();
  await context.tell(db, { what: "sessions", session_uuid: uuid });
}

async function list(
  { db, seal }: Context,
  { folder, limit = 50, before, spoken = false }: ListOptions,
): Promise<readonly SessionSummary[]> {
  let query = db
    .selectFrom("sessions as s")
    .selectAll("s")
    .select((eb) => [
      eb
        .selectFrom("agents")
        .select((agents) => agents.fn.countAll<number>().as("n"))
        .whereRef("agents.session_id", "=", "s.id")
        .as("agents"),
      eb
        .selectFrom("messages as m")
        .select(sql<string>`substr(m.content, 1, 200)`.as("text"))
        .whereRef("m.session_id", "=", "s.id")
        .where(sql<boolean>`m.kind = 'user'`)
        .orderBy("m.id")
        .limit(1)
        .as("first_text"),
    ])
    .orderBy("s.updated_at", "desc")
    .orderBy("s.uuid")
    .limit(limit);
  if (folder !== undefined) query = query.where("s.folder", "=", seal(folder));
  if (spoken) query = query.where(somebodySpoke);
  if (before !== undefined) {
    query = query.where((eb) =>
      eb.or([
        eb("s.updated_at", "<", before.updated_at),
        eb.and([eb("s.updated_at", "=", before.updated_at), eb("s.uuid", ">", before.uuid)]),
      ]),
    );
  }
  const rows = await query.execute();
  return rows.map(({ agents, first_text, ...row }) => ({
    ...sessionFrom(row),
    agents: agents ?? 0,
    ...(first_text === null ? {} : { first_text: decodeText(first_text) }),
  }));
}

/** Written out, as the index says it. */
const somebodySpoke = sql<boolean>`EXISTS (SELECT 1 FROM messages u WHERE u.session_id = s.id AND u.kind = 'user')`;

async function totals(context: Context, uuids: readonly string[]): Promise<readonly SessionTotals[]> {
  if (uuids.length === 0) return [];
  const counts = await spokenIn(context, uuids);
  const usage = await createUsage(context)({ by: ["session", "provider", "model"], session_uuids: uuids });
  const spent = Map.groupBy(usage, ({ session_uuid }) => session_uuid);
  return uuids.map((uuid) => {
    const rows = spent.get(uuid) ?? [];
    const { said, summaries } = counts.get(uuid) ?? { said: 0, summaries: 0 };
    const sum = (amount: "requests" | "total_tokens" | "cost_usd" | "unpriced"): number =>
      rows.reduce((total, row) => total + row[amount], 0);
    return {
      // Whatever was spent is an answer or a summary.
      messages: said + sum("requests") - summaries,
      models: rows.map(({ provider = "", model = "" }) => ({ provider, model })),
      total_tokens: sum("total_tokens"),
      cost_usd: sum("cost_usd"),
      unpriced: sum("unpriced"),
    };
  });
}

type Spoken = { readonly uuid: string; readonly said: number; readonly summaries: number };

/** From indexes alone, and in their words: to look at each message would take ten times as long. */
async function spokenIn({ db }: Context, uuids: readonly string[]): Promise<ReadonlyMap<string, Spoken>> {
  const { rows } = await sql<Spoken>`
    SELECT s.uuid,
      (SELECT count(*) FROM messages m WHERE m.session_id = s.id AND m.kind = 'user') AS said,
      (SELECT count(*) FROM agents a JOIN messages m ON m.agent_uuid = a.uuid WHERE a.session_id = s.id
        AND m.kind IN ('clear', 'rewind', 'compact') AND m.kind = 'compact' AND m.provider IS NOT NULL) AS summaries
    FROM sessions s WHERE s.uuid IN (${sql.join([...uuids])})`.execute(db);
  return new Map(rows.map((row) => [row.uuid, row]));
}

export function sessionFrom({ uuid, folder, title, created_at, updated_at }: Row<"sessions">): Session {
  return {
    uuid,
    ...(folder === null ? {} : { folder: decodeText(folder) }),
    ...(title === null ? {} : { title: decodeText(title) }),
    created_at,
    updated_at,
  };
}
