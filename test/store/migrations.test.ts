import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Engine, Migration } from "../../src/store/engine.ts";
import { checkHistory, openStore } from "../../src/store/index.ts";
import { openPostgres } from "../../src/store/postgres/index.ts";
import { migrations as postgresMigrations } from "../../src/store/postgres/migrations/index.ts";
import { networkFileSystems } from "../../src/store/sqlite/connection.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { migrations as sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { createStore } from "../../src/store/store.ts";
import { contents, says, withAgent } from "./support/make.ts";
import { administer, newDatabase } from "./support/postgres.ts";

const folder = mkdtempSync(join(tmpdir(), "ikigai-migrations-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;
function newPath(): string {
  made += 1;
  return join(folder, String(made), "history.db");
}

const next = (sql: string): Migration => ({ version: sqliteMigrations.length + 1, name: "next", sql });
const addsColumn = next("ALTER TABLE sessions ADD COLUMN colour TEXT");
const deletesRows = next("DELETE FROM messages");
const fails = next("ALTER TABLE sessions ADD COLUMN colour TEXT; SELECT * FROM nowhere");

type Opener = (migrations: readonly Migration[]) => Promise<Engine>;

async function onSqlite(): Promise<{
  readonly open: Opener;
  readonly known: readonly Migration[];
  readonly path: string;
}> {
  const path = newPath();
  return { open: (migrations) => openSqlite({ path, migrations }), known: sqliteMigrations, path };
}

const databases: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const drop of databases) await drop();
});
async function onPostgres(): Promise<{ readonly open: Opener; readonly known: readonly Migration[] }> {
  const { url, drop } = await newDatabase();
  databases.push(drop);
  return { open: (migrations) => openPostgres({ url, migrations }), known: postgresMigrations };
}

describe.each([
  { engine: "sqlite", make: onSqlite },
  { engine: "postgres", make: onPostgres },
] as const)("migrations on $engine", ({ make }) => {
  test("U15 keep every row, are remembered, and an older program refuses the result", async () => {
    const { open, known } = await make();
    const agent_uuid = await filled(open, known);
    const newer = createStore(await open([...known, addsColumn]));
    expect(await contents(newer, agent_uuid)).toEqual(["one", "two"]);
    const rows = await newer.engine.db
      .selectFrom("schema_migrations")
      .select(["version", "name"])
      .orderBy("version")
      .execute();
    expect(rows.map(({ version, name }) => [version, name])).toEqual(
      [...known, addsColumn].map(({ version, name }) => [version, name]),
    );
    await newer.close();
    await expect(open(known)).rejects.toMatchObject({ kind: "newer" });
    await expect(open(known)).rejects.toThrow(/newer ikigai.*nothing was changed/);
    const again = createStore(await open([...known, addsColumn]));
    expect(await contents(again, agent_uuid)).toEqual(["one", "two"]);
    await again.close();
  });

  test.each([
    ["lose rows", deletesRows],
    ["fail", fails],
  ])("that would %s leave everything as it was", async (_what, migration) => {
    const { open, known } = await make();
    const agent_uuid = await filled(open, known);
    await expect(open([...known, migration])).rejects.toMatchObject({
      kind: "migration",
      message: expect.stringContaining("left as it was"),
    });
    const store = createStore(await open(known));
    expect(await contents(store, agent_uuid)).toEqual(["one", "two"]);
    await store.history.append(agent_uuid, [says("three")]);
    await store.close();
  });
});

describe("migrations of a file", () => {
  test("U15 begin with a copy that has been read back, for its owner only", async () => {
    const { open, known, path } = await onSqlite();
    await filled(open, known);
    expect(readdirSync(dirname(path))).toEqual(["history.db"]);
    const engine = await open([...known, addsColumn]);
    await engine.close();
    const backups = readdirSync(dirname(path)).filter((name) => name.endsWith(".backup"));
    expect(backups).toEqual([
      expect.stringMatching(new RegExp(String.raw`^history\.db\.v${known.length}-\d{8}T\d{6}Z\.backup$`)),
    ]);
    const backup = join(dirname(path), backups[0] ?? "");
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    const copy = new DatabaseSync(backup, { readOnly: true });
    expect(copy.prepare("SELECT count(*) AS n FROM messages").get()).toMatchObject({ n: 2 });
    expect(copy.prepare("SELECT max(version) AS n FROM schema_migrations").get()).toMatchObject({ n: known.length });
    copy.close();
  });

  test("are not begun when the copy cannot be made", async () => {
    const { open, known, path } = await onSqlite();
    await filled(open, known);
    const now = Date.UTC(2026, 0, 1);
    mkdirSync(`${path}.v${known.length}-20260101T000000Z.backup`);
    const opening = openSqlite({ path, migrations: [...known, addsColumn], now: () => now });
    await expect(opening).rejects.toMatchObject({ kind: "migration", message: expect.stringContaining("backup") });
    const engine = await open(known);
    await engine.close();
  });
});

