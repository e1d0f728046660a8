import { describe, expect, test } from "vitest";
import {
  toolResult,
  user,
  type AssistantBlock,
  type AssistantMessage,
  type JsonObject,
  type Message,
  type ToolDefinition,
} from "../../../src/core/index.ts";
import type { Quirks } from "../../../src/llm/adapter.ts";
import {
  bodyOf,
  chunk,
  decodeFrames,
  encode,
  messagesOf,
  modelWith,
  projectAndEncode,
  stop,
  type Setting,
} from "./helpers.ts";

const hello = [user("hello")];

function said(...content: readonly AssistantBlock[]): AssistantMessage {
  return { role: "assistant", content, origin: { provider: "server", api: "chat", model: "test-model" } };
}

function call(id: string, fields: Partial<Extract<AssistantBlock, { type: "tool_call" }>> = {}): AssistantBlock {
  return { type: "tool_call", id, name: "f", arguments: {}, ...fields };
}

const answered = (id: string): Message => ({ role: "tool", content: [toolResult(id, "done")] });

const tool: ToolDefinition = {
  name: "f",
  description: "does f",
  parameters: { type: "object", properties: { a: { type: "string" }, b: { type: "number" } }, required: ["a"] },
};

function codes(request: Parameters<typeof encode>[0], setting?: Setting): readonly string[] {
  return encode(request, setting).notes.map(({ code }) => code);
}

describe("the call", () => {
  test("goes to the server's path and carries no key", () => {
    const { method, url, headers, framing } = encode({ messages: hello });
    expect({ method, url, framing }).toEqual({
      method: "POST",
      url: "https://server.test/v1/chat/completions",
      framing: "sse",
    });
    expect(headers).toEqual({ "content-type": "application/json", accept: "text/event-stream" });
    const quirks = { path: "/models/{model}/invocations" };
    const model = modelWith({ id: "a/b c" });
    expect(encode({ messages: hello }, { quirks, model }).url).toBe(
      "https://server.test/v1/models/a%2Fb%20c/invocations",
    );
  });

  test("is small where nothing is asked", () => {
    expect(bodyOf({ messages: hello }, { stream: false })).toEqual({
      model: "test-model",
      max_tokens: 16_384,
      messages: [{ role: "user", content: "hello" }],
    });
  });

  test("streams with usage, where the server knows the option", () => {
    expect(bodyOf({ messages: hello })).toMatchObject({ stream: true, stream_options: { include_usage: true } });
    expect(bodyOf({ messages: hello }, { quirks: { stream_options: false } })).not.toHaveProperty("stream_options");
  });

  test("store, extra fields, and the caller's own fields last", () => {
    const quirks = { store: true, extra_body: '{"reasoning_format":"parsed","seed":1}' };
    const options = { server: { seed: 3, store: true, custom: { a: 1 } }, other: { custom: 2 } };
    const body = bodyOf({ messages: hello, seed: 2, provider_options: options }, { quirks });
    expect(body).toMatchObject({ store: true, reasoning_format: "parsed", seed: 3, custom: { a: 1 } });
    expect(Object.keys(body).at(-1)).toBe("messages");
    expect(() => encode({ messages: hello }, { quirks: { extra_body: "[1]" } })).toThrow(/extra_body/);
  });

  test("cache keys by field and header, not when caching is off", () => {
    const quirks = { cache_key_field: "prompt_cache_key", cache_key_header: "x-conversation" };
    const { body, headers } = encode({ messages: hello, cache_key: "c1" }, { quirks });
    expect(body).toMatchObject({ prompt_cache_key: "c1" });
    expect(headers).toMatchObject({ "x-conversation": "c1" });
    expect(encode({ messages: hello, cache_key: "ä\n" }, { quirks }).headers).not.toHaveProperty("x-conversation");
    expect(bodyOf({ messages: hello, cache_key: "c1", cache: "off" }, { quirks })).not.toHaveProperty(
      "prompt_cache_key",
    );
    expect(bodyOf({ messages: hello, cache_key: "c1" })).not.toHaveProperty("prompt_cache_key");
    const long = bodyOf({ messages: hello, cache_key: "k".repeat(80) }, { quirks })["prompt_cache_key"];
    expect(long).toMatch(/^k{49}_[0-9a-f]{14}$/);
  });

  test("prompts are kept long where the server lets us ask for it", () => {
    const request = { messages: hello, cache: "long" as const };
    expect(bodyOf(request, { quirks: { prompt_cache_options: true } })).toMatchObject({
      prompt_cache_options: { ttl: "12h" },
    });
    expect(codes(request)).toEqual(["parameter_left_out"]);
  });

  test("an empty history is refused", () => {
    expect(() => encode({ messages: [said()] })).toThrow(/nothing to send/);
  });
});

