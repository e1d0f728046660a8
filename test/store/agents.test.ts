import { spawnSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import type { Change } from "../../src/store/index.ts";
import { isAlive, thisProcess } from "../../src/store/process.ts";
import { engineNames, histories } from "./support/engines.ts";
import { contents, says, withAgent } from "./support/make.ts";

/** A process that is certainly not there: this one, but started at another time. */
const deadProcess = { ...thisProcess(), uuid: "dead", started: "1" };
const elsewhere = { ...thisProcess(), uuid: "elsewhere", host: "another machine" };

afterEach(() => {
  vi.useRealTimers();
});

describe.each(engineNames)("agents on %s", (engine) => {
  const { open, target } = histories(engine);

  test("form a tree; killing one ends all below it and nothing else", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const left = await store.agents.fork(agent.uuid, { name: "left" });
    const right = await store.agents.fork(agent.uuid, { name: "right" });
    const below = await store.agents.fork(left.uuid, { name: "below" });
    expect((await store.agents.tree(agent.uuid)).map(({ uuid }) => uuid).slice(0, 1)).toEqual([agent.uuid]);
    expect((await store.agents.tree(left.uuid)).map(({ name }) => name)).toEqual(["left", "below"]);
    const killed = await store.agents.kill(left.uuid, { text: "enough", by_uuid: agent.uuid });
    expect(killed).toMatchObject([
      { kind: "agent_killed", agent_uuid: left.uuid, content: "enough", data: { by_uuid: agent.uuid } },
      { kind: "agent_killed", agent_uuid: below.uuid },
    ]);
    const statuses = (await store.agents.tree(agent.uuid)).map(({ name, status }) => [name, status]);
    expect(Object.fromEntries(statuses)).toEqual({ root: "idle", left: "killed", right: "idle", below: "killed" });
    expect((await store.history.replay(below.uuid)).killed()).toBe(true);
    expect((await store.history.replay(right.uuid)).killed()).toBe(false);
    expect(await store.agents.kill(agent.uuid)).toHaveLength(2);
    await expect(store.agents.kill("nobody")).rejects.toMatchObject({ kind: "not_found" });
  });

  test("who were killed stay dead, whatever the process that ran them says later", async () => {
    const where = await target();
    const store = await open(where, { self: deadProcess });
    const { agent } = await withAgent(store);
    await store.ownership.claim(agent.uuid);
    const draft = store.history.draft(agent.uuid, { origin: { provider: "p", api: "a", model: "m" } });
    draft.add({ type: "text_delta", block_index: 0, text: "half" });
    await draft.flush();
    const other = await open(where);
    await other.agents.kill(agent.uuid);
    await store.agents.update(agent.uuid, { status: "running", name: "late" });
    expect(await store.agents.get(agent.uuid)).toMatchObject({ status: "killed", name: "late" });
    const claim = await other.ownership.claim(agent.uuid);
    expect(claim).toMatchObject({ recovered: [{ content: "half" }, { kind: "interrupted" }] });
    expect(await other.agents.get(agent.uuid)).toMatchObject({ status: "killed" });
    await other.agents.update(agent.uuid, { status: "reaped" });
    await other.agents.update(agent.uuid, { status: "idle" });
    expect(await other.agents.get(agent.uuid)).toMatchObject({ status: "reaped" });
  });

  test("have a name, a status and data of their own", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    await store.agents.update(agent.uuid, { status: "running", name: "a\0b", data: { turns: 3 } });
    expect(await store.agents.get(agent.uuid)).toMatchObject({ status: "running", name: "a\0b", data: { turns: 3 } });
    await expect(store.agents.get("nobody")).rejects.toMatchObject({ kind: "not_found" });
  });

  test("U18 run in one process; another may watch, or take over on request", async () => {
    const where = await target();
    const first = await open(where);
    const second = await open(where);
    const { agent } = await withAgent(first);
    expect(await first.ownership.claim(agent.uuid)).toEqual({ owned: true, recovered: [] });
    expect(await first.ownership.claim(agent.uuid)).toEqual({ owned: true, recovered: [] });
    await first.history.append(agent.uuid, [says("mine")]);
    expect(await second.ownership.claim(agent.uuid)).toMatchObject({ owned: false, owner: { pid: process.pid } });
    expect(await contents(second, agent.uuid)).toEqual(["mine"]);
    await expect(second.history.append(agent.uuid, [says("not mine")])).rejects.toMatchObject({ kind: "not_owner" });
    expect(await second.ownership.claim(agent.uuid, { take_over: true })).toMatchObject({ owned: true });
    await second.history.append(agent.uuid, [says("mine now")]);
    await expect(first.history.append(agent.uuid, [says("too late")])).rejects.toMatchObject({ kind: "not_owner" });
    expect(await contents(first, agent.uuid)).toEqual(["mine", "mine now"]);
    await first.ownership.release(agent.uuid);
    expect((await first.agents.get(agent.uuid)).owner).toBeDefined();
    await second.ownership.release(agent.uuid);
    expect(await first.ownership.claim(agent.uuid)).toMatchObject({ owned: true });
  });

  test("of a process that ended are free again", async () => {
    const where = await target();
    const first = await open(where);
    const { agent } = await withAgent(first);
    await first.ownership.claim(agent.uuid);
    await first.close();
    const second = await open(where);
    expect((await second.agents.get(agent.uuid)).owner).toBeUndefined();
    expect(await second.engine.db.selectFrom("processes").selectAll().execute()).toEqual([]);
  });

  test("of a process that died are found, and what it was doing is interrupted", async () => {
    const where = await target();
    const dead = await open(where, { self: deadProcess });
    const { session, agent } = await withAgent(dead);
    const idle = await dead.agents.create(session.uuid);
    await dead.ownership.claim(agent.uuid);
    await dead.ownership.claim(idle.uuid);
    await dead.agents.update(agent.uuid, { status: "running" });
    const heir = await open(where);
    expect((await heir.ownership.abandoned()).toSorted()).toEqual([agent.uuid, idle.uuid].toSorted());
    expect(await heir.ownership.abandoned("no session")).toEqual([]);
    expect(await heir.ownership.claim(idle.uuid)).toEqual({ owned: true, recovered: [] });
    expect(await heir.ownership.claim(agent.uuid)).toMatchObject({
      owned: true,
      recovered: [{ kind: "interrupted", data: { reason: "crash" } }],
    });
    expect(await heir.agents.get(agent.uuid)).toMatchObject({ status: "interrupted" });
    expect(await heir.ownership.abandoned()).toEqual([]);
    const known = await heir.engine.db.selectFrom("processes").select("uuid").execute();
    expect(known.map(({ uuid }) => uuid)).not.toContain(deadProcess.uuid);
    await expect(dead.history.append(agent.uuid, [says("from the dead")])).rejects.toMatchObject({ kind: "not_owner" });
  });

  test("of a process on another machine are believed to run until it has been silent for long", async () => {
    const where = await target();
    let now = 1_000_000;
    const there = await open(where, { self: elsewhere, now: () => now });
    const here = await open(where, { now: () => now });
    const { agent } = await withAgent(there);
    await there.ownership.claim(agent.uuid);
    now += 30_000;
    expect(await here.ownership.claim(agent.uuid)).toMatchObject({ owned: false, owner: { host: "another" } });
    now += 30_000;
    expect(await here.ownership.claim(agent.uuid)).toMatchObject({ owned: true });
  });
});

