import { sql } from "kysely";
import { isDeepStrictEqual } from "node:util";
import type { LogEntry } from "../core/index.ts";
import { agentFrom, agentRows } from "./agents.ts";
import { hashOf } from "./blobs.ts";
import type { Context } from "./context.ts";
import type { Database } from "./engine.ts";
import { notFound, StoreError } from "./errors.ts";
import { letterFrom } from "./mail.ts";
import { entryColumns, entryFrom, targetOf } from "./rows.ts";
import { sessionFrom } from "./sessions.ts";
import type { HistoryLine } from "./lines.ts";
import type { ImportCounts } from "./transfer.ts";

/** What an import would find: how many lines of each kind, and how many of them are here already. */
export type Comparison = { readonly lines: ImportCounts; readonly known: ImportCounts };

/**
 * Holds lines against what is here before anything is written. Throws where both have something of the same name that is
 * not the same, and where both have gone on with an agent on their own: put together, its log would be nobody's.
 */
export async function compareLines(context: Context, source: AsyncIterable<HistoryLine>): Promise<Comparison> {
  const lines = zero();
  const known = zero();
  const places = createPlaces(context);
  const agents = new Map<string, { lines: number; known: number }>();
  const count = (line: HistoryLine, isKnown: boolean): void => {
    lines[line.type] += 1;
    if (isKnown) known[line.type] += 1;
    if (line.type !== "entry") return;
    const agent = agents.get(line.agent_uuid) ?? { lines: 0, known: 0 };
    agent.lines += 1;
    if (isKnown) agent.known += 1;
    agents.set(line.agent_uuid, agent);
  };
  for await (const batch of batches(source, places.check)) {
    const here = await findHere(context, batch);
    for (const line of batch) {
      const existing = here.get(nameOf(line));
      if (existing !== undefined && !isSame(sealed(context, line), existing)) throw differs(line);
      count(line, existing !== undefined);
    }
  }
  await refuseDiverged(context, agents);
  return { lines, known };
}

type Counts = { -readonly [type in HistoryLine["type"]]: number };

function zero(): Counts {
  return { session: 0, agent: 0, entry: 0, mail: 0, blob: 0 };
}

