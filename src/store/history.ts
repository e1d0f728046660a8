import { sql } from "kysely";
import {
  createReplay,
  noSettings,
  settingsAfter,
  type AgentSettings,
  type LogEntry,
  type Replay,
} from "../core/index.ts";
import { readAgent } from "./agents.ts";
import { appendEntries, newEntries, type NewEntry, type Writer } from "./append.ts";
import type { Context } from "./context.ts";
import type { Database } from "./engine.ts";
import { createDraft, type Draft, type DraftHead } from "./drafts.ts";
import { notFound } from "./errors.ts";
import { forkPlace, lineage, rangesInForce, type Place, type Range } from "./path.ts";
import { entryColumns, entryFrom } from "./rows.ts";

/** The log of every agent. */
export type History = {
  /**
   * Adds to an agent's log, all or nothing, and gives back what was written, with ids. Without ids: the database cannot
   * take it now, and it waits in memory.
   */
  readonly append: (
    agent_uuid: string,
    entries: readonly NewEntry[],
    options?: { readonly writer?: Writer },
  ) => Promise<readonly LogEntry[]>;
  /** Begins an answer that will arrive in pieces. */
  readonly draft: (agent_uuid: string, head: DraftHead) => Draft;
  /** What is in force for an agent, or was in force right after one of its entries. Read from its end. */
  readonly view: (agent_uuid: string, at_uuid?: string) => Promise<View>;
  /** Everything in force as one value that entries can be added to. For what is short enough to be sent to a model. */
  readonly replay: (agent_uuid: string) => Promise<Replay>;
  /**
   * Everything that was written on the way to an agent's newest entry, in force or not, as one: its own log, and above its
   * beginning the one it was forked from. The newest, or those before an entry of an earlier page.
   */
  readonly page: (agent_uuid: string, options: PageOptions) => Promise<Page>;
  readonly entry: (uuid: string) => Promise<LogEntry>;
  /** An agent's own entries as they were written, in force or not: after an id oldest first, before an id newest first. */
  readonly log: (agent_uuid: string, options?: LogOptions) => Promise<readonly LogEntry[]>;
};

export type LogOptions = {
  readonly limit?: number;
  readonly kinds?: readonly LogEntry["kind"][];
} & ({ readonly after_id?: number } | { readonly before_id?: number });

export type PageOptions = { readonly limit: number; readonly before?: string };

export type Page = {
  /** Oldest first. */
  readonly entries: readonly LogEntry[];
  /** There are older ones: before the first of these. */
  readonly older: boolean;
};

export type View = {
  /** The next older entries, oldest first; empty when there are no more. */
  readonly older: (limit: number) => Promise<readonly LogEntry[]>;
  /** Marks in force, newest first. */
  readonly marks: () => Promise<readonly LogEntry[]>;
  readonly settings: () => Promise<AgentSettings>;
};

export function createHistory(context: Context): History {
  const { db, outbox } = context;
  const history: History = {
    append: (agent_uuid, bodies, { writer = "owner" } = {}) => {
      const entries = newEntries(context, agent_uuid, bodies);
      return outbox.write({
        run: (db) => appendEntries(context, db, { entries, writer }),
        unwritten: entries,
        entries,
      });
    },
    draft: (agent_uuid, head) => createDraft(context, agent_uuid, head),
    view: async (agent_uuid, at_uuid) => {
      const start = at_uuid === undefined ? { agent_uuid, id: Number.MAX_SAFE_INTEGER } : await placeOf(db, at_uuid);
      return createView(db, start);
    },
    replay: async (agent_uuid) => {
      const view = await history.view(agent_uuid);
      const newestFirst: LogEntry[] = [];
      for (let page = await view.older(pageSize); page.length > 0; page = await view.older(pageSize)) {
        newestFirst.push(...page.toReversed());
      }
      const { status } = await readAgent(db, agent_uuid);
      const killed = status === "killed" || status === "reaped";
      return createReplay({ entries: newestFirst.reverse(), settings: await view.settings(), killed });
    },
    page: (agent_uuid, options) => readPage(db, agent_uuid, options),
    entry: async (uuid) => {
      const row = await db.selectFrom("messages").select(entryColumns).where("uuid", "=", uuid).executeTakeFirst();
      if (row === undefined) throw notFound("entry", uuid);
      return entryFrom(row);
    },
    log: async (agent_uuid, options = {}) => {
      const { limit = pageSize, kinds } = options;
      const backwards = "before_id" in options && options.before_id !== undefined;
      let query = db.selectFrom("messages").select(entryColumns).where("agent_uuid", "=", agent_uuid).limit(limit);
      if ("before_id" in options && options.before_id !== undefined) query = query.where("id", "<", options.before_id);
      if ("after_id" in options && options.after_id !== undefined) query = query.where("id", ">", options.after_id);
      if (kinds !== undefined) query = query.where("kind", "in", [...kinds]);
      const rows = await query.orderBy("id", backwards ? "desc" : "asc").execute();
      return rows.map(entryFrom);
    },
  };
  return history;
}

