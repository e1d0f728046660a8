import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { blocksOf, chunk, decodeBody, decodeFrames, decodeText, doneOf, errorOf, sse, stop } from "./helpers.ts";

function call(fields: JsonObject): JsonObject {
  return chunk({ tool_calls: [fields] });
}

function callsFrom(...frames: readonly JsonObject[]): readonly unknown[] {
  return blocksOf(decodeFrames([...frames, chunk({}, { finish_reason: "tool_calls" }), "[DONE]"]).message);
}

const whole = { name: "f", arguments: '{"a":1}' };

describe("B25 tool calls", () => {
  test("same index with a new id is a new call", () => {
    const calls = callsFrom(
      call({ index: 0, id: "one", function: { name: "f", arguments: '{"a":' } }),
      call({ index: 0, function: { arguments: "1}" } }),
      call({ index: 0, id: "two", function: { name: "f", arguments: '{"a":2}' } }),
    );
    expect(calls).toEqual([
      { call: "f", id: "one", arguments: { a: 1 } },
      { call: "f", id: "two", arguments: { a: 2 } },
    ]);
  });

  test("fragments of two calls may alternate", () => {
    const calls = callsFrom(
      call({ index: 0, id: "one", function: { name: "f", arguments: "" } }),
      call({ index: 1, id: "two", function: { name: "g", arguments: "" } }),
      call({ index: 0, function: { arguments: '{"a":1}' } }),
      call({ index: 1, function: { arguments: '{"b":2}' } }),
    );
    expect(calls).toEqual([
      { call: "f", id: "one", arguments: { a: 1 } },
      { call: "g", id: "two", arguments: { b: 2 } },
    ]);
  });

  test("a missing index: by id, and by order where there is no id either", () => {
    const byId = callsFrom(
      call({ id: "one", function: { name: "f", arguments: '{"a":' } }),
      call({ id: "one", function: { arguments: "1}" } }),
      call({ id: "two", function: whole }),
    );
    expect(byId).toHaveLength(2);
    const byOrder = callsFrom(
      call({ function: { name: "f", arguments: '{"a":' } }),
      call({ function: { arguments: "1}" } }),
      call({ function: whole }),
    );
    expect(byOrder).toEqual([
      { call: "f", id: "generated-0", arguments: { a: 1 } },
      { call: "f", id: "generated-1", arguments: { a: 1 } },
    ]);
  });

  test("an id that is repeated on every fragment", () => {
    const calls = callsFrom(
      call({ index: 0, id: "one", function: { name: "f", arguments: '{"a"' } }),
      call({ index: 0, id: "one", function: { name: "f", arguments: ":1}" } }),
    );
    expect(calls).toEqual([{ call: "f", id: "one", arguments: { a: 1 } }]);
  });

  test("an empty id in continuations, and null for the name", () => {
    const calls = callsFrom(
      call({ index: 0, id: "one", type: "function", function: { name: "f", arguments: "" } }),
      call({ index: 0, id: "", type: "", function: { name: "", arguments: '{"a":' } }),
      call({ index: 0, id: null, function: { name: null, arguments: "1}" } }),
    );
    expect(calls).toEqual([{ call: "f", id: "one", arguments: { a: 1 } }]);
  });

  test("empty, missing and doubled ids are replaced", () => {
    const { message } = decodeBody({
      choices: [
        {
          message: {
            tool_calls: [
              { id: "", function: whole },
              { function: whole },
              { id: "0", function: whole },
              { id: "0", function: whole },
            ],
          },
          finish_reason: "tool_calls",
        },
      ],
    });
    const ids = message.content.map((block) => (block.type === "tool_call" ? block.id : ""));
    expect(ids).toEqual(["generated-0", "generated-1", "0", "generated-2"]);
  });

  test("one id for all calls of a stream", () => {
    const calls = callsFrom(
      call({ index: 0, id: "call", function: whole }),
      call({ index: 1, id: "call", function: { name: "g", arguments: "{}" } }),
    );
    expect(calls).toEqual([
      { call: "f", id: "call", arguments: { a: 1 } },
      { call: "g", id: "generated-0", arguments: {} },
    ]);
  });

  test("an id that comes after the name belongs to the call that lacks one", () => {
    const calls = callsFrom(
      call({ index: 0, function: { name: "f" } }),
      call({ index: 0, id: "late", function: { arguments: '{"a":1}' } }),
    );
    expect(calls).toHaveLength(1);
  });

  test.each([
    ["empty", ""],
    ["null", null],
    ["blank", " "],
    ["the word null", "null"],
    ["missing", undefined],
    ["an empty object", {}],
  ])("arguments %s are no arguments", (_name, given) => {
    const calls = callsFrom(call({ index: 0, id: "one", function: { name: "f", arguments: given } }));
    expect(calls).toEqual([{ call: "f", id: "one", arguments: {} }]);
  });

  test("a call without arguments is complete, also under stop", () => {
    const bare = call({ index: 0, id: "one", function: { name: "f", arguments: "" } });
    expect(doneOf(decodeFrames([bare, stop])).finish_reason).toBe("tool_use");
    expect(doneOf(decodeFrames([bare, "[DONE]"])).finish_reason).toBe("tool_use");
    expect(doneOf(decodeFrames([call({}), stop])).finish_reason).toBe("stop");
  });

  test("a name and an id on every fragment of long arguments cost no more than the arguments", () => {
    const pieces = 40_000;
    const frame = (text: string): JsonObject => call({ index: 0, id: "one", function: { name: "f", arguments: text } });
    const middle = Array.from({ length: pieces }, () => frame('[\\"0123456789],'));
    const { message } = decodeFrames([frame('{"a":"'), ...middle, frame('"}'), stop]);
    expect(message.content).toHaveLength(1);
    expect(message.content[0]).toMatchObject({ arguments: { a: '["0123456789],'.repeat(pieces) } });
  });

  test("arguments as an object", () => {
    const calls = callsFrom(call({ index: 0, id: "one", function: { name: "f", arguments: { a: 1 } } }));
    expect(calls).toEqual([{ call: "f", id: "one", arguments: { a: 1 } }]);
  });

  test("broken arguments are kept and never complete", () => {
    const { message } = decodeFrames([
      call({ index: 0, id: "one", function: { name: "f", arguments: '{"a":' } }),
      chunk({}, { finish_reason: "tool_calls" }),
      "[DONE]",
    ]);
    expect(message.content[0]).toMatchObject({ invalid: true, arguments: {}, arguments_text: '{"a":' });
  });

  test("a call without arguments that the limit cut off is not complete", () => {
    const frames = [
      call({ index: 0, id: "one", function: { name: "f", arguments: "" } }),
      chunk({}, { finish_reason: "length" }),
      "[DONE]",
    ];
    const decoded = decodeFrames(frames);
    expect(decoded.message.content).toMatchObject([{ type: "tool_call", invalid: true }]);
    expect(doneOf(decoded).finish_reason).toBe("length");
  });

  test("the legacy form, in pieces", () => {
    const calls = callsFrom(
      chunk({ role: "assistant", content: null, function_call: { name: "f", arguments: "" } }),
      chunk({ function_call: { arguments: '{"a":' } }),
      chunk({ function_call: { arguments: "1}" } }),
    );
    expect(calls).toEqual([{ call: "f", id: "generated-0", arguments: { a: 1 } }]);
  });

  test("custom tools, in pieces", () => {
    const { message } = decodeFrames([
      call({ index: 0, id: "one", type: "custom", custom: { name: "sql", input: "select " } }),
      call({ index: 0, custom: { input: '"1"' } }),
      chunk({}, { finish_reason: "tool_calls" }),
    ]);
    expect(blocksOf(message)).toEqual([{ call: "sql", id: "one", arguments: { input: 'select "1"' } }]);
  });

  test("a signature on a call is kept for its maker", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const { message } = decodeFrames([
      call({ index: 0, id: "one", function: whole, extra_content }),
      chunk({}, { finish_reason: "tool_calls" }),
    ]);
    expect(message.content[0]).toMatchObject({
      opaque: { provider: "server", model: "test-model", data: { extra_content } },
    });
  });
});