async function* batches(
  source: AsyncIterable<HistoryLine>,
  check: (line: HistoryLine) => Promise<void>,
): AsyncGenerator<readonly HistoryLine[], void, undefined> {
  let batch: HistoryLine[] = [];
  for await (const line of source) {
    await check(line);
    batch.push(line);
    if (batch.length < batchSize) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

/** What a line belongs or points to has to stand before it, or be here, and be in the same session. */
function createPlaces({ db }: Context): { readonly check: (line: HistoryLine) => Promise<void> } {
  const sessions = new Set<string>();
  /** The session of each. */
  const agents = new Map<string, string>();
  const entries = new Map<string, string>();
  const needSession = async (uuid: string): Promise<void> => {
    if (sessions.has(uuid)) return;
    const row = await db.selectFrom("sessions").select("id").where("uuid", "=", uuid).executeTakeFirst();
    if (row === undefined) throw notFound("session", uuid);
    sessions.add(uuid);
  };
  const placeOf = async (what: "agent" | "entry", uuid: string): Promise<string> => {
    const seen = what === "agent" ? agents : entries;
    const place = seen.get(uuid) ?? (await placeHere(db, what, uuid));
    if (place === undefined) throw notFound(what, uuid);
    seen.set(uuid, place);
    return place;
  };
  const need = async (what: "agent" | "entry", uuid: string | undefined, place: string): Promise<void> => {
    if (uuid === undefined || (await placeOf(what, uuid)) === place) return;
    throw new StoreError("invalid", `${what} ${uuid} is in another session`);
  };
  return {
    async check(line) {
      switch (line.type) {
        case "session":
          sessions.add(line.uuid);
          return;
        case "agent":
          await needSession(line.session_uuid);
          await need("agent", line.parent_uuid, line.session_uuid);
          await need("entry", line.fork_message_uuid, line.session_uuid);
          agents.set(line.uuid, line.session_uuid);
          return;
        case "entry": {
          const place = await placeOf("agent", line.agent_uuid);
          await need("entry", targetOf(line as LogEntry), place);
          entries.set(line.uuid, place);
          return;
        }
        case "mail":
          await placeOf("agent", line.to_uuid);
          return;
        case "blob":
          if (hashOf(Buffer.from(line.base64, "base64")) === line.hash) return;
          throw new StoreError("invalid", `the bytes of ${line.hash.slice(0, 12)}… are not what their name says`);
      }
    },
  };
}

async function placeHere(db: Database, what: "agent" | "entry", uuid: string): Promise<string | undefined> {
  const { rows } = await sql<{ readonly uuid: string }>`
    SELECT s.uuid FROM ${sql.table(what === "agent" ? "agents" : "messages")} AS x
    JOIN sessions AS s ON s.id = x.session_id WHERE x.uuid = ${uuid}`.execute(db);
  return rows[0]?.uuid;
}

/** The lines of a batch as they would be exported from here, by name. */
async function findHere({ db }: Context, batch: readonly HistoryLine[]): Promise<ReadonlyMap<string, HistoryLine>> {
  const uuids = (type: HistoryLine["type"]): string[] =>
    batch.flatMap((line) => (line.type === type && line.type !== "blob" ? [line.uuid] : []));
  const hashes = batch.flatMap((line) => (line.type === "blob" ? [line.hash] : []));
  const found: HistoryLine[] = [];
  const [sessions, agents, entries, letters] = [uuids("session"), uuids("agent"), uuids("entry"), uuids("mail")];
  if (sessions.length > 0) {
    const rows = await db.selectFrom("sessions").selectAll().where("uuid", "in", sessions).execute();
    found.push(...rows.map((row) => ({ type: "session" as const, version: 1, ...sessionFrom(row) })));
  }
  if (agents.length > 0) {
    const rows = await agentRows(db).where("agents.uuid", "in", agents).execute();
    found.push(...rows.map((row) => ({ type: "agent" as const, ...agentFrom(row) })));
  }
  if (entries.length > 0) {
    const rows = await db.selectFrom("messages").select(entryColumns).where("uuid", "in", entries).execute();
    for (const row of rows) {
      const { id: _id, ...entry } = entryFrom(row);
      found.push({ type: "entry", ...entry });
    }
  }
  if (letters.length > 0) {
    const rows = await db.selectFrom("mail").selectAll().where("uuid", "in", letters).execute();
    found.push(...rows.map((row) => ({ type: "mail" as const, ...letterFrom(row) })));
  }
  if (hashes.length > 0) {
    const rows = await db.selectFrom("blobs").select(["hash", "created_at"]).where("hash", "in", hashes).execute();
    found.push(...rows.map((row) => ({ type: "blob" as const, base64: "", ...row })));
  }
  return new Map(found.map((line) => [nameOf(line), line]));
}

function nameOf(line: HistoryLine): string {
  return `${line.type} ${line.type === "blob" ? line.hash : line.uuid}`;
}

/** As it would be kept: without keys, and as JSON has it. */
function sealed({ sealJson }: Context, line: HistoryLine): HistoryLine {
  return line.type === "blob" ? line : (JSON.parse(sealJson(line)) as HistoryLine);
}

/** What may change with time is left out: whichever is newer wins when it is taken. */
function isSame(line: HistoryLine, here: HistoryLine): boolean {
  switch (line.type) {
    case "session":
      return here.type === "session" && line.created_at === here.created_at && line.folder === here.folder;
    case "agent":
      return here.type === "agent" && agentFields.every((field) => line[field] === here[field]);
    case "entry":
      return isDeepStrictEqual(line, here);
    case "mail":
      return isDeepStrictEqual({ ...line, read_at: undefined }, { ...here, read_at: undefined });
    case "blob":
      return true;
  }
}

const agentFields = ["session_uuid", "parent_uuid", "fork_message_uuid", "created_at"] as const;

function differs(line: HistoryLine): StoreError {
  const text = `${nameOf(line)} is in this history already, and is not the same there; nothing was imported`;
  return new StoreError("conflict", text);
}

async function refuseDiverged(
  { db }: Context,
  agents: ReadonlyMap<string, { readonly lines: number; readonly known: number }>,
): Promise<void> {
  for (const [agent_uuid, counts] of agents) {
    if (counts.known === counts.lines) continue;
    const row = await db
      .selectFrom("messages")
      .select(({ fn }) => fn.countAll<number>().as("n"))
      .where("agent_uuid", "=", agent_uuid)
      .executeTakeFirst();
    if ((row?.n ?? 0) === counts.known) continue;
    const text = `agent ${agent_uuid} went on here and there since they were the same; nothing was imported`;
    throw new StoreError("conflict", text);
  }
}

const batchSize = 200;