describe("messages", () => {
  const system = [
    { type: "text" as const, text: "one" },
    { type: "text" as const, text: "two" },
  ];

  test.each<[string, Quirks, string]>([
    ["system", {}, "system"],
    ["developer", { system_role: "developer" }, "developer"],
    ["developer for models that think", { system_role: "developer_if_thinking" }, "system"],
  ])("the system prompt by role: %s", (_name, quirks, role) => {
    expect(messagesOf({ system, messages: hello }, { quirks })[0]).toEqual({ role, content: "one\n\ntwo" });
  });

  test("the system prompt of a thinking model, and of a server without one", () => {
    const model = modelWith({ thinking: { kind: "effort", efforts: ["low"] } });
    const quirks = { system_role: "developer_if_thinking" };
    expect(messagesOf({ system, messages: hello }, { quirks, model })[0]).toMatchObject({ role: "developer" });
    const first = messagesOf({ system, messages: hello }, { quirks: { system_role: "first_user" } });
    expect(first).toEqual([{ role: "user", content: "one\n\ntwo\n\nhello" }]);
  });

  test("user content: one text is a string, anything else is parts, empty text is none", () => {
    const image = { type: "image" as const, media_type: "image/png", data: "AAAA" };
    const remote = { type: "image" as const, url: "https://x.test/a.png" };
    const content = [{ type: "text" as const, text: "look" }, { type: "text" as const, text: "" }, image, remote];
    expect(messagesOf({ messages: [{ role: "user", content }] })).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } },
          { type: "image_url", image_url: { url: "https://x.test/a.png" } },
        ],
      },
    ]);
    const base64Only = encode(
      { messages: [{ role: "user", content: [remote, remote] }] },
      { quirks: { image_urls: false } },
    );
    expect(base64Only.notes.map(({ code }) => code)).toEqual(["image_url_unsupported"]);
    expect(JSON.stringify(base64Only.body)).toContain("[image at https://x.test/a.png]");
  });

  test("plain content joins texts", () => {
    const messages: Message[] = [{ role: "user", content: [...system] }];
    expect(messagesOf({ messages })[0]?.["content"]).toHaveLength(2);
    expect(messagesOf({ messages }, { quirks: { plain_content: true } })[0]?.["content"]).toBe("one\n\ntwo");
  });

  test("assistant: text, calls with their exact arguments, nothing where there is nothing", () => {
    const exact = '{ "a" : 1 }';
    const messages: Message[] = [
      ...hello,
      said(
        { type: "text", text: "I " },
        { type: "text", text: "go" },
        call("c1", { arguments: { a: 1 }, arguments_text: exact }),
      ),
      answered("c1"),
      said({ type: "thinking", text: "only thoughts" }),
      said(),
    ];
    expect(messagesOf({ messages }).slice(1)).toEqual([
      {
        role: "assistant",
        content: "I go",
        tool_calls: [{ id: "c1", type: "function", function: { name: "f", arguments: exact } }],
      },
      { role: "tool", tool_call_id: "c1", content: "done" },
    ]);
  });

  test("torn or blank arguments are sent as something every server can parse", () => {
    const messages = (block: AssistantBlock): Message[] => [...hello, said(block), answered("c1")];
    const argumentsOf = (block: AssistantBlock): unknown => {
      const calls = messagesOf({ messages: messages(block) })[1]?.["tool_calls"];
      return JSON.parse(JSON.stringify(calls))[0].function.arguments;
    };
    expect(argumentsOf(call("c1", { invalid: true, arguments_text: '{"a":' }))).toBe("{}");
    expect(argumentsOf(call("c1", { arguments_text: "null" }))).toBe("{}");
    expect(argumentsOf(call("c1"))).toBe("{}");
  });

  test.each<[string, JsonObject]>([
    ["empty", { content: "" }],
    ["null", { content: null }],
  ])("no text beside calls: %s", (empty_content, expected) => {
    const messages = [...hello, said(call("c1")), answered("c1")];
    expect(messagesOf({ messages }, { quirks: { empty_content } })[1]).toMatchObject(expected);
  });

  test("no text beside calls: omit", () => {
    const messages = [...hello, said(call("c1")), answered("c1")];
    expect(messagesOf({ messages }, { quirks: { empty_content: "omit" } })[1]).not.toHaveProperty("content");
  });

  test("tool results: one message each, images after all of them, names where wanted", () => {
    const image = { type: "image" as const, media_type: "image/png", data: "AAAA" };
    const results: Message = {
      role: "tool",
      content: [
        { type: "tool_result", tool_call_id: "c1", content: [{ type: "text", text: "a" }, image], is_error: false },
        { type: "tool_result", tool_call_id: "c2", content: [image], is_error: false },
        { type: "tool_result", tool_call_id: "c3", content: [], is_error: true },
      ],
    };
    const messages = [...hello, said(call("c1"), call("c2"), call("c3")), results];
    const sent = messagesOf({ messages }, { quirks: { tool_result_name: true } });
    expect(sent.slice(2, 5)).toEqual([
      { role: "tool", tool_call_id: "c1", name: "f", content: "a" },
      { role: "tool", tool_call_id: "c2", name: "f", content: "(images in the next message)" },
      { role: "tool", tool_call_id: "c3", name: "f", content: "(no output)" },
    ]);
    expect(sent[5]).toMatchObject({ role: "user", content: [{ text: "Images from f:" }, {}, { type: "text" }, {}] });
    expect(sent).toHaveLength(6);
  });

  test("neighbouring user messages become one where roles must alternate", () => {
    const image = { type: "image" as const, media_type: "image/png", data: "AAAA" };
    const messages: Message[] = [user("a"), user("b"), { role: "user", content: [image] }];
    expect(messagesOf({ messages })).toHaveLength(3);
    const merged = messagesOf({ messages }, { quirks: { merge_user_messages: true } });
    expect(merged).toHaveLength(1);
    expect(merged[0]?.["content"]).toMatchObject([{ text: "a\n\nb" }, { type: "image_url" }]);
  });

  test("an answer between a tool result and a user message, where the server wants one", () => {
    const messages = [...hello, said(call("c1")), answered("c1"), user("go on"), user("please")];
    const roles = messagesOf({ messages }, { quirks: { assistant_after_tool: true } }).map(({ role }) => role);
    expect(roles).toEqual(["user", "assistant", "tool", "assistant", "user", "user"]);
    expect(messagesOf({ messages })).toHaveLength(5);
  });

  test("a call without its result is refused before anything is sent", () => {
    expect(() => encode({ messages: [...hello, said(call("c1"))] })).toThrow(/c1/);
  });
});

