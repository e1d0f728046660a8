import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject } from "../../../src/core/index.ts";
import { decode, decodeBody, decodeText, eventTypes, finalResponse, frameText } from "./helpers.ts";

const created = { type: "response.created", response: finalResponse({ status: "in_progress", usage: null }) };
const completed = (fields: JsonObject = {}): JsonObject => ({
  type: "response.completed",
  response: finalResponse(fields),
});

const reasoning = {
  id: "rs_1",
  type: "reasoning",
  summary: [
    { type: "summary_text", text: "First." },
    { type: "summary_text", text: "Second." },
  ],
  encrypted_content: "sealed",
};
const message = {
  id: "msg_1",
  type: "message",
  role: "assistant",
  status: "completed",
  phase: "final_answer",
  content: [{ type: "output_text", text: "Hello.", annotations: [{ type: "url_citation", url: "https://a.test" }] }],
};
const functionCall = {
  id: "fc_1",
  type: "function_call",
  call_id: "call_1",
  name: "read",
  arguments: '{"path": "a"}',
  status: "completed",
};

const added = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.added",
  output_index,
  item,
});
const done = (output_index: number, item: JsonObject): JsonObject => ({
  type: "response.output_item.done",
  output_index,
  item,
});
const opaque = (data: JsonObject): JsonObject => ({ provider: "openai", model: "gpt-6-sol", data });