describe.each(engineNames)("mail on %s", (engine) => {
  const { open, target } = histories(engine);

  test("is delivered once, in the order it was sent", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const child = await store.agents.fork(agent.uuid);
    for (let index = 0; index < 5; index++) {
      await store.mail.send({ from_uuid: agent.uuid, to_uuid: child.uuid, content: `letter ${index}` });
    }
    expect(await store.mail.unread([agent.uuid, child.uuid])).toEqual(new Map([[child.uuid, 5]]));
    const first = await store.mail.take(child.uuid, 2);
    expect(first).toMatchObject([
      { kind: "mail", content: "letter 0", data: { from_uuid: agent.uuid } },
      { kind: "mail", content: "letter 1" },
    ]);
    const rest = await store.mail.take(child.uuid);
    expect(rest.map((entry) => entry.content)).toEqual(["letter 2", "letter 3", "letter 4"]);
    expect(await store.mail.take(child.uuid)).toEqual([]);
    expect((await store.history.replay(child.uuid)).messages()).toHaveLength(5);
    await expect(store.mail.send({ to_uuid: "nobody", content: "hello" })).rejects.toMatchObject({ kind: "not_found" });
  });

  test("wakes whoever waits for it in another process", async () => {
    const where = await target();
    const here = await open(where);
    const there = await open(where);
    const { agent } = await withAgent(here);
    expect(await here.mail.wait(agent.uuid, { timeout_ms: 1 })).toBe(false);
    // Nobody looks now and then: only being told helps.
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const waiting = here.mail.wait(agent.uuid);
    await sleep(50);
    await there.mail.send({ to_uuid: agent.uuid, content: "wake up" });
    expect(await waiting).toBe(true);
  });

  test("waiting for it can be given up", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const controller = new AbortController();
    const waiting = store.mail.wait(agent.uuid, { signal: controller.signal });
    controller.abort();
    expect(await waiting).toBe(false);
    expect(await store.mail.wait(agent.uuid, { signal: controller.signal })).toBe(false);
  });

  test("from the same process arrives as well", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const waiting = store.mail.wait(agent.uuid, { timeout_ms: 20_000 });
    await store.mail.send({ to_uuid: agent.uuid, content: "to myself" });
    expect(await waiting).toBe(true);
  });
});

