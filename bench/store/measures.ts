import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { openStore, type Store } from "../../src/store/index.ts";
import type { Row } from "../report.ts";
import { ratios, summarise } from "../stats.ts";
import { historyOf } from "./history.ts";

const million = 1_000_000;
const raw = "raw driver";

export async function opened(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withFolder(async (folder) => {
    const empty = join(folder, "empty.db");
    await openAndRead(empty);
    return compare(rounds, {
      [raw]: () => rawOpen(path),
      ikigai: () => openAndRead(path),
      "ikigai, empty history": () => openAndRead(empty),
    });
  });
}

async function openAndRead(path: string): Promise<void> {
  const store = await openStore({ path });
  const session = (await store.sessions.latest(longFolder)) ?? (await store.sessions.create({ folder: longFolder }));
  const agents = await store.agents.list(session.uuid);
  const agent = agents[0] ?? (await store.agents.create(session.uuid));
  const view = await store.history.view(agent.uuid);
  await view.older(50);
  await view.settings();
  await store.close();
}

function rawOpen(path: string): void {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
  const session = database
    .prepare("SELECT * FROM sessions WHERE folder = ? ORDER BY updated_at DESC LIMIT 1")
    .get(longFolder);
  const agent = database.prepare("SELECT * FROM agents WHERE session_id = ?").get(session?.["id"] ?? 0);
  database
    .prepare("SELECT * FROM messages WHERE agent_uuid = ? ORDER BY id DESC LIMIT 50")
    .all(agent?.["uuid"] ?? "")
    .forEach((row) => typeof row["data"] === "string" && JSON.parse(row["data"]));
  database.close();
}

export async function searched(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withStore(path, (store) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const statement = database.prepare(
      "SELECT m.* FROM messages_search f CROSS JOIN messages m ON m.id = f.rowid WHERE messages_search MATCH ? ORDER BY f.rowid DESC LIMIT 20",
    );
    const words = ["word0", "word98765", "unheard"];
    return compare(rounds, {
      [raw]: () => words.forEach((word) => statement.all(word)),
      ikigai: async () => {
        for (const word of words) await store.search(word);
      },
    });
  });
}

export async function ranked(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withStore(path, async (store) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const statement = database.prepare(
      "SELECT m.* FROM messages_search f CROSS JOIN messages m ON m.id = f.rowid WHERE messages_search MATCH ? ORDER BY f.rank LIMIT 20",
    );
    return compareBesides(
      rounds,
      () => void statement.all("word0"),
      () => store.search("word0", { order: "best" }),
    );
  });
}

export async function summed(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withStore(path, async (store) => {
    const database = new DatabaseSync(path, { readOnly: true });
    const statement = database.prepare(
      "SELECT created_at / 900000, count(*), sum(input_tokens), sum(cache_read_tokens), sum(cache_write_tokens), sum(output_tokens), sum(thinking_tokens), sum(cost_usd) FROM messages WHERE provider IS NOT NULL GROUP BY 1",
    );
    return compareBesides(
      rounds,
      () => void statement.all(),
      () => store.usage({ by: ["day"] }),
    );
  });
}

/** What runs in a worker, and for how long everything else had to wait for it all the same. */
async function compareBesides(
  rounds: number,
  alone: () => void,
  besides: () => Promise<unknown>,
): Promise<readonly Row[]> {
  let pause = 0;
  const rows = await compare(rounds, {
    [raw]: alone,
    ikigai: async () => {
      let last = performance.now();
      const watch = setInterval(() => {
        pause = Math.max(pause, performance.now() - last);
        last = performance.now();
      }, 1);
      await besides();
      clearInterval(watch);
    },
  });
  const note = `longest pause of the main thread ${pause.toFixed(0)} ms`;
  return rows.map((row) => (row.driver === "ikigai" ? { ...row, note } : row));
}

export async function appended(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withCopy(path, async (store, copy) => {
    const agent_uuid = await longAgent(store);
    const database = new DatabaseSync(copy, { timeout: 5_000 });
    database.exec("PRAGMA synchronous = NORMAL");
    const insert = database.prepare(
      "INSERT INTO messages (uuid, session_id, agent_uuid, kind, content, version, created_at) VALUES (?, 1, ?, 'user', ?, 1, 1) RETURNING id",
    );
    let made = 0;
    const times = 200;
    const rows = await compare(rounds, {
      [raw]: () => {
        for (let index = 0; index < times; index++) {
          database.exec("BEGIN IMMEDIATE");
          insert.get(`raw-${made++}`, agent_uuid, text);
          database.exec("COMMIT");
        }
      },
      ikigai: async () => {
        for (let index = 0; index < times; index++)
          await store.history.append(agent_uuid, [{ kind: "user", content: text }]);
      },
    });
    database.close();
    return perUnit(rows, 1_000 / times);
  });
}

