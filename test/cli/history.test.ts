import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runDb } from "../../src/cli/db.ts";
import { runExport } from "../../src/cli/export.ts";
import { runHistory } from "../../src/cli/history.ts";
import { runUsage, timeFrom } from "../../src/cli/usage.ts";
import { thisProcess } from "../../src/store/process.ts";
import { widthOf } from "../../src/term/width.ts";
import { canary, makeHome, run } from "../config/home.ts";
import { engineNames, histories, type Target } from "../store/support/engines.ts";
import { administer } from "../store/support/postgres.ts";
import { answers, says, withAgent } from "../store/support/make.ts";
import { converse } from "./conversation.ts";

const home = makeHome();

function envFor(target: Target): { readonly [name: string]: string } {
  return { ...home.env, HOME: "/home/somebody", IKIGAI_DATABASE_URL: "path" in target ? target.path : target.url };
}

describe.each(engineNames)("on %s", (engine) => {
  const { open, target } = histories(engine);

  test("a history that is not there is said to be empty, and is not made", async () => {
    const place = await target();
    if ("url" in place) await administer(place.url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public");
    const env = envFor(place);
    const said = "No history yet. It begins with your first conversation.\n";
    expect(await run(runHistory, [], { env })).toEqual({ code: 0, out: "", err: said });
    expect(await run(runHistory, ["--json"], { env })).toEqual({ code: 0, out: "[]\n", err: said });
    expect(await run(runUsage, ["--json"], { env })).toEqual({ code: 0, out: "[]\n", err: said });
    expect(await run(runDb, ["check"], { env })).toEqual({ code: 0, out: "", err: said });
    expect(await run(runExport, ["x"], { env })).toEqual({ code: 8, out: "", err: said });
    if ("path" in place) expect(existsSync(join(place.path, ".."))).toBe(false);
    else {
      await expect(administer(place.url, "SELECT 1 FROM sessions")).rejects.toThrow(/does not exist/);
      await run(runDb, ["migrate"], { env });
    }
  });

  test("conversations are listed, the newest first, with what they came to", async () => {
    const place = await target();
    let clock = Date.UTC(2025, 0, 31, 12);
    const store = await open(place, { now: () => (clock += 3_600_000) });
    const { session } = await converse(store);
    const other = await withAgent(store, "/else");
    await store.sessions.rename(other.session.uuid, "Named\nby \u001b[31mhand");
    await store.history.append(other.agent.uuid, [says("x"), answers("y", { cost_usd: 2 })]);
    const env = envFor(place);
    const { out, err, code } = await run(runHistory, [], { env });
    expect({ err, code }).toEqual({ err: "", code: 0 });
    const [, first = "", second = ""] = out.split("\n");
    expect(first).toMatch(
      new RegExp(`^${other.session.uuid.slice(0, 8)}  2025-0\\d-\\d\\d  /else +model-1 +2 +\\$2.00  Named by hand$`),
    );
    expect(second).toMatch(/ ~\/project +thinker \+1 +5 +\$0\.25\+\?  Why does the needle <b>fail<\/b>\? red line$/);
    const json: unknown = JSON.parse(
      (await run(runHistory, ["--json", "--folder", "/home/somebody/project"], { env })).out,
    );
    expect(json).toMatchObject([
      { uuid: session.uuid, agents: 2, messages: 5, cost_usd: 0.25, unpriced: 1, models: [{ model: "thinker" }, {}] },
    ]);
    expect((await run(runHistory, ["--limit", "1"], { env })).out.split("\n")).toHaveLength(3);
    expect((await run(runHistory, ["--folder", "/nowhere"], { env })).err).toBe("No conversations here yet.\n");
  });

  test("U14 an answer whose process died is listed, found and exported, once, as far as it came", async () => {
    const place = await target();
    const env = envFor(place);
    const dead = await open(place, { self: { ...thisProcess(), uuid: "dead", started: "1" } });
    const { session, agent } = await withAgent(dead);
    await dead.ownership.claim(agent.uuid);
    await dead.agents.update(agent.uuid, { status: "running" });
    await dead.history.append(agent.uuid, [says("question")]);
    const draft = dead.history.draft(agent.uuid, { origin: { provider: "vendor", api: "wire", model: "thinker" } });
    draft.add({ type: "start", model: "thinker" });
    draft.add({ type: "text_delta", block_index: 0, text: "half an answer" });
    await draft.flush();
    const exported = await run(runExport, [session.uuid], { env });
    expect(exported).toMatchObject({ code: 0, err: "" });
    expect(exported.out).toContain("half an answer");
    expect(exported.out).toContain("the program ended in the middle of this turn");
    expect((await run(runHistory, ["half"], { env })).out).toContain("half an answer");
    const [listed] = JSON.parse((await run(runHistory, ["--json"], { env })).out) as { messages: number }[];
    expect(listed?.messages).toBe(2);
    const entries = await dead.engine.db.selectFrom("messages").select("kind").orderBy("id").execute();
    expect(entries.map(({ kind }) => kind)).toEqual(["user", "assistant", "interrupted"]);
  });

  test("an answer that is arriving in a living process is left to it", async () => {
    const place = await target();
    const env = envFor(place);
    const alive = await open(place);
    const { session, agent } = await withAgent(alive);
    await alive.ownership.claim(agent.uuid);
    await alive.history.append(agent.uuid, [says("question")]);
    expect((await run(runExport, [session.uuid], { env })).code).toBe(0);
    expect((await alive.agents.get(agent.uuid)).owner).toBeDefined();
    await alive.history.append(agent.uuid, [answers("whole")]);
  });

  test("on a narrow screen every line fits", async () => {
    const place = await target();
    const store = await open(place);
    await converse(store, "/a/folder/with/a/very/long/name/東京/プロジェクト");
    for (const columns of [80, 100, 140]) {
      const screen = { columns, rows: 24, colour_bits: 1 };
      const { out } = await run(runHistory, [], { env: envFor(place), screen });
      for (const line of out.trimEnd().split("\n")) expect(widthOf(line)).toBeLessThanOrEqual(columns);
    }
  });

  test("a search shows the hit in its context, marked on a screen", async () => {
    const place = await target();
    const store = await open(place);
    const { session } = await converse(store);
    const { agent } = await withAgent(store, "/else");
    await store.history.append(agent.uuid, [says(`${"hay ".repeat(200)} a needle here ${"hay ".repeat(200)}`)]);
    const env = envFor(place);
    const { out } = await run(runHistory, ["needle"], { env });
    const lines = out.trimEnd().split("\n");
    expect(lines).toHaveLength(4);
    expect(lines[1]).toMatch(/^ {2}… (hay )+a needle here (hay )+h …$/);
    expect(lines[2]).toMatch(new RegExp(`^${session.uuid.slice(0, 8)}  .* ~/project  you$`));
    expect(lines[3]).toBe("  Why does the needle <b>fail</b>? red line");
    const screen = { columns: 100, rows: 24, colour_bits: 8 };
    expect((await run(runHistory, ["NEEDLE"], { env, screen })).out).toContain("a \u001b[1mneedle\u001b[22m here");
    expect((await run(runHistory, ["needle -hay", "--ranked"], { env })).out.trimEnd().split("\n")).toHaveLength(2);
    expect(JSON.parse((await run(runHistory, ["needle", "--json", "--folder", "/else"], { env })).out)).toMatchObject([
      { kind: "user", folder: "/else" },
    ]);
    expect(await run(runHistory, ["nothing like it"], { env })).toMatchObject({
      code: 0,
      err: "Nothing found for nothing like it.\n",
    });
  });

  test("usage is added up in tables with bars, and unknown prices stay unknown", async () => {
    const place = await target();
    const day = Date.UTC(2026, 0, 31, 12);
    const store = await open(place, { now: () => day });
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [
      answers("a", { provider: "p", model: "dear", tokens: 100, cost_usd: 3 }),
      answers("b", { provider: "p", model: "cheap", tokens: 10, cost_usd: 0.75 }),
      answers("c", { provider: "q", model: "free", tokens: 1 }),
    ]);
    const env = envFor(place);
    const { out } = await run(runUsage, [], { env });
    expect(out).toContain(
      "3 answers, $3.75+? (no price is known for 1 answer)\n1,665 tokens: 444 in, 222 cached, 444 out, 555 thinking",
    );
    expect(out).toMatch(/^dear +1 +1,500 +\$3\.00 {2}█{20}$/m);
    expect(out).toMatch(/^cheap +1 +150 +\$0\.7500 {2}█{5}$/m);
    expect(out).toMatch(/^free +1 +15 +\?$/m);
    expect(out).toMatch(/^root \S{8} of \S{8} +3 /m);
    expect(out).toMatch(/^2026-01-31 +3 +1,665 +\$3\.75\+\? {2}█{20}$/m);
    const rows: unknown = JSON.parse((await run(runUsage, ["--by", "provider", "--json"], { env })).out);
    expect(rows).toMatchObject([
      { provider: "p", requests: 2, cost_usd: 3.75, unpriced: 0 },
      { provider: "q", requests: 1, cost_usd: 0, unpriced: 1 },
    ]);
    const since = await run(runUsage, ["--since", "2026-02-02"], { env });
    expect(since.out).toBe("No model was asked anything in this time.\n");
    expect((await run(runUsage, ["--by", "session,day"], { env })).out).toMatch(/^CONVERSATION +DAY +ANSWERS/m);
  });

  test("B44 a key that got into a history does not come out again", async () => {
    const place = await target();
    const store = await open(place);
    const key = canary();
    const { agent } = await withAgent(store, `/home/${key}`);
    await store.history.append(agent.uuid, [says(`my key is ${key}`), answers("y", { model: key })]);
    const env = { ...envFor(place), ANTHROPIC_API_KEY: key };
    for (const args of [[], ["--json"], ["key"], ["key", "--json"]]) {
      const { out } = await run(runHistory, args, { env });
      expect(out).not.toContain(key);
      expect(out).not.toBe("");
    }
    expect((await run(runUsage, ["--json"], { env })).out).not.toContain(key);
  });
});

