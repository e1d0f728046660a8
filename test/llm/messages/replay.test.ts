import { describe, expect, test } from "vitest";
import { isJsonObject, project, type JsonObject, type ModelInfo } from "../../../src/core/index.ts";
import { haveRecordings, type Recording, type RecordingFile } from "../../recordings/load.ts";
import { conversationOf } from "../../recordings/replay/conversation.ts";
import { adapter, model, targetFor, wireRecordings } from "./support.ts";

const sessions = Map.groupBy(wireRecordings, ({ recording }) => recording.session);
const replays = wireRecordings.filter(
  ({ recording }) =>
    recording.response.status < 400 &&
    blocksOf(recording.request?.body ?? {}).length > 0 &&
    earlierThan(recording).length > 0,
);

describe.skipIf(!haveRecordings)("recorded sessions", () => {
  test("there are some", () => {
    console.log(`messages: ${replays.length} recorded requests that send back a recorded answer`);
    expect(replays.length).toBeGreaterThan(10);
  });

  test.each(replays.map((entry) => [entry.recording.id, entry] as const))(
    "%s: blocks the provider checks go back as they were",
    async (_id, { file, recording }) => {
      const recorded = blocksOf(recording.request?.body ?? {}).filter(isChecked);
      const ours = blocksOf(await encodeReplay(recording));
      let from = 0;
      const lost = recorded.filter((block) => {
        const found = ours.findIndex((mine, index) => index >= from && isSame(block, mine));
        if (found !== -1) from = found + 1;
        return found === -1;
      });
      const named = lost.map(({ type, id, tool_use_id }) => `${String(type)} ${String(id ?? tool_use_id)}`);
      expect({ file, named }).toEqual({ file, named: [] });
    },
  );
});

/** Our request with the same history, the answers in it decoded from their own recordings. */
async function encodeReplay(recording: Recording): Promise<JsonObject> {
  const { messages } = await conversationOf(recording, earlierThan(recording));
  const info: ModelInfo = { ...model("adaptive"), id: recording.model, aliases: modelsOf(recording) };
  const target = { ...targetFor(info), provider: providerOf(messages) };
  const rules = adapter.projection({ provider: target.provider, model: info, quirks: {} });
  const projected = project(messages, rules).messages;
  return adapter.encode({ model: info.id, messages: projected, cache: "off" }, target).body ?? {};
}

function providerOf(messages: Awaited<ReturnType<typeof conversationOf>>["messages"]): string {
  const said = messages.find((message) => message.role === "assistant");
  return said?.role === "assistant" ? said.origin.provider : "anthropic";
}

function earlierThan({ session, source }: Recording): readonly RecordingFile[] {
  return (sessions.get(session) ?? [])
    .filter(({ recording }) => recording.source.index < source.index)
    .toSorted((left, right) => left.recording.source.index - right.recording.source.index);
}

function modelsOf(recording: Recording): readonly string[] {
  return (sessions.get(recording.session) ?? []).map((entry) => entry.recording.model);
}

function blocksOf(body: JsonObject): readonly JsonObject[] {
  const { messages } = body;
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message: unknown) => {
    if (!isJsonObject(message) || message["role"] !== "assistant" || !Array.isArray(message["content"])) return [];
    return message["content"].filter(isJsonObject);
  });
}

function isChecked({ type }: JsonObject): boolean {
  return type !== "text";
}

/** Clients leave out what they do not know (`caller`) and add markers; all they send of a block must be in ours. */
function isSame(recorded: JsonObject, ours: JsonObject): boolean {
  return Object.entries(recorded).every(([name, value]) => name === "cache_control" || isEqual(value, ours[name]));
}

/** Equal, where the recording still has it: long strings of requests were cut, and some clients add nulls. */
function isEqual(recorded: unknown, ours: unknown): boolean {
  if (typeof recorded === "string" && typeof ours === "string") {
    const [kept = "", cut] = recorded.split(/\.\.\.(?=\[?ELIDED)/);
    return cut === undefined ? recorded === ours : ours.startsWith(kept);
  }
  if (Array.isArray(recorded) && Array.isArray(ours)) {
    return recorded.length === ours.length && recorded.every((item, index) => isEqual(item, ours[index]));
  }
  if (!isJsonObject(recorded) || !isJsonObject(ours)) return (recorded ?? undefined) === (ours ?? undefined);
  return Object.keys({ ...recorded, ...ours }).every((name) => isEqual(recorded[name], ours[name]));
}
