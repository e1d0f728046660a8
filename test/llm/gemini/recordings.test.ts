import { describe, expect, test } from "vitest";
import { isJsonObject, type AssistantBlock, type JsonObject, type StreamEvent } from "../../../src/core/index.ts";
import type { DecodedResponse } from "../../../src/llm/decode.ts";
import { haveRecordings, recordingsMessage, type Recording } from "../../recordings/load.ts";
import { decodeRecording, geminiRecordings, recordingById, textOfRecording } from "./support.ts";

const recordings = geminiRecordings();
const answers = recordings.filter(({ response }) => response.status === 200);
console.log(`${recordingsMessage("gemini")}; ${recordings.length} of this wire`);

const decoded = (id: string): DecodedResponse => decodeRecording(recordingById(id));
const signatureOf = (block: AssistantBlock | undefined): unknown =>
  block !== undefined && "opaque" in block ? block.opaque?.data["thoughtSignature"] : undefined;

describe.skipIf(!haveRecordings)("oddities of this wire, as recorded", () => {
  test("STOP is said after calls too: tool_use is inferred", () => {
    const withCalls = answers.filter(({ tags }) => tags.includes("tool-call"));
    expect(withCalls.length).toBeGreaterThan(40);
    for (const recording of withCalls) {
      expect(decodeRecording(recording).end, recording.id).toMatchObject({
        finish_reason: "tool_use",
        raw_finish_reason: "STOP",
      });
    }
    expect(decoded("google-generatecontent-thinking-0-8c23a024").end).toMatchObject({
      provider_data: { finishMessage: "Model generated function call(s)." },
    });
  });

  test("signatures sit on calls, on text, on an empty text at the end, on code and on server tools", () => {
    const call = decoded("google-generatecontent-google-tool-2-962f3efa").message.content;
    expect(call).toMatchObject([{ type: "tool_call", id: "7ofxgr5m", name: "current_month" }]);
    expect(signatureOf(call[0])).toMatch(/^EogECoUE/);

    const text = decoded("google-streamgeneratecontent-test-2642b65b-3-20741590").message.content;
    expect(text).toMatchObject([{ text: "The name" }, { text: expect.stringMatching(/^ of the user is Dero/) }]);
    expect(text.map(signatureOf)).toEqual([expect.stringMatching(/^CmcBEU0y/), undefined]);

    const empty = decoded("google-streamgeneratecontent-test-google-pdfs-1-18c065f5").message.content;
    expect(empty).toMatchObject([
      { type: "text", text: "Red delicious" },
      { type: "text", text: "" },
    ]);
    expect(signatureOf(empty[1])).toMatch(/^ErYHCrMH/);

    const code = decoded("google-generatecontent-ini-3-5-flash-runs-code-server-side-and-replays-the-turn-0-38bf9104");
    expect(code.message.content.map(({ type }) => type)).toEqual(["provider", "provider", "text"]);
    expect(signatureOf(code.message.content[0])).toMatch(/^EpMCCpAC/);

    const tools = decoded("google-generatecontent-test-google-model-file-search-grounding-gemini-3-false-3-74823d36");
    expect(tools.message.content).toMatchObject([
      { type: "provider", opaque: { data: { toolCall: { id: "j425u3dm", toolType: "FILE_SEARCH" } } } },
      { type: "provider", opaque: { data: { toolResponse: { id: "j425u3dm", toolType: "FILE_SEARCH" } } } },
      { type: "text" },
    ]);
    expect(tools.message.content.every((block) => typeof signatureOf(block) === "string")).toBe(true);
    expect(tools.end).toMatchObject({ provider_data: { groundingMetadata: expect.any(Object) } });
  });

  test("of parallel calls only the first is signed", () => {
    const { content } = decoded("google-generatecontent-multi-tool-0-6627f892").message;
    expect(content).toMatchObject([{ id: "wxvlv0tv" }, { id: "75p2opbh" }]);
    expect(content.map((block) => typeof signatureOf(block))).toEqual(["string", "undefined"]);
  });

  test("calls without an id get one, in one chunk or spread over several", () => {
    const spread = decoded("google-streamgeneratecontent-multi-tool-streaming-0-4e5ccc71").message.content;
    expect(spread).toMatchObject([
      {
        type: "tool_call",
        id: "made-1",
        name: "add",
        arguments: { b: 3, a: 2 },
        opaque: { data: { id_missing: true } },
      },
      { type: "tool_call", id: "made-2", name: "multiply", arguments: { a: 2, b: 3 } },
    ]);
    const together = decoded("google-streamgeneratecontent-test-response-with-multiple-tool-calls-true-0-07ca02bb");
    expect(together.message.content).toMatchObject([{ id: "made-1" }, { id: "made-2" }]);
  });

  test("B30 arguments streamed by path, calls without any, an empty call as terminator", () => {
    const mixed = decoded("google-streamgeneratecontent-google-stream-no-args-tool-call-0-c610493e");
    expect(mixed.message.content).toMatchObject([
      { type: "thinking" },
      { name: "read_theme", arguments: {} },
      { name: "read_screen", arguments: { id: "A" } },
      { name: "read_screen", arguments: { id: "B" } },
      { name: "read_screen", arguments: { id: "C" } },
    ]);
    const weather = decoded("google-streamgeneratecontent-google-stream-tool-call-arguments-0-b058517d");
    expect(weather.message.content).toMatchObject([
      { name: "getWeather", arguments: { location: "Boston" } },
      { name: "getWeather", arguments: { location: "San Francisco" } },
    ]);
    for (const { message } of [mixed, weather]) expect(JSON.stringify(message)).not.toContain(`"invalid"`);
  });

  test("B30 content that is {}, without parts, or missing", () => {
    expect(decoded("google-generatecontent-test-google-model-safety-settings-0-f1e4ced6").end).toMatchObject({
      finish_reason: "content_filter",
      raw_finish_reason: "SAFETY",
      provider_data: { safetyRatings: expect.any(Array) },
    });
    for (const id of ["google-generatecontent-usage-0-c27b09b1", "google-vertex-generatecontent-usage-0-458ba700"]) {
      expect(decoded(id)).toMatchObject({ message: { content: [] }, end: { finish_reason: "length" } });
    }
    const repaired = decoded("google-streamgeneratecontent-streamed-repair-continues-the-same-stream-1-46f65f1b");
    expect(repaired).toMatchObject({ message: { content: [{ text: "5" }] }, end: { finish_reason: "stop" } });
    expect(decoded("google-generatecontent-google-genai-v1-latest-cassette-10-2e6f2f84")).toMatchObject({
      message: { content: [] },
      end: {
        finish_reason: "error",
        raw_finish_reason: "MALFORMED_FUNCTION_CALL",
        provider_data: { finishMessage: expect.stringMatching(/^Malformed function call: print/) },
      },
    });
  });

  test("an empty answer is legal, and so is one that is all thought", () => {
    expect(decoded("google-generatecontent-test-gemini-tool-returning-float-1-051101b0")).toMatchObject({
      message: { content: [] },
      end: { type: "done", finish_reason: "stop" },
    });
    expect(
      decoded("google-generatecontent-text-response-is-none-when-the-turn-is-all-thought-0-85a577a7"),
    ).toMatchObject({ message: { content: [{ type: "thinking" }] }, end: { finish_reason: "length" } });
  });

  test("enums as numbers", () => {
    for (const id of [
      "google-vertex-generatecontent-test-generate-content-with-files-0-f19f4efc",
      "google-vertex-streamgeneratecontent-test-gemini-token-counts-streaming-0-85462c76",
      "google-generatecontent-test-langchain-google-chat-genai-usage-0-034589a6",
    ]) {
      expect(decoded(id).end).toMatchObject({ finish_reason: "stop", raw_finish_reason: "1" });
    }
  });

  test("code execution in a stream: code, result and text in order, whatever the chunks say", () => {
    const { message } = decoded(
      "google-streamgeneratecontent-streaming-code-execution-with-visible-thoughts-0-c7cfdfab",
    );
    expect(message.content.map(({ type }) => type)).toEqual(["thinking", "text", "provider", "provider", "text"]);
    const unicode = decoded("google-streamgeneratecontent-streaming-code-execution-unicode-output-0-d377a349");
    expect(unicode.message.content.at(-1)).toMatchObject({ text: "θερμοκρασία 🌡️ 25°C" });
  });

  test("B30 without alt=sse the stream is an array", () => {
    const arrays = answers.filter(({ response }) => Array.isArray(response.body));
    expect(arrays.length).toBeGreaterThan(5);
    for (const recording of arrays) {
      const chunks = recording.response.body as readonly unknown[];
      const sse = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\r\n\r\n`).join("");
      const streamed = decodeRecording({ ...recording, response: { ...recording.response, body: undefined, sse } });
      expect(decodeRecording(recording), recording.id).toEqual(streamed);
    }
  });

  test("interim chunks of one deployment hold no counts, and a count may be missing for good", () => {
    expect(decoded("google-vertex-streamgeneratecontent-multi-tool-streaming-1-4f1cdb17").end).toMatchObject({
      usage: { input_tokens: 73, output_tokens: 25, thinking_tokens: 83, total_tokens: 181 },
      provider_data: { trafficType: "ON_DEMAND" },
    });
    expect(
      decoded("google-streamgeneratecontent-test-generate-content-with-file-uri-image-true-0-71461b9c").end,
    ).toMatchObject({
      usage: { output_tokens: 23, thinking_tokens: 67, total_tokens: 90, unreported: ["input_tokens"] },
    });
  });

  test("tool use and cache are counted once", () => {
    expect(decoded("google-streamgeneratecontent-google-genai-v2-cassette-13-b6f9c63a").end).toMatchObject({
      usage: {
        input_tokens: 80,
        cache_read_tokens: 8,
        output_tokens: 53,
        thinking_tokens: 86,
        total_tokens: 227,
      },
      provider_data: { groundingMetadata: { searchEntryPoint: expect.any(Object) } },
    });
  });

  test("the model that answered is not always the one that was asked", () => {
    const { events, message } = decoded("google-generatecontent-multi-tool-0-6627f892");
    expect(events[0]).toEqual({
      type: "start",
      model: "gemini-3.1-pro-preview",
      request_id: "SgCzaaS4CdHVz7IPuaO42Qk",
    });
    expect(message.origin.model).toBe("gemini-3-pro-preview");
    expect(message.content[0]).toMatchObject({ opaque: { provider: "google", model: "gemini-3-pro-preview" } });
    expect(decoded("google-generatecontent-test-google-genai-multiple-tool-calls-0-9d486872").events[0]).toMatchObject({
      model: "gemini-2.5-flash-preview-05-20",
    });
  });

  test("B40 recorded refusals", () => {
    const refused = recordings.filter(({ response }) => response.status >= 400);
    const categories = refused.map((recording) => {
      const { end } = decodeRecording(recording);
      return `${recording.response.status} ${end.type === "error" ? end.error.category : end.type}`;
    });
    expect(
      Object.fromEntries([...Map.groupBy(categories, (line) => line)].map(([line, all]) => [line, all.length])),
    ).toEqual({
      "400 auth": 3,
      "400 context_length": 1,
      "400 invalid_request": 3,
      "404 not_found": 5,
      "429 rate_limit": 2,
    });
  });
});

describe.skipIf(!haveRecordings)("properties over all recordings of this wire", () => {
  test("each ends once and last, with what the file says was its finish", () => {
    for (const recording of answers) {
      const { events, end } = decodeRecording(recording);
      expect(endings(events), recording.id).toEqual([end]);
      expect(events.at(-1), recording.id).toBe(end);
      expect(end, recording.id).toMatchObject({ type: "done", raw_finish_reason: recording.finish.at(-1) });
    }
  });

  test("B43 the parts of usage sum to the provider's total", () => {
    let counted = 0;
    for (const recording of answers) {
      const total = lastTotal(recording);
      const { usage } = decodeRecording(recording).end;
      if (total === undefined || usage === undefined) continue;
      counted += 1;
      const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens } = usage;
      const parts = [input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens];
      expect(
        parts.every((part) => part >= 0),
        recording.id,
      ).toBe(true);
      expect(
        parts.reduce((left, right) => left + right),
        recording.id,
      ).toBe(total);
      expect(usage.total_tokens, recording.id).toBe(total);
    }
    expect(counted).toBeGreaterThan(100);
  });

  test("B20 any cut of the bytes gives the same events", () => {
    const random = seeded(20);
    for (const recording of answers) {
      const whole = decodeRecording(recording);
      const text = textOfRecording(recording);
      for (let round = 0; round < 4; round++) {
        expect(decodeRecording(recording, cutAnywhere(text, random)), recording.id).toEqual(whole);
      }
    }
  });

  test("B20 one character at a time, and between every CR and LF", () => {
    const streams = answers.filter(({ response }) => (response.sse?.length ?? Infinity) < 6_000);
    expect(streams.length).toBeGreaterThan(10);
    for (const recording of streams) {
      const text = textOfRecording(recording);
      const whole = decodeRecording(recording);
      expect(decodeRecording(recording, text.split("")), recording.id).toEqual(whole);
      expect(decodeRecording(recording, text.split(/(?<=\r)(?=\n)/)), recording.id).toEqual(whole);
    }
  });

  test("B21 cut off anywhere: one error, what came before is a beginning of the whole", () => {
    const random = seeded(21);
    for (const recording of answers) {
      const whole = decodeRecording(recording);
      const text = textOfRecording(recording);
      const place = Math.floor(random() * (text.trimEnd().length - 1)) + 1;
      const { end, events, message } = decodeRecording(recording, [text.slice(0, place)]);
      expect(endings(events), recording.id).toHaveLength(1);
      if (end.type === "done") {
        // Only what follows the first reason was cut.
        expect(recording.response.sse, recording.id).toBeDefined();
        continue;
      }
      expect(end.error, recording.id).toMatchObject({ retryable: true });
      expect(["network", "server"]).toContain(end.error.category);
      expect(whole.message.content.slice(0, Math.max(0, message.content.length - 1))).toEqual(
        message.content.slice(0, -1),
      );
    }
  });
});

function endings(events: readonly StreamEvent[]): readonly StreamEvent[] {
  return events.filter(({ type }) => type === "done" || type === "error");
}

function lastTotal(recording: Recording): number | undefined {
  const chunks: readonly unknown[] = Array.isArray(recording.response.body)
    ? recording.response.body
    : recording.response.sse === undefined
      ? [recording.response.body]
      : recording.response.sse
          .split(/\r?\n\r?\n/)
          .filter((frame) => frame.startsWith("data:"))
          .map((frame): unknown => JSON.parse(frame.slice("data:".length)));
  const totals = chunks.filter(isJsonObject).map((chunk) => metadataOf(chunk)["totalTokenCount"]);
  return totals.findLast((total) => typeof total === "number");
}

function metadataOf(chunk: JsonObject): JsonObject {
  const metadata = chunk["usageMetadata"];
  return isJsonObject(metadata) ? metadata : {};
}

/** Between one and a dozen pieces, more often cut where lines end. */
function cutAnywhere(text: string, random: () => number): readonly string[] {
  const ends = [...text.matchAll(/\r\n/g)].map(({ index }) => index + 1);
  const cuts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
    const end = ends[Math.floor(random() * ends.length)];
    return end !== undefined && random() < 0.5 ? end : Math.floor(random() * text.length);
  }).sort((left, right) => left - right);
  return [0, ...cuts].map((start, index) => text.slice(start, cuts[index] ?? text.length));
}

/** A small generator with a known start, so that a failure can be seen again. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state / 2_147_483_648;
  };
}
