import {
  chmodSync,
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inspect } from "node:util";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import {
  checkHistory,
  historyExists,
  openStore,
  type Change,
  type OutboxState,
  type Store,
} from "../../src/store/index.ts";
import { addressOf, postgresError } from "../../src/store/postgres/errors.ts";
import { openSqlite } from "../../src/store/sqlite/index.ts";
import { createStore } from "../../src/store/store.ts";
import { outcome, startChild } from "./support/child.ts";
import { histories } from "./support/engines.ts";
import { contents, says, withAgent } from "./support/make.ts";
import { administer } from "./support/postgres.ts";
import { proxyFor, type Proxy } from "./support/proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "ikigai-failures-"));
const stores: Store[] = [];
const proxies: Proxy[] = [];
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close().catch(() => undefined);
  for (const proxy of proxies.splice(0)) await proxy.close();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

async function file() {
  made += 1;
  const path = join(folder, String(made), "history.db");
  const engine = await openSqlite({ path });
  const store = createStore(engine);
  stores.push(store);
  return { path, store, database: engine.connection().database };
}

describe("a file that cannot be written", () => {
  test("because the disk is full: what was said waits in memory and is written when there is room, in order, once", async () => {
    const { store, database } = await file();
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("before")]);
    const states: OutboxState[] = [];
    store.outbox.onState((state) => states.push(state));
    const pages = Number(database.prepare("PRAGMA page_count").get()?.["page_count"]);
    database.exec(`PRAGMA max_page_count = ${pages}`);
    const big = "x".repeat(100_000);
    const [waiting] = await store.history.append(agent.uuid, [says(big)]);
    expect(waiting).toMatchObject({ kind: "user", uuid: expect.any(String) });
    expect(waiting?.id).toBeUndefined();
    expect(states).toMatchObject([
      { failure: { kind: "disk_full", message: expect.stringContaining("is full") }, waiting: 1 },
    ]);
    const child = await store.agents.fork(agent.uuid);
    await store.history.append(child.uuid, [says("in the child")]);
    await store.mail.send({ to_uuid: child.uuid, content: "a letter" });
    await store.history.append(agent.uuid, [says("after")]);
    expect(store.outbox.unsaved().map((entry) => entry.kind)).toEqual(["user", "fork", "user", "user"]);
    expect(await contents(store, agent.uuid)).toEqual(["before"]);
    database.exec("PRAGMA max_page_count = 1000000");
    expect(await store.outbox.flush()).toEqual({ waiting: 0 });
    expect(states.at(-1)).toEqual({ waiting: 0 });
    expect(await contents(store, agent.uuid)).toEqual(["before", big, "after"]);
    expect(await contents(store, child.uuid)).toEqual(["before", big, "in the child"]);
    expect(await store.mail.unread([child.uuid])).toEqual(new Map([[child.uuid, 1]]));
    expect(await checkHistory(store)).toEqual([]);
  });

  test("is tried again by itself", async () => {
    const { store, database } = await file();
    const { agent } = await withAgent(store);
    database.exec("PRAGMA query_only = 1");
    await store.history.append(agent.uuid, [says("patience")]);
    expect(store.outbox.state()).toMatchObject({ failure: { kind: "read_only" }, waiting: 1 });
    database.exec("PRAGMA query_only = 0");
    await vi.waitFor(() => expect(store.outbox.state()).toEqual({ waiting: 0 }), { timeout: 20_000 });
    expect(await contents(store, agent.uuid)).toEqual(["patience"]);
  });

  test("until the end: closing hands back what was never written", async () => {
    const { store, database } = await file();
    const { agent } = await withAgent(store);
    database.exec("PRAGMA query_only = 1");
    await store.history.append(agent.uuid, [says("one")]);
    await store.history.append(agent.uuid, [says("two")]);
    expect(await store.close()).toMatchObject([{ content: "one" }, { content: "two" }]);
  });

  test("what was refused after it had waited is not forgotten, and does not hold up the rest", async () => {
    const { store, database } = await file();
    const { agent } = await withAgent(store);
    database.exec("PRAGMA query_only = 1");
    await store.history.append(agent.uuid, [{ kind: "rewind", data: { target_uuid: "nowhere" } }]);
    await store.history.append(agent.uuid, [says("fine")]);
    database.exec("PRAGMA query_only = 0");
    await store.outbox.flush();
    expect(await contents(store, agent.uuid)).toEqual(["fine"]);
    expect(store.outbox.unsaved()).toMatchObject([{ kind: "rewind" }]);
  });

  test("while an answer arrives: its pieces are kept and come with the next write", async () => {
    const { store, database } = await file();
    const { agent } = await withAgent(store);
    const draft = store.history.draft(agent.uuid, { origin: { provider: "p", api: "a", model: "m" } });
    database.exec("PRAGMA query_only = 1");
    draft.add({ type: "text_delta", block_index: 0, text: "one " });
    expect(await draft.flush()).toBe(false);
    draft.add({ type: "text_delta", block_index: 0, text: "two" });
    database.exec("PRAGMA query_only = 0");
    expect(await draft.flush()).toBe(true);
    const rows = await store.engine.db.selectFrom("checkpoints").select("data").orderBy("seq").execute();
    expect(JSON.parse(rows[1]?.data ?? "")).toEqual([{ type: "text_delta", block_index: 0, text: "one two" }]);
  });
});

