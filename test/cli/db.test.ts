import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { runDb } from "../../src/cli/db.ts";
import { runExport } from "../../src/cli/export.ts";
import { makeHome, run } from "../config/home.ts";
import { engineNames, histories, type Target } from "../store/support/engines.ts";
import { says, withAgent } from "../store/support/make.ts";
import { converse } from "./conversation.ts";

const home = makeHome();
const engines = { sqlite: histories("sqlite"), postgres: histories("postgres") };

function addressOf(target: Target): string {
  return "path" in target ? target.path : target.url;
}

function envFor(target: Target): { readonly [name: string]: string } {
  return { ...home.env, IKIGAI_DATABASE_URL: addressOf(target) };
}

async function exported(target: Target): Promise<string> {
  return (await run(runExport, ["--all", "--format", "jsonl"], { env: envFor(target) })).out;
}

describe.each(engineNames)("db on %s", (engine) => {
  const { open, target } = engines[engine];
  const elsewhere = engines[engine === "sqlite" ? "postgres" : "sqlite"];

  test("migrate makes a history, or says that it is up to date", async () => {
    const place = await target();
    const env = envFor(place);
    const first = await run(runDb, ["migrate"], { env });
    expect(first.code).toBe(0);
    expect(first.out).toMatch(/is up to date: version 2/);
    if ("path" in place) expect(first.out).toMatch(/^applied 1 \S+\napplied 2 \S+\n/);
    const second = await run(runDb, ["migrate"], { env });
    expect(second.out).toMatch(/^\S+ is up to date: version 2, since \d{4}-/);
  });

  test("check finds nothing in a good history and says what is wrong in another", async () => {
    const place = await target();
    const store = await open(place);
    const { agent } = await converse(store);
    const env = envFor(place);
    expect(await run(runDb, ["check"], { env })).toMatchObject({ code: 0, err: "" });
    const { session } = await withAgent(store);
    const { db } = store.engine;
    const { id } = await db
      .selectFrom("sessions")
      .select("id")
      .where("uuid", "=", session.uuid)
      .executeTakeFirstOrThrow();
    const [entry] = await store.history.log(agent.uuid, { limit: 1 });
    await db
      .updateTable("messages")
      .set({ session_id: id })
      .where("uuid", "=", entry?.uuid ?? "")
      .execute();
    const found = await run(runDb, ["check"], { env });
    expect(found.code).toBe(1);
    expect(found.out).toContain(`✗ an entry in another session than its agent: ${entry?.uuid}\n`);
  });

  test("move copies there and back, says how far it is, and leaves the source as it was", async () => {
    const place = await target();
    const store = await open(place);
    await converse(store);
    const { agent } = await withAgent(store);
    await store.history.append(
      agent.uuid,
      Array.from({ length: 1_200 }, (_, index) => says(`line ${index}`)),
    );
    const before = await exported(place);
    const to = await elsewhere.target();
    const moved = await run(runDb, ["move", "--to", addressOf(to)], { env: envFor(place) });
    expect(moved).toMatchObject({ code: 0, err: "" });
    expect(moved.out).toMatch(
      /^Copying: \d+ %\n(Copying: \d+ %\n)+(Comparing: \d+ %\n)+Copied 1,2\d\d rows from .*; all are the same\.\n/,
    );
    expect(moved.out).not.toContain("\u001b");
    expect(await exported(to)).toBe(before);
    const back = await target();
    const screen = { columns: 80, rows: 24, colour_bits: 8 };
    const returned = await run(runDb, ["move", "--to", addressOf(back)], { env: envFor(to), screen });
    const drawn = returned.out.split("\r").map((text) => text.replace("\u001b[K", ""));
    expect(
      drawn.filter((text) => /^Copying +█+\S* +\d+ % {2}[\d,]+ of 1,2\d\d rows$/.test(text)).length,
    ).toBeGreaterThan(1);
    expect(await exported(back)).toBe(before);
    expect(await exported(place)).toBe(before);
  });

  test("move can be done again, also after the source went on, and never into something else", async () => {
    const place = await target();
    const store = await open(place);
    const { agent, session } = await converse(store);
    const to = await elsewhere.target();
    const move = () => run(runDb, ["move", "--to", addressOf(to)], { env: envFor(place) });
    expect((await move()).code).toBe(0);
    expect((await move()).code).toBe(0);
    await store.history.append(agent.uuid, [says("later"), { kind: "agent_killed", content: "enough" }]);
    await store.sessions.rename(session.uuid, "Renamed");
    await store.mail.send({ to_uuid: agent.uuid, content: "unread" });
    expect(await move()).toMatchObject({ code: 0, err: "" });
    expect(await exported(to)).toBe(await exported(place));
    const copy = await elsewhere.open(to);
    await copy.history.append(agent.uuid, [says("in the copy")]);
    const ahead = await exported(to);
    expect((await move()).err).toMatch(/has gone on since it was copied .* it was left as it is/);
    expect(await exported(to)).toBe(ahead);
    const taken = await target();
    await withAgent(await open(taken));
    const refused = await run(runDb, ["move", "--to", addressOf(taken)], { env: envFor(place) });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.err).toContain("already holds another history");
    const same = await run(runDb, ["move", "--to", addressOf(place)], { env: envFor(place) });
    expect(same.err).toContain("already");
  });
});

test("addresses are shown without their password, whatever goes wrong", async () => {
  const password = ["open", "sesame"].join("-");
  const env = { ...home.env, IKIGAI_DATABASE_URL: `postgres://u:${password}@127.0.0.1:1/x?password=${password}` };
  for (const args of [["check"], ["migrate"], ["move", "--to", `postgres://u:${password}@127.0.0.1:1/y`]]) {
    const ran = await run(runDb, args, { env });
    expect(ran.code).toBe(9);
    expect(ran.err).toMatch(/^ikigai: the database postgres:\/\/u:\*\*\*@127\.0\.0\.1:1\/x\S* cannot be reached/);
    expect(ran.out + ran.err).not.toContain(password);
  }
});

test("a damaged file is left as it is", async () => {
  const path = home.path("damaged.db");
  const damage = "this is no database ".repeat(100);
  writeFileSync(path, damage);
  const ran = await run(runDb, ["check"], { env: { ...home.env, IKIGAI_DATABASE_URL: path } });
  expect(ran).toMatchObject({ code: 1, out: "" });
  expect(ran.err).toContain("is damaged or not a history at all");
  expect(readFileSync(path, "utf8")).toBe(damage);
  expect(existsSync(home.path("ikigai.db"))).toBe(false);
});