describe("one answer", () => {
  const frames: readonly JsonObject[] = [
    created,
    { type: "response.in_progress", response: finalResponse({ usage: null }) },
    added(0, { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "not yet" }),
    { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0, part: {} },
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "First." },
    { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 1, delta: "Second." },
    done(0, reasoning),
    added(1, { ...message, content: [], status: "in_progress" }),
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "Hel", obfuscation: "x" },
    { type: "response.output_text.delta", output_index: 1, content_index: 0, delta: "lo." },
    { type: "response.output_text.done", output_index: 1, content_index: 0, text: "Hello." },
    done(1, message),
    added(2, { ...functionCall, arguments: "", status: "in_progress" }),
    { type: "response.function_call_arguments.delta", output_index: 2, delta: '{"path"' },
    { type: "response.function_call_arguments.delta", output_index: 2, delta: ': "a"}' },
    { type: "response.function_call_arguments.done", output_index: 2, arguments: '{"path": "a"}' },
    done(2, functionCall),
    completed({ service_tier: "default" }),
  ];
  const { message: read, events, end } = decode(frames, { headers: { "x-request-id": "req_1" } });

  test("becomes blocks with the items beside them", () => {
    expect(read.content).toEqual([
      { type: "thinking", text: "First.\n\nSecond.", opaque: opaque({ item: reasoning, output_index: 0 }) },
      {
        type: "text",
        text: "Hello.",
        citations: [{ url: "https://a.test" }],
        opaque: opaque({
          item: { id: "msg_1", type: "message", role: "assistant", status: "completed", phase: "final_answer" },
          part: { type: "output_text", annotations: [{ type: "url_citation", url: "https://a.test" }] },
          output_index: 1,
          content_index: 0,
        }),
      },
      {
        type: "tool_call",
        id: "call_1",
        name: "read",
        arguments: { path: "a" },
        arguments_text: '{"path": "a"}',
        opaque: opaque({ item: { id: "fc_1", type: "function_call", status: "completed" }, output_index: 2 }),
      },
    ]);
  });

  test("in events as they come", () => {
    expect(events[0]).toEqual({ type: "start", model: "gpt-6-sol-2026-10-01", request_id: "req_1" });
    expect(eventTypes(events)).toEqual([
      "start",
      "thinking_delta",
      "thinking_delta",
      "opaque",
      "text_delta",
      "text_delta",
      "citation",
      "opaque",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_delta",
      "tool_call_done",
      "opaque",
      "done",
    ]);
  });

  test("and ends with its finish, its usage and what the provider added", () => {
    expect(end).toEqual({
      type: "done",
      finish_reason: "tool_use",
      raw_finish_reason: "completed",
      usage: {
        input_tokens: 50,
        cache_read_tokens: 40,
        cache_write_tokens: 10,
        output_tokens: 10,
        thinking_tokens: 20,
        total_tokens: 130,
      },
      provider_data: { response_id: "resp_1", service_tier: "default" },
    });
  });

  test("reads the same from a whole body", () => {
    const body = decodeBody(finalResponse({ output: [reasoning, message, functionCall], service_tier: "default" }));
    expect(body.message).toEqual(read);
    expect(body.end).toEqual(end);
  });

  test("reads the same when a gateway gives another id to every event", () => {
    let count = 0;
    const rotated = frames.map((frame) => {
      const item = isJsonObject(frame["item"]) ? { item: { ...frame["item"], id: `x${count++}` } } : {};
      return { ...frame, item_id: `x${count++}`, ...item };
    });
    const { message: other } = decode(rotated);
    expect(other.content.map((block) => ({ ...block, opaque: undefined }))).toEqual(
      read.content.map((block) => ({ ...block, opaque: undefined })),
    );
  });

  test("reads the same when a server does not count its items", () => {
    const uncounted = frames.map((frame) => ("output_index" in frame ? { ...frame, output_index: 0 } : frame));
    expect(decode(uncounted).message).toEqual(read);
    const unnumbered = frames.map((frame) => ({ ...frame, output_index: undefined }));
    expect(decode(unnumbered).message).toEqual(read);
  });

  test("reads the same from its finished items alone", () => {
    const bare = frames.filter(({ type }) => type === "response.created" || type === "response.output_item.done");
    expect(decode([...bare, completed({ service_tier: "default" })]).message).toEqual(read);
  });

  test("reads the same from its last frame alone", () => {
    const output = [reasoning, message, functionCall];
    expect(decode([completed({ output, service_tier: "default" })]).message).toEqual(read);
    expect(decode([finalResponse({ output })]).message).toEqual(read);
  });

  test("B26 unknown events, keys, comments and keep-alives are no failure", () => {
    const noise = [": keepalive\n\n", "data:\n\n", "event: keepalive\ndata: {}\n\n", "data: 7\n\n"];
    const text = frames
      .flatMap((frame, index) => [noise[index % noise.length] ?? "", frameText({ ...frame, new_key: [index] })])
      .join("");
    const extra = frameText({ type: "response.hologram.delta", output_index: 9, delta: "?" });
    expect(decodeText(extra + text, "sse").message).toEqual(read);
  });

  test("B21 cut off anywhere, it is an error of the network and what came is kept", () => {
    for (let count = 0; count < frames.length - 1; count++) {
      const cut = decode(frames.slice(0, count));
      expect(cut.end).toMatchObject({ type: "error", error: { category: "network", retryable: true } });
      expect(cut.message.incomplete).toBe(true);
      expect(cut.events.filter(({ type }) => type === "done" || type === "error")).toHaveLength(1);
    }
  });

  test("B21 a call without its end is not complete", () => {
    const cut = decode(frames.slice(0, 14));
    expect(cut.message.content[2]).toMatchObject({ type: "tool_call", invalid: true, arguments_text: '{"path"' });
    expect(eventTypes(cut.events)).not.toContain("tool_call_done");
  });

  test("[DONE] after the end is nothing, before it a cut", () => {
    expect(decode([...frames, "[DONE]"]).end).toEqual(end);
    expect(decode([created, "[DONE]"]).end).toMatchObject({ type: "error", error: { category: "network" } });
  });

  test("a second ending is not heard", () => {
    const twice = decode([...frames, { type: "response.done", response: finalResponse() }]);
    expect(twice.events.filter(({ type }) => type === "done")).toHaveLength(1);
    const once = decode([...frames.slice(0, -1), { type: "response.done", response: finalResponse() }]);
    expect(once.end).toMatchObject({ type: "done", finish_reason: "tool_use" });
  });

  test("a frame that is not JSON ends it as an error that can be tried again", () => {
    const broken = decode([...frames.slice(0, 10), '{"type": "response.out', ...frames.slice(10)]);
    expect(broken.end).toMatchObject({ type: "error", error: { category: "server", retryable: true } });
    expect(broken.message.content[1]).toMatchObject({ type: "text", text: "Hello." });
  });
});

