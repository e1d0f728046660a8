import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { checkHistory, openStore } from "../../src/store/index.ts";
import { noSmallDisk, outcome, startChild, startChildOnSmallDisk } from "./support/child.ts";
import { answers, contents, says, withAgent } from "./support/make.ts";

const folder = mkdtempSync(join(tmpdir(), "ikigai-unwritable-"));
chmodSync(folder, 0o755);
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let made = 0;

/** A file of mode 0400 in a folder of mode 0500, its owner's and nobody else's. */
async function readOnlyFile(): Promise<{ readonly path: string; readonly agent_uuid: string }> {
  const path = join(folder, String(made++), "history.db");
  const store = await openStore({ path });
  const { agent } = await withAgent(store);
  await store.history.append(agent.uuid, [says("before"), answers("yes", { cost_usd: 0.5 })]);
  await store.close();
  expect(readdirSync(dirname(path))).toEqual(["history.db"]);
  protect(path);
  return { path, agent_uuid: agent.uuid };
}

function protect(path: string): void {
  const place = dirname(path);
  if (existsSync(path)) chmodSync(path, 0o400);
  if (process.getuid?.() === 0) {
    if (existsSync(path)) chownSync(path, 65_534, 65_534);
    chownSync(place, 65_534, 65_534);
  }
  chmodSync(place, 0o500);
}

async function live(task: unknown): Promise<Record<string, unknown>> {
  const { stdout, stderr, code } = await outcome(startChild("unwritable", task));
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
  return JSON.parse(stdout) as Record<string, unknown>;
}

describe("a history that cannot be written", () => {
  test("is read all the same, and nothing is left beside it", async () => {
    const { path, agent_uuid } = await readOnlyFile();
    expect(await live({ path, agent_uuid, unwritable: "read" })).toMatchObject({
      warnings: [],
      sessions: 1,
      contents: ["before", "yes"],
      newest: 1,
      best: 1,
      usage: [{ requests: 1, cost_usd: 0.5 }],
      refused: "read_only",
    });
    expect(readdirSync(dirname(path))).toEqual(["history.db"]);
  });

  test("is gone on with in memory, and everything is brought home when it can be written again", async () => {
    const { path, agent_uuid } = await readOnlyFile();
    const report = await live({ path, agent_uuid, unwritable: "shelter" });
    expect(report).toMatchObject({
      warnings: [{ code: "history_not_written", message: expect.stringMatching(/permissions.*kept in memory/) }],
      failure: "permission",
      waiting: 9,
      inMemory: { one: ["one", "four"], known: ["before", "yes", "resumed"] },
      after: { waiting: 0 },
      unsaved: 0,
    });
    const store = await openStore({ path });
    expect(await contents(store, String(report["child_uuid"]))).toEqual(["one", "four", "five"]);
    expect(await contents(store, String(report["agent_uuid"]))).toEqual(["one"]);
    expect(await contents(store, agent_uuid)).toEqual(["before", "yes", "resumed"]);
    expect(await store.states.get("screen")).toEqual({ at: 3 });
    expect(await store.search("resumed")).toHaveLength(1);
    expect(await store.ownership.abandoned()).toEqual([]);
    expect(await checkHistory(store)).toEqual([]);
    await store.close();
  });

  test("because its folder may not be written and it was never made, begins in memory", async () => {
    const path = join(folder, String(made++), "history.db");
    mkdirSync(dirname(path));
    protect(path);
    const report = await live({ path, unwritable: "shelter" });
    expect(report).toMatchObject({ failure: "permission", waiting: 8, after: { waiting: 0 }, unsaved: 0 });
    const store = await openStore({ path });
    expect(await contents(store, String(report["child_uuid"]))).toEqual(["one", "four", "five"]);
    expect(await checkHistory(store)).toEqual([]);
    await store.close();
  });

  test("because the disk is full is written when there is room", async (context) => {
    const place = join(folder, String(made++));
    mkdirSync(place);
    const task = { path: join(place, "history.db"), filler: join(place, "filler"), unwritable: "shelter" };
    const child = startChildOnSmallDisk("unwritable", task, place);
    const { stdout, stderr, code } = await outcome(child);
    if (code === noSmallDisk) context.skip(`a small disk cannot be had here: ${stderr.trim()}`);
    expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({
      warnings: [{ message: expect.stringMatching(/is full: make room.*kept in memory/) }],
      failure: "disk_full",
      waiting: 8,
      after: { waiting: 0 },
      unsaved: 0,
      written: ["one", "four", "five"],
    });
  });

  test("to the end hands back what was said", async () => {
    const path = join(folder, String(made++), "history.db");
    // Nothing can be made below a file, whoever asks.
    const store = await openStore({ path: join(import.meta.filename, "x", "history.db"), unwritable: "shelter" });
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("lost")]);
    expect(store.outbox.state()).toMatchObject({ failure: { kind: "permission" }, waiting: 1 });
    expect(await store.close()).toMatchObject([{ content: "lost" }]);
    expect(existsSync(path)).toBe(false);
  });

  test("is refused where nobody asked for less", async () => {
    await expect(openStore({ path: join(import.meta.filename, "x", "history.db") })).rejects.toMatchObject({
      kind: "permission",
    });
  });
});