describe("B10 thinking goes back as the server wants it", () => {
  const turn = [
    ...hello,
    said({ type: "thinking", text: "hm" }, call("c1")),
    answered("c1"),
    said({ type: "text", text: "x" }),
  ];

  test.each(["reasoning_content", "reasoning", "reasoning_text"])("in %s", (echo_reasoning_field) => {
    const sent = projectAndEncode(turn, { quirks: { echo_reasoning_field } });
    expect(sent[1]).toMatchObject({ [echo_reasoning_field]: "hm" });
    expect(sent[3]).not.toHaveProperty(echo_reasoning_field);
  });

  test("not at all, by default", () => {
    expect(JSON.stringify(projectAndEncode(turn))).not.toContain("hm");
  });

  test("always, where the server insists on the field beside calls", () => {
    const quirks = { echo_reasoning_field: "reasoning_content", echo_reasoning_required: true };
    const other: AssistantMessage = { ...said(call("c1")), origin: { provider: "else", api: "chat", model: "m" } };
    expect(projectAndEncode([...hello, other, answered("c1")], { quirks })[1]).toMatchObject({ reasoning_content: "" });
  });

  test("as parts of the content", () => {
    const quirks = { echo_reasoning_field: "content_parts" };
    const message = said({ type: "thinking", text: "hm" }, { type: "text", text: "x" }, call("c1"));
    expect(projectAndEncode([...hello, message, answered("c1")], { quirks })[1]).toMatchObject({
      content: [
        { type: "thinking", thinking: [{ type: "text", text: "hm" }] },
        { type: "text", text: "x" },
      ],
      tool_calls: [{ id: "c1" }],
    });
  });

  test("as details, unchanged and in order, and then not as text", () => {
    const details: readonly JsonObject[] = [
      { type: "reasoning.text", text: "a", signature: "s", format: "x", index: 0 },
      { type: "reasoning.encrypted", data: "z", format: "x", index: 1 },
    ];
    const { message } = decodeFrames([
      chunk({ reasoning_details: details.slice(0, 1) }),
      chunk({ content: "x" }),
      chunk({ reasoning_details: details.slice(1) }),
      stop,
    ]);
    const setting = { quirks: { echo_reasoning_field: "reasoning" } };
    expect(projectAndEncode([...hello, message], setting)[1]).toEqual({
      role: "assistant",
      content: "x",
      reasoning_details: details,
    });
    const without = { quirks: { echo_reasoning_field: "reasoning", reasoning_details: false } };
    expect(projectAndEncode([...hello, message], without)[1]).toMatchObject({ reasoning: "a" });
    const elsewhere = projectAndEncode([...hello, message], { model: modelWith({ id: "another" }) });
    expect(elsewhere[1]).toEqual({ role: "assistant", content: "x" });
  });

  test("signatures on calls, to their maker only", () => {
    const extra_content = { google: { thought_signature: "c2ln" } };
    const opaque = { provider: "server", model: "test-model", data: { extra_content } };
    const messages = [...hello, said(call("c1", { opaque })), answered("c1")];
    expect(projectAndEncode(messages)[1]).toMatchObject({ tool_calls: [{ id: "c1", extra_content }] });
    expect(JSON.stringify(projectAndEncode(messages, { provider: "other" }))).not.toContain("c2ln");
  });

  test("signatures on the whole message, to their maker only", () => {
    const extra_content = { google: { thought: true, thought_signature: "c2ln" } };
    const { message } = decodeFrames([chunk({ content: "x", extra_content, thought_signature: "c2ln" }), stop]);
    const sent = { role: "assistant", content: "x", extra_content, thought_signature: "c2ln" };
    expect(projectAndEncode([...hello, message])[1]).toEqual(sent);
    expect(JSON.stringify(projectAndEncode([...hello, message], { provider: "other" }))).not.toContain("c2ln");
    const opaque = decodeFrames([chunk({ content: "x", reasoning_opaque: "b3A=" }), stop]);
    expect(projectAndEncode([...hello, opaque.message])[1]).toMatchObject({ reasoning_opaque: "b3A=" });
    const calling = decodeFrames([chunk({ extra_content, tool_calls: [{ id: "c1", function: { name: "f" } }] }), stop]);
    expect(projectAndEncode([...hello, calling.message, answered("c1")])[1]).toMatchObject({ extra_content });
  });

  test("custom calls go back as they came", () => {
    const opaque = { provider: "server", model: "test-model", data: { type: "custom" } };
    const messages = [...hello, said(call("c1", { arguments: { input: "select 1" }, opaque })), answered("c1")];
    expect(projectAndEncode(messages)[1]).toMatchObject({
      tool_calls: [{ id: "c1", type: "custom", custom: { name: "f", input: "select 1" } }],
    });
  });
});