describe("thinking", () => {
  test("raw reasoning is thinking too, and a summary of it is not repeated", () => {
    const item = { id: "rs_1", type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] };
    const { message: read } = decode([
      added(0, { id: "rs_1", type: "reasoning", summary: [] }),
      { type: "response.reasoning_text.delta", output_index: 0, content_index: 0, delta: "Hm." },
      { type: "response.reasoning_summary_text.delta", output_index: 0, summary_index: 0, delta: "They thought." },
      done(0, item),
      completed(),
    ]);
    expect(read.content).toEqual([{ type: "thinking", text: "Hm.", opaque: opaque({ item, output_index: 0 }) }]);
  });

  test("an item without any text is a block all the same", () => {
    const item = { id: "rs_1", type: "reasoning", summary: [], encrypted_content: "sealed" };
    const { message: read } = decode([added(0, item), done(0, item), completed()]);
    expect(read.content).toEqual([{ type: "thinking", text: "", opaque: opaque({ item, output_index: 0 }) }]);
  });

  test("encrypted content that comes only with the final response is filled in", () => {
    const bare = { id: "rs_1", type: "reasoning", summary: [] };
    const { message: read, events } = decode([
      added(0, bare),
      done(0, bare),
      added(1, message),
      done(1, message),
      completed({ output: [{ ...bare, encrypted_content: "late" }, message] }),
    ]);
    expect(read.content[0]?.opaque?.data["item"]).toEqual({ ...bare, encrypted_content: "late" });
    expect(events.filter(({ type }) => type === "opaque")).toHaveLength(2);
  });

  test("the final response does not overrule a finished item", () => {
    const { message: read } = decode([
      added(0, reasoning),
      done(0, reasoning),
      completed({ output: [{ ...reasoning, encrypted_content: "another nonce" }] }),
    ]);
    expect(read.content[0]?.opaque?.data["item"]).toEqual(reasoning);
  });
});

