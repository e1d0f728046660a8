import { sql } from "kysely";
import { describe, expect, test } from "vitest";
import { checkHistory, remarksOn, type Store } from "../../src/store/index.ts";
import { engineNames, histories } from "./support/engines.ts";
import { answers, says, withAgent } from "./support/make.ts";

describe.each(engineNames)("a check on %s", (engine) => {
  const { open } = histories(engine);
  const origin = { provider: "p", api: "a", model: "m" };

  async function execute(store: Store, text: string): Promise<void> {
    await sql.raw(text).execute(store.engine.db);
  }

  test.each([
    ["an entry that points forwards", "UPDATE messages SET target_id = id WHERE kind = 'rewind'"],
    [
      "an entry that points into another session",
      "UPDATE messages SET target_id = (SELECT min(id) FROM messages) WHERE kind = 'rewind'",
    ],
    ["an agent in a state that nobody knows", "UPDATE agents SET status = 'dancing' WHERE name = 'child'"],
    [
      "an agent in another session than its parent",
      "UPDATE agents SET session_id = (SELECT min(id) FROM sessions) WHERE name = 'child'",
    ],
    ["an arriving answer of which a piece is missing", "DELETE FROM checkpoints WHERE seq = 0"],
    [
      "an answer that is whole and still arriving",
      "UPDATE checkpoints SET message_uuid = (SELECT uuid FROM messages WHERE kind = 'rewind')",
    ],
  ])("finds %s", async (what, damage) => {
    const store = await open();
    const first = await withAgent(store);
    await store.history.append(first.agent.uuid, [says("elsewhere")]);
    const { agent } = await withAgent(store);
    const [one] = await store.history.append(agent.uuid, [says("one"), answers("two")]);
    await store.agents.fork(agent.uuid, { name: "child" });
    await store.history.append(agent.uuid, [{ kind: "rewind", data: { target_uuid: one?.uuid ?? "" } }]);
    const draft = store.history.draft(agent.uuid, { origin });
    draft.add({ type: "text_delta", block_index: 0, text: "half" });
    await draft.flush();
    expect(await checkHistory(store)).toEqual([]);
    await execute(store, damage);
    const found = await checkHistory(store);
    expect(found.map((text) => text.split(":")[0])).toContain(what);
  });

  test("remarks what was cut off and which states of files are missing or nobody's, and calls none of it wrong", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const before = await store.blobs.put(Buffer.from("kept"));
    await store.history.append(agent.uuid, [
      { kind: "file_change", content: "/x", data: { before, after: "0".repeat(64) } },
    ]);
    expect(await remarksOn(store)).toEqual(["1 earlier state of a file is missing and cannot be restored"]);
    await store.blobs.put(Buffer.from("nobody's"));
    await store.history.draft(agent.uuid, { origin }).flush();
    expect(await remarksOn(store)).toEqual([
      "1 answer was still arriving; what was cut off is kept",
      "1 earlier state of a file is missing and cannot be restored",
      "1 state of a file belongs to no conversation",
    ]);
    expect(await checkHistory(store)).toEqual([]);
  });

  test("reads past what JSON may hold and a database may not", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const before = await store.blobs.put(Buffer.from("kept"));
    for (const tool_call_id of ["call\0", "call \ud800", '\\u0000","after":"nothing"']) {
      await store.history.append(agent.uuid, [{ kind: "file_change", content: "/x", data: { before, tool_call_id } }]);
    }
    expect(await checkHistory(store)).toEqual([]);
    expect(await remarksOn(store)).toEqual([]);
  });

  test.runIf(engine === "postgres")("finds numbers that are behind, rules nobody checked, broken indexes", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    await store.history.append(agent.uuid, [says("one"), says("two"), says("three")]);
    await execute(store, "SELECT setval(pg_get_serial_sequence('messages', 'id'), 1)");
    await execute(store, "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'mail_by_session'::regclass");
    await execute(store, "ALTER TABLE mail ADD CONSTRAINT old CHECK (id > 0) NOT VALID");
    expect(await checkHistory(store)).toEqual([
      expect.stringContaining("the index mail_by_session is not complete"),
      expect.stringContaining("the rule old was never checked"),
      "the next row of messages would get number 2, but there is a 3 already",
    ]);
    await execute(store, "ALTER TABLE mail DROP CONSTRAINT old");
    await execute(store, "UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'mail_by_session'::regclass");
    await store.engine.advanceIds(store.engine.db);
    expect(await checkHistory(store)).toEqual([]);
  });

  test.runIf(engine === "sqlite")("finds data that cannot be read", async () => {
    const store = await open();
    const { agent } = await withAgent(store);
    const [entry] = await store.history.append(agent.uuid, [answers("one")]);
    await execute(store, "UPDATE messages SET data = substr(data, 1, 20)");
    expect(await checkHistory(store)).toEqual([`the data of an entry cannot be read: ${entry?.uuid}`]);
  });
});
