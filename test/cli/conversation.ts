import { assistantEntry, toolResultEntry, usageFrom, type Usage } from "../../src/core/index.ts";
import type { Agent, Session, Store } from "../../src/store/index.ts";

export function spent(tokens: number): Usage {
  return usageFrom({
    input_tokens: tokens,
    cache_read_tokens: tokens,
    cache_write_tokens: 0,
    output_tokens: tokens,
    thinking_tokens: 0,
  });
}

/** A conversation with everything in it that a reader may meet: thinking, a call, a change, a fork, mail, a failure. */
export async function converse(
  store: Store,
  folder = "/home/somebody/project",
): Promise<{ readonly session: Session; readonly agent: Agent; readonly child: Agent }> {
  const session = await store.sessions.create({ folder });
  const agent = await store.agents.create(session.uuid, { name: "root", provider: "vendor", model: "thinker" });
  const before = await store.blobs.put(Buffer.from("one\ntwo\nthree\n"));
  const after = await store.blobs.put(Buffer.from("one\n2 < 3 <script>\nthree\n"));
  const origin = { provider: "vendor", api: "wire", model: "thinker" };
  const [start] = await store.history.append(agent.uuid, [
    { kind: "system", content: "Be brief." },
    { kind: "user", content: "Why does the needle <b>fail</b>?\n\u001b[31mred\u001b[0m \u2028 line" },
    assistantEntry(
      {
        role: "assistant",
        origin,
        content: [
          { type: "thinking", text: "Hidden **thoughts**", opaque: { ...origin, data: { signature: "c2ln\u2028" } } },
          {
            type: "text",
            text: "Look:\n\n<img src=x onerror=alert(1)>\n\n[bad](javascript:alert(1)) ![pic](https://example.com/p.png)\n\n```ts\nlet x: A<B>;\n```",
            citations: [{ url: "https://example.com/doc", title: "A <doc>" }, { url: "javascript:alert(2)" }],
          },
          { type: "tool_call", id: "call-1", name: "bash", arguments: { command: "cat '</details>'" } },
        ],
      },
      { usage: spent(100), cost_usd: 0.25, latency_ms: 1500, thinking_level: "high", finish_reason: "tool_use" },
    ),
    { kind: "tool_call", data: { tool_call_id: "call-1", name: "bash" } },
    toolResultEntry(
      {
        type: "tool_result",
        tool_call_id: "call-1",
        is_error: true,
        content: [{ type: "text", text: "```\n</pre><script>alert(3)</script>" }],
      },
      { exit_code: 2 },
    ),
    { kind: "file_change", content: "/src/<x>.ts", data: { before, after } },
    { kind: "mark", content: "here" },
  ]);
  const child = await store.agents.fork(agent.uuid, { name: "tests", prompt: "write tests" });
  await store.history.append(child.uuid, [
    { kind: "user", content: "go on" },
    assistantEntry(
      {
        role: "assistant",
        incomplete: true,
        origin: { ...origin, provider: "other", model: "free" },
        content: [{ type: "text", text: "So:\n```\ncut off" }],
      },
      { usage: spent(10) },
    ),
  ]);
  await store.mail.send({ from_uuid: child.uuid, to_uuid: agent.uuid, content: "done" });
  await store.mail.take(agent.uuid);
  await store.history.append(agent.uuid, [
    { kind: "rewind", content: "here", data: { target_uuid: start?.uuid ?? "" } },
    {
      kind: "user",
      content: "thanks",
      data: {
        blocks: [
          { type: "text", text: "thanks" },
          { type: "image", media_type: "image/png", data: "aGVsbG8=" },
          { type: "image", url: "https://example.com/remote.png" },
        ],
      },
    },
  ]);
  return { session: await store.sessions.find(session.uuid), agent, child };
}