describe("a folder that may not be written", () => {
  test.each([
    ["without a history", false],
    ["with one", true],
  ])("%s: says what to look at, and changes nothing", async (_what, existing) => {
    const { path, store } = await file();
    await store.close();
    chmodSync(folder, 0o755);
    chmodSync(dirname(path), 0o555);
    if (!existing) rmSync(path);
    const { stdout, stderr } = await outcome(startChild("stranger", { path }));
    chmodSync(dirname(path), 0o755);
    expect(stderr).toBe("");
    expect(JSON.parse(stdout)).toEqual({
      kind: "permission",
      message: expect.stringContaining("look at the permissions"),
    });
    expect(readdirSync(dirname(path))).toEqual(existing ? ["history.db"] : []);
  });
});

describe("a file that is gone", () => {
  test("in the middle of a transaction is written back when that is over", async () => {
    const { store, path } = await file();
    const { agent } = await withAgent(store);
    const written = store.engine.write(async (db) => {
      await db.updateTable("agents").set({ name: "renamed" }).where("uuid", "=", agent.uuid).execute();
      rmSync(path);
      // Whoever comes now has to wait.
      const next = store.history.append(agent.uuid, [says("after")]);
      await db.selectFrom("agents").select("uuid").execute();
      await db.selectFrom("agents").select("uuid").execute();
      return { next };
    });
    const [entry] = await (await written).next;
    expect(entry?.id).toBeDefined();
    expect(await store.agents.get(agent.uuid)).toMatchObject({ name: "renamed" });
    expect(await contents(store, agent.uuid)).toEqual(["after"]);
    expect(existsSync(path)).toBe(true);
  });

  test.each([
    ["the file", (path: string) => rmSync(path)],
    ["the file with its log", (path: string) => ["", "-wal", "-shm"].forEach((ending) => rmSync(path + ending))],
    ["the whole folder", (path: string) => rmSync(dirname(path), { recursive: true })],
  ])("is written back: %s", async (_what, remove) => {
    const { store, path, database } = await file();
    const other = await openStore({ path });
    stores.push(other);
    const { session, agent } = await withAgent(store);
    // A log that holds only the latest pages: applied to a file that was written anew, it would destroy it.
    const bystander = await store.agents.create(session.uuid);
    await store.history.append(
      bystander.uuid,
      Array.from({ length: 300 }, (_, index) => says(`line ${index}`)),
    );
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    await store.history.append(agent.uuid, [says("before")]);
    await other.history.append(agent.uuid, [says("from the other")]);
    remove(path);
    const [first] = await store.history.append(agent.uuid, [says("after")]);
    const [second] = await other.history.append(agent.uuid, [says("from the other again")]);
    expect(first?.id).toBeDefined();
    expect(second?.id).toBeDefined();
    const all = ["before", "from the other", "after", "from the other again"];
    expect(await contents(store, agent.uuid)).toEqual(all);
    expect(await contents(other, agent.uuid)).toEqual(all);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const waiting = other.mail.wait(agent.uuid);
    await store.mail.send({ to_uuid: agent.uuid, content: "still connected" });
    expect(await waiting).toBe(true);
    await store.close();
    await other.close();
    const fresh = await openStore({ path });
    stores.push(fresh);
    expect(await contents(fresh, agent.uuid)).toEqual(all);
    expect(await checkHistory(fresh)).toEqual([]);
    expect(existsSync(`${path}.restoring`)).toBe(false);
  });
});

