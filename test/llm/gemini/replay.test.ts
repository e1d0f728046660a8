import { describe, expect, test } from "vitest";
import {
  isJsonObject,
  toolResult,
  user,
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ModelInfo,
} from "../../../src/core/index.ts";
import { unknownModel } from "../../../src/llm/families.ts";
import { haveRecordings, type Recording } from "../../recordings/load.ts";
import { contentsOf, decodeRecording, encode, geminiRecordings, recordingById, type Contents } from "./support.ts";

const answers = geminiRecordings().filter(({ response }) => response.status === 200);

describe.skipIf(!haveRecordings)("B05 what was decoded is encoded as it came", () => {
  test("every recorded answer, part by part", () => {
    let signed = 0;
    for (const recording of answers) {
      const said = recordedParts(recording);
      signed += said.filter((part) => part["thoughtSignature"] !== undefined).length;
      const encoded = encode(modelOf(recording), { messages: answered([decodeRecording(recording).message]) });
      const sent = contentsOf(encoded).find(({ role }) => role === "model")?.parts ?? [];
      expect(sent, recording.id).toEqual(said);
    }
    expect(signed).toBeGreaterThan(60);
  });

  test("B04 after a detour to another provider the same bytes come back", () => {
    const recording = recordingById("google-generatecontent-multi-tool-0-6627f892");
    const { message } = decodeRecording(recording);
    const stored = JSON.stringify(message);
    const before = contentsOf(encode(modelOf(recording), { messages: answered([message]) }));
    const origin = { provider: "anthropic", api: "messages", model: "claude-x" };
    const detour: AssistantMessage = { role: "assistant", content: [{ type: "text", text: "elsewhere" }], origin };
    const messages = [...answered([JSON.parse(stored) as AssistantMessage]), detour, user("back")];
    expect(contentsOf(encode(modelOf(recording), { messages })).slice(0, before.length - 1)).toEqual(
      before.slice(0, -1),
    );
  });
});

/** Answers of one session, and the request that replayed them all and was accepted. */
const sessions: readonly (readonly [answers: readonly string[], request: string])[] = [
  [
    ["google-generatecontent-agent-loop-0-3875b247", "google-generatecontent-agent-loop-1-726f4825"],
    "google-generatecontent-agent-loop-2-77fa752a",
  ],
  [["google-generatecontent-agent-run-async-0-55c38d5f"], "google-generatecontent-agent-run-async-1-76746cd9"],
  [["google-generatecontent-multi-tool-0-6627f892"], "google-generatecontent-multi-tool-1-30bcb413"],
  [["google-generatecontent-thinking-0-8c23a024"], "google-generatecontent-thinking-1-686c8bb7"],
  [
    ["google-generatecontent-ini-3-5-flash-runs-code-server-side-and-replays-the-turn-0-38bf9104"],
    "google-generatecontent-ini-3-5-flash-runs-code-server-side-and-replays-the-turn-1-344c07b9",
  ],
  [
    ["google-generatecontent-string-output-verbatim-struct-output-json-0-ac5995f2"],
    "google-generatecontent-string-output-verbatim-struct-output-json-1-caf4e593",
  ],
  [
    ["google-streamgeneratecontent-multi-tool-streaming-0-e3dc4177"],
    "google-streamgeneratecontent-multi-tool-streaming-1-ad6f3a95",
  ],
  [
    [
      "google-streamgeneratecontent-ools-surface-two-distinct-tool-calls-before-final-answer-0-1f303a22",
      "google-streamgeneratecontent-ools-surface-two-distinct-tool-calls-before-final-answer-1-244dcee9",
    ],
    "google-streamgeneratecontent-ools-surface-two-distinct-tool-calls-before-final-answer-2-ed3f518f",
  ],
];

