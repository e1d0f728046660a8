import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/index.ts";
import { haveRecordings, recordingsMessage, type Recording } from "../../recordings/load.ts";
import { chatRecordings, decodeRecording, modelWith, projectAndEncode } from "./helpers.ts";

/** Servers that were sent their thinking back as text, and in which field. */
const echoFields: { readonly [provider: string]: string | undefined } = {
  xai: "reasoning_content",
  ollama: "reasoning",
  "ollama-cloud": "reasoning",
};

/** Where the client that was recorded sent something else than it got; ours sends what came. */
const differences: { readonly [pair: string]: { readonly field: string; readonly reason: string } | undefined } = {
  "d6d2eca9 3579cc22": { field: "reasoning_details", reason: "the client sent one empty entry of another type" },
  "de4fff26 40bb81e0": { field: "reasoning_details", reason: "the client lost the encrypted entry and the format" },
  "08f286d8 0f075e55": { field: "reasoning_details", reason: "the client sent the signature without its text" },
  "8784b7cd 6846a28a": { field: "reasoning_details", reason: "the client lost the format and added an empty id" },
  "b56d2126 1f39a729": { field: "reasoning_details", reason: "the client lost the format" },
  "3df1e0fb 6f5f883d": { field: "reasoning_details", reason: "the client lost the first fragment of the text" },
  "87febabb 161ef28f": { field: "reasoning_details", reason: "the client lost the first fragment of the text" },
};

type Pair = { readonly name: string; readonly made: Recording; readonly sent: JsonObject };

/** Answers of the recordings that came back in a later request of their session, found by their call ids. */
function findPairs(): readonly Pair[] {
  return chatRecordings.flatMap(({ recording: made, file }) => {
    const ids = callIds(made);
    if (ids.length === 0) return [];
    return chatRecordings
      .filter(({ recording }) => recording.session === made.session && recording.source.index > made.source.index)
      .flatMap(({ recording, file: laterFile }) => {
        const sent = assistantMessages(recording).find((message) => sameList(idsIn(message), ids));
        return sent === undefined ? [] : [{ name: `${hashOf(file)} ${hashOf(laterFile)}`, made, sent }];
      });
  });
}

function callIds(recording: Recording): readonly string[] {
  if (recording.response.status !== 200) return [];
  const { content } = decodeRecording(recording).message;
  return content.flatMap((block) => (block.type === "tool_call" ? block.id : []));
}

function assistantMessages({ request }: Recording): readonly JsonObject[] {
  const messages: unknown = request?.body?.["messages"];
  const list: readonly unknown[] = Array.isArray(messages) ? messages : [];
  return list.filter(isJsonObject).filter(({ role }) => role === "assistant");
}

function callsIn({ tool_calls }: JsonObject): readonly JsonObject[] {
  const list: readonly unknown[] = Array.isArray(tool_calls) ? tool_calls : [];
  return list.filter(isJsonObject);
}

function idsIn(message: JsonObject): readonly unknown[] {
  return callsIn(message).map(({ id }) => id);
}

function sameList(left: readonly unknown[], right: readonly unknown[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}

function hashOf(file: string): string {
  return file.slice(-13, -5);
}

/** Arguments as data: recorded clients parse and print them again. */
function callsAsData(message: JsonObject): readonly unknown[] {
  return callsIn(message).map((call) => {
    const { name, arguments: text } = isJsonObject(call["function"]) ? call["function"] : {};
    return { id: call["id"], name, arguments: typeof text === "string" && text !== "" ? JSON.parse(text) : {} };
  });
}

describe.skipIf(!haveRecordings)(recordingsMessage("chat replay"), () => {
  const pairs = findPairs();

  test("there are recorded answers that were sent back", () => {
    expect(pairs.length).toBeGreaterThanOrEqual(35);
  });

  test.each(pairs.map((pair) => [pair.name, pair.made.provider, pair] as const))("%s %s", (name, provider, pair) => {
    const { message } = decodeRecording(pair.made);
    const results = message.content.flatMap((block) =>
      block.type === "tool_call"
        ? [{ type: "tool_result" as const, tool_call_id: block.id, content: [], is_error: false }]
        : [],
    );
    const [ours] = projectAndEncode([message, { role: "tool", content: results }], {
      provider,
      model: modelWith({ id: pair.made.model, provider }),
      quirks: { echo_reasoning_field: echoFields[provider] ?? "none" },
    });
    expect(callsAsData(ours ?? {})).toEqual(callsAsData(pair.sent));
    const known = differences[name];
    for (const field of ["reasoning_details", echoFields[provider] ?? "reasoning_details"]) {
      if (known?.field === field) expect(ours?.[field]).not.toEqual(pair.sent[field]);
      else if (pair.sent[field] !== undefined) expect(ours?.[field]).toEqual(pair.sent[field]);
    }
  });

  test("the listed differences are still there", () => {
    const names = new Set(pairs.map(({ name }) => name));
    expect(Object.keys(differences).filter((name) => !names.has(name))).toEqual([]);
  });

  test("details go back in the order they came, each as it was", () => {
    const streamed = chatRecordings.filter(({ recording }) => recording.tags.includes("reasoning_details"));
    expect(streamed.length).toBeGreaterThan(20);
    for (const { file, recording } of streamed) {
      const body: unknown = recording.response.body;
      if (!isJsonObject(body) || !Array.isArray(body["choices"])) continue;
      const choice: unknown = body["choices"][0];
      const said = isJsonObject(choice) && isJsonObject(choice["message"]) ? choice["message"] : {};
      const { message, end } = decodeRecording(recording);
      if (end.type === "error" || message.content.every((block) => block.type === "thinking")) continue;
      const model = modelWith({ id: recording.model });
      const history = [message, { role: "user" as const, content: [{ type: "text" as const, text: "go on" }] }];
      const [ours] = projectAndEncode(history, { provider: recording.provider, model });
      expect(ours?.["reasoning_details"], file).toEqual(said["reasoning_details"]);
    }
  });
});
