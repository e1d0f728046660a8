import { describe, expect, test } from "vitest";
import { engineNames, histories } from "./support/engines.ts";
import { says } from "./support/make.ts";

describe.each(engineNames)("sessions on %s", (engine) => {
  const { open } = histories(engine);

  test("U16 are found by folder, by id and by the beginning of an id", async () => {
    let now = 1_000_000;
    const store = await open(undefined, { now: () => now });
    const first = await store.sessions.create({ folder: "/a", uuid: "abcdefghijklmnopqrstuv" });
    now += 10_000;
    const second = await store.sessions.create({ folder: "/b", uuid: "abcdEFGHijklmnopqrstuv", title: "second" });
    now += 10_000;
    const third = await store.sessions.create({ folder: "/a", uuid: "zbcdefghijklmnopqrstuv" });
    expect(await store.sessions.latest("/a")).toEqual(third);
    expect(await store.sessions.latest("/b")).toEqual(second);
    expect(await store.sessions.latest("/c")).toBeUndefined();
    expect(await store.sessions.latest()).toEqual(third);
    await store.states.set(`script:${third.uuid}`, true);
    expect(await store.sessions.latest("/a", { unless: "script:" })).toEqual(first);
    expect(await store.sessions.latest(undefined, { unless: "script:" })).toEqual(second);
    expect(await store.sessions.latest("/a", { unless: "other:" })).toEqual(third);
    expect(await store.sessions.find("z")).toEqual(third);
    expect(await store.sessions.find(first.uuid)).toEqual(first);
    await expect(store.sessions.find("abcd")).rejects.toMatchObject({ kind: "invalid" });
    await expect(store.sessions.find("q")).rejects.toMatchObject({ kind: "not_found" });
  });

  test("that were used last come first, in pages", async () => {
    let now = 1_000_000;
    const store = await open(undefined, { now: () => now });
    for (let index = 0; index < 7; index++) {
      now += 10_000;
      const session = await store.sessions.create({ folder: index % 2 === 0 ? "/even" : "/odd" });
      const agent = await store.agents.create(session.uuid);
      await store.history.append(agent.uuid, [
        { kind: "system", content: "rules" },
        says(`question ${index}`),
        says("more"),
      ]);
      if (index === 3) await store.agents.fork(agent.uuid);
    }
    now += 10_000;
    const oldest = (await store.sessions.list()).at(-1);
    const [agent] = await store.agents.list(oldest?.uuid ?? "");
    await store.history.append(agent?.uuid ?? "", [says("back again")]);
    const page = await store.sessions.list({ limit: 4 });
    expect(page.map((session) => session.first_text)).toEqual(["question 0", "question 6", "question 5", "question 4"]);
    const [last] = page.slice(-1);
    const rest = await store.sessions.list({ limit: 4, ...(last === undefined ? {} : { before: last }) });
    expect(rest.map((session) => session.first_text)).toEqual(["question 3", "question 2", "question 1"]);
    expect(rest.map((session) => session.agents)).toEqual([2, 1, 1]);
    expect(await store.sessions.list({ folder: "/odd" })).toHaveLength(3);
  });

  test("can be named", async () => {
    const store = await open();
    const session = await store.sessions.create({});
    await store.sessions.rename(session.uuid, "the big one");
    expect(await store.sessions.find(session.uuid)).toEqual({ ...session, title: "the big one" });
  });
});