describe("a damaged file", () => {
  test("is noticed by a check, and by whoever reads the damaged part", async () => {
    const { store, path } = await file();
    const { agent } = await withAgent(store);
    await store.history.append(
      agent.uuid,
      Array.from({ length: 500 }, (_, index) => says(`line ${index} ${"x".repeat(500)}`)),
    );
    await store.close();
    const { size } = statSync(path);
    const handle = openSync(path, "r+");
    for (let at = 8_192; at < size - 4_096; at += 4_096) writeSync(handle, Buffer.alloc(512, 0xab), 0, 512, at);
    closeSync(handle);
    const damaged = await openStore({ path }).catch((error: unknown) => error);
    if (damaged instanceof Error) expect(damaged).toMatchObject({ kind: "corrupt" });
    else {
      const opened = damaged as Store;
      stores.push(opened);
      await expect(contents(opened, agent.uuid)).rejects.toMatchObject({ kind: "corrupt" });
      expect(await checkHistory(opened).catch((error: unknown) => [error])).not.toEqual([]);
    }
  });
});

describe("a server that cannot be reached", () => {
  const { target } = histories("postgres");

  async function remote(): Promise<{ readonly store: Store; readonly proxy: Proxy; readonly url: string }> {
    const where = await target();
    const url = "url" in where ? where.url : "";
    const proxy = await proxyFor(url);
    proxies.push(proxy);
    const store = await openStore({ url: proxy.url });
    stores.push(store);
    return { store, proxy, url };
  }

  test("for a while: what was said waits in memory and is written afterwards, in order, once", async () => {
    const { store, proxy } = await remote();
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("before")]);
    proxy.cut();
    const [waiting] = await store.history.append(agent.uuid, [says("one")]);
    expect(waiting?.id).toBeUndefined();
    expect(store.outbox.state()).toMatchObject({ failure: { kind: "connection" } });
    await store.history.append(agent.uuid, [says("two")]);
    await expect(store.agents.get(agent.uuid)).rejects.toMatchObject({ kind: "connection" });
    proxy.mend();
    await vi.waitFor(() => expect(store.outbox.state()).toEqual({ waiting: 0 }), { timeout: 20_000 });
    expect(await contents(store, agent.uuid)).toEqual(["before", "one", "two"]);
  });

  test("at the very moment of a commit: the entry is there once", async () => {
    const { store, proxy } = await remote();
    const { agent } = await withAgent(store);
    for (const words of ["one", "two", "three"]) {
      proxy.loseAnswerTo("commit");
      await store.history.append(agent.uuid, [says(words)]);
      await vi.waitFor(() => expect(store.outbox.state()).toEqual({ waiting: 0 }), { timeout: 20_000 });
    }
    expect(await contents(store, agent.uuid)).toEqual(["one", "two", "three"]);
    const rows = await store.engine.db.selectFrom("messages").select("id").execute();
    expect(rows).toHaveLength(3);
  });

  test("at the very moment of a commit: the pieces of an answer are there once, and the next ones too", async () => {
    const { store, proxy } = await remote();
    const { agent } = await withAgent(store);
    const draft = store.history.draft(agent.uuid, { origin: { provider: "p", api: "a", model: "m" } });
    const add = (text: string): void => draft.add({ type: "text_delta", block_index: 0, text });
    add("one ");
    proxy.loseAnswerTo("commit");
    expect(await draft.flush()).toBe(false);
    add("two ");
    await vi.waitFor(async () => expect(await draft.flush()).toBe(true), { timeout: 20_000 });
    add("three");
    expect(await draft.flush()).toBe(true);
    const rows = await store.engine.db.selectFrom("checkpoints").select("data").orderBy("seq").execute();
    const texts = rows.flatMap(({ data }) => [...data.matchAll(/"text":"([^"]*)"/g)].map(([, words]) => words));
    expect(texts).toEqual(["one two ", "three"]);
  });

  test("when somebody begins to listen: he hears what is written once it is back, and nothing outlives the store", async () => {
    const { store, proxy, url } = await remote();
    const { agent } = await withAgent(store);
    proxy.cut();
    const heard = vi.fn<(change: Change) => void>();
    store.changes.onChange(heard);
    await expect(store.agents.get(agent.uuid)).rejects.toMatchObject({ kind: "connection" });
    proxy.mend();
    await vi.waitFor(async () => expect(await listeners(url)).toEqual({ rows: 1 }), { timeout: 20_000 });
    heard.mockClear();
    const other = await openStore({ url });
    stores.push(other);
    await other.mail.send({ to_uuid: agent.uuid, content: "hello" });
    await vi.waitFor(() => expect(heard).toHaveBeenCalledWith({ what: "mail", agent_uuid: agent.uuid }));
    await store.close();
    await vi.waitFor(async () => expect(await listeners(url)).toEqual({ rows: 0 }), { timeout: 20_000 });
  });

  test("whose connections are ended by its administrator goes on with new ones, listening too", async () => {
    const { store, url } = await remote();
    const other = await openStore({ url });
    stores.push(other);
    const { agent } = await withAgent(store);
    const waiting = store.mail.wait(agent.uuid);
    await vi.waitFor(async () => {
      const { rows } = await listeners(url);
      expect(rows).toBeGreaterThan(0);
    });
    await administer(
      url,
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
    await store.history.append(agent.uuid, [says("still here")]);
    await vi.waitFor(() => expect(store.outbox.state()).toEqual({ waiting: 0 }), { timeout: 20_000 });
    await other.mail.send({ to_uuid: agent.uuid, content: "hello again" });
    expect(await waiting).toBe(true);
    expect(await contents(store, agent.uuid)).toEqual(["still here"]);
  });

  test("says so in words that never hold the password", async () => {
    const { url } = await remote();
    const password = ["p%40ss", "w0rd"].join("-");
    const wrong = ["127.0.0.1:1/nowhere", `${new URL(url).host}/no_such_database`, "256.256.256.256/x"].map(
      (rest) => `postgres://postgres:${password}@${rest}`,
    );
    const kinds = [];
    for (const address of [...wrong, `postgres://somebody:${password}@@@:x`, `http://${password}`]) {
      const error: unknown = await openStore({ url: address }).catch((failure: unknown) => failure);
      expect(inspect(error, { depth: 10 })).not.toMatch(/p(%40|@)ss-w0rd/);
      expect(error).toBeInstanceOf(Error);
      kinds.push(error instanceof Error && "kind" in error ? error.kind : "none");
    }
    expect(kinds[0]).toBe("connection");
    // A server that trusts everybody gets as far as looking for the database.
    expect(["gone", "auth"]).toContain(kinds[1]);
    expect(addressOf(`postgres://somebody:${password}@host/db`).label).toBe("postgres://somebody:***@host/db");
    for (const cut of ["#", "/", "?"]) {
      const address = `postgres://somebody:12${cut}${password}@host/db`;
      expect(addressOf(address).label).toBe("the configured PostgreSQL address");
      await expect(openStore({ url: address })).rejects.toMatchObject({ kind: "invalid" });
      await expect(historyExists({ url: address })).rejects.toMatchObject({ kind: "invalid" });
    }
    expect(addressOf(`postgres://host/db?password=${password}`).label).toBe("postgres://host/db?password=***");
  });

  test.each([
    ["28P01", "password authentication failed", "auth"],
    ["53100", "could not extend file", "disk_full"],
    ["25006", "cannot execute INSERT in a read-only transaction", "read_only"],
    ["53200", "out of memory", "io"],
    ["57P05", "terminating connection due to idle-session timeout", "connection"],
    ["57P01", "terminating connection", "connection"],
    ["XX001", "invalid page", "corrupt"],
    [undefined, "Connection terminated unexpectedly", "connection"],
    [undefined, "something else", "unknown"],
  ])("%s %s is %s", (code, message, kind) => {
    const address = addressOf("postgres://somebody@host/db");
    expect(postgresError(Object.assign(new Error(message), { code }), address)).toMatchObject({ kind });
  });
});

async function listeners(url: string): Promise<{ readonly rows: number }> {
  const store = await openStore({ url });
  const { sql } = await import("kysely");
  const { rows } =
    await sql`SELECT 1 FROM pg_stat_activity WHERE query LIKE 'LISTEN%' AND datname = current_database()`.execute(
      store.engine.db,
    );
  await store.close();
  return { rows: rows.length };
}