describe("B08 ids by the server's rule", () => {
  const messages = [...hello, said(call("functions.f:0")), answered("functions.f:0")];
  const idsOf = (quirks: Quirks): readonly unknown[] => {
    const [, assistant, result] = projectAndEncode(messages, { quirks, provider: "another" });
    const calls = JSON.parse(JSON.stringify(assistant?.["tool_calls"]));
    return [calls[0].id, result?.["tool_call_id"]];
  };

  test("kept where any id is taken", () => {
    expect(idsOf({})).toEqual(["functions.f:0", "functions.f:0"]);
  });

  test("by alphabet and length, pairs intact", () => {
    const [id, result] = idsOf({ tool_call_id_character: "[A-Za-z0-9_-]", tool_call_id_length_max: 40 });
    expect(id).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
    expect(result).toBe(id);
  });

  test("exactly nine letters and digits", () => {
    const quirks = { tool_call_id_character: "[A-Za-z0-9]", tool_call_id_length_max: 9, tool_call_id_length_exact: 9 };
    const [id, result] = idsOf(quirks);
    expect(id).toMatch(/^[A-Za-z0-9]{9}$/);
    expect(result).toBe(id);
  });
});

describe("tools", () => {
  const withTools = { messages: hello, tools: [tool] };

  test("as they are, or strict where the server has that", () => {
    expect(bodyOf(withTools)["tools"]).toEqual([
      { type: "function", function: { name: "f", description: "does f", parameters: tool.parameters } },
    ]);
    const strict = bodyOf(withTools, { quirks: { strict_tools: true } })["tools"];
    expect(strict).toMatchObject([
      {
        function: {
          strict: true,
          parameters: {
            additionalProperties: false,
            required: ["a", "b"],
            properties: { b: { type: ["number", "null"] } },
          },
        },
      },
    ]);
    const open = { ...tool, parameters: { type: "object", additionalProperties: true } };
    const loose = bodyOf(
      { ...withTools, tools: [open, { ...tool, name: "g", strict: false }] },
      { quirks: { strict_tools: true } },
    );
    expect(JSON.stringify(loose)).not.toContain('"strict"');
    expect(codes({ ...withTools, tools: [open] }, { quirks: { strict_tools: true } })).toEqual(["not_strict"]);
    const bare = bodyOf({ ...withTools, tools: [{ name: "h", parameters: {} }] })["tools"];
    expect(bare).toEqual([
      { type: "function", function: { name: "h", parameters: { type: "object", properties: {} } } },
    ]);
  });

  test("left out for models that have none, with a note", () => {
    const model = modelWith({ capabilities: { tools: false } });
    expect(bodyOf(withTools, { model })).not.toHaveProperty("tools");
    expect(codes(withTools, { model })).toEqual(["parameter_left_out"]);
  });

  test.each([
    [{ mode: "auto" } as const, "auto"],
    [{ mode: "none" } as const, "none"],
    [{ mode: "required" } as const, "required"],
    [{ mode: "specific", name: "f" } as const, { type: "function", function: { name: "f" } }],
  ])("tool_choice %j", (tool_choice, expected) => {
    expect(bodyOf({ ...withTools, tool_choice })["tool_choice"]).toEqual(expected);
    expect(bodyOf({ messages: hello, tool_choice })).not.toHaveProperty("tool_choice");
  });

  test("a mode that is refused becomes what is taken, with a note", () => {
    const specific = { ...withTools, tool_choice: { mode: "specific", name: "f" } as const };
    const never = modelWith({ capabilities: { forced_tools: "never" } });
    expect(bodyOf(specific, { model: never })["tool_choice"]).toBe("auto");
    expect(codes(specific, { model: never })).toEqual(["tool_choice_moved"]);
    expect(bodyOf(specific, { quirks: { tool_choice: "modes" } })["tool_choice"]).toBe("required");
    expect(codes(specific, { quirks: { tool_choice: "modes" } })).toEqual(["tool_choice_moved"]);
    expect(bodyOf(specific, { quirks: { tool_choice: "none" } })).not.toHaveProperty("tool_choice");
    expect(codes(specific, { quirks: { tool_choice: "none" } })).toEqual(["tool_choice_moved"]);
    const none = { ...withTools, tool_choice: { mode: "none" } as const };
    expect(bodyOf(none, { quirks: { tool_choice: "none" } })).not.toHaveProperty("tools");
    expect(codes(none, { quirks: { tool_choice: "none" } })).toEqual(["parameter_left_out"]);
  });

  test("forced tools while thinking", () => {
    const model = modelWith({
      thinking: { kind: "effort", efforts: ["none", "low", "medium", "high"] },
      capabilities: { forced_tools: "without_thinking" },
    });
    const required = { ...withTools, tool_choice: { mode: "required" } as const };
    expect(bodyOf(required, { model, thinking: { level: "low" } })["tool_choice"]).toBe("auto");
    expect(bodyOf(required, { model, thinking: { level: "none" } })["tool_choice"]).toBe("required");
  });

  test("one call at a time", () => {
    const single = { ...withTools, tool_choice: { mode: "auto", parallel_allowed: false } as const };
    expect(bodyOf(single)).toMatchObject({ parallel_tool_calls: false });
    expect(bodyOf({ ...single, tools: [] })).not.toHaveProperty("parallel_tool_calls");
    expect(bodyOf(withTools)).not.toHaveProperty("parallel_tool_calls");
    expect(codes(single, { quirks: { parallel_tool_calls: false } })).toEqual(["parameter_left_out"]);
  });

  test("models that do not think while they have tools here", () => {
    const model = modelWith({
      thinking: { kind: "effort", efforts: ["none", "low", "medium", "high"] },
      traits: { chat_tools: "without_thinking" },
      capabilities: { sampling: "without_thinking" },
    });
    const setting = { model, thinking: { level: "high" } as const };
    expect(bodyOf({ ...withTools, temperature: 1 }, setting)).toMatchObject({
      reasoning_effort: "none",
      temperature: 1,
    });
    expect(codes(withTools, setting)).toEqual(["thinking_off_for_tools"]);
    expect(bodyOf({ messages: hello }, setting)).toMatchObject({ reasoning_effort: "high" });
    expect(codes(withTools, { model, thinking: { level: "none" } })).toEqual([]);
  });

  test("models that take no tools here say which api does", () => {
    const model = modelWith({ traits: { chat_tools: "never" } });
    expect(() => encode(withTools, { model })).toThrow(/Responses api/);
    expect(() => encode({ messages: hello }, { model })).not.toThrow();
  });
});

