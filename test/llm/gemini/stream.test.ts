import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { decodeChunks, decodeText, flash3 } from "./support.ts";

const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 };

function chunk(parts: readonly JsonObject[], rest: JsonObject = {}): JsonObject {
  return { candidates: [{ index: 0, content: { role: "model", parts }, ...rest }] };
}
const stop = chunk([{ text: "" }], { finishReason: "STOP" });
const opaque = (data: JsonObject): JsonObject => ({ provider: "google", model: flash3.id, data });

describe("text and thoughts", () => {
  test("parts are appended while their kind stays the same; a signed part is a block by itself", () => {
    const { message, end } = decodeChunks([
      chunk([{ text: "hm", thought: true }]),
      chunk([{ text: " so", thought: true }, { text: "On" }]),
      chunk([{ text: "" }, { text: "e" }]),
      chunk([{ text: "Two", thoughtSignature: "AAAA" }]),
      chunk([{ text: "Three" }, { text: "again", thought: true, thoughtSignature: "BBBB" }]),
      chunk([{ text: "", thoughtSignature: "CCCC" }], { finishReason: "STOP" }),
    ]);
    expect(message.content).toEqual([
      { type: "thinking", text: "hm so" },
      { type: "text", text: "One" },
      { type: "text", text: "Two", opaque: opaque({ thoughtSignature: "AAAA" }) },
      { type: "text", text: "Three" },
      { type: "thinking", text: "again", opaque: opaque({ thoughtSignature: "BBBB" }) },
      { type: "text", text: "", opaque: opaque({ thoughtSignature: "CCCC" }) },
    ]);
    expect(end).toMatchObject({ type: "done", finish_reason: "stop", raw_finish_reason: "STOP" });
  });

  test("a signature without any text is kept, an empty part is not", () => {
    const { message } = decodeChunks([chunk([{}, { thought: true }, { thoughtSignature: "AAAA" }]), stop]);
    expect(message.content).toEqual([{ type: "text", text: "", opaque: opaque({ thoughtSignature: "AAAA" }) }]);
  });

  test("B26 parts nobody knows are kept whole, in their place", () => {
    const parts = [
      { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "AAAA" },
      { codeExecutionResult: { outcome: "OUTCOME_OK" } },
      { inlineData: { mimeType: "image/png", data: "AAAA" } },
      { fileData: { fileUri: "gs://x" } },
      { toolCall: { toolType: "FILE_SEARCH", id: "1" } },
      { toolResponse: { toolType: "FILE_SEARCH", id: "1" } },
      { hologram: { depth: 3 } },
    ];
    const { message } = decodeChunks([chunk([{ text: "a" }, ...parts, { text: "b" }]), stop]);
    expect(message.content).toEqual([
      { type: "text", text: "a" },
      ...parts.map((part) => ({ type: "provider", opaque: opaque(part) })),
      { type: "text", text: "b" },
    ]);
  });

  test("B26 odd shapes around the content do no harm", () => {
    const { message, end } = decodeChunks([
      { candidates: [{ index: 1, content: { parts: [{ text: "another" }] }, finishReason: "MAX_TOKENS" }] },
      { candidates: null, surprise: [1, { a: 2 }] },
      { candidates: [{ content: null }] },
      { candidates: [{ content: {} }, { index: 1, content: { parts: [{ text: "another" }] } }] },
      { candidates: [{ content: { role: "model" } }] },
      { candidates: [{ content: { parts: [null, 1, "x", { text: "ok" }] } }] },
      { candidates: [{ finishReason: "STOP" }], usageMetadata },
    ]);
    expect(message.content).toEqual([{ type: "text", text: "ok" }]);
    expect(end).toMatchObject({ type: "done", finish_reason: "stop", provider_data: { surprise: [1, { a: 2 }] } });
  });
});

