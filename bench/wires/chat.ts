import type { Part } from "../traffic.ts";
import { padding } from "./frames.ts";

/** OpenAI Chat: bare `data:` lines, every chunk a whole envelope. Thinking as most compatible servers send it. */
export function chatFrames(parts: readonly Part[], model: string): readonly string[] {
  const frames: string[] = [];
  const push = (choices: readonly object[], usage: object | null = null): void => {
    const chunk = {
      id: "chatcmpl-E3jduJXxphNYFI8ZkrTbQ6VKN5lff",
      object: "chat.completion.chunk",
      created: 1784559142,
      model,
      service_tier: "default",
      system_fingerprint: null,
      choices,
      usage,
      obfuscation: padding(frames.length),
    };
    frames.push(`data: ${JSON.stringify(chunk)}\n\n`);
  };
  const say = (delta: object, finish_reason: string | null = null): void => push([{ index: 0, delta, finish_reason }]);
  say({ role: "assistant", content: "", refusal: null });
  for (const { kind, deltas } of parts) {
    if (kind === "arguments") say({ tool_calls: [announced] });
    for (const delta of deltas) say(deltaOf(kind, delta));
  }
  say({}, parts.some(({ kind }) => kind === "arguments") ? "tool_calls" : "stop");
  push([], {
    prompt_tokens: 1042,
    completion_tokens: 20344,
    total_tokens: 21386,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 320, audio_tokens: 0 },
  });
  frames.push("data: [DONE]\n\n");
  return frames;
}

function deltaOf(kind: Part["kind"], delta: string): object {
  if (kind === "text") return { content: delta };
  if (kind === "thinking") return { content: null, reasoning_content: delta };
  return { tool_calls: [{ index: 0, function: { arguments: delta } }] };
}

const announced = {
  index: 0,
  id: "call_mhXleGKtQKxBEaZl2TwAWENj",
  type: "function",
  function: { name: "write_file", arguments: "" },
};