describe("parameters", () => {
  test("sampling by what the model takes", () => {
    const request = {
      messages: hello,
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      presence_penalty: 1,
      frequency_penalty: 2,
    };
    expect(bodyOf(request, { quirks: { top_k: true } })).toMatchObject({
      temperature: 0.5,
      top_p: 0.9,
      top_k: 5,
      presence_penalty: 1,
      frequency_penalty: 2,
    });
    expect(bodyOf(request)).not.toHaveProperty("top_k");
    expect(codes(request)).toEqual(["parameter_left_out"]);
    const never = modelWith({ capabilities: { sampling: "never" } });
    const body = bodyOf(request, { model: never });
    for (const name of ["temperature", "top_p", "top_k", "presence_penalty"]) expect(body).not.toHaveProperty(name);
    expect(bodyOf(request, { quirks: { penalties: false } })).not.toHaveProperty("presence_penalty");
  });

  test("seed under its name", () => {
    const request = { messages: hello, seed: 7 };
    expect(bodyOf(request)).toMatchObject({ seed: 7 });
    expect(bodyOf(request, { quirks: { seed_field: "random_seed" } })).toMatchObject({ random_seed: 7 });
    expect(codes(request, { quirks: { seed_field: "" } })).toEqual(["parameter_left_out"]);
  });

  test("stop sequences: as many as are taken, none where none are", () => {
    const request = { messages: hello, stop_sequences: ["a", "b", "c", "d", "e"] };
    expect(bodyOf(request)["stop"]).toEqual(["a", "b", "c", "d"]);
    expect(codes(request)).toEqual(["parameter_left_out"]);
    const model = modelWith({ capabilities: { stop_sequences: false } });
    expect(bodyOf(request, { model })).not.toHaveProperty("stop");
    expect(codes(request, { model })).toEqual(["parameter_left_out"]);
    expect(codes(request, { quirks: { stop_limit: 0 } })).toEqual(["parameter_left_out"]);
  });

  test("structured output by what the server can do", () => {
    const output_format = { type: "json_schema", name: "person", description: "who", schema: tool.parameters } as const;
    const formatBy = (output_schema: string): unknown =>
      bodyOf({ messages: hello, output_format }, { quirks: { output_schema } })["response_format"];
    expect(formatBy("plain")).toEqual({
      type: "json_schema",
      json_schema: { name: "person", description: "who", schema: tool.parameters },
    });
    expect(formatBy("strict")).toMatchObject({ json_schema: { strict: true, schema: { required: ["a", "b"] } } });
    expect(formatBy("object")).toEqual({ type: "json_object" });
    expect(formatBy("none")).toBeUndefined();
    expect(codes({ messages: hello, output_format }, { quirks: { output_schema: "object" } })).toEqual([
      "parameter_left_out",
    ]);
    expect(bodyOf({ messages: hello, output_format: { type: "json" } })["response_format"]).toEqual({
      type: "json_object",
    });
  });

  test("the prompt says the word that JSON modes look for, and the schema where it has no other place", () => {
    const json = { messages: hello, output_format: { type: "json" } as const };
    expect(messagesOf(json)[0]).toEqual({ role: "system", content: "Answer with one JSON object." });
    const said = [{ type: "text" as const, text: "Reply in json" }];
    expect(messagesOf({ ...json, system: said })[0]).toEqual({ role: "system", content: "Reply in json" });
    const output_format = { type: "json_schema", name: "person", schema: tool.parameters } as const;
    for (const output_schema of ["object", "none"]) {
      const [prompt] = messagesOf({ messages: hello, output_format }, { quirks: { output_schema } });
      expect(prompt?.["content"]).toContain(JSON.stringify(tool.parameters));
    }
    expect(messagesOf({ messages: hello, output_format })).toHaveLength(1);
  });
});