describe("finish reasons", () => {
  test.each([
    ["stop", "stop"],
    ["eos", "stop"],
    ["end", "stop"],
    ["load", "stop"],
    ["length", "length"],
    ["model_length", "length"],
    ["content_filter", "content_filter"],
    ["error", "error"],
    ["network_error", "error"],
    ["insufficient_system_resource", "error"],
    ["something_new", "unknown"],
  ])("%s is %s", (raw, expected) => {
    const end = doneOf(decodeFrames([chunk({ content: "hi" }), chunk({}, { finish_reason: raw })]));
    expect(end).toMatchObject({ finish_reason: expected, raw_finish_reason: raw });
  });

  test.each(["tool_calls", "tool_call", "function_call", "stop", "eos"])("%s over a call is tool_use", (raw) => {
    const end = doneOf(
      decodeFrames([call({ index: 0, id: "one", function: whole }), chunk({}, { finish_reason: raw })]),
    );
    expect(end).toMatchObject({ finish_reason: "tool_use", raw_finish_reason: raw });
  });

  test("tool_calls without a call is stop; stop over a torn call stays stop", () => {
    expect(doneOf(decodeFrames([chunk({}, { finish_reason: "tool_calls" })])).finish_reason).toBe("stop");
    const torn = call({ index: 0, id: "one", function: { name: "f", arguments: '{"a"' } });
    expect(doneOf(decodeFrames([torn, stop])).finish_reason).toBe("stop");
  });

  test("two finish chunks: one end, the last word counts", () => {
    const frames = [
      chunk({ content: "hi" }, { finish_reason: "stop" }),
      chunk({ content: " there" }, { finish_reason: "length" }),
      chunk({}),
      "[DONE]",
    ];
    const decoded = decodeFrames(frames);
    expect(doneOf(decoded).raw_finish_reason).toBe("length");
    expect(blocksOf(decoded.message)).toEqual([{ text: "hi there" }]);
  });

  test("a refusal is text and content_filter", () => {
    const decoded = decodeFrames([chunk({ refusal: "I can" }), chunk({ refusal: "not" }), stop, "[DONE]"]);
    expect(blocksOf(decoded.message)).toEqual([{ text: "I cannot" }]);
    expect(doneOf(decoded).finish_reason).toBe("content_filter");
  });
});

