import { isJsonObject, type JsonObject, type UserBlock } from "../../../src/core/index.ts";
import { imageFrom, objects, strings, text, type Turn, type WireReader } from "./turns.ts";

export const responsesReader: WireReader = {
  turnsOf({ input }) {
    if (typeof input === "string") return [{ role: "user", content: [text(input)] }];
    return objects(input).map(turnOfItem);
  },
  sealsOf: (wire) => wire.flatMap((item) => strings(item["encrypted_content"], item["call_id"])),
  textsOf: (wire) =>
    wire.flatMap(({ content }) =>
      typeof content === "string" ? strings(content) : objects(content).flatMap((part) => strings(part["text"])),
    ),
  responsesOf: (wire) => [
    {
      id: "resp_1",
      object: "response",
      model: "m",
      status: "completed",
      output: wire.map(outputItem),
    },
  ],
};

function turnOfItem(item: JsonObject): Turn {
  const { type, role, content, call_id, output } = item;
  if (type === "function_call_output" || type === "custom_tool_call_output") {
    const parts = typeof output === "string" ? [text(output)] : objects(output).map(userBlock);
    return { role: "tool", results: [{ id: String(call_id), content: parts }] };
  }
  if (role === "assistant" || (role === undefined && !othersWords.test(String(type))))
    return { role: "assistant", wire: [item] };
  const parts = typeof content === "string" ? [text(content)] : objects(content).map(userBlock);
  return { role: "user", content: parts.length > 0 ? parts : [text(undefined)] };
}

function userBlock(part: JsonObject): UserBlock {
  const { image_url } = part;
  return typeof image_url === "string" ? imageFrom(image_url) : text(part["text"]);
}

/** Short forms that only requests have, in the words of responses. */
function outputItem(item: JsonObject): JsonObject {
  if (item["role"] !== "assistant") return item;
  const { content } = item;
  const parts = typeof content === "string" ? [{ type: "output_text", text: content, annotations: [] }] : content;
  return { type: "message", status: "completed", ...item, content: isJsonObject(parts) ? [parts] : parts };
}

/** What the client says besides messages and results. */
const othersWords = /_output$|_response$|^item_reference$/;