describe("cache marks", () => {
  const quirks = { cache_control_models: "vendor/ other/" };
  const model = modelWith({ id: "vendor/model" });
  const system = [{ type: "text" as const, text: "rules" }];
  const mark = { type: "ephemeral" };

  test("stand where bytes do not move: on top, on the system prompt, on the last tool", () => {
    const body = bodyOf({ system, messages: hello, tools: [tool, { ...tool, name: "g" }] }, { quirks, model });
    expect(body).toMatchObject({
      cache_control: mark,
      messages: [{ content: [{ text: "rules", cache_control: mark }] }, {}],
    });
    expect(body["tools"]).toMatchObject([{}, { cache_control: mark }]);
    expect(JSON.stringify(body["tools"]).match(/cache_control/g)).toHaveLength(1);
  });

  test("last an hour on request, and stand where the caller puts them", () => {
    expect(bodyOf({ messages: hello, cache: "long" }, { quirks, model })).toMatchObject({
      cache_control: { type: "ephemeral", ttl: "1h" },
    });
    const messages: Message[] = [{ role: "user", content: [{ type: "text", text: "x", cache_hint: "short" }] }];
    expect(messagesOf({ messages }, { quirks, model })[0]).toMatchObject({ content: [{ cache_control: mark }] });
  });

  test("are not sent to other models, nor when caching is off", () => {
    expect(JSON.stringify(bodyOf({ system, messages: hello }, { quirks }))).not.toContain("cache_control");
    expect(JSON.stringify(bodyOf({ system, messages: hello, cache: "off" }, { quirks, model }))).not.toContain(
      "cache_control",
    );
  });
});

describe("B17 a longer history only lengthens the body", () => {
  test.each<[string, Quirks]>([
    ["by default", {}],
    ["with marks", { cache_control_models: "*" }],
    ["with echo", { echo_reasoning_field: "reasoning_content", echo_reasoning_required: true }],
    ["with the prompt in the first user message", { system_role: "first_user" }],
    ["with bridges", { assistant_after_tool: true, empty_content: "null" }],
  ])("%s", (_name, quirks) => {
    const turns: Message[] = [
      user("one"),
      said({ type: "thinking", text: "hm" }, { type: "text", text: "a" }, call("c1")),
      answered("c1"),
      said({ type: "text", text: "b" }),
      user("two"),
      said({ type: "text", text: "c" }),
      user("three"),
    ];
    const request = { system: [{ type: "text" as const, text: "rules" }], tools: [tool], cache_key: "k" };
    const bodies = [1, 3, 5, 7].map((length) =>
      JSON.stringify(bodyOf({ ...request, messages: turns.slice(0, length) }, { quirks })),
    );
    for (const [index, body] of bodies.entries()) {
      const next = bodies[index + 1];
      if (next !== undefined) expect(next.startsWith(body.slice(0, -2))).toBe(true);
    }
  });
});
