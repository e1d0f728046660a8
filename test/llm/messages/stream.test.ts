import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { adapter, decodeBody, decodeFrames, framesOf } from "./support.ts";

const textBlock = { type: "text", text: "Hello there" };
const callBlock = { type: "tool_use", id: "toolu_1", name: "look", input: { path: "/x" } };

const delta = (index: number, fields: JsonObject): JsonObject => ({
  type: "content_block_delta",
  index,
  delta: fields,
});
const start = (index: number, content_block: JsonObject): JsonObject => ({
  type: "content_block_start",
  index,
  content_block,
});
const stop = (index: number): JsonObject => ({ type: "content_block_stop", index });
const [opening] = framesOf([]);
const ending = (stop_reason: string | null, usage: JsonObject = { output_tokens: 7 }): readonly JsonObject[] => [
  { type: "message_delta", delta: { stop_reason, stop_sequence: null }, usage },
  { type: "message_stop" },
];
const stream = (...frames: readonly JsonObject[]): readonly JsonObject[] => [opening ?? {}, ...frames];

describe("blocks", () => {
  test("text, thinking and calls, with what belongs to them", () => {
    const { message, end, events } = decodeFrames(
      framesOf(
        [{ type: "thinking", thinking: "hm, well", signature: "c2lnbmF0dXJl" }, textBlock, callBlock],
        "tool_use",
      ),
    );
    expect(events[0]).toEqual({ type: "start", model: "claude-answered", request_id: "req_1" });
    expect(message.content).toEqual([
      {
        type: "thinking",
        text: "hm, well",
        opaque: {
          provider: "anthropic",
          model: "claude-test-budget",
          data: { type: "thinking", signature: "c2lnbmF0dXJl" },
        },
      },
      { type: "text", text: "Hello there" },
      { type: "tool_call", id: "toolu_1", name: "look", arguments: { path: "/x" } },
    ]);
    expect(end).toMatchObject({ type: "done", finish_reason: "tool_use", raw_finish_reason: "tool_use" });
  });

  test("thinking without text is still a block, with an empty delta too", () => {
    const { message } = decodeFrames(
      stream(
        start(0, { type: "thinking", thinking: "", signature: "" }),
        delta(0, { type: "thinking_delta", thinking: "", estimated_tokens: 12 }),
        delta(0, { type: "signature_delta", signature: "abc" }),
        stop(0),
        ...ending("end_turn"),
      ),
    );
    expect(message.content).toMatchObject([{ type: "thinking", text: "", opaque: { data: { signature: "abc" } } }]);
  });

  test("redacted thinking arrives whole", () => {
    const { message } = decodeFrames(framesOf([{ type: "redacted_thinking", data: "EroB" }]));
    expect(message.content).toMatchObject([
      { type: "thinking", text: "", opaque: { data: { type: "redacted_thinking", data: "EroB" } } },
    ]);
  });

  test("the fingerprint of the prefix is kept with thinking of both kinds", () => {
    const blocks = [
      { type: "thinking", thinking: "a", signature: "s" },
      { type: "redacted_thinking", data: "d" },
    ];
    const { message } = decodeFrames(framesOf(blocks), { prefix_hash: "hash-1" });
    expect(message.content).toMatchObject([
      { opaque: { data: { prefix_hash: "hash-1" } } },
      { opaque: { data: { prefix_hash: "hash-1" } } },
    ]);
  });

  test("lone surrogates in thinking are left alone", () => {
    const half = JSON.parse('"a\\ud83d b"') as string;
    const { message } = decodeFrames(framesOf([{ type: "thinking", thinking: half, signature: "s" }]));
    expect(message.content[0]).toMatchObject({ text: half });
  });

  test("citations from the start and from deltas are the text's own data", () => {
    const { message } = decodeFrames(
      stream(
        start(0, { type: "text", text: "", citations: [{ cited_text: "one" }] }),
        delta(0, { type: "text_delta", text: "so" }),
        delta(0, { type: "citations_delta", citation: { cited_text: "two" } }),
        stop(0),
        start(1, { type: "text", text: "plain", citations: [] }),
        stop(1),
        start(2, { type: "text", text: "too", citations: null }),
        stop(2),
        ...ending("end_turn"),
      ),
    );
    expect(message.content).toMatchObject([
      { type: "text", text: "so", opaque: { data: { citations: [{ cited_text: "one" }, { cited_text: "two" }] } } },
      { type: "text", text: "plain" },
      { type: "text", text: "too" },
    ]);
    expect(message.content[1]).not.toHaveProperty("opaque");
    expect(message.content[2]).not.toHaveProperty("opaque");
  });

  test("server tools are kept raw, with their streamed input, in their place", () => {
    const serverCall = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "moon" } };
    const serverResult = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [{ url: "u" }] };
    const { message } = decodeFrames(framesOf([serverCall, serverResult, textBlock]));
    expect(message.content).toMatchObject([
      { type: "provider", opaque: { data: serverCall } },
      { type: "provider", opaque: { data: serverResult } },
      { type: "text" },
    ]);
  });

  test("B26 compaction, fallback and blocks yet to be invented", () => {
    const { message, end } = decodeFrames(
      stream(
        start(0, { type: "compaction", content: null }),
        delta(0, { type: "compaction_delta", content: "the story so far" }),
        stop(0),
        start(1, { type: "fallback", from: { model: "a" }, to: { model: "b" } }),
        stop(1),
        start(2, { type: "hologram", layers: ["x"], note: "a" }),
        delta(2, { type: "hologram_delta", layers: ["y"], note: "b" }),
        stop(2),
        { type: "weather", sunny: true },
        ...ending("compaction"),
      ),
    );
    expect(message.content.map((block) => (block.type === "provider" ? block.opaque.data : block))).toEqual([
      { type: "compaction", content: "the story so far" },
      { type: "fallback", from: { model: "a" }, to: { model: "b" } },
      { type: "hologram", layers: ["x", "y"], note: "ab" },
    ]);
    expect(end).toMatchObject({ type: "done", finish_reason: "unknown", raw_finish_reason: "compaction" });
  });

  test("a delta for a block that was never announced opens one", () => {
    const { message } = decodeFrames(
      stream(delta(0, { type: "text_delta", text: "hi" }), stop(0), ...ending("end_turn")),
    );
    expect(message.content).toEqual([{ type: "text", text: "hi" }]);
  });
});