describe("calls", () => {
  test("complete calls: ids kept, made where missing or repeated; arguments absent mean none", () => {
    const { message, events, end } = decodeChunks([
      chunk([
        { functionCall: { id: "x", name: "f", args: { b: 1, a: 2 } }, thoughtSignature: "AAAA" },
        { functionCall: { id: "x", name: "f", args: {} } },
      ]),
      chunk([{ functionCall: { name: "g" } }, { functionCall: { id: "", name: "h", args: null } }]),
      stop,
    ]);
    expect(message.content).toEqual([
      {
        type: "tool_call",
        id: "x",
        name: "f",
        arguments: { b: 1, a: 2 },
        opaque: opaque({ thoughtSignature: "AAAA" }),
      },
      { type: "tool_call", id: "made-1", name: "f", arguments: {} },
      { type: "tool_call", id: "made-2", name: "g", arguments: {}, opaque: opaque({ id_missing: true }) },
      { type: "tool_call", id: "made-3", name: "h", arguments: {}, opaque: opaque({ id_missing: true }) },
    ]);
    const fragments = events.flatMap((event) => (event.type === "tool_call_delta" ? [event.json_fragment] : []));
    expect(fragments).toEqual([`{"b":1,"a":2}`, "{}", "{}", "{}"]);
    expect(end).toMatchObject({ finish_reason: "tool_use", raw_finish_reason: "STOP" });
  });

  test("B30 arguments in pieces, ended by an empty call, by the last piece, by another call or by the end", () => {
    const piece = (jsonPath: string, stringValue: string, more: JsonObject = { willContinue: true }): JsonObject => ({
      functionCall: { partialArgs: [{ jsonPath, stringValue, willContinue: true }], ...more },
    });
    const { message, end } = decodeChunks([
      chunk([{ functionCall: { name: "a", willContinue: true }, thoughtSignature: "AAAA" }]),
      chunk([piece("$.city", "Bos")]),
      chunk([piece("$.city", "ton")]),
      chunk([{ functionCall: {} }]),
      chunk([{ functionCall: { name: "b", willContinue: true } }]),
      chunk([piece("$.x", "1", {})]),
      chunk([{ functionCall: { name: "c", willContinue: true } }, piece("$.y", "2")]),
      chunk([{ functionCall: { name: "d", id: "own", willContinue: true } }, piece("$.z", "3")]),
      stop,
    ]);
    expect(message.content).toMatchObject([
      { name: "a", arguments: { city: "Boston" }, opaque: opaque({ thoughtSignature: "AAAA", id_missing: true }) },
      { name: "b", arguments: { x: "1" } },
      { name: "c", arguments: { y: "2" } },
      { name: "d", id: "own", arguments: { z: "3" } },
    ]);
    expect(JSON.stringify(message)).not.toContain("invalid");
    expect(end).toMatchObject({ finish_reason: "tool_use" });
  });

  test("B21 B25 a call cut by the length limit or by the connection is never complete", () => {
    const begun = [
      chunk([{ functionCall: { name: "f", willContinue: true } }]),
      chunk([{ functionCall: { partialArgs: [{ jsonPath: "$.a", stringValue: "x" }], willContinue: true } }]),
    ];
    const limited = decodeChunks([...begun, { candidates: [{ finishReason: "MAX_TOKENS" }] }]);
    expect(limited.message.content).toMatchObject([{ name: "f", invalid: true, arguments: {} }]);
    expect(limited.end).toMatchObject({ finish_reason: "length" });
    const broken = decodeChunks(begun);
    expect(broken.message.content).toMatchObject([{ name: "f", invalid: true }]);
    expect(broken.end).toMatchObject({ error: { category: "network", retryable: true } });
  });

  test("a terminator without a call, and a call without a name, are nothing", () => {
    const { message, end } = decodeChunks([chunk([{ functionCall: {} }, { functionCall: { args: { a: 1 } } }]), stop]);
    expect(message.content).toEqual([]);
    expect(end).toMatchObject({ finish_reason: "stop" });
  });
});