/** Where the client that made the recording sent something else than it had received, and was let through. */
const differing: readonly (readonly [answer: string, request: string, reason: string])[] = [
  [
    "google-generatecontent-ling-gemini-gemini-2-5-flash-can-use-parallel-tool-calls-0-3ebbcb86",
    "google-generatecontent-ling-gemini-gemini-2-5-flash-can-use-parallel-tool-calls-1-9eed5e78",
    "copies the first call's signature onto the second",
  ],
  [
    "google-generatecontent-test-google-model-file-search-grounding-gemini-3-false-3-74823d36",
    "google-generatecontent-test-google-model-file-search-grounding-gemini-3-false-4-cacf7f80",
    "adds args and a response to the server tool's parts",
  ],
  [
    "google-streamgeneratecontent-google-gemini-3-pro-preview-0-c1f790d5",
    "google-streamgeneratecontent-google-gemini-3-pro-preview-1-efa7ef35",
    "sends an empty unsigned text along",
  ],
  [
    "google-streamgeneratecontent-multi-tool-streaming-0-4e5ccc71",
    "google-streamgeneratecontent-multi-tool-streaming-1-47d920c7",
    "makes up ids for a model that gives none",
  ],
  [
    "google-streamgeneratecontent-reasoning-tool-roundtrip-streaming-0-a379bb8c",
    "google-streamgeneratecontent-reasoning-tool-roundtrip-streaming-1-1389bfdf",
    "sends unsigned thoughts along",
  ],
];

describe.skipIf(!haveRecordings)("recorded sessions", () => {
  test.each(sessions)("%o", (ids, request) => {
    const messages = answered(ids.map((id) => decodeRecording(recordingById(id)).message));
    const encoded = encode(modelOf(recordingById(request)), { messages });
    expect(modelTurns(contentsOf(encoded))).toEqual(modelTurns(recordedContents(request)));
    expect(responses(contentsOf(encoded))).toEqual(responses(recordedContents(request)));
  });

  test.each(differing)("%s %s: the client %s", (answer, request) => {
    const { message } = decodeRecording(recordingById(answer));
    const encoded = encode(modelOf(recordingById(request)), { messages: answered([message]) });
    const ours = modelTurns(contentsOf(encoded));
    const theirs = modelTurns(recordedContents(request));
    expect(ours).not.toEqual(theirs);
    const seals = (turns: Contents): readonly unknown[] =>
      turns.flatMap(({ parts }) => parts.map((part) => part["thoughtSignature"]).filter((seal) => seal !== undefined));
    expect([...new Set(seals(theirs))]).toEqual(seals(ours));
  });

  test("B01 the recorded replay of another provider's calls: a stand-in on the first call of every turn, as ours", () => {
    const request = "google-generatecontent-t-anthropic-to-google-deferred-capability-history-replay-3-b474df00";
    const origin = { provider: "anthropic", api: "messages", model: "claude-x" };
    const messages = recordedContents(request).flatMap((content): Message[] => foreignMessage(content, origin));
    const encoded = encode(modelOf(recordingById(request)), { messages });
    const standIn = Buffer.from("skip_thought_signature_validator").toString("base64");
    // The client sent the words as base64 of themselves; the provider's page and its other clients send them plain.
    const theirs = JSON.stringify(recordedContents(request).filter(({ role }) => role === "model"));
    const ours = contentsOf(encoded).filter(({ role }) => role === "model");
    expect(ours).toEqual(JSON.parse(theirs.replaceAll(standIn, "skip_thought_signature_validator")));
    expect(encoded.notes).toHaveLength(1);
  });
});

/** A history in which each answer is followed by results of its calls, or by more from the user. */
function answered(said: readonly AssistantMessage[]): readonly Message[] {
  return [
    user("go"),
    ...said.flatMap((message): Message[] => {
      const calls = message.content.filter((block) => block.type === "tool_call");
      if (calls.length === 0) return [message, user("on")];
      return [message, { role: "tool", content: calls.map(({ id }) => toolResult(id, "x")) }];
    }),
  ];
}

function foreignMessage({ role, parts }: Contents[number], origin: AssistantMessage["origin"]): Message[] {
  const responsesHere = parts.map((part) => part["functionResponse"]).filter(isJsonObject);
  if (responsesHere.length > 0) {
    return [{ role: "tool", content: responsesHere.map(({ id }) => toolResult(String(id), "x")) }];
  }
  if (role === "user") return [user(String(parts[0]?.["text"]))];
  const content = parts.map((part): AssistantMessage["content"][number] => {
    const { functionCall, text } = part;
    if (!isJsonObject(functionCall)) return { type: "text", text: String(text) };
    const args = isJsonObject(functionCall["args"]) ? functionCall["args"] : {};
    return { type: "tool_call", id: String(functionCall["id"]), name: String(functionCall["name"]), arguments: args };
  });
  return [{ role: "assistant", content, origin }];
}

