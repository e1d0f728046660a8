import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { LogEntry } from "../../../src/core/index.ts";
import { checkHistory, type Store } from "../../../src/store/index.ts";
import { migrations } from "../../../src/store/sqlite/migrations/index.ts";
import { outcome, startChild } from "./child.ts";
import { answerText, type Report } from "./conversation.ts";
import { histories, type EngineName, type Target } from "./engines.ts";
import { says, withAgent } from "./make.ts";
import { newDatabase } from "./postgres.ts";

/** For longer and more often, where somebody wants to know for sure: `IKIGAI_STORE_SECONDS=60 IKIGAI_KILLS=1000 npm test`. */
const seconds = Number(process.env["IKIGAI_STORE_SECONDS"] ?? 10);
const kills = Number(process.env["IKIGAI_KILLS"] ?? 100);
const killsAtOnce = 6;
/** These take seconds where nothing else runs; how long they take elsewhere says nothing about them. */
const patienceMs = 600_000;

/** The tests of one engine: each has a file of its own, so that they run side by side. */
export function testProcesses(engine: EngineName): void {
  const { open, target } = histories(engine);

  const turns = engine === "sqlite" ? 200 : 50;
  test(
    `U17 ten processes × ${turns} turns: no error reaches anybody, and everything is there once and in order`,
    async () => {
      await writeTogether({ processes: 10, turns, seconds: 0 });
    },
    patienceMs,
  );

  test(
    `three processes write for ${seconds} seconds, and nothing is lost`,
    async () => {
      await writeTogether({ processes: 3, turns: 1, seconds });
    },
    seconds * 1_000 + patienceMs,
  );

  async function writeTogether(load: {
    readonly processes: number;
    readonly turns: number;
    readonly seconds: number;
  }): Promise<void> {
    const began = performance.now();
    const where = await target();
    const store = await open(where);
    const { session, agent } = await withAgent(store);
    const agents: string[] = [];
    for (let index = 0; index < load.processes; index++) agents.push((await store.agents.create(session.uuid)).uuid);
    const until = load.seconds > 0 ? Date.now() + load.seconds * 1_000 : 0;
    const task = { target: where, everyone: agent.uuid, turns: load.turns, until };
    const children = agents.map((agent_uuid) => outcome(startChild("writer", { ...task, agent_uuid })));
    let written = 0;
    for (const [index, ended] of (await Promise.all(children)).entries()) {
      expect(ended).toMatchObject({ code: 0, stderr: "" });
      const said = JSON.parse(ended.stdout) as { readonly turns: number };
      expect(said).toEqual({ turns: said.turns, unsaved: 0 });
      const log = await store.history.log(agents[index] ?? "", { limit: 1_000_000 });
      expect(log.map(({ kind, content }) => content ?? kind)).toEqual(
        Array.from({ length: said.turns }, (_, turn) => [
          `question ${turn}`,
          `answer ${turn}`,
          "tool_call",
          `result ${turn}`,
        ]).flat(),
      );
      written += said.turns;
    }
    const letters = await store.mail.take(agent.uuid, 1_000_000);
    expect(letters).toHaveLength(written);
    for (const agent_uuid of agents) {
      const own = letters.filter((entry) => entry.kind === "mail" && entry.data.from_uuid === agent_uuid);
      expect(own.map((entry) => entry.content)).toEqual(own.map((_, index) => String(index)));
    }
    expect(await checkHistory(store)).toEqual([]);
    expect(await store.ownership.abandoned()).toEqual([]);
    expect(await store.engine.db.selectFrom("checkpoints").selectAll().execute()).toEqual([]);
    console.log(`${engine}: ${written} turns by ${load.processes} processes in ${since(began)} s`);
  }

  test(
    "that start together on a new database make it once",
    async () => {
      const database = engine === "postgres" ? await newDatabase() : undefined;
      const where = database === undefined ? await target() : { url: database.url };
      const children = Array.from({ length: 3 }, () => outcome(startChild("opener", { target: where })));
      for (const ended of await Promise.all(children))
        expect(ended).toEqual({ code: 0, stdout: String(migrations.length), stderr: "" });
      await database?.drop();
    },
    patienceMs,
  );

  test(
    `U14 kill -9 at ${kills} random moments of four streaming conversations: the log is whole up to the last checkpoint`,
    async () => {
      const where = await target();
      const store = await open(where);
      const began = performance.now();
      let begun = 0;
      const killer = async (): Promise<void> => {
        while (begun++ < kills) await killOnce(store, where, Math.random() * 500);
      };
      await Promise.all(Array.from({ length: killsAtOnce }, killer));
      expect(await checkHistory(store)).toEqual([]);
      console.log(`${engine}: ${kills} kills in ${since(began)} s`);
    },
    patienceMs + kills * 3_000,
  );
}