describe("B25 calls", () => {
  test("no arguments, null arguments, arguments whole in the start", () => {
    const { message } = decodeFrames(
      stream(
        start(0, { type: "tool_use", id: "a", name: "one", input: {} }),
        delta(0, { type: "input_json_delta", partial_json: "" }),
        stop(0),
        start(1, { type: "tool_use", id: "b", name: "two", input: { whole: [1, 2] }, caller: { type: "direct" } }),
        stop(1),
        start(2, { type: "tool_use", id: "c", name: "three", input: null }),
        stop(2),
        ...ending("tool_use"),
      ),
    );
    expect(message.content).toMatchObject([
      { id: "a", arguments: {} },
      { id: "b", arguments: { whole: [1, 2] }, opaque: { data: { caller: { type: "direct" } } } },
      { id: "c", arguments: {} },
    ]);
    expect(message.content.some((block) => block.type === "tool_call" && block.invalid)).toBe(false);
  });

  test("calls whose stops are missing are closed by the end, each of them", () => {
    const { message } = decodeFrames(
      stream(
        start(0, { type: "tool_use", id: "a", name: "one", input: {} }),
        start(1, { type: "tool_use", id: "b", name: "two", input: {} }),
        delta(9, { type: "input_json_delta", partial_json: "{" }),
        ...ending("tool_use"),
      ),
    );
    expect(message.content).toEqual([
      { type: "tool_call", id: "a", name: "one", arguments: {} },
      { type: "tool_call", id: "b", name: "two", arguments: {} },
    ]);
  });

  test("empty and repeated ids are replaced", () => {
    const blocks = ["same", "same", ""].map((id) => ({ type: "tool_use", id, name: "look", input: {} }));
    const { message } = decodeFrames(framesOf(blocks, "tool_use"));
    expect(message.content.map((block) => block.type === "tool_call" && block.id)).toEqual([
      "same",
      "made_0",
      "made_1",
    ]);
  });

  test("arguments cut by the length limit are never complete", () => {
    const opened = start(0, { type: "tool_use", id: "a", name: "one", input: {} });
    const cut = delta(0, { type: "input_json_delta", partial_json: '{"text":"half' });
    for (const frames of [[opened, cut, stop(0)], [opened, cut], [opened, stop(0)], [opened]]) {
      const { message, end } = decodeFrames(stream(...frames, ...ending("max_tokens")));
      expect(message.content).toMatchObject([{ type: "tool_call", arguments: {}, invalid: true }]);
      expect(end).toMatchObject({ type: "done", finish_reason: "length" });
    }
    const body = { type: "message", content: [callBlock], stop_reason: "max_tokens", usage: {} };
    expect(decodeBody(body).message.content).toMatchObject([{ invalid: true, arguments_text: '{"path":"/x"' }]);
  });

  test("calls with end_turn are calls, unless the server itself made them", () => {
    expect(decodeFrames(framesOf([callBlock])).end).toMatchObject({
      finish_reason: "tool_use",
      raw_finish_reason: "end_turn",
    });
    const fromCode = { ...callBlock, caller: { type: "code_execution_20250825", tool_id: "srvtoolu_1" } };
    expect(decodeFrames(framesOf([fromCode, textBlock])).end).toMatchObject({ finish_reason: "stop" });
    expect(decodeFrames(framesOf([callBlock], "pause_turn")).end).toMatchObject({ finish_reason: "stop" });
  });
});