describe("calls", () => {
  test("B25 the same index with a new id is a new call", () => {
    const second = { ...functionCall, id: "fc_2", call_id: "call_2", arguments: "{}" };
    const { message: read } = decode([
      added(0, { ...functionCall, arguments: "" }),
      done(0, functionCall),
      added(0, { ...second, arguments: "" }),
      done(0, second),
      completed(),
    ]);
    expect(read.content).toMatchObject([
      { id: "call_1", arguments: { path: "a" } },
      { id: "call_2", arguments: {} },
    ]);
  });

  test.each([
    ["empty", ""],
    ["null", "null"],
    ["blank", " "],
  ])("B25 %s arguments are none", (_name, text) => {
    const item = { ...functionCall, arguments: text };
    const { message: read, end } = decode([added(0, item), done(0, item), completed()]);
    expect(read.content[0]).toMatchObject({ type: "tool_call", arguments: {} });
    expect(read.content[0]).not.toHaveProperty("invalid");
    expect(end).toMatchObject({ finish_reason: "tool_use" });
  });

  test("B25 missing and repeated ids are replaced, whole arguments may come with the start", () => {
    const nameless = { type: "function_call", name: "read", arguments: "{}" };
    const { message: read } = decode([
      added(0, functionCall),
      done(0, functionCall),
      added(1, { ...functionCall, id: "fc_2" }),
      done(1, { ...functionCall, id: "fc_2" }),
      added(2, nameless),
      done(2, nameless),
      completed(),
    ]);
    const ids = read.content.map((block) => (block.type === "tool_call" ? block.id : ""));
    expect(ids).toEqual(["call_1", "made_0", "made_1"]);
  });

  test("fragments that come before the name wait for it", () => {
    const { message: read, events } = decode([
      added(0, { type: "function_call" }),
      { type: "response.function_call_arguments.delta", output_index: 0, delta: '{"path": "a"}' },
      done(0, { ...functionCall, arguments: undefined }),
      completed(),
    ]);
    expect(eventTypes(events)).toEqual([
      "start",
      "tool_call_start",
      "tool_call_delta",
      "tool_call_done",
      "opaque",
      "done",
    ]);
    expect(read.content[0]).toMatchObject({ id: "call_1", name: "read", arguments: { path: "a" } });
  });

  test("B25 arguments cut by the length limit are invalid", () => {
    const item = { ...functionCall, arguments: '{"path": "', status: "incomplete" };
    const cut = {
      type: "response.incomplete",
      response: finalResponse({ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }),
    };
    const { message: read, end } = decode([added(0, { ...item, arguments: "" }), done(0, item), cut]);
    expect(read.content[0]).toMatchObject({ type: "tool_call", invalid: true, arguments_text: '{"path": "' });
    expect(end).toMatchObject({ finish_reason: "length", raw_finish_reason: "max_output_tokens" });
    const empty = decode([added(0, { ...item, arguments: "" }), done(0, { ...item, arguments: "" }), cut]);
    expect(empty.message.content[0]).toMatchObject({ type: "tool_call", invalid: true });
  });

  test("arguments that were said to be whole make a call whose item was not repeated", () => {
    const { message: read } = decode([
      added(0, { ...functionCall, arguments: "" }),
      { type: "response.function_call_arguments.done", output_index: 0, arguments: '{"path":"a"}' },
      completed(),
    ]);
    expect(read.content[0]).toMatchObject({ arguments: { path: "a" } });
    expect(read.content[0]).not.toHaveProperty("invalid");
  });

  test("a custom tool's input is an argument, in fragments that parse", () => {
    const item = {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "call_1",
      name: "sh",
      input: 'ls "😀"\n',
      status: "completed",
    };
    const { message: read, events } = decode([
      added(0, { ...item, input: "" }),
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: 'ls "\ud83d' },
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: '\ude00"\n' },
      { type: "response.custom_tool_call_input.done", output_index: 0, input: item.input },
      done(0, item),
      completed(),
    ]);
    expect(read.content[0]).toMatchObject({ type: "tool_call", name: "sh", arguments: { input: item.input } });
    const text = events.map((event) => (event.type === "tool_call_delta" ? event.json_fragment : "")).join("");
    expect(JSON.parse(text)).toEqual({ input: item.input });
  });

  test("a custom call is the server's own affair where the row says so, and asks nothing of us", () => {
    const item = {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "xs_call_1",
      name: "x_keyword_search",
      input: "{}",
      status: "completed",
    };
    const frames = [
      added(0, { ...item, input: "" }),
      { type: "response.custom_tool_call_input.delta", output_index: 0, delta: "{}" },
      done(0, item),
      completed(),
    ];
    const theirs = decode(frames, { quirks: { custom_tool_calls: false } });
    expect(theirs.message.content).toMatchObject([{ type: "provider", opaque: { data: { item } } }]);
    expect(theirs.events.at(-1)).toMatchObject({ type: "done", finish_reason: "stop" });
    expect(decode(frames).events.at(-1)).toMatchObject({ type: "done", finish_reason: "tool_use" });
  });

  test("a custom call that was cut off is not complete", () => {
    const item = {
      id: "ctc_1",
      type: "custom_tool_call",
      call_id: "call_1",
      name: "sh",
      input: "rm -r",
      status: "incomplete",
    };
    const { message: read } = decode([added(0, { ...item, input: "" }), done(0, item), completed()]);
    expect(read.content[0]).toMatchObject({ type: "tool_call", invalid: true });
  });
});

