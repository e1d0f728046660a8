// One of several processes that write to one history. Takes turns of a conversation until it has had enough of them.
import { openStore } from "../../../../src/store/index.ts";
import type { Target } from "../engines.ts";

type Task = {
  readonly target: Target;
  readonly agent_uuid: string;
  readonly everyone: string;
  readonly turns: number;
  readonly until: number;
};

const task = JSON.parse(process.argv[2] ?? "") as Task;
const store = await openStore(task.target);
const { agent_uuid, everyone, turns, until } = task;
const origin = { provider: "somebody", api: "wire", model: "model-1" };
const claim = await store.ownership.claim(agent_uuid);
if (!claim.owned) throw new Error("the agent is owned by somebody else");
let turn = 0;
for (; turn < turns || Date.now() < until; turn++) {
  await store.history.append(agent_uuid, [{ kind: "user", content: `question ${turn}` }]);
  const draft = store.history.draft(agent_uuid, { origin });
  draft.add({ type: "text_delta", block_index: 0, text: `answer ${turn}` });
  await draft.flush();
  const blocks = [{ type: "text", text: `answer ${turn}` }] as const;
  await draft.finish(
    { kind: "assistant", content: `answer ${turn}`, data: { ...origin, blocks } },
    { kind: "tool_call", data: { tool_call_id: `call_${turn}`, name: "bash" } },
  );
  await store.history.append(agent_uuid, [
    { kind: "tool_result", content: `result ${turn}`, data: { tool_call_id: `call_${turn}`, is_error: false } },
  ]);
  await store.mail.send({ from_uuid: agent_uuid, to_uuid: everyone, content: `${turn}` });
}
const { failure } = store.outbox.state();
const unsaved = await store.close();
process.stdout.write(JSON.stringify({ turns: turn, unsaved: unsaved.length, failure: failure?.message }));