function since(began: number): string {
  return ((performance.now() - began) / 1_000).toFixed(1);
}

async function killOnce(store: Store, target: Target, moment: number): Promise<void> {
  const { session } = await withAgent(store);
  const agents: string[] = [];
  for (let index = 0; index < 4; index++) agents.push((await store.agents.create(session.uuid)).uuid);
  const child = startChild("victim", { target, agent_uuids: agents });
  const ended = outcome(child);
  await Promise.race([ended, new Promise((resolve) => child.stdout?.once("data", resolve))]);
  await sleep(moment);
  child.kill("SIGKILL");
  const { stdout, stderr } = await ended;
  expect(stderr).toBe("");
  const lines = stdout.split("\n").slice(0, -1);
  const reports = lines.map((line) => JSON.parse(line) as Report);
  expect((await store.ownership.abandoned(session.uuid)).toSorted()).toEqual(agents.toSorted());
  for (const agent_uuid of agents) await examine(store, agent_uuid, reports);
}

async function examine(store: Store, agent_uuid: string, reports: readonly Report[]): Promise<void> {
  const claim = await store.ownership.claim(agent_uuid);
  expect(claim.owned).toBe(true);
  expect(await store.agents.get(agent_uuid)).toMatchObject({ status: "interrupted" });
  const log = await store.history.log(agent_uuid, { limit: 100_000 });
  const own = reports.filter((report) => "agent_uuid" in report && report.agent_uuid === agent_uuid);

  // Everything the store had acknowledged is there, once, in that order.
  const acknowledged = own.flatMap((report) => ("uuid" in report ? [report.uuid] : []));
  const known = new Set(acknowledged);
  expect(log.map((entry) => entry.uuid).filter((uuid) => known.has(uuid))).toEqual(acknowledged);

  // An answer in flight is there as far as it had been written down, and nothing in it is wrong.
  const checkpoint = own.findLast((report) => "draft" in report);
  if (checkpoint !== undefined && "draft" in checkpoint) {
    const answer = log.find((entry) => entry.uuid === checkpoint.draft);
    expect(answer?.kind).toBe("assistant");
    expect((answer?.content ?? "").length).toBeGreaterThanOrEqual(checkpoint.characters);
  }
  log.forEach((entry, index) => expectInPlace(entry, index, log));
  expect(log.at(-1)).toMatchObject({ kind: "interrupted", data: { reason: "crash" } });

  // And it goes on from there.
  const replay = await store.history.replay(agent_uuid);
  const [next] = await store.history.append(agent_uuid, [says("go on")]);
  if (next !== undefined) replay.add(next);
  expect((await store.history.replay(agent_uuid)).messages()).toEqual(replay.messages());
  expect(replay.messages().at(-1)).toEqual({ role: "user", content: [{ type: "text", text: "go on" }] });
}

/** question, answer, tool_call, result, question, …, with an end anywhere. */
function expectInPlace(entry: LogEntry, index: number, log: readonly LogEntry[]): void {
  if (index === log.length - 1) return;
  const turn = Math.floor(index / 4);
  expect(entry.kind).toBe(["user", "assistant", "tool_call", "tool_result"][index % 4]);
  if (entry.kind !== "assistant") return;
  const whole = answerText(turn);
  const last = index === log.length - 2;
  if (last) expect(whole.startsWith(entry.content)).toBe(true);
  else expect(entry.content).toBe(whole);
  if (!last) expect(entry.data.incomplete).toBeUndefined();
}