describe("how it ends", () => {
  test.each([
    ["STOP", "stop"],
    ["MAX_TOKENS", "length"],
    ["CONTINUATION", "length"],
    ["SAFETY", "content_filter"],
    ["RECITATION", "content_filter"],
    ["BLOCKLIST", "content_filter"],
    ["PROHIBITED_CONTENT", "content_filter"],
    ["SPII", "content_filter"],
    ["LANGUAGE", "content_filter"],
    ["IMAGE_SAFETY", "content_filter"],
    ["IMAGE_PROHIBITED_CONTENT", "content_filter"],
    ["IMAGE_RECITATION", "content_filter"],
    ["MALFORMED_FUNCTION_CALL", "error"],
    ["UNEXPECTED_TOOL_CALL", "error"],
    ["TOO_MANY_TOOL_CALLS", "error"],
    ["NO_IMAGE", "error"],
    ["IMAGE_OTHER", "error"],
    ["OTHER", "unknown"],
    ["FINISH_REASON_UNSPECIFIED", "unknown"],
    ["BRAND_NEW_REASON", "unknown"],
    [1, "stop"],
    [2, "length"],
    [3, "content_filter"],
    [5, "unknown"],
    [99, "unknown"],
  ])("%s is %s", (finishReason, finish_reason) => {
    const { end } = decodeChunks([chunk([{ text: "x" }], { finishReason })]);
    expect(end).toMatchObject({ type: "done", finish_reason, raw_finish_reason: String(finishReason) });
  });

  test("B30 several reasons in one stream: the last one counts and nothing before the end is lost", () => {
    const { message, end } = decodeChunks([
      chunk([{ text: "a" }], { finishReason: "STOP" }),
      chunk([{ text: "b" }], { finishReason: "STOP" }),
      chunk([{ text: "c" }], { finishReason: "MAX_TOKENS" }),
    ]);
    expect(message.content).toEqual([{ type: "text", text: "abc" }]);
    expect(end).toMatchObject({ finish_reason: "length" });
  });

  test("B30 a blocked prompt is an answer that was filtered, in a stream and as a body", () => {
    const blocked = { promptFeedback: { blockReason: "PROHIBITED_CONTENT" }, usageMetadata: { promptTokenCount: 7 } };
    for (const framing of ["sse", "json"] as const) {
      const { end, message } = decodeChunks([blocked], { framing });
      expect(message.content).toEqual([]);
      expect(end).toMatchObject({
        type: "done",
        finish_reason: "content_filter",
        raw_finish_reason: "PROHIBITED_CONTENT",
        usage: { input_tokens: 7 },
        provider_data: { promptFeedback: { blockReason: "PROHIBITED_CONTENT" } },
      });
    }
  });

  test("ratings of the prompt alone block nothing", () => {
    const { end } = decodeChunks([{ promptFeedback: { safetyRatings: [{ category: "X" }] }, ...stop }]);
    expect(end).toMatchObject({ finish_reason: "stop" });
  });

  test("B21 the bytes end without a reason: one error, with the text and the counts so far", () => {
    const { message, end, events } = decodeChunks([{ ...chunk([{ text: "par" }]), usageMetadata }]);
    expect(end).toMatchObject({
      type: "error",
      error: { category: "network", retryable: true, provider_code: "stream_cut_off" },
      usage: { total_tokens: 15 },
    });
    expect(message).toMatchObject({ incomplete: true, content: [{ type: "text", text: "par" }] });
    expect(events.filter(({ type }) => type === "error" || type === "done")).toHaveLength(1);
    expect(decodeText("").end).toMatchObject({ error: { category: "network" } });
    expect(decodeText(`[{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}]`).end).toMatchObject({
      error: { category: "network" },
    });
    expect(decodeText(`{"candidates":[{"content":{"par`, "json").end).toMatchObject({ error: { category: "network" } });
  });

  test("a whole body without a reason was not cut off", () => {
    const { end } = decodeChunks([chunk([{ text: "x" }])], { framing: "json" });
    expect(end).toMatchObject({ type: "done", finish_reason: "unknown", raw_finish_reason: "" });
    expect(decodeText(`{"this":{"is":"something else"}}`, "json").end).toMatchObject({
      error: { category: "server", retryable: true },
    });
  });

  test("a broken frame is one error", () => {
    const { end, events, message } = decodeText(
      `data: ${JSON.stringify(chunk([{ text: "a" }]))}\r\n\r\ndata: {"candidates": [\r\n\r\ndata: ${JSON.stringify(stop)}\r\n\r\n`,
    );
    expect(end).toMatchObject({ type: "error", error: { category: "server", retryable: true } });
    expect(message.content).toEqual([{ type: "text", text: "a" }]);
    expect(events.at(-1)).toBe(end);
    expect(decodeText("data: 7\n\n").end).toMatchObject({ error: { category: "server" } });
  });

  test("a gateway's [DONE] and comments are no frames of ours", () => {
    const { end } = decodeChunks([stop], { tail: ": keepalive\n\ndata: [DONE]\n\n" });
    expect(end).toMatchObject({ type: "done" });
  });
});