describe("endings", () => {
  test.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["pause_turn", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool_use"],
    ["refusal", "content_filter"],
    ["sensitive", "content_filter"],
    ["something_new", "unknown"],
  ])("%s is %s", (raw, finish_reason) => {
    expect(decodeFrames(framesOf([textBlock], raw)).end).toMatchObject({ finish_reason, raw_finish_reason: raw });
  });

  test("what the message says of itself is kept", () => {
    const stop_details = { type: "refusal", category: "cyber", explanation: "no" };
    const { end } = decodeFrames([
      opening ?? {},
      {
        type: "message_delta",
        delta: { stop_reason: "refusal", stop_sequence: null, stop_details, container: { id: "c" } },
        usage: { output_tokens: 7, iterations: [{ type: "message", input_tokens: 3 }] },
        context_management: { applied_edits: [] },
      },
      { type: "message_stop" },
    ]);
    expect(end).toMatchObject({
      provider_data: {
        id: "msg_1",
        stop_details,
        container: { id: "c" },
        context_management: { applied_edits: [] },
        usage: { iterations: [{ type: "message", input_tokens: 3 }] },
      },
    });
  });

  test("B43 usage is set, not added; null keeps what was known", () => {
    const begin = {
      type: "message_start",
      message: {
        id: "m",
        usage: {
          input_tokens: 25,
          cache_read_input_tokens: 100,
          cache_creation_input_tokens: 40,
          cache_creation: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 30 },
          output_tokens: 1,
        },
      },
    };
    const later = {
      input_tokens: null,
      cache_read_input_tokens: 120,
      output_tokens: 89,
      output_tokens_details: { thinking_tokens: 30 },
    };
    const first = { type: "message_delta", delta: { stop_reason: null }, usage: { output_tokens: 50 } };
    const { end } = decodeFrames([begin, first, ...ending("end_turn", later)]);
    expect(end.usage).toEqual({
      input_tokens: 25,
      cache_read_tokens: 120,
      cache_write_tokens: 40,
      output_tokens: 59,
      thinking_tokens: 30,
      total_tokens: 274,
      cache_write_1h_tokens: 30,
    });
  });

  test("what is not reported is named", () => {
    const { end } = decodeFrames(framesOf([textBlock]));
    expect(end.usage).toMatchObject({
      input_tokens: 10,
      output_tokens: 7,
      total_tokens: 17,
      unreported: ["cache_read_tokens", "cache_write_tokens", "thinking_tokens"],
    });
  });

  test("B21 the end of the bytes before message_stop is a cut, with everything so far", () => {
    const frames = framesOf([{ type: "thinking", thinking: "hm", signature: "s" }, textBlock, callBlock], "tool_use");
    for (let length = 0; length < frames.length; length++) {
      const { events, message, end } = decodeFrames(frames.slice(0, length));
      expect(end).toMatchObject({
        type: "error",
        error: { category: "network", retryable: true, provider_code: "stream_cut_off" },
        ...(length > 0 ? { usage: { input_tokens: 10 } } : {}),
      });
      expect(events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
      expect(message.incomplete).toBe(true);
      const closed = frames.findLastIndex((frame) => frame["type"] === "content_block_stop") < length;
      if (!closed) expect(message.content.some((block) => block.type === "tool_call" && !block.invalid)).toBe(false);
    }
  });

  test("B24 an error inside a 200 is the error it would have been by status", () => {
    for (const [status, type] of [
      [529, "overloaded_error"],
      [429, "rate_limit_error"],
      [500, "api_error"],
      [400, "invalid_request_error"],
    ] as const) {
      const text = JSON.stringify({
        type: "error",
        error: { type, message: "Overloaded by far" },
        request_id: "req_9",
      });
      const headers = new Headers();
      const { http_status, ...byStatus } = adapter.decodeError({ status, headers, text, now: 0 });
      expect(http_status).toBe(status);
      const inside = decodeFrames([...framesOf([textBlock]).slice(0, 4), text], { headers });
      expect(inside.end).toEqual({
        type: "error",
        error: byStatus,
        usage: expect.objectContaining({ input_tokens: 10 }),
      });
      expect(inside.message.content).toHaveLength(1);
      expect(decodeBody(JSON.parse(text), { headers }).end).toEqual({ type: "error", error: byStatus });
    }
  });

  test("a frame that is not JSON breaks the stream, [DONE] and blanks do not", () => {
    const frames = framesOf([textBlock]);
    expect(decodeFrames([...frames.slice(0, 4), "{half", ...frames.slice(4)])).toMatchObject({
      end: { type: "error", error: { category: "server", retryable: true, provider_code: "malformed_frame" } },
      message: { content: [{ type: "text", text: "Hello ther" }] },
    });
    expect(decodeFrames(["", "[DONE]", ...frames.slice(0, 4), "[DONE]", " ", ...frames.slice(4)]).end.type).toBe(
      "done",
    );
    expect(decodeFrames([...frames, "[DONE]", "{half"]).end.type).toBe("done");
  });

  test("a second answer in the same stream is a cut; the same start twice is nothing", () => {
    const frames = framesOf([textBlock]);
    expect(decodeFrames([frames[0] ?? {}, ...frames]).end.type).toBe("done");
    const second = { type: "message_start", message: { id: "msg_2", usage: {} } };
    expect(decodeFrames([...frames.slice(0, 4), second, ...frames.slice(1)])).toMatchObject({
      end: { type: "error", error: { category: "network", retryable: true } },
      message: { content: [{ text: "Hello ther" }] },
    });
  });

  test.each([[{}], [[]], ["text"], [{ type: "message" }], [{ error: { message: "no" } }]])(
    "a body that is no message is an error: %j",
    (body) => {
      expect(decodeBody(body).end.type).toBe("error");
    },
  );

  test("a gateway's own price is taken over", () => {
    expect(decodeFrames(stream(...ending("end_turn", { output_tokens: 1, cost: 0.25 }))).end).toMatchObject({
      cost_usd: 0.25,
    });
  });
});

test("a body and its stream give the same message and ending", () => {
  const content = [
    { type: "thinking", thinking: "hm, well", signature: "c2ln" },
    { type: "redacted_thinking", data: "ZGF0YQ" },
    { type: "text", text: "so", citations: [{ cited_text: "x" }] },
    { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "q" } },
    { ...callBlock, caller: { type: "direct" } },
    { type: "tool_use", id: "toolu_2", name: "none", input: {} },
  ];
  const usage = { input_tokens: 10, output_tokens: 7 };
  const body = { id: "msg_1", type: "message", role: "assistant", model: "m", content, stop_reason: "tool_use", usage };
  const whole = decodeBody(body);
  const streamed = decodeFrames(framesOf(content, "tool_use"));
  expect(whole.message).toEqual(streamed.message);
  expect(whole.end).toEqual(streamed.end);
});
