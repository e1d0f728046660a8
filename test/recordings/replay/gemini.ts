import { isJsonObject, type JsonObject, type UserBlock } from "../../../src/core/index.ts";
import { objects, strings, text, type Turn, type WireReader } from "./turns.ts";

export const geminiReader: WireReader = {
  turnsOf: (body) => objects(body["contents"]).flatMap(turnsOfContent),
  sealsOf: (wire) => wire.flatMap((part) => strings(part["thoughtSignature"], inner(part, "functionCall")["id"])),
  textsOf: (wire) => wire.flatMap((part) => (part["thought"] === true ? [] : strings(part["text"]))),
  responsesOf: (parts) => [
    { candidates: [{ index: 0, content: { role: "model", parts }, finishReason: "STOP" }], modelVersion: "m" },
  ],
};

function turnsOfContent(content: JsonObject): readonly Turn[] {
  const parts = objects(content["parts"]).map(camelCased);
  if (content["role"] === "model") return [{ role: "assistant", wire: parts }];
  const responses = parts.filter((part) => "functionResponse" in part).map((part) => inner(part, "functionResponse"));
  const others = parts.filter((part) => !("functionResponse" in part));
  const results = responses.map(({ id, name, response }) => ({
    ...(typeof id === "string" ? { id } : {}),
    name: String(name),
    content: [text(JSON.stringify(response))],
  }));
  return [
    ...(results.length > 0 ? [{ role: "tool", results } as const] : []),
    ...(others.length > 0 ? [{ role: "user", content: others.map(userBlock) } as const] : []),
  ];
}

function userBlock(part: JsonObject): UserBlock {
  const { mimeType, data } = inner(part, "inlineData");
  if (typeof data === "string" && String(mimeType).startsWith("image/")) {
    return { type: "image", media_type: String(mimeType), data };
  }
  return text(part["text"]);
}

function inner(part: JsonObject, key: string): JsonObject {
  const value = part[key];
  return isJsonObject(value) ? value : {};
}

/** Google takes both spellings, and its clients use both; the keys of a call's arguments are the caller's. */
function camelCased(part: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(part).map(([key, value]) => [
      key.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      key === "inline_data" && isJsonObject(value) ? camelCased(value) : value,
    ]),
  );
}