test("times a person writes", () => {
  const now = new Date(2026, 2, 10, 15, 30);
  expect(timeFrom("today", now)).toBe(new Date(2026, 2, 10).getTime());
  expect(timeFrom("2026-03-01", now)).toBe(new Date(2026, 2, 1).getTime());
  expect(timeFrom("12h", now)).toBe(now.getTime() - 12 * 3_600_000);
  expect(timeFrom("7d", now)).toBe(now.getTime() - 7 * 86_400_000);
  for (const wrong of ["", "yesterday", "2026-02-30", "7w", "2026-1-1"])
    expect(() => timeFrom(wrong, now)).toThrow(/--since/);
});

test("wrong use is exit code 2 and nothing else happens", async () => {
  const env = home.env;
  const wrong = [
    [runHistory, ["--limit", "0"]],
    [runHistory, ["--ranked"]],
    [runHistory, ["--nonsense"]],
    [runUsage, ["--by", "song"]],
    [runUsage, ["model"]],
    [runExport, []],
    [runExport, ["a", "b"]],
    [runExport, ["a", "--format", "pdf"]],
    [runExport, ["--all", "--format", "md"]],
    [runDb, []],
    [runDb, ["move"]],
    [runDb, ["check", "--to", "x"]],
    [runDb, ["move", "--to", "mysql://host/x"]],
    [runDb, ["move", "--to", "u:word@host/x"]],
    [runDb, ["move", "--to", "postgres:u:word@host/x"]],
  ] as const;
  for (const [command, args] of wrong) expect(await run(command, args, { env })).toMatchObject({ code: 2, out: "" });
  expect(readdirSync(home.folder)).toEqual([]);
});
