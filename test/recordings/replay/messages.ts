import type { JsonObject, UserBlock } from "../../../src/core/index.ts";
import { imageFrom, objects, strings, text, type Turn, type WireReader, type WireResult } from "./turns.ts";

export const messagesReader: WireReader = {
  turnsOf: (body) => objects(body["messages"]).flatMap(turnsOfMessage),
  sealsOf: (wire) =>
    wire.flatMap((block) => {
      if (block["type"] === "redacted_thinking") return strings(block["data"]);
      if (block["type"] === "thinking") return strings(block["signature"]);
      return strings(
        block["id"],
        block["tool_use_id"],
        ...objects(block["content"]).map((part) => part["encrypted_content"]),
      );
    }),
  textsOf: (wire) => wire.flatMap((block) => (block["type"] === "text" ? strings(block["text"]) : [])),
  responsesOf: (content) => [
    {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      content: content.map(({ cache_control: _cache, ...block }) => block),
      stop_reason: "end_turn",
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  ],
};

function turnsOfMessage(message: JsonObject): readonly Turn[] {
  const { role, content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : objects(content);
  if (role === "assistant") return [{ role, wire: blocks }];
  const results = blocks.filter((block) => block["type"] === "tool_result");
  const others = blocks.filter((block) => block["type"] !== "tool_result");
  return [
    ...(results.length > 0 ? [{ role: "tool", results: results.map(resultOf) } as const] : []),
    ...(others.length > 0 ? [{ role: "user", content: others.map(userBlock) } as const] : []),
  ];
}

function resultOf(block: JsonObject): WireResult {
  const { tool_use_id, content } = block;
  const parts = typeof content === "string" ? [text(content)] : objects(content).map(userBlock);
  return { id: String(tool_use_id), content: parts };
}

function userBlock(block: JsonObject): UserBlock {
  const { source } = block;
  if (block["type"] !== "image" || typeof source !== "object" || source === null) return text(block["text"]);
  const { url, data, media_type } = source as { url?: string; data?: string; media_type?: string };
  return url === undefined
    ? { type: "image", media_type: media_type ?? "image/png", data: data ?? "" }
    : imageFrom(url);
}