describe("B30 one way for streams, arrays and bodies", () => {
  const chunks = [
    { ...chunk([{ text: "a" }, { functionCall: { name: "f", args: { x: 1 } } }]), modelVersion: "models/m-1" },
    { ...stop, usageMetadata, responseId: "r" },
  ];

  test("a JSON array is a stream", () => {
    const streamed = decodeChunks(chunks);
    const array = decodeText(JSON.stringify(chunks));
    expect(array).toEqual(streamed);
    expect(decodeText(JSON.stringify(chunks), "json")).toEqual(streamed);
    expect(streamed.events[0]).toEqual({ type: "start", model: "m-1" });
  });

  test("a body has the same events", () => {
    const [first] = chunks;
    const whole = { ...first, ...chunk([{ text: "a" }], { finishReason: "STOP" }), usageMetadata };
    expect(decodeChunks([whole], { framing: "json" })).toEqual(decodeChunks([whole]));
  });
});

describe("usage and remarks", () => {
  test("counts are set, not added; a chunk without counts changes nothing", () => {
    const { end } = decodeChunks([
      { ...chunk([{ text: "a" }]), usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 } },
      {
        ...chunk([{ text: "b" }], { finishReason: "STOP" }),
        usageMetadata: {
          promptTokenCount: 100,
          cachedContentTokenCount: 60,
          toolUsePromptTokenCount: 7,
          candidatesTokenCount: 20,
          thoughtsTokenCount: 30,
          totalTokenCount: 157,
          serviceTier: "standard",
        },
      },
      { usageMetadata: { trafficType: "ON_DEMAND" } },
    ]);
    expect(end).toMatchObject({
      usage: {
        input_tokens: 47,
        cache_read_tokens: 60,
        cache_write_tokens: 0,
        output_tokens: 20,
        thinking_tokens: 30,
        total_tokens: 157,
      },
      provider_data: { serviceTier: "standard", trafficType: "ON_DEMAND" },
    });
    expect(end.usage).not.toHaveProperty("unreported");
  });

  test("what is not reported is named", () => {
    expect(decodeChunks([stop]).end.usage?.unreported).toHaveLength(5);
    const partial = decodeChunks([{ ...stop, usageMetadata: { candidatesTokenCount: 3, thoughtsTokenCount: 4 } }]);
    expect(partial.end.usage).toMatchObject({ output_tokens: 3, total_tokens: 7, unreported: ["input_tokens"] });
  });

  test("grounding: the full one holds, not the empty one; citations are collected", () => {
    const { end } = decodeChunks([
      chunk([{ text: "a" }], { groundingMetadata: { webSearchQueries: ["q"] }, citationMetadata: { citations: [1] } }),
      chunk([{ text: "b" }], { groundingMetadata: {}, citationMetadata: { citations: [2] }, safetyRatings: [] }),
      stop,
    ]);
    expect(end).toMatchObject({
      provider_data: { groundingMetadata: { webSearchQueries: ["q"] }, citationMetadata: { citations: [1, 2] } },
    });
    expect(JSON.stringify(end)).not.toContain("safetyRatings");
  });
});
