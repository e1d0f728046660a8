import { describe, expect, test } from "vitest";
import { checkHistory, copyHistory, type CopyProgress, type HistoryLine, type Store } from "../../src/store/index.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, contents, says, withAgent } from "./support/make.ts";

const sqlite = histories("sqlite");
const postgres = histories("postgres");
const open = { sqlite: sqlite.open, postgres: postgres.open };

describe.each(engineNames)("a history on %s", (engine) => {
  const other = engine === "sqlite" ? "postgres" : "sqlite";

  test("exported, imported elsewhere and exported again is the same, line for line", async () => {
    const from = await open[engine]();
    await fill(from);
    const lines = await exported(from);
    const types = lines.map((line) => line.type);
    expect(new Set(types)).toEqual(new Set(["session", "agent", "entry", "mail", "blob"]));
    for (const target of [engine, other] as const) {
      const to = await open[target]();
      await withAgent(to, "/already/here");
      const before = await exported(to);
      const counts = await to.transfer.take(lines);
      expect(counts).toEqual({
        session: types.filter((type) => type === "session").length,
        agent: types.filter((type) => type === "agent").length,
        entry: types.filter((type) => type === "entry").length,
        mail: types.filter((type) => type === "mail").length,
        blob: types.filter((type) => type === "blob").length,
      });
      const after = await exported(to);
      expect(after.map(text)).toEqual([...before, ...lines].map(text));
      await to.transfer.take(lines);
      expect((await exported(to)).length).toBe(after.length);
      expect(await checkHistory(to)).toEqual([]);
    }
  });

  test("one session can be exported alone, and works where it was imported", async () => {
    const from = await open[engine]();
    const { session, child } = await fill(from);
    const lines = await exported(from, session.uuid);
    expect(lines.filter((line) => line.type === "session")).toHaveLength(1);
    const to = await open[other]();
    await to.transfer.take(lines);
    expect(await contents(to, child.uuid)).toEqual(await contents(from, child.uuid));
    expect(await to.usage()).toEqual(await from.usage({ session_uuid: session.uuid }));
    expect(await to.search("needle")).toHaveLength(1);
    await to.history.append(child.uuid, [says("and on it goes")]);
    await expect(exported(from, "no session")).rejects.toMatchObject({ kind: "not_found" });
  });

  test("what is not a line of an export is refused, and so is what a newer program wrote", async () => {
    const store = await open[engine]();
    const session = { type: "session", version: 1, uuid: "x", created_at: 1, updated_at: 1 };
    const agent = { type: "agent", uuid: "a", session_uuid: "x", status: "idle", created_at: 1, updated_at: 1 };
    const entry = { type: "entry", uuid: "e", agent_uuid: "a", kind: "user", content: "x", version: 1, created_at: 1 };
    const { data } = answers("x");
    const wrong: readonly unknown[] = [
      "line",
      { type: "song" },
      { ...session, uuid: undefined },
      { ...agent, status: "asleep" },
      { ...agent, name: 7 },
      { ...entry, kind: "song" },
      { ...entry, kind: "toString" },
      { ...entry, content: { a: 1 } },
      { ...entry, created_at: 1.5 },
      { ...entry, data: "text" },
      { ...entry, data: { blocks: [1] } },
      { ...entry, kind: "assistant" },
      { ...entry, kind: "assistant", data: { ...data, blocks: 5 } },
      { ...entry, kind: "assistant", data: { ...data, model: {} } },
      { ...entry, kind: "assistant", data: { ...data, usage: { input_tokens: "lots" } } },
      { ...entry, kind: "compact" },
      { ...entry, kind: "rewind" },
      { ...entry, kind: "tool_result" },
      { ...entry, kind: "toolset", data: { tools: [1] } },
    ];
    for (const line of wrong) {
      await expect(store.transfer.take([session, agent, line])).rejects.toMatchObject({ kind: "invalid" });
    }
    await expect(store.transfer.take([{ ...session, version: 99 }])).rejects.toMatchObject({ kind: "newer" });
    await expect(store.transfer.take([{ ...entry, version: 99 }])).rejects.toMatchObject({ kind: "newer" });
    await expect(store.transfer.take([session, entry])).rejects.toMatchObject({ kind: "not_found" });
    expect(await store.sessions.list()).toEqual([]);
  });

  test("what points nowhere is noticed before anything is written, wherever it stands", async () => {
    const from = await open[engine]();
    const { agent, child } = await fill(from);
    const lines = await exported(from);
    const elsewhere = lines.findLast((line) => line.type === "entry")?.uuid ?? "";
    const edited = (change: (line: HistoryLine) => HistoryLine): readonly HistoryLine[] => lines.map(change);
    const pointing = (uuid: string): readonly (readonly HistoryLine[])[] => [
      edited((line) =>
        line.type === "agent" && line.uuid === child.uuid ? { ...line, fork_message_uuid: uuid } : line,
      ),
      ...["rewind", "compact"].map((kind) =>
        edited((line) =>
          line.type === "entry" && line.kind === kind ? { ...line, data: { target_uuid: uuid } } : line,
        ),
      ),
    ];
    const store = await open[engine]();
    // The other conversation stands later in the file: only the second time is there an entry of that name.
    for (const uuid of ["nobody", elsewhere]) {
      for (const wrong of pointing(uuid)) {
        await expect(store.transfer.compare(wrong)).rejects.toMatchObject({ kind: "not_found" });
      }
    }
    const orphan = lines.filter((line) => line.type !== "entry" || line.kind !== "user");
    await expect(store.transfer.compare(orphan)).rejects.toMatchObject({ kind: "not_found" });
    expect(await exported(store)).toEqual([]);
    await store.transfer.take(lines);
    for (const wrong of pointing(elsewhere)) {
      await expect(store.transfer.compare(wrong)).rejects.toMatchObject({ kind: "invalid" });
    }
    // What is here already need not be in the file.
    const later = lines.filter(
      (line) => line.type === "entry" && line.agent_uuid === agent.uuid && line.kind === "rewind",
    );
    expect(later).toHaveLength(1);
    expect((await store.transfer.compare(later)).known.entry).toBe(1);
  });

  test("is moved to the other engine row by row, ids included, and checked", async () => {
    const from = await open[engine]();
    const { agent, child } = await fill(from);
    const to = await open[other]();
    const seen: CopyProgress[] = [];
    const rows = await copyHistory(from, to, { onProgress: (progress) => seen.push(progress) });
    expect(seen.at(-1)).toEqual({ step: "verify", done: rows, total: rows });
    expect(await exported(to)).toEqual(await exported(from));
    const ids = (store: Store) => store.history.log(agent.uuid, { limit: 1_000 });
    expect(await ids(to)).toEqual(await ids(from));
    expect(await contents(to, child.uuid)).toEqual(await contents(from, child.uuid));
    expect(await copyHistory(from, to)).toBe(rows);
    const [next] = await to.history.append(agent.uuid, [says("after the move")]);
    expect(next?.id).toBeGreaterThan((await ids(from)).at(-1)?.id ?? 0);
    await expect(copyHistory(from, to)).rejects.toMatchObject({ kind: "conflict" });
  });

  test("is moved with more agents than fit into a page, whichever of parent and child comes first", async () => {
    const from = await open[engine]();
    const session = await from.sessions.create({});
    for (let count = 0; count < 300; count++) {
      const [first, last] = [`0${count}`, `z${count}`];
      const [parent, child] = count % 2 === 0 ? [first, last] : [last, first];
      await from.agents.create(session.uuid, { uuid: parent });
      await from.agents.fork(parent, { uuid: child });
    }
    const to = await open[other]();
    await copyHistory(from, to);
    expect(await to.agents.list(session.uuid)).toEqual(await from.agents.list(session.uuid));
    expect(await checkHistory(to)).toEqual([]);
  });

  test("is never mixed with another, and a copy that differs is noticed", async () => {
    const from = await open[engine]();
    await fill(from);
    const taken = await open[other]();
    await withAgent(taken);
    await expect(copyHistory(from, taken)).rejects.toMatchObject({ kind: "invalid" });
    const to = await open[other]();
    await copyHistory(from, to);
    await to.engine.db.updateTable("messages").set({ content: "forged" }).where("kind", "=", "assistant").execute();
    await expect(copyHistory(from, to)).rejects.toMatchObject({ kind: "conflict" });
    const signal = AbortSignal.abort();
    await expect(copyHistory(from, await open[other](), { signal })).rejects.toMatchObject({ kind: "aborted" });
  });

  test("contradictions are found", async () => {
    const store = await open[engine]();
    const { agent } = await fill(store);
    expect(await checkHistory(store)).toEqual([]);
    const stranger = await withAgent(store);
    const [entry] = await store.history.log(agent.uuid);
    const { id } = await store.engine.db
      .selectFrom("sessions")
      .select("id")
      .where("uuid", "=", stranger.session.uuid)
      .executeTakeFirstOrThrow();
    await store.engine.db
      .updateTable("messages")
      .set({ session_id: id })
      .where("uuid", "=", entry?.uuid ?? "")
      .execute();
    expect(await checkHistory(store)).toContain(`an entry in another session than its agent: ${entry?.uuid}`);
  });
});

