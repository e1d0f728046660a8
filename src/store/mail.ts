import type { JsonObject, LogEntry } from "../core/index.ts";
import { appendEntries, lockAgent, newEntries, type NewEntry } from "./append.ts";
import type { Changes, WaitOptions } from "./changes.ts";
import type { Context } from "./context.ts";
import type { WriteTransaction } from "./engine.ts";
import { newUuid } from "./ids.ts";
import type { Row } from "./tables.ts";
import { decodeText } from "./text.ts";

export type Letter = {
  readonly uuid: string;
  readonly to_uuid: string;
  readonly from_uuid?: string;
  readonly content: string;
  readonly data?: JsonObject;
  readonly created_at: number;
  readonly read_at?: number;
};

export type NewLetter = Omit<Letter, "uuid" | "created_at" | "read_at"> & { readonly uuid?: string };

export type Mail = {
  readonly send: (letter: NewLetter) => Promise<Letter>;
  /** Takes what has arrived, oldest first, into the agent's log: each letter once, in the same transaction. */
  readonly take: (agent_uuid: string, limit?: number) => Promise<readonly LogEntry[]>;
  /** How many letters wait for each of these agents; those without any are not in the answer. */
  readonly unread: (agent_uuids: readonly string[]) => Promise<ReadonlyMap<string, number>>;
  /** True as soon as there is mail; false when the time is over. */
  readonly wait: (agent_uuid: string, options?: WaitOptions) => Promise<boolean>;
};

export function createMail(context: Context, changes: Changes): Mail {
  const { db, outbox } = context;
  const mail: Mail = {
    async send({ uuid = newUuid(), ...fields }) {
      const letter: Letter = { uuid, ...fields, created_at: context.now() };
      const sent = await outbox.write({
        run: async (db) => {
          const { session_id } = await lockAgent(context, db, letter.to_uuid, "anyone");
          await insertLetter(context, db, letter, session_id);
          return letter;
        },
        unwritten: letter,
      });
      return sent;
    },
    take: (agent_uuid, limit = 100) =>
      context.write(async (db) => {
        await lockAgent(context, db, agent_uuid, "owner");
        const rows = await db
          .selectFrom("mail")
          .selectAll()
          .where("to_uuid", "=", agent_uuid)
          .where("read_at", "is", null)
          .orderBy("id")
          .limit(limit)
          .execute();
        if (rows.length === 0) return [];
        const read_at = context.now();
        // By their ids and not up to the last one: a letter with a smaller id may arrive between the two statements.
        for (let first = 0; first < rows.length; first += idsMax) {
          const ids = rows.slice(first, first + idsMax).map((row) => row.id);
          await db.updateTable("mail").set({ read_at }).where("id", "in", ids).execute();
        }
        const entries = newEntries(context, agent_uuid, rows.map(letterFrom).map(entryOf));
        return appendEntries(context, db, { entries, writer: "owner" });
      }),
    async unread(agent_uuids) {
      if (agent_uuids.length === 0) return new Map();
      const rows = await db
        .selectFrom("mail")
        .select(({ fn }) => ["to_uuid", fn.countAll<number>().as("n")])
        .where("to_uuid", "in", [...agent_uuids])
        .where("read_at", "is", null)
        .groupBy("to_uuid")
        .execute();
      return new Map(rows.map(({ to_uuid, n }) => [to_uuid, n]));
    },
    wait: (agent_uuid, options) => changes.until(async () => (await mail.unread([agent_uuid])).size > 0, options),
  };
  return mail;
}

/** Databases take so many values in one statement, and not many more. */
const idsMax = 1000;

export async function insertLetter(
  context: Context,
  db: WriteTransaction,
  letter: Letter,
  session_id: number,
): Promise<void> {
  const { uuid, from_uuid, to_uuid, content, data, created_at, read_at } = letter;
  await db
    .insertInto("mail")
    .values({
      uuid,
      session_id,
      from_uuid: from_uuid ?? null,
      to_uuid,
      content: context.seal(content),
      data: data === undefined ? null : context.sealJson(data),
      created_at,
      read_at: read_at ?? null,
    })
    .onConflict((conflict) => conflict.column("uuid").doNothing())
    .execute();
  await context.tell(db, { what: "mail", agent_uuid: to_uuid });
}

function entryOf({ uuid, from_uuid, content }: Letter): NewEntry {
  return {
    kind: "mail",
    content,
    data: { mail_uuid: uuid, ...(from_uuid === undefined ? {} : { from_uuid }) },
  };
}

export function letterFrom(row: Row<"mail">): Letter {
  return {
    uuid: row.uuid,
    to_uuid: row.to_uuid,
    ...(row.from_uuid === null ? {} : { from_uuid: row.from_uuid }),
    content: decodeText(row.content),
    ...(row.data === null ? {} : { data: JSON.parse(row.data) }),
    created_at: row.created_at,
    ...(row.read_at === null ? {} : { read_at: row.read_at }),
  };
}
