import { existsSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { LogEntry } from "../../core/index.ts";
import { StoreError } from "../errors.ts";
import { entryColumns, entryFrom } from "../rows.ts";
import { columns, type Row } from "../tables.ts";
import { connect, location, type Connection } from "./connection.ts";
import { connectForReading } from "./reading.ts";

/**
 * A history in memory for the time in which the file cannot be written: everything works in it, and what happened there is
 * brought home later. It begins with the newest conversations of the file, as far as that can be read.
 */
export function takeShelter(path: string, prepare: (connection: Connection) => void): Connection {
  const shelter = connect({ path: ":memory:", synchronous: "normal" });
  prepare(shelter);
  const source = readable(path);
  if (source !== undefined) {
    try {
      copyNewest(source, shelter);
    } finally {
      source.database.close();
    }
  }
  // Whatever is larger was said here.
  for (const table of numbered) {
    const newest = `SELECT coalesce(max(id), 0) AS id FROM ${table}`;
    shelter.database.exec(`CREATE TEMP TABLE known_${table} AS ${newest}`);
  }
  return shelter;
}

function readable(path: string): Connection | undefined {
  try {
    return connectForReading(path);
  } catch {
    return undefined;
  }
}

function copyNewest({ address }: Connection, { database }: Connection): void {
  database.prepare("ATTACH ? AS old").run(address);
  try {
    database.exec(`PRAGMA foreign_keys = OFF; BEGIN;
      CREATE TEMP TABLE chosen AS SELECT id FROM (
        SELECT s.id, sum((SELECT count(*) FROM old.messages m WHERE m.session_id = s.id))
          OVER (ORDER BY s.updated_at DESC, s.id DESC) AS total
        FROM (SELECT * FROM old.sessions ORDER BY updated_at DESC, id DESC LIMIT ${sessionsMax}) AS s
      ) WHERE total <= ${entriesMax};`);
    for (const [table, names] of Object.entries(columns)) {
      const rule = copied[table];
      const known = database.prepare("SELECT 1 FROM old.sqlite_master WHERE name = ?").get(table);
      if (rule === undefined || known === undefined) continue;
      const list = names.join(", ");
      database.exec(`INSERT INTO main.${table} (${list}) SELECT ${list} FROM old.${table} WHERE ${rule}`);
    }
    database.exec("COMMIT; DROP TABLE chosen");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  } finally {
    database.exec("DETACH old; PRAGMA foreign_keys = ON");
  }
}

/** Writes what happened in the shelter into the file, all of it or nothing. Rows are known by their uuid. */
export function bringHome({ database }: Connection, path: string): void {
  database.prepare("ATTACH ? AS home").run(path);
  try {
    database.exec("BEGIN IMMEDIATE; PRAGMA defer_foreign_keys = ON");
    database.exec(homeward);
    database.exec("COMMIT");
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  } finally {
    database.exec("DETACH home");
  }
}

/** Entries that would be lost if the program ended now. */
export function entriesInShelter({ database }: Connection): readonly LogEntry[] {
  const rows = database
    .prepare(`SELECT ${entryColumns.join(", ")} FROM messages WHERE id > ${known("messages")} ORDER BY id`)
    .all();
  return rows.map((row) => entryFrom(row as Row<"messages">));
}

/** A disk with no room lets a file be opened all the same. */
export function refuseFullDisk(path: string): void {
  const file = location(path);
  if (file === undefined) return;
  const { bavail, bfree, bsize } = statfsSync(existingFolder(dirname(file)));
  const free = (process.getuid?.() === 0 ? bfree : bavail) * bsize;
  if (free >= roomMin) return;
  const text = `the disk with the history ${file} is full: make room, and what waits in memory is written`;
  throw new StoreError("disk_full", text, "ENOSPC");
}

/** On a machine where nothing was ever written the folder is still to be made. */
function existingFolder(path: string): string {
  return existsSync(path) || dirname(path) === path ? path : existingFolder(dirname(path));
}

const roomMin = 1_048_576;
const sessionsMax = 200;
const entriesMax = 20_000;
const numbered = ["messages", "mail", "inputs"] as const;

function known(table: (typeof numbered)[number]): string {
  return `(SELECT id FROM temp.known_${table})`;
}

/** What is taken along; the bytes of files stay where they are. */
const copied: { readonly [table: string]: string | undefined } = {
  sessions: "id IN (SELECT id FROM chosen)",
  agents: "session_id IN (SELECT id FROM chosen)",
  messages: "session_id IN (SELECT id FROM chosen)",
  mail: "session_id IN (SELECT id FROM chosen)",
  states: "true",
  inputs: "id > (SELECT coalesce(max(id), 0) FROM old.inputs) - 10000",
};

const homeId = (table: string, from: string): string =>
  `(SELECT h.id FROM home.${table} h JOIN main.${table} m ON m.uuid = h.uuid WHERE m.id = ${from})`;

const homeward = `
INSERT INTO home.sessions (uuid, folder, title, created_at, updated_at)
  SELECT uuid, folder, title, created_at, updated_at FROM main.sessions WHERE true ORDER BY id
  ON CONFLICT (uuid) DO UPDATE SET title = excluded.title, updated_at = excluded.updated_at
    WHERE updated_at < excluded.updated_at;
INSERT INTO home.agents (uuid, session_id, parent_uuid, name, status, provider, model, thinking_level, owner, data,
    created_at, updated_at)
  SELECT uuid, ${homeId("sessions", "a.session_id")}, parent_uuid, name, status, provider, model, thinking_level, owner,
    data, created_at, updated_at FROM main.agents a WHERE true
  ON CONFLICT (uuid) DO UPDATE SET name = excluded.name, status = excluded.status, provider = excluded.provider,
    model = excluded.model, thinking_level = excluded.thinking_level, data = excluded.data, updated_at = excluded.updated_at
    WHERE updated_at < excluded.updated_at;
UPDATE home.agents SET owner = (SELECT a.owner FROM main.agents a WHERE a.uuid = agents.uuid)
  WHERE owner IS NULL AND uuid IN (SELECT uuid FROM main.agents WHERE owner IS NOT NULL);
INSERT INTO home.messages (${columns.messages.filter((name) => name !== "id").join(", ")})
  SELECT ${columns.messages
    .filter((name) => name !== "id")
    .map((name) =>
      name === "target_id" ? "NULL" : name === "session_id" ? homeId("sessions", "e.session_id") : `e.${name}`,
    )
    .join(", ")}
  FROM main.messages e WHERE e.id > ${known("messages")} ORDER BY e.id
  ON CONFLICT (uuid) DO NOTHING;
UPDATE home.messages SET target_id = (
    SELECT ${homeId("messages", "e.target_id")} FROM main.messages e WHERE e.uuid = messages.uuid)
  WHERE uuid IN (SELECT uuid FROM main.messages WHERE target_id IS NOT NULL AND id > ${known("messages")});
UPDATE home.agents SET fork_message_id = (
    SELECT ${homeId("messages", "a.fork_message_id")} FROM main.agents a WHERE a.uuid = agents.uuid)
  WHERE fork_message_id IS NULL AND uuid IN (SELECT uuid FROM main.agents WHERE fork_message_id IS NOT NULL);
UPDATE home.mail SET read_at = (SELECT l.read_at FROM main.mail l WHERE l.uuid = mail.uuid)
  WHERE read_at IS NULL AND uuid IN (SELECT uuid FROM main.mail WHERE read_at IS NOT NULL);
INSERT INTO home.mail (uuid, session_id, from_uuid, to_uuid, content, data, created_at, read_at)
  SELECT uuid, ${homeId("sessions", "l.session_id")}, from_uuid, to_uuid, content, data, created_at, read_at
  FROM main.mail l WHERE l.id > ${known("mail")} ORDER BY l.id
  ON CONFLICT (uuid) DO NOTHING;
INSERT OR REPLACE INTO home.checkpoints SELECT * FROM main.checkpoints;
INSERT OR IGNORE INTO home.blobs (hash, bytes, created_at) SELECT hash, bytes, created_at FROM main.blobs;
INSERT INTO home.states (key, value, updated_at) SELECT key, value, updated_at FROM main.states WHERE true
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at
    WHERE updated_at < excluded.updated_at;
INSERT INTO home.inputs (folder, content, created_at)
  SELECT folder, content, created_at FROM main.inputs WHERE id > ${known("inputs")} ORDER BY id;
INSERT OR REPLACE INTO home.processes SELECT * FROM main.processes;
`;