describe("other items", () => {
  test("are kept whole in their place", () => {
    const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
    const { message: read, end } = decode([
      added(0, search),
      done(0, search),
      added(1, message),
      done(1, message),
      completed(),
    ]);
    expect(read.content[0]).toEqual({ type: "provider", opaque: opaque({ item: search, output_index: 0 }) });
    expect(end).toMatchObject({ finish_reason: "stop" });
  });

  test("that were never finished are taken from the final response, or are not there", () => {
    const tools = { id: "mcpl_1", type: "mcp_list_tools", server_label: "x", tools: [] };
    const frames = [added(0, tools), added(1, message), done(1, message)];
    expect(decode([...frames, completed()]).message.content).toMatchObject([{ type: "text" }]);
    expect(decode([...frames, completed({ output: [tools, message] })]).message.content).toMatchObject([
      { type: "text" },
      { type: "provider", opaque: { data: { item: tools, output_index: 0 } } },
    ]);
  });

  test("a message without content is kept but says nothing", () => {
    const { message: read } = decode([done(0, { ...message, content: [] }), completed()]);
    expect(read.content).toMatchObject([{ type: "provider" }]);
  });

  test("several parts of a message are several blocks", () => {
    const content = [
      { type: "output_text", text: "A", annotations: [] },
      { type: "refusal", refusal: "B" },
      { type: "hologram", shape: "cube" },
    ];
    const { message: read, end } = decode([done(0, { ...message, content }), completed()]);
    expect(read.content).toMatchObject([
      { type: "text", text: "A", opaque: { data: { content_index: 0 } } },
      { type: "text", text: "B", opaque: { data: { content_index: 1, part: { type: "refusal" } } } },
      { type: "text", text: "", opaque: { data: { content_index: 2, part: { type: "hologram", shape: "cube" } } } },
    ]);
    expect(end).toMatchObject({ finish_reason: "stop" });
  });
});

describe("finish reasons", () => {
  test("a refusal and nothing else is content_filter", () => {
    const item = { ...message, content: [{ type: "refusal", refusal: "No." }] };
    const { message: read, end } = decode([
      added(0, { ...message, content: [] }),
      { type: "response.refusal.delta", output_index: 0, content_index: 0, delta: "No." },
      { type: "response.refusal.done", output_index: 0, content_index: 0, refusal: "No." },
      done(0, item),
      completed(),
    ]);
    expect(read.content).toMatchObject([{ type: "text", text: "No." }]);
    expect(end).toMatchObject({ finish_reason: "content_filter" });
  });

  test.each([
    ["incomplete", { reason: "max_output_tokens" }, "length", "max_output_tokens"],
    ["incomplete", { reason: "content_filter" }, "content_filter", "content_filter"],
    ["incomplete", { reason: "steered" }, "unknown", "steered"],
    ["incomplete", null, "unknown", "incomplete"],
    ["completed", null, "stop", "completed"],
    ["cancelled", null, "error", "cancelled"],
    ["failed", null, "error", "failed"],
    ["queued", null, "unknown", "queued"],
    ["in_progress", null, "unknown", "in_progress"],
  ])("%s %j is %s", (status, incomplete_details, finish_reason, raw_finish_reason) => {
    expect(decodeBody(finalResponse({ status, incomplete_details })).end).toMatchObject({
      type: "done",
      finish_reason,
      raw_finish_reason,
    });
  });

  test("steered away from after a whole call, it is still tool_use", () => {
    const response = finalResponse({
      status: "incomplete",
      incomplete_details: { reason: "steered" },
      output: [functionCall],
    });
    expect(decodeBody(response).end).toMatchObject({ finish_reason: "tool_use", raw_finish_reason: "steered" });
  });
});

