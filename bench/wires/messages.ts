import type { Part } from "../traffic.ts";
import { namedFrame, seal } from "./frames.ts";

/** Anthropic Messages: named events, blocks with a start and a stop, thinking with a signature. */
export function messagesFrames(parts: readonly Part[], model: string): readonly string[] {
  const frames: string[] = [namedFrame(messageStart(model))];
  parts.forEach((part, index) => {
    frames.push(namedFrame({ type: "content_block_start", index, content_block: opened[part.kind] }));
    if (index === 0) frames.push(namedFrame({ type: "ping" }));
    for (const delta of part.deltas) {
      frames.push(namedFrame({ type: "content_block_delta", index, delta: deltaOf(part.kind, delta) }));
    }
    if (part.kind === "thinking") {
      const delta = { type: "signature_delta", signature: seal(700) };
      frames.push(namedFrame({ type: "content_block_delta", index, delta }));
    }
    frames.push(namedFrame({ type: "content_block_stop", index }));
  });
  const stop_reason = parts.some(({ kind }) => kind === "arguments") ? "tool_use" : "end_turn";
  frames.push(
    namedFrame({
      type: "message_delta",
      delta: { stop_reason, stop_sequence: null, stop_details: null },
      usage: { input_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 2427, output_tokens: 20234 },
    }),
    namedFrame({ type: "message_stop" }),
  );
  return frames;
}

function messageStart(model: string): { readonly type: string; readonly message: object } {
  return {
    type: "message_start",
    message: {
      model,
      id: "msg_011CcndugW4j4P4eEyJy4yyJ",
      type: "message",
      role: "assistant",
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: {
        input_tokens: 10,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 2427,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 3,
        service_tier: "standard",
        inference_geo: "not_available",
      },
    },
  };
}

function deltaOf(kind: Part["kind"], delta: string): object {
  if (kind === "text") return { type: "text_delta", text: delta };
  if (kind === "thinking") return { type: "thinking_delta", thinking: delta };
  return { type: "input_json_delta", partial_json: delta };
}

const opened: { readonly [kind in Part["kind"]]: object } = {
  thinking: { type: "thinking", thinking: "", signature: "" },
  text: { type: "text", text: "" },
  arguments: {
    type: "tool_use",
    id: "toolu_01Wvz5fRkN8mPqXy",
    name: "write_file",
    input: {},
    caller: { type: "direct" },
  },
};