describe("a file", () => {
  test("and its folder are for their owner only, whatever the umask", async () => {
    const path = newPath();
    const before = process.umask(0);
    try {
      const store = await openStore({ path });
      await withAgent(store);
      expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
      for (const name of ["history.db", "history.db-wal", "history.db-shm"]) {
        expect(statSync(join(dirname(path), name)).mode & 0o777, name).toBe(0o600);
      }
      await store.close();
      chmodSync(path, 0o644);
      await (await openStore({ path })).close();
      expect(statSync(path).mode & 0o777).toBe(0o600);
    } finally {
      process.umask(before);
    }
  });

  test("U19 is written with a rollback journal where a write-ahead log cannot work, with one warning", async () => {
    const path = newPath();
    mkdirSync(dirname(path));
    // A way of locking that cannot share memory: what SQLite meets on a network.
    const address = `file:${path}?vfs=unix-dotfile`;
    const store = await openStore({ path: address });
    expect(store.warnings).toEqual([{ code: "no_wal", message: expect.stringContaining("rollback journal") }]);
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("hello world")]);
    expect(readdirSync(dirname(path)).filter((name) => name.endsWith("-wal"))).toEqual([]);
    const other = await openStore({ path: address });
    const waiting = other.mail.wait(agent.uuid);
    await store.mail.send({ to_uuid: agent.uuid, content: "over here" });
    expect(await waiting).toBe(true);
    expect(await other.search("hello", { order: "best" })).toHaveLength(1);
    await store.close();
    await other.close();
    expect((await openStore({ path })).warnings).toEqual([]);
    expect(networkFileSystems[0x6969]).toBe("NFS");
  });

  test("with a rollback journal is searched, added up and checked while somebody writes, only later", async () => {
    const path = newPath();
    const engine = await openSqlite({ path });
    const store = createStore(engine);
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("a needle")]);
    expect(engine.connection().database.prepare("PRAGMA journal_mode = delete").get()).toEqual({
      journal_mode: "delete",
    });
    const writer = new DatabaseSync(path);
    writer.exec("BEGIN EXCLUSIVE");
    const asked = Promise.all([store.search("needle"), store.usage(), checkHistory(store)]);
    await sleep(200);
    writer.exec("COMMIT");
    writer.close();
    expect(await asked).toMatchObject([[{ excerpt: "a needle" }], [{ requests: 0 }], []]);
    await store.close();
  });

  test("of another program, and what is no database at all, are left as they are", async () => {
    const foreign = newPath();
    mkdirSync(dirname(foreign));
    const database = new DatabaseSync(foreign);
    database.exec("CREATE TABLE cats (name TEXT)");
    database.close();
    await expect(openStore({ path: foreign })).rejects.toMatchObject({ kind: "foreign" });
    const garbage = newPath();
    mkdirSync(dirname(garbage));
    writeFileSync(garbage, "not a database ".repeat(1_000));
    await expect(openStore({ path: garbage })).rejects.toMatchObject({ kind: "corrupt" });
    expect(readFileSync(garbage, "utf8")).toBe("not a database ".repeat(1_000));
  });

  test("can be in memory", async () => {
    const store = await openStore({ path: ":memory:" });
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("one"), says("two")]);
    expect(await contents(store, agent.uuid)).toEqual(["one", "two"]);
    expect(await store.search("two", { order: "best" })).toHaveLength(1);
    await store.close();
  });
});

describe("a server", () => {
  test("whose database belongs to another program is left as it is", async () => {
    const { url, drop } = await newDatabase();
    databases.push(drop);
    await administer(url, "CREATE TABLE messages (name TEXT)");
    await expect(openStore({ url })).rejects.toMatchObject({ kind: "foreign" });
  });

  test("several openings at once migrate once", async () => {
    const { url, drop } = await newDatabase();
    databases.push(drop);
    const stores = await Promise.all(Array.from({ length: 5 }, () => openStore({ url })));
    for (const store of stores) await store.close();
  });
});

async function filled(open: Opener, known: readonly Migration[]): Promise<string> {
  const store = createStore(await open(known));
  const { agent } = await withAgent(store);
  await store.history.append(agent.uuid, [says("one"), says("two")]);
  await store.close();
  return agent.uuid;
}