describe("B21 ends", () => {
  test("[DONE] ends at once, without the end of the bytes", () => {
    const { events } = decodeText(sse(chunk({ content: "hi" }), stop, "[DONE]", chunk({ content: "ghost" })));
    expect(events.filter(({ type }) => type === "done")).toHaveLength(1);
    expect(events.at(-1)?.type).toBe("done");
  });

  test("[DONE] without a finish reason: unknown, or tool_use with a complete call", () => {
    expect(doneOf(decodeFrames([chunk({ content: "hi" }), "[DONE]"])).finish_reason).toBe("unknown");
    const complete = decodeFrames([call({ index: 0, id: "one", function: whole }), "[DONE]"]);
    expect(doneOf(complete).finish_reason).toBe("tool_use");
    const torn = decodeFrames([call({ index: 0, id: "one", function: { name: "f", arguments: "{" } }), "[DONE]"]);
    expect(doneOf(torn).finish_reason).toBe("unknown");
    expect(torn.message.content).toMatchObject([{ invalid: true }]);
  });

  test("the end of the bytes without either: network, the partial answer and the usage so far", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const decoded = decodeFrames([
      chunk({ content: "half an ans" }, { usage }),
      call({ index: 0, id: "one", function: { name: "f", arguments: "{}" } }),
    ]);
    expect(errorOf(decoded)).toMatchObject({
      error: { category: "network", retryable: true, provider_code: "stream_cut_off" },
      usage: { input_tokens: 5, output_tokens: 1, total_tokens: 6 },
    });
    expect(decoded.message.incomplete).toBe(true);
    expect(decoded.message.content).toMatchObject([{ text: "half an ans" }, { type: "tool_call", invalid: true }]);
  });

  test("nothing at all, and a body cut in the middle", () => {
    expect(errorOf(decodeText("")).error.category).toBe("network");
    expect(errorOf(decodeText(": ping\n\n")).error.category).toBe("network");
    expect(errorOf(decodeText('{"choices":[{"mess')).error.category).toBe("network");
  });

  test("an answer with nothing in it is legal", () => {
    const decoded = decodeFrames([chunk({ role: "assistant", content: "" }), stop, "[DONE]"]);
    expect(decoded.message.content).toEqual([]);
    expect(doneOf(decoded).finish_reason).toBe("stop");
    expect(doneOf(decodeBody({ model: "m", choices: [] })).finish_reason).toBe("unknown");
  });
});