async function placeOf(db: Database, uuid: string): Promise<Place> {
  const row = await db.selectFrom("messages").select(["id", "agent_uuid"]).where("uuid", "=", uuid).executeTakeFirst();
  if (row === undefined) throw notFound("entry", uuid);
  return row;
}

async function readPage(db: Database, agent_uuid: string, { limit, before }: PageOptions): Promise<Page> {
  const newestFirst: LogEntry[] = [];
  let place: Place | undefined = { agent_uuid, id: Number.MAX_SAFE_INTEGER };
  if (before !== undefined) {
    const known = await placeOf(db, before);
    place = { ...known, id: known.id - 1 };
  }
  // One more than is asked for tells whether there are older ones.
  while (place !== undefined && newestFirst.length <= limit) {
    const range: Range = { agent_uuid: place.agent_uuid, first_id: 0, last_id: place.id };
    newestFirst.push(...(await readBackwards(db, range, limit + 1 - newestFirst.length)));
    place = newestFirst.length > limit ? undefined : await forkPlace(db, place.agent_uuid);
  }
  return { entries: newestFirst.slice(0, limit).reverse(), older: newestFirst.length > limit };
}

async function createView(db: Database, start: Place): Promise<View> {
  const ranges = await rangesInForce(db, start);
  let left = ranges;
  return {
    async older(limit) {
      const newestFirst: LogEntry[] = [];
      while (newestFirst.length < limit) {
        const [range, ...rest] = left;
        if (range === undefined) break;
        const wanted = limit - newestFirst.length;
        const found = await readBackwards(db, range, wanted);
        newestFirst.push(...found);
        const oldest = found.at(-1)?.id;
        const more = found.length === wanted && oldest !== undefined && oldest > range.first_id;
        left = more ? [{ ...range, last_id: oldest - 1 }, ...rest] : rest;
      }
      return newestFirst.reverse();
    },
    async marks() {
      const found: LogEntry[] = [];
      for (const range of ranges) found.push(...(await readMarks(db, range)));
      return found;
    },
    async settings() {
      const places = await lineage(db, start);
      let settings = noSettings;
      for (const place of places.toReversed()) {
        for (const entry of await readSettings(db, place)) settings = settingsAfter(settings, entry);
      }
      return settings;
    },
  };
}

async function readBackwards(db: Database, range: Range, limit: number): Promise<readonly LogEntry[]> {
  const rows = await entriesOf(db, range).orderBy("id", "desc").limit(limit).execute();
  return rows.map(entryFrom);
}

async function readMarks(db: Database, range: Range): Promise<readonly LogEntry[]> {
  const rows = await entriesOf(db, range)
    .where(sql<boolean>`kind = 'mark'`)
    .orderBy("id", "desc")
    .execute();
  return rows.map(entryFrom);
}

async function readSettings(db: Database, { agent_uuid, id }: Place): Promise<readonly LogEntry[]> {
  const rows = await entriesOf(db, { agent_uuid, first_id: 0, last_id: id })
    .where(sql<boolean>`kind IN ('system', 'pin', 'unpin', 'model', 'toolset')`)
    .orderBy("id")
    .execute();
  return rows.map(entryFrom);
}

function entriesOf(db: Database, { agent_uuid, first_id, last_id }: Range) {
  return db
    .selectFrom("messages")
    .select(entryColumns)
    .where("agent_uuid", "=", agent_uuid)
    .where("id", ">=", first_id)
    .where("id", "<=", last_id);
}

const pageSize = 500;