/** What the model said, with what need not go back left out and the pieces of a stream put together. */
function recordedParts({ response }: Recording): readonly JsonObject[] {
  const chunks: readonly unknown[] = Array.isArray(response.body)
    ? response.body
    : response.sse === undefined
      ? [response.body]
      : response.sse
          .split(/\r?\n\r?\n/)
          .filter((frame) => frame.startsWith("data:"))
          .map((frame): unknown => JSON.parse(frame.slice("data:".length)));
  const parts = chunks.filter(isJsonObject).flatMap(partsOfChunk);
  const joined: JsonObject[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    const sealed = part["thoughtSignature"] !== undefined;
    if (part["thought"] === true && !sealed) continue;
    if (isJsonObject(part["functionCall"])) {
      addCall(joined, part, part["functionCall"]);
    } else if (typeof part["text"] === "string" && !sealed) {
      if (part["text"] === "") continue;
      const goesOn = typeof last?.["text"] === "string" && last["thoughtSignature"] === undefined;
      if (goesOn) joined[joined.length - 1] = { text: last["text"] + part["text"] };
      else joined.push(part);
    } else joined.push(part);
  }
  return joined;
}

function addCall(joined: JsonObject[], part: JsonObject, functionCall: JsonObject): void {
  const { id, name, args, partialArgs } = functionCall;
  if (typeof name === "string") {
    const called = { ...(id === undefined ? {} : { id }), name, args: args ?? {} };
    joined.push({ ...part, functionCall: called });
  }
  const open = joined.at(-1)?.["functionCall"];
  const known = isJsonObject(open) && isJsonObject(open["args"]) ? open["args"] : {};
  for (const piece of Array.isArray(partialArgs) ? partialArgs.filter(isJsonObject) : []) {
    const key = String(piece["jsonPath"]).replace("$.", "");
    Object.assign(known, { [key]: `${String(known[key] ?? "")}${String(piece["stringValue"])}` });
  }
}

function partsOfChunk(chunk: JsonObject): readonly JsonObject[] {
  const [candidate] = Array.isArray(chunk["candidates"]) ? chunk["candidates"] : [];
  const content: unknown = isJsonObject(candidate) ? candidate["content"] : undefined;
  const parts = isJsonObject(content) ? content["parts"] : undefined;
  return Array.isArray(parts) ? parts.filter(isJsonObject) : [];
}

function recordedContents(id: string): Contents {
  const contents = recordingById(id).request?.body?.["contents"];
  return (contents as unknown as Contents).map(({ role, parts }) => ({
    role,
    // One client marks everything that is no thought.
    parts: parts.map((part) => (part["thought"] === false ? withoutThought(part) : part)),
  }));
}

function withoutThought({ thought: _thought, ...part }: JsonObject): JsonObject {
  return part;
}

/** Signatures are bytes: some clients write them back in the other alphabet of base64. */
function modelTurns(contents: Contents): Contents {
  const turns = contents.filter(({ role }) => role === "model");
  return turns.map(({ role, parts }) => ({ role, parts: parts.map(oneAlphabet) }));
}

function oneAlphabet(part: JsonObject): JsonObject {
  const { thoughtSignature } = part;
  if (typeof thoughtSignature !== "string") return part;
  return { ...part, thoughtSignature: thoughtSignature.replaceAll("-", "+").replaceAll("_", "/") };
}

/** Whom the results answer; what they say is the tools' business. */
function responses(contents: Contents): readonly unknown[] {
  return contents.map(({ parts }) =>
    parts.flatMap(({ functionResponse }) =>
      isJsonObject(functionResponse) ? [[functionResponse["id"], functionResponse["name"]]] : [],
    ),
  );
}

function modelOf({ model }: Recording): ModelInfo {
  return unknownModel("google", model);
}