describe("B24 errors inside a success", () => {
  const quota = { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" };

  test.each<[string, string]>([
    ["in a chunk", sse(chunk({ content: "par" }), { error: quota })],
    [
      "named by its event",
      `${sse(chunk({ content: "par" }))}event: error\ndata: ${JSON.stringify({ error: quota })}\n\n`,
    ],
    ["named by its event, bare", `${sse(chunk({ content: "par" }))}event: error\ndata: ${JSON.stringify(quota)}\n\n`],
    ["where data belongs", `${sse(chunk({ content: "par" }))}error: ${JSON.stringify({ error: quota })}\n\n`],
    ["as a line of JSON", `${sse(chunk({ content: "par" }))}${JSON.stringify({ error: quota })}\n`],
  ])("%s", (_name, text) => {
    const decoded = decodeText(text);
    expect(errorOf(decoded).error).toMatchObject({ category: "billing", provider_code: "insufficient_quota" });
    expect(blocksOf(decoded.message)).toEqual([{ text: "par" }]);
    expect(decoded.events.filter(({ type }) => type === "error")).toHaveLength(1);
  });

  test("instead of an answer", () => {
    expect(errorOf(decodeBody({ error: quota })).error.category).toBe("billing");
    expect(errorOf(decodeText(JSON.stringify([{ error: quota }]))).error.category).toBe("billing");
    const filtered = { error: { code: "content_filter", message: "blocked", status: 400 } };
    expect(errorOf(decodeBody(filtered)).error).toMatchObject({ category: "content_filter", http_status: 400 });
    const said = { code: "The service is currently unavailable", error: "The model is overloaded" };
    expect(errorOf(decodeBody(said)).error.category).toBe("overloaded");
    expect(errorOf(decodeFrames([said])).error.category).toBe("overloaded");
    expect(errorOf(decodeBody({ object: "error", message: "bad", code: 400 })).error.category).toBe("invalid_request");
    expect(errorOf(decodeBody({ detail: "Unauthorized" })).error.message).toBe("Unauthorized");
    expect(errorOf(decodeBody({ hello: "world" })).error.provider_code).toBe("unexpected_body");
  });

  test("a number for a code is its status, beside the choice, and what follows still counts", () => {
    const error = { code: 502, message: "Provider disconnected", metadata: { error_type: "provider_unavailable" } };
    const usage = { prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 };
    const decoded = decodeFrames([
      chunk({ content: "par" }),
      chunk({ content: "" }, { finish_reason: "error", error }),
      { choices: [], usage },
      "[DONE]",
    ]);
    expect(errorOf(decoded)).toMatchObject({
      error: { category: "overloaded", http_status: 502, retryable: true },
      usage: { total_tokens: 6 },
    });
    const withoutEnd = decodeFrames([chunk({}, { finish_reason: "error", error })]);
    expect(errorOf(withoutEnd).error.http_status).toBe(502);
  });

  test("equals the same error by status", () => {
    const body = { error: { code: 429, message: "slow", metadata: { error_type: "rate_limit_exceeded" } } };
    const headers = { "retry-after": "7" };
    const byStatus = errorOf(decodeText(JSON.stringify(body), { status: 429, headers }));
    expect(errorOf(decodeFrames([body], { headers })).error).toEqual(byStatus.error);
    expect(byStatus.error).toMatchObject({ category: "rate_limit", retry_after_ms: 7_000 });
  });

  test.each([null, "", {}])("error: %j is none", (error) => {
    expect(decodeFrames([chunk({ content: "hi" }, { error }), stop]).end.type).toBe("done");
  });
});

describe("B26 what nobody announced", () => {
  test("unknown keys, padding, comments, lines that are no JSON", () => {
    const text = [
      ": PROCESSING\n\n",
      sse({ id: "", model: "", created: 0, choices: [], prompt_filter_results: [{ index: 0 }] }),
      "event: ping\ndata: {}\n\n",
      "data: not json\n\n",
      sse(chunk({ content: "hi", novel: { a: 1 } }, { obfuscation: "xxx", p: "abc" }), stop, "[DONE]"),
    ].join("");
    const decoded = decodeText(text);
    expect(blocksOf(decoded.message)).toEqual([{ text: "hi" }]);
    expect(doneOf(decoded).provider_data).toEqual({ id: "c-1", prompt_filter_results: [{ index: 0 }] });
    expect(decoded.events[0]).toEqual({ type: "start", model: "test-model", request_id: "c-1" });
  });

  test("shapes of the wrong kind are passed over", () => {
    const odd: readonly JsonObject[] = [
      { choices: null },
      { choices: "none" },
      { choices: [null] },
      { choices: [{ delta: null }] },
      { choices: [{ delta: { content: 5, tool_calls: "x", reasoning_details: {}, reasoning: 7 } }] },
      { choices: [{ delta: { tool_calls: [null, 3, {}] } }] },
      { usage: "much", choices: [] },
      { usage: { prompt_tokens: "12", completion_tokens: null }, choices: [] },
    ];
    const decoded = decodeFrames([...odd, chunk({ content: "hi" }), stop]);
    expect(blocksOf(decoded.message)).toEqual([{ text: "hi" }]);
  });

  test("a message instead of a delta", () => {
    const decoded = decodeFrames([{ model: "m", choices: [{ message: { content: "hi" }, finish_reason: "stop" }] }]);
    expect(blocksOf(decoded.message)).toEqual([{ text: "hi" }]);
  });

  test("only the first choice is read, whatever order they come in", () => {
    const choice = (index: number, content: string): JsonObject => ({
      model: "m",
      choices: [{ index, delta: { content }, finish_reason: index === 0 ? "stop" : "length" }],
    });
    const decoded = decodeFrames([choice(1, "other"), choice(0, "mine"), choice(1, " still")]);
    expect(blocksOf(decoded.message)).toEqual([{ text: "mine" }]);
    expect(doneOf(decoded).finish_reason).toBe("stop");
    const message = (content: string, index: number): JsonObject => ({ index, message: { content } });
    const body = decodeBody({ choices: [message("other", 1), message("mine", 0)] });
    expect(blocksOf(body.message)).toEqual([{ text: "mine" }]);
  });

  test("content as parts", () => {
    const frames = [
      chunk({ content: [{ type: "thinking", thinking: [{ type: "text", text: "hm" }] }] }),
      chunk({ content: [{ type: "thinking", thinking: "m" }] }),
      chunk({
        content: [
          { type: "text", text: "a" },
          { type: "reference", reference_ids: [1] },
        ],
      }),
      chunk({ content: "b" }),
      stop,
    ];
    expect(blocksOf(decodeFrames(frames).message)).toEqual([{ thinking: "hmm" }, { text: "ab" }]);
  });
});

describe("thinking", () => {
  test("the same text under two names is one; the first that says something counts", () => {
    const frames = [
      chunk({ reasoning: "a", reasoning_content: "a" }),
      chunk({ reasoning: "b", reasoning_content: "" }),
      chunk({ reasoning_text: "c", reasoning_content: null }),
      chunk({ content: "d" }),
      stop,
    ];
    expect(blocksOf(decodeFrames(frames).message)).toEqual([{ thinking: "abc" }, { text: "d" }]);
  });

  test("a change of kind opens a block; nothing empty opens one", () => {
    const frames = [
      chunk({ reasoning: "a", content: "" }),
      chunk({ content: "b", reasoning: "" }),
      chunk({ reasoning: "c" }),
      chunk({ tool_calls: [{ index: 0, id: "one", function: whole }] }),
      chunk({ content: "d" }),
      stop,
    ];
    expect(blocksOf(decodeFrames(frames).message)).toEqual([
      { thinking: "a" },
      { text: "b" },
      { thinking: "c" },
      { call: "f", id: "one", arguments: { a: 1 } },
      { text: "d" },
    ]);
  });

  const detail = (fields: JsonObject): JsonObject => chunk({ reasoning_details: [fields] });
  const text = { type: "reasoning.text", format: "x-v1", index: 0 };
  const entries = (frames: readonly JsonObject[]): readonly unknown[] =>
    decodeFrames([...frames, stop]).message.content.flatMap((block) =>
      block.type === "thinking" ? [block.opaque?.data["reasoning_detail"]] : [],
    );

  test("details are joined by index and type, and a signature ends its entry", () => {
    const found = entries([
      detail({ ...text, text: "a" }),
      detail({ ...text, text: "b" }),
      detail({ ...text, signature: "s1" }),
      detail({ ...text, text: "c", signature: "" }),
      detail({ ...text, index: 1, text: "d", signature: null }),
      detail({ type: "reasoning.summary", summary: "e", index: 1 }),
      detail({ type: "reasoning.summary", summary: "f", index: 1 }),
      detail({ type: "reasoning.encrypted", data: "x", index: 2, id: "r1" }),
      detail({ type: "reasoning.encrypted", data: "y", index: 2, id: "r2" }),
    ]);
    expect(found).toEqual([
      { ...text, text: "ab", signature: "s1" },
      { ...text, text: "c", signature: "" },
      { ...text, index: 1, text: "d", signature: null },
      { type: "reasoning.summary", summary: "ef", index: 1 },
      { type: "reasoning.encrypted", data: "x", index: 2, id: "r1" },
      { type: "reasoning.encrypted", data: "y", index: 2, id: "r2" },
    ]);
  });

  test("a signature that comes after the text of the answer still finds its entry", () => {
    const frames = [detail({ ...text, text: "a" }), chunk({ content: "b" }), detail({ ...text, signature: "s" })];
    expect(entries(frames)).toEqual([{ ...text, text: "a", signature: "s" }]);
  });

  test("the plain field is not said twice, and not lost where the details are sealed", () => {
    const both = chunk({ reasoning: "a", reasoning_details: [{ ...text, text: "a" }] });
    expect(blocksOf(decodeFrames([both, stop]).message)).toEqual([{ thinking: "a" }]);
    const sealed = chunk({ reasoning: "a", reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] });
    expect(blocksOf(decodeFrames([sealed, stop]).message)).toEqual([{ thinking: "a" }, { thinking: "" }]);
  });

  test("entries of a whole body are never joined", () => {
    const reasoning_details = [
      { ...text, text: "a" },
      { ...text, text: "b" },
    ];
    const { message } = decodeBody({ choices: [{ message: { content: "c", reasoning_details } }] });
    expect(blocksOf(message)).toEqual([{ thinking: "a" }, { thinking: "b" }, { text: "c" }]);
  });

  test("an entry that a cut or an error left unfinished has nothing to send back", () => {
    const half = detail({ ...text, text: "a" });
    expect(decodeFrames([half]).message.content).toEqual([{ type: "thinking", text: "a" }]);
    expect(decodeFrames([half, { error: { message: "no" } }]).message.content).toEqual([
      { type: "thinking", text: "a" },
    ]);
  });
});