async function fill(store: Store) {
  const { session, agent } = await withAgent(store, "/odd\0folder");
  const [one] = await store.history.append(agent.uuid, [
    says("one \ud800 needle"),
    answers("two", { cost_usd: 0.1 }),
    { kind: "mark", content: "m" },
    { kind: "model", data: { provider: "p", model: "m", thinking_level: "low" } },
  ]);
  const before = await store.blobs.put(Buffer.from([0, 255, 1]));
  const after = await store.blobs.put(Buffer.from("new"));
  const child = await store.agents.fork(agent.uuid, { at_uuid: one?.uuid ?? "", name: "child", data: { turns: 2 } });
  await store.history.append(agent.uuid, [
    { kind: "file_change", content: "/tmp/x", data: { before, after } },
    { kind: "rewind", data: { target_uuid: one?.uuid ?? "" } },
  ]);
  await store.history.append(child.uuid, [
    says("three"),
    { kind: "compact", content: "sum", data: { target_uuid: one?.uuid ?? "" } },
  ]);
  await store.agents.fork(child.uuid, { name: "silent" });
  await store.mail.send({ from_uuid: child.uuid, to_uuid: agent.uuid, content: "read\0", data: { n: 1 } });
  await store.mail.take(agent.uuid);
  await store.mail.send({ to_uuid: child.uuid, content: "unread" });
  const second = await withAgent(store);
  await store.history.append(
    second.agent.uuid,
    Array.from({ length: 450 }, (_, index) => says(`line ${index}`)),
  );
  return { session, agent, child };
}

async function exported(store: Store, session_uuid?: string): Promise<readonly HistoryLine[]> {
  const lines: HistoryLine[] = [];
  for await (const line of store.transfer.lines(session_uuid)) lines.push(line);
  return lines;
}

/** As it stands in a file, and comes back from one. */
function text(line: HistoryLine): string {
  return JSON.stringify(JSON.parse(JSON.stringify(line)));
}