describe.each(engineNames)("changes on %s", (engine) => {
  const { open, target } = histories(engine);

  test("of another process are noticed, those of this one too, each once", async () => {
    const where = await target();
    vi.useFakeTimers({ toFake: ["setInterval"] });
    const here = await open(where);
    const there = await open(where);
    const { agent } = await withAgent(here);
    const seen: Change[] = [];
    const stop = here.changes.onChange((change) => seen.push(change));
    expect(await here.changes.until(async () => true)).toBe(true);
    await there.history.append(agent.uuid, [says("from there")]);
    const arrived = await here.changes.until(() => Promise.resolve(seen.length > 0), { timeout_ms: 20_000 });
    expect(arrived).toBe(true);
    for (const change of seen) expect([undefined, "entries"]).toContain(change.what);
    await sleep(50);
    seen.length = 0;
    await here.history.append(agent.uuid, [says("from here")]);
    await sleep(50);
    expect(seen).toEqual([{ what: "entries", agent_uuid: agent.uuid }]);
    stop();
    await here.history.append(agent.uuid, [says("unheard")]);
    expect(seen).toHaveLength(1);
  });
});

describe("whether a process is alive", () => {
  const heartbeat_at = 0;
  const now = 1e12;

  test("is known by its number and its start, however long ago it gave a sign of life", () => {
    const self = { ...thisProcess(), heartbeat_at };
    expect(isAlive(self, now)).toBe(true);
    expect(isAlive({ ...self, started: "1" }, now)).toBe(false);
    expect(isAlive({ ...self, pid: endedPid() }, now)).toBe(false);
    expect(isAlive({ ...self, host: "another machine" }, now)).toBe(false);
    expect(isAlive({ ...self, host: "another machine", heartbeat_at: now - 1 }, now)).toBe(true);
  });

  const proc = "/nowhere/proc";
  const withoutProc = { ...thisProcess(proc), heartbeat_at };
  const hasPs = spawnSync("ps", ["-o", "lstart=", "-p", String(process.pid)]).status === 0;

  test.runIf(hasPs)("is known where there is no /proc", () => {
    expect(Date.parse(withoutProc.started)).toBeLessThan(Date.now());
    expect(isAlive(withoutProc, now, proc)).toBe(true);
    expect(isAlive({ ...withoutProc, pid: endedPid() }, now, proc)).toBe(false);
    const longAgo = new Date(Date.parse(withoutProc.started) - 3_600_000).toISOString();
    expect(isAlive({ ...withoutProc, started: longAgo }, now, proc)).toBe(false);
  });

  test("is assumed where its start is not known", () => {
    expect(isAlive({ ...withoutProc, started: "" }, now, proc)).toBe(true);
    expect(isAlive({ ...withoutProc, started: "12345" }, now, proc)).toBe(true);
  });
});

function endedPid(): number {
  return spawnSync(process.execPath, ["--version"]).pid;
}