describe("B43 usage", () => {
  const usageOf = (usage: JsonObject, quirks: { usage_excludes_reasoning?: boolean } = {}): unknown =>
    doneOf(decodeFrames([chunk({ content: "x" }), stop, { choices: [], usage }], { quirks })).usage;

  test("parts do not overlap and what is not said is named", () => {
    const usage = {
      prompt_tokens: 100,
      completion_tokens: 50,
      total_tokens: 150,
      prompt_tokens_details: { cached_tokens: 30, cache_write_tokens: 20 },
      completion_tokens_details: { reasoning_tokens: 40 },
    };
    expect(usageOf(usage)).toEqual({
      input_tokens: 50,
      cache_read_tokens: 30,
      cache_write_tokens: 20,
      output_tokens: 10,
      thinking_tokens: 40,
      total_tokens: 150,
    });
    expect(usageOf({ prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 })).toMatchObject({
      unreported: ["cache_read_tokens", "cache_write_tokens", "thinking_tokens"],
    });
  });

  test("reasoning beside the completion: by quirk where there is no total, by the total where there is one", () => {
    const parts = { prompt_tokens: 10, completion_tokens: 20, completion_tokens_details: { reasoning_tokens: 5 } };
    expect(usageOf(parts, { usage_excludes_reasoning: true })).toMatchObject({ output_tokens: 20, thinking_tokens: 5 });
    expect(usageOf(parts)).toMatchObject({ output_tokens: 15, thinking_tokens: 5 });
    expect(usageOf({ ...parts, total_tokens: 35 })).toMatchObject({ output_tokens: 20, thinking_tokens: 5 });
    const inside = { ...parts, total_tokens: 30 };
    expect(usageOf(inside, { usage_excludes_reasoning: true })).toMatchObject({ output_tokens: 15, total_tokens: 30 });
  });

  test("what the total knows and no part says", () => {
    expect(usageOf({ prompt_tokens: 10, total_tokens: 14 })).toMatchObject({ output_tokens: 4, total_tokens: 14 });
    const thoughts = { prompt_tokens: 10, completion_tokens: 4, total_tokens: 20 };
    expect(usageOf(thoughts)).toMatchObject({ output_tokens: 4, thinking_tokens: 6, total_tokens: 20 });
    const zero = { ...thoughts, completion_tokens_details: { reasoning_tokens: 0 } };
    expect(usageOf(zero)).toMatchObject({ output_tokens: 4, thinking_tokens: 6, total_tokens: 20 });
    const audio = { ...thoughts, prompt_tokens_details: { audio_tokens: 6, cached_tokens: 2 } };
    expect(usageOf(audio)).toMatchObject({
      input_tokens: 14,
      cache_read_tokens: 2,
      output_tokens: 4,
      total_tokens: 20,
    });
  });

  test("cached tokens under their many names; more of them than the prompt stand beside it", () => {
    const base = { prompt_tokens: 10, completion_tokens: 1, total_tokens: 11 };
    for (const name of ["prompt_cache_hit_tokens", "num_cached_tokens", "cached_tokens", "cache_read_input_tokens"]) {
      expect(usageOf({ ...base, [name]: 4 }), name).toMatchObject({ input_tokens: 6, cache_read_tokens: 4 });
    }
    expect(usageOf({ ...base, cache_creation_input_tokens: 3 })).toMatchObject({ cache_write_tokens: 3 });
    expect(usageOf({ ...base, cached_tokens: 40 })).toMatchObject({ input_tokens: 10, cache_read_tokens: 40 });
  });

  test("growing counts: the last wins, and null does not hide what was said", () => {
    const frames = [
      chunk({ content: "x" }, { usage: { prompt_tokens: 5, completion_tokens: null, total_tokens: null } }),
      chunk({ content: "y" }, { usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 } }),
      chunk({}, { finish_reason: "stop", usage: { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 } }),
      chunk({}, { usage: { prompt_tokens: 5, completion_tokens: null, total_tokens: null } }),
      chunk({}, { usage: null }),
    ];
    expect(doneOf(decodeFrames(frames)).usage).toMatchObject({ input_tokens: 5, output_tokens: 4, total_tokens: 9 });
  });

  test("in the choice, and in a field of the server's own", () => {
    const usage = { prompt_tokens: 5, completion_tokens: 4, total_tokens: 9 };
    const inChoice = { model: "m", choices: [{ index: 0, delta: {}, finish_reason: "stop", usage }] };
    expect(doneOf(decodeFrames([inChoice])).usage.total_tokens).toBe(9);
    const own = chunk({}, { finish_reason: "stop", x_server: { id: "r", usage } });
    expect(doneOf(decodeFrames([own])).usage.total_tokens).toBe(9);
  });

  test("cost by field and unit", () => {
    const cost = (usage: JsonObject, quirks = {}): unknown =>
      doneOf(decodeFrames([stop, { choices: [], usage }], { quirks })).cost_usd;
    expect(cost({ cost: 0.5 })).toBe(0.5);
    expect(cost({ cost: 0.01, is_byok: true, cost_details: { upstream_inference_cost: 0.4 } })).toBe(0.4);
    expect(cost({ cost: { total_cost: 0.2 } }, { cost_field: "cost.total_cost" })).toBe(0.2);
    expect(cost({ ticks: 5 }, { cost_field: "ticks", cost_units_per_usd: 10 })).toBe(0.5);
    expect(cost({ cost: 0.5 }, { cost_field: "" })).toBeUndefined();
    expect(cost({ cost: { total: 1 } })).toBeUndefined();
  });
});
