// Opens a history, reads a few pages of its longest conversation, searches it, and says how much memory that took.
import { openStore } from "../../src/store/index.ts";

const store = await openStore({ path: process.argv[2] ?? "" });
const session = await store.sessions.latest();
const agents = await store.agents.list(session?.uuid ?? "");
for (const agent of agents) {
  const view = await store.history.view(agent.uuid);
  for (let pages = 0; pages < 20; pages++) await view.older(50);
}
for (const word of ["word0", "word98765", "word1 word2"]) await store.search(word);
process.stdout.write(String(process.memoryUsage().rss / 1e6));
await store.close();
