import { describe, expect, test } from "vitest";
import type { JsonObject, Message, UserBlock } from "../../src/core/index.ts";
import { wireApi, providerFor, type WireApi } from "../../src/cli/wire/labels.ts";
import { readExchange } from "../../src/cli/wire/exchange.ts";
import { builtinProviders, defineProvider, project } from "../../src/llm/index.ts";
import { inOrder, stringsOf } from "./compare.ts";
import { replayDifferences } from "./differences.ts";
import { haveRecordings, loadRecordings, recordingsMessage, type RecordingFile } from "./load.ts";
import { conversationOf, readers } from "./replay/conversation.ts";
import { joinTurns } from "./replay/turns.ts";

/** Requests that replay at least one assistant turn and were accepted. */
const replays = loadRecordings().filter(({ recording }) => {
  const { api, request, response } = recording;
  const turns = request?.body ? (readers[api]?.turnsOf(request.body) ?? []) : [];
  return response.status < 400 && turns.some((turn) => turn.role === "assistant");
});
const sessions = Map.groupBy(loadRecordings(), ({ recording }) => recording.session);
const groups = [...Map.groupBy(replays, ({ recording }) => `${recording.provider} ${recording.api}`)];
console.log(recordingsMessage("replay"));
const counts = { recorded: 0, rebuilt: 0, seals: 0, texts: 0, images: 0 };

describe.skipIf(!haveRecordings)("recorded replays", () => {
  test.each(groups)("%s: encode sends back what the provider checks", async (_group, members) => {
    const listed = new Set(replayDifferences.map(({ file }) => file));
    const found: string[] = [];
    for (const entry of members) if (!listed.has(entry.file)) found.push(...(await lost(entry)));
    expect(found).toEqual([]);
  });

  test("each listed difference still differs", async () => {
    const stale: string[] = [];
    for (const { file } of replayDifferences) {
      const entry = replays.find((candidate) => candidate.file === file);
      if (entry !== undefined && (await lost(entry)).length === 0) stale.push(file);
    }
    expect(stale).toEqual([]);
  });

  test("there were turns to replay", () => {
    console.log(`replay: ${replays.length} requests, ${JSON.stringify(counts)}`);
    expect(Math.min(...Object.values(counts))).toBeGreaterThan(0);
  });
});

/** What of a recorded replay our request for the same model does not carry, in its place in the order. */
async function lost({ file, recording }: RecordingFile): Promise<readonly string[]> {
  const reader = readers[recording.api];
  if (reader === undefined) return [];
  const earlier = (sessions.get(recording.session) ?? [])
    .filter((entry) => entry.recording.source.index < recording.source.index)
    .toSorted((left, right) => left.recording.source.index - right.recording.source.index);
  const replay = await conversationOf(recording, earlier);
  counts.recorded += replay.recorded;
  counts.rebuilt += replay.rebuilt;
  counts.seals += replay.seals.length;
  const body = await encode(recording, replay.messages);
  const sent = joinTurns(reader.turnsOf(body)).flatMap((turn) => (turn.role === "assistant" ? turn.wire : []));
  const kept = inOrder(replay.seals, reader.sealsOf(sent));
  const missing = replay.seals.filter((seal) => !kept.includes(seal)).map((seal) => `seal ${seal.slice(0, 60)}`);
  const said = textsIn(replay.messages);
  const images = imagesIn(replay.messages);
  counts.texts += said.length;
  counts.images += images.length;
  const texts = reader.textsOf(sent).join("");
  const unsaid = said.filter((text) => !texts.includes(text));
  const everything = stringsOf(body).join("\n");
  const unseen = images.filter((image) => !everything.includes(image));
  return [
    ...missing,
    ...unsaid.map((text) => `text ${JSON.stringify(text.slice(0, 80))}`),
    ...unseen.map((image) => `image ${image.slice(0, 40)}`),
  ].map((what) => `${file}: ${what}`);
}

async function encode(recording: RecordingFile["recording"], messages: readonly Message[]): Promise<JsonObject> {
  const exchange = readExchange(recording);
  const api = wireApi(recording.api);
  if ("problem" in exchange || api === undefined) throw new Error(`${recording.id} cannot be encoded`);
  const provider = providerFor(recording.provider, api);
  const isBuiltin = builtinProviders.some((row) => row.name === provider && row.apis.some(({ name }) => name === api));
  const own = defineProvider({ name: provider, protocol: protocolOf[api], base_url: "https://replay.test/v1" });
  const tools = [...new Set(callNames(messages))].map((name) => ({
    name,
    parameters: { type: "object", properties: {} },
  }));
  const options = isBuiltin ? { settings: { providers: { [provider]: { api } } } } : { providers: [own] };
  const { body } = await project({ messages, tools }, `${provider}:${exchange.model}`, options);
  return body ?? {};
}

function callNames(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ content }) =>
    content.flatMap((block) => (block.type === "tool_call" ? [block.name] : [])),
  );
}

function textsIn(messages: readonly Message[]): readonly string[] {
  return messages.flatMap(({ role, content }) =>
    role === "assistant"
      ? content.flatMap((block) => (block.type === "text" && block.text.trim() ? [block.text] : []))
      : [],
  );
}

function imagesIn(messages: readonly Message[]): readonly string[] {
  const imageOf = (block: UserBlock): readonly string[] =>
    block.type === "text" ? [] : ["data" in block ? block.data : block.url];
  return messages.flatMap((message) => {
    if (message.role === "user") return message.content.flatMap(imageOf);
    return message.role === "tool" ? message.content.flatMap((result) => result.content.flatMap(imageOf)) : [];
  });
}

const protocolOf = {
  messages: "anthropic",
  responses: "responses",
  chat: "chat",
  generateContent: "gemini",
} as const satisfies { readonly [api in WireApi]: string };
