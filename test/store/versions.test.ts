import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { checkHistory, openStore, type HistoryLine, type Store } from "../../src/store/index.ts";
import { migrations as postgresMigrations } from "../../src/store/postgres/migrations/index.ts";
import { migrations as sqliteMigrations } from "../../src/store/sqlite/migrations/index.ts";
import { engineNames, histories, type EngineName, type Target } from "./support/engines.ts";
import { contents, says } from "./support/make.ts";
import { administer, newDatabase } from "./support/postgres.ts";

/** Histories as each version wrote them. Never changed: what is in them has to be readable for ever. */
const versions = ["v1"] as const;

const folder = mkdtempSync(join(tmpdir(), "ikigai-versions-"));
const cleanUp: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const run of cleanUp) await run();
  rmSync(folder, { recursive: true, force: true });
});

function fixture(version: string, name: string): string {
  return readFileSync(new URL(`../fixtures/store/${version}/${name}`, import.meta.url), "utf8");
}

const remembers = `CREATE TABLE schema_migrations (version INTEGER, name TEXT, checksum TEXT, applied_at BIGINT);
  INSERT INTO schema_migrations VALUES (1, 'history', '', 1);`;
const advances = ["sessions", "messages", "mail"]
  .map((table) => `SELECT setval(pg_get_serial_sequence('${table}', 'id'), (SELECT max(id) FROM ${table}));`)
  .join("\n");

async function stored(version: string, engine: EngineName): Promise<Target> {
  const script = `${fixture(version, `${engine}.sql`)}\n${remembers}\n${fixture(version, "rows.sql")}`;
  if (engine === "postgres") {
    const { url, drop } = await newDatabase();
    cleanUp.push(drop);
    await administer(url, `${script}\n${advances}`);
    return { url };
  }
  const path = join(folder, `${version}.db`);
  const database = new DatabaseSync(path);
  database.exec(script);
  database.close();
  return { path };
}

describe.each(versions)("B52 a history of version %s", (version) => {
  const lines = fixture(version, "history.jsonl")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as HistoryLine);

  describe.each(engineNames)("on %s", (engine) => {
    const { open } = histories(engine);

    test("is opened, read whole, and goes on", async () => {
      const store = await openStore(await stored(version, engine));
      await expectWhole(store, lines);
      const [root = "", child = ""] = lines.flatMap((line) => (line.type === "agent" ? [line.uuid] : []));
      expect(await contents(store, root)).toEqual(["Again, from the start."]);
      expect(await contents(store, child)).toEqual(["Checked."]);
      const replay = await store.history.replay(child);
      expect(replay.messages()[0]).toMatchObject({
        role: "user",
        content: [{ text: expect.stringContaining("Paris") }],
      });
      expect(replay.settings()).toMatchObject({
        system: [{ text: "Be brief." }],
        pins: ["NOTES.md"],
        tools: ["bash", "weather"],
      });
      expect(await store.usage({ by: ["model"] })).toMatchObject([
        { model: "model-1", requests: 2, total_tokens: 1_245, cost_usd: 0.0123, unpriced: 1 },
        { model: "model-2", requests: 2, total_tokens: 2_490, cost_usd: 0.001, unpriced: 1 },
      ]);
      expect(await store.search("paris")).toHaveLength(2);
      const [next] = await store.history.append(root, [says("and on")]);
      expect(next?.id).toBeGreaterThan(20);
      await store.close();
    });

    test("is imported from its export", async () => {
      const store = await open();
      await store.transfer.take(lines);
      await expectWhole(store, lines);
    });
  });
});

async function expectWhole(store: Store, lines: readonly HistoryLine[]): Promise<void> {
  const found: HistoryLine[] = [];
  for await (const line of store.transfer.lines()) found.push(line);
  expect(found).toEqual(lines);
  expect(await checkHistory(store)).toEqual([]);
}

test("a migration that was released is never changed: a change is a new one", () => {
  for (const [index, version] of ["v1", "v2"].entries()) {
    expect(sqliteMigrations[index]?.sql.trimStart()).toBe(fixture(version, "sqlite.sql"));
    expect(postgresMigrations[index]?.sql.trimStart()).toBe(fixture(version, "postgres.sql"));
  }
  for (const migrations of [sqliteMigrations, postgresMigrations]) {
    expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
  }
  expect(sqliteMigrations.map(({ name }) => name)).toEqual(postgresMigrations.map(({ name }) => name));
});
