// Lives with a history that its owner may read and not write. Root may always, so root becomes nobody first.
import { chmodSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { isStoreError, openStore, type Store } from "../../../../src/store/index.ts";
import { contents, says, withAgent } from "../make.ts";

type Task = {
  readonly path: string;
  readonly agent_uuid?: string;
  readonly filler?: string;
  readonly unwritable: "read" | "shelter";
};
const { path, agent_uuid = "", filler, unwritable } = JSON.parse(process.argv[2] ?? "") as Task;

// Everything that has to be loaded is loaded before.
await (await openStore({ path: ":memory:" })).close();
if (filler === undefined && process.getuid?.() === 0) {
  process.setegid?.(65_534);
  process.seteuid?.(65_534);
}
const store = await openStore({ path, unwritable });
const report = unwritable === "read" ? await reading(store) : await sheltered(store);
process.stdout.write(JSON.stringify({ warnings: store.warnings, ...report }));

async function reading(store: Store) {
  const refused: unknown = await store.ownership.claim(agent_uuid).catch((error: unknown) => error);
  const found = {
    sessions: (await store.sessions.list()).length,
    contents: await contents(store, agent_uuid),
    newest: (await store.search("before")).length,
    best: (await store.search("before", { order: "best" })).length,
    usage: await store.usage({ by: ["day"] }),
    refused: isStoreError(refused) ? refused.kind : "nothing",
  };
  await store.close();
  return found;
}

async function sheltered(store: Store) {
  const known = agent_uuid === "" ? [] : [agent_uuid];
  const { agent } = await withAgent(store, "/new");
  await store.ownership.claim(agent.uuid);
  const [first] = await store.history.append(agent.uuid, [says("one")]);
  const child = await store.agents.fork(agent.uuid);
  await store.history.append(child.uuid, [says("two"), { kind: "clear" }, says("three")]);
  await store.history.append(child.uuid, [{ kind: "rewind", data: { target_uuid: first?.uuid ?? "" } }, says("four")]);
  await store.mail.send({ to_uuid: child.uuid, from_uuid: agent.uuid, content: "a letter" });
  await store.mail.take(child.uuid);
  await store.states.set("screen", { at: 3 });
  for (const uuid of known) await store.history.append(uuid, [says("resumed")]);
  const before = await store.outbox.flush();
  const inMemory = { one: await contents(store, child.uuid), known: await knownContents(store, known) };
  if (filler !== undefined) rmSync(filler);
  chmodSync(dirname(path), 0o700);
  if (statSync(path, { throwIfNoEntry: false }) !== undefined) chmodSync(path, 0o600);
  const after = await store.outbox.flush();
  await store.history.append(child.uuid, [says("five")]);
  const unsaved = await store.close();
  const again = await openStore({ path });
  const written = await contents(again, child.uuid);
  await again.close();
  return {
    agent_uuid: agent.uuid,
    child_uuid: child.uuid,
    failure: before.failure?.kind,
    waiting: before.waiting,
    inMemory,
    after,
    unsaved: unsaved.length,
    written,
  };
}

async function knownContents(store: Store, uuids: readonly string[]): Promise<readonly string[]> {
  const [uuid] = uuids;
  return uuid === undefined ? [] : contents(store, uuid);
}