export async function forked(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withCopy(path, async (store) => {
    const long = await longAgent(store);
    const session = await store.sessions.create({});
    const short = (await store.agents.create(session.uuid)).uuid;
    for (let index = 0; index < 10; index++) await store.history.append(short, [{ kind: "user", content: text }]);
    const times = 50;
    const forkOften = async (uuid: string): Promise<void> => {
      for (let index = 0; index < times; index++) await store.agents.fork(uuid);
    };
    const rows = await compare(rounds, { "ten messages": () => forkOften(short), ikigai: () => forkOften(long) });
    return perUnit(rows, 1_000 / times);
  });
}

/** In processes of their own: memory that was once used is hardly ever given back. */
export async function remembered(rounds: number): Promise<readonly Row[]> {
  const { path } = await historyOf(million);
  return withFolder(async (folder) => {
    const empty = join(folder, "empty.db");
    await openAndRead(empty);
    const script = fileURLToPath(new URL("./resident.ts", import.meta.url));
    const measure = (file: string): number => {
      const { stdout, status } = spawnSync(process.execPath, [script, file], { encoding: "utf8" });
      if (status !== 0) throw new Error(`the process that reads ${file} failed`);
      return Number(stdout);
    };
    const found = Array.from({ length: rounds }, () => [measure(empty), measure(path)] as const);
    const base = found.map(([small]) => small);
    const large = found.map(([, big]) => big);
    return [
      { driver: "empty history", value: summarise(base) },
      { driver: "ikigai", value: summarise(large), ratio: summarise(ratios(large, base)) },
    ];
  });
}

/** There and back between two processes; a raw pipe between them for comparison. */
export async function woken(times: number): Promise<readonly Row[]> {
  return withFolder(async (folder) => {
    const path = join(folder, "mail.db");
    const store = await openStore({ path });
    const session = await store.sessions.create({});
    const here = (await store.agents.create(session.uuid)).uuid;
    const there = (await store.agents.create(session.uuid)).uuid;
    const script = fileURLToPath(new URL("./echo.ts", import.meta.url));
    const child = spawn(process.execPath, [script, path, there, here], { stdio: ["pipe", "pipe", "inherit"] });
    const answered = (): Promise<unknown> => new Promise((resolve) => child.stdout.once("data", resolve));
    await answered();
    const rows = await compare(times, {
      "raw pipe": async () => {
        const answer = answered();
        child.stdin.write("?");
        await answer;
      },
      ikigai: async () => {
        await store.mail.send({ from_uuid: here, to_uuid: there, content: "?" });
        await store.mail.wait(here);
        await store.mail.take(here);
      },
    });
    child.kill();
    await store.close();
    return rows;
  });
}

/** Takes turns, and compares each with the first one of the same turn. */
async function compare(
  rounds: number,
  measured: { readonly [driver: string]: () => Promise<void> | void },
): Promise<readonly Row[]> {
  const drivers = Object.entries(measured);
  const times = new Map(drivers.map(([driver]) => [driver, [] as number[]]));
  for (const [, run] of drivers) await run();
  for (let round = 0; round < rounds; round++) {
    for (const [driver, run] of drivers) {
      const start = performance.now();
      await run();
      times.get(driver)?.push(performance.now() - start);
    }
  }
  const base = times.get(drivers[0]?.[0] ?? "") ?? [];
  return [...times].map(([driver, found]) => ({
    driver,
    value: summarise(found),
    ratio: summarise(ratios(found, base)),
  }));
}

function perUnit(rows: readonly Row[], factor: number): readonly Row[] {
  return rows.map((row) => {
    if (row.value === undefined) return row;
    const { median, low, high, count } = row.value;
    return { ...row, value: { median: median * factor, low: low * factor, high: high * factor, count } };
  });
}

async function longAgent(store: Store): Promise<string> {
  const session = await store.sessions.latest(longFolder);
  const [agent] = await store.agents.list(session?.uuid ?? "");
  return agent?.uuid ?? "";
}

async function withStore<Result>(path: string, run: (store: Store) => Promise<Result>): Promise<Result> {
  const store = await openStore({ path });
  try {
    return await run(store);
  } finally {
    await store.close();
  }
}

/** The history itself stays as it is. */
async function withCopy<Result>(path: string, run: (store: Store, copy: string) => Promise<Result>): Promise<Result> {
  return withFolder(async (folder) => {
    const copy = join(folder, "copy.db");
    copyFileSync(path, copy);
    return withStore(copy, (store) => run(store, copy));
  });
}

async function withFolder<Result>(run: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "ikigai-bench-"));
  try {
    return await run(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const longFolder = "/home/somebody/long";
const text = "something a person might say to a model, not too long and not too short";