describe("errors inside a success", () => {
  const rateLimit = { type: "tokens", code: "rate_limit_exceeded", message: "Please try again in 1.5s.", param: null };

  test.each([
    ["nested", { type: "error", sequence_number: 3, error: rateLimit }],
    ["flat", { ...rateLimit, type: "error" }],
    [
      "failed",
      { type: "response.failed", response: finalResponse({ status: "failed", error: rateLimit, usage: null }) },
    ],
  ])("B24 %s reads like the same error by status", (_name, frame) => {
    const {
      end,
      message: read,
      events,
    } = decode([
      created,
      { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hel" },
      frame,
      { type: "response.failed", response: finalResponse({ status: "failed", error: rateLimit }) },
    ]);
    expect(end).toMatchObject({
      type: "error",
      error: { category: "rate_limit", retryable: true, provider_code: "rate_limit_exceeded", retry_after_ms: 1500 },
    });
    expect(read.content).toMatchObject([{ type: "text", text: "Hel" }]);
    expect(events.filter(({ type }) => type === "error" || type === "done")).toHaveLength(1);
  });

  test("usage that came with a failure is kept", () => {
    const response = finalResponse({ status: "failed", error: { code: "server_error", message: "Sorry" } });
    expect(decode([{ type: "response.failed", response }]).end).toMatchObject({
      type: "error",
      error: { category: "server", retryable: true },
      usage: { total_tokens: 130 },
    });
  });

  test("B24 a body that is an error shows it", () => {
    const error = {
      message: "You exceeded your current quota",
      type: "insufficient_quota",
      code: "insufficient_quota",
    };
    expect(decodeBody({ error }).end).toMatchObject({
      type: "error",
      error: { category: "billing", retryable: false },
    });
    expect(decodeBody({ detail: "Not today" }).end).toMatchObject({ type: "error", error: { message: "Not today" } });
    expect(decodeBody([]).end).toMatchObject({ type: "error", error: { category: "server" } });
  });

  test("an error without a type among the frames is one", () => {
    const { end } = decode([created, { error: { message: "Overloaded", code: 503 } }]);
    expect(end).toMatchObject({ type: "error", error: { category: "overloaded", http_status: 503 } });
  });
});

describe("usage", () => {
  const usageOf = (usage: JsonObject | null, quirks = {}): unknown => {
    const { end } = decodeBody(finalResponse({ usage }), { quirks });
    return end;
  };

  test("parts that are not reported are named", () => {
    expect(usageOf({ input_tokens: 7, output_tokens: 3, total_tokens: 10 })).toMatchObject({
      usage: {
        input_tokens: 7,
        output_tokens: 3,
        total_tokens: 10,
        unreported: ["cache_read_tokens", "cache_write_tokens", "thinking_tokens"],
      },
    });
    expect(usageOf(null)).toMatchObject({ usage: { total_tokens: 0 } });
  });

  test("B43 more cached than read: beside the input where the total says so, else no more than the input", () => {
    const usage = { input_tokens: 10, input_tokens_details: { cached_tokens: 30 }, output_tokens: 5 };
    expect(usageOf({ ...usage, total_tokens: 45 })).toMatchObject({
      usage: { input_tokens: 10, cache_read_tokens: 30, total_tokens: 45 },
    });
    expect(usageOf({ ...usage, total_tokens: 15 })).toMatchObject({
      usage: { input_tokens: 0, cache_read_tokens: 10, total_tokens: 15 },
    });
  });

  test("B43 reasoning beside the output where the total says so", () => {
    const usage = { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 20 } };
    expect(usageOf({ ...usage, total_tokens: 35 })).toMatchObject({
      usage: { output_tokens: 5, thinking_tokens: 20, total_tokens: 35 },
    });
    expect(usageOf({ ...usage, total_tokens: 15 })).toMatchObject({
      usage: { output_tokens: 0, thinking_tokens: 5, total_tokens: 15 },
    });
  });

  test("a price in the usage is the price, in the server's units", () => {
    const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
    expect(usageOf({ ...usage, cost: 0.002 })).toMatchObject({ cost_usd: 0.002 });
    const ticks = { cost_field: "cost_in_usd_ticks", cost_units_per_usd: 1e10 };
    expect(usageOf({ ...usage, cost_in_usd_ticks: 4_852_500 }, ticks)).toMatchObject({
      cost_usd: 0.00048525,
      provider_data: { usage: { cost_in_usd_ticks: 4_852_500 } },
    });
    const byok = { cost: 0.0001, is_byok: true, cost_details: { upstream_inference_cost: 0.01 } };
    expect(usageOf({ ...usage, ...byok })).toMatchObject({ cost_usd: 0.01 });
  });
});
