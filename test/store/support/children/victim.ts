// Four agents in conversations with tools, streaming, until somebody kills the process. Whatever has been acknowledged by
// the store is reported at once, so that it can be looked for afterwards.
import { writeSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openStore } from "../../../../src/store/index.ts";
import { answerText, pieces, type Report } from "../conversation.ts";
import type { Target } from "../engines.ts";

const { target, agent_uuids } = JSON.parse(process.argv[2] ?? "") as {
  readonly target: Target;
  readonly agent_uuids: readonly string[];
};
const store = await openStore(target);
const origin = { provider: "somebody", api: "wire", model: "model-1" };

function report(line: Report): void {
  writeSync(1, `${JSON.stringify(line)}\n`);
}

async function converse(agent_uuid: string): Promise<never> {
  for (let turn = 0; ; turn++) {
    const [question] = await store.history.append(agent_uuid, [{ kind: "user", content: `question ${turn}` }]);
    report({ agent_uuid, uuid: question?.uuid ?? "" });
    const draft = store.history.draft(agent_uuid, { origin });
    let said = 0;
    for (const text of pieces(turn)) {
      draft.add({ type: "text_delta", block_index: 0, text });
      said += text.length;
      if (Math.random() < 0.1 && (await draft.flush()))
        report({ agent_uuid, draft: draft.uuid, turn, characters: said });
      await sleep(Math.random() * 4);
    }
    const id = `call_${turn}`;
    draft.add({ type: "tool_call_start", block_index: 1, id, name: "bash" });
    draft.add({ type: "tool_call_done", block_index: 1, arguments: { turn } });
    const text = answerText(turn);
    const blocks = [
      { type: "text", text },
      { type: "tool_call", id, name: "bash", arguments: { turn } },
    ] as const;
    const written = await draft.finish(
      { kind: "assistant", content: text, data: { ...origin, blocks, finish_reason: "tool_use" } },
      { kind: "tool_call", data: { tool_call_id: id, name: "bash" } },
    );
    for (const { uuid } of written) report({ agent_uuid, uuid });
    await sleep(Math.random() * 10);
    const data = { tool_call_id: id, is_error: false };
    const [result] = await store.history.append(agent_uuid, [{ kind: "tool_result", content: `result ${turn}`, data }]);
    report({ agent_uuid, uuid: result?.uuid ?? "" });
  }
}

for (const agent_uuid of agent_uuids) {
  await store.ownership.claim(agent_uuid);
  await store.agents.update(agent_uuid, { status: "running" });
}
report({ ready: true });
await Promise.all(agent_uuids.map(converse));
