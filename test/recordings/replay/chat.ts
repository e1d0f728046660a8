import { isJsonObject, type JsonObject, type UserBlock } from "../../../src/core/index.ts";
import { imageFrom, objects, strings, text, type Turn, type WireReader } from "./turns.ts";

export const chatReader: WireReader = {
  turnsOf: (body) => objects(body["messages"]).flatMap(turnsOfMessage),
  sealsOf: (wire) =>
    wire.flatMap((message) => [
      ...objects(message["reasoning_details"]).flatMap((detail) => strings(detail["signature"], detail["data"])),
      ...objects(message["tool_calls"]).flatMap((call) => strings(call["id"])),
    ]),
  textsOf: (wire) =>
    wire.flatMap(({ content }) =>
      typeof content === "string" ? strings(content) : objects(content).flatMap((part) => strings(part["text"])),
    ),
  responsesOf: (wire) =>
    wire.map((message) => ({
      id: "chatcmpl-1",
      object: "chat.completion",
      model: "m",
      choices: [{ index: 0, message, finish_reason: "stop" }],
    })),
};

function turnsOfMessage(message: JsonObject): readonly Turn[] {
  const { role, content, tool_call_id } = message;
  const blocks = typeof content === "string" ? [text(content)] : objects(content).map(userBlock);
  if (role === "assistant") return [{ role, wire: [message] }];
  if (role === "tool") return [{ role, results: [{ id: String(tool_call_id), content: blocks }] }];
  return role === "user" ? [{ role, content: blocks }] : [];
}

function userBlock(part: JsonObject): UserBlock {
  const { image_url } = part;
  const url = isJsonObject(image_url) ? image_url["url"] : undefined;
  return typeof url === "string" ? imageFrom(url) : text(part["text"]);
}
