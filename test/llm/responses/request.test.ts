import { describe, expect, test } from "vitest";
import type { Message, ToolDefinition } from "../../../src/core/index.ts";
import { toolResult, user } from "../../../src/core/index.ts";
import { responses } from "../../../src/llm/protocols/responses/index.ts";
import { responsesDefaults, responsesQuirks } from "../../../src/llm/protocols/responses/quirks.ts";
import { bodyOf, encode, inputOf, plainModel, targetFor, thinkingModel } from "./helpers.ts";

const readTool: ToolDefinition = {
  name: "read",
  description: "Reads a file",
  parameters: {
    type: "object",
    properties: { path: { type: "string" }, limit: { type: "integer" } },
    required: ["path"],
  },
};
const foreignTurn: Message = {
  role: "assistant",
  origin: { provider: "other", api: "x", model: "y" },
  content: [
    { type: "text", text: "Let me see." },
    { type: "tool_call", id: "toolu_1", name: "read", arguments: { path: "a" } },
  ],
};

describe("a request", () => {
  test("asks the server to keep nothing and to hand over its reasoning sealed", () => {
    const call = encode({
      system: [
        { type: "text", text: "Be brief." },
        { type: "text", text: "Be kind." },
      ],
    });
    expect(call).toMatchObject({ method: "POST", url: "https://api.test/v1/responses", framing: "sse", notes: [] });
    expect(call.headers).toEqual({ "content-type": "application/json", accept: "text/event-stream" });
    expect(call.body).toEqual({
      model: "gpt-6-sol",
      instructions: "Be brief.\n\nBe kind.",
      include: ["reasoning.encrypted_content"],
      store: false,
      stream: true,
      reasoning: { effort: "medium", summary: "auto" },
      max_output_tokens: 41_384,
      input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
    });
  });

  test("to a model without thinking holds no word of it", () => {
    const call = encode({}, { model: plainModel(), stream: false });
    expect(call.framing).toBe("json");
    expect(call.body).toEqual({
      model: "gpt-4.1",
      store: false,
      stream: false,
      max_output_tokens: 16_384,
      input: [{ role: "user", content: [{ type: "input_text", text: "hello" }] }],
    });
  });

  test("to a model without tools leaves them out and says so", () => {
    const model = plainModel();
    const toolless = { ...model, capabilities: { ...model.capabilities, tools: false } };
    const call = encode({ tools: [readTool], tool_choice: { mode: "required" } }, { model: toolless });
    expect(Object.keys(bodyOf(call)).filter((name) => /tool/.test(name))).toEqual([]);
    expect(call.notes.map(({ message }) => message).join()).toContain("tools");
  });

  test("carries the plan's parameters as they stand", () => {
    const target = targetFor({ thinking: { level: "high" } });
    expect(responses.encode({ model: "gpt-6-sol", messages: [user("x")] }, target).body).toMatchObject(
      target.plan.parameters,
    );
  });

  test("shows images by address and by value", () => {
    const content = [
      { type: "text", text: "What is this?" },
      { type: "image", media_type: "image/png", data: "AAAA" },
      { type: "image", url: "https://a.test/b.png" },
    ] as const;
    expect(inputOf(encode({ messages: [{ role: "user", content }] }))[0]).toEqual({
      role: "user",
      content: [
        { type: "input_text", text: "What is this?" },
        { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" },
        { type: "input_image", image_url: "https://a.test/b.png", detail: "auto" },
      ],
    });
  });

  test("shows what another model said as plain text and plain calls", () => {
    const messages: readonly Message[] = [
      user("hi"),
      foreignTurn,
      { role: "tool", content: [toolResult("toolu_1", "contents")] },
    ];
    expect(inputOf(encode({ messages })).slice(1)).toEqual([
      { role: "assistant", content: "Let me see." },
      { type: "function_call", call_id: "toolu_1", name: "read", arguments: '{"path":"a"}' },
      { type: "function_call_output", call_id: "toolu_1", output: "contents" },
    ]);
  });

  test("merges provider_options last, and still ends with the input", () => {
    const provider_options = { openai: { service_tier: "flex", store: true }, other: { x: 1 } };
    const body = bodyOf(encode({ provider_options }));
    expect(body).toMatchObject({ service_tier: "flex", store: true });
    expect(body).not.toHaveProperty("x");
    expect(Object.keys(body).at(-1)).toBe("input");
  });

  test("is refused when a call has no result, a result no call, or nothing is said", () => {
    expect(() => encode({ messages: [user("hi"), foreignTurn] })).toThrow(/toolu_1 has no result/);
    expect(() => encode({ messages: [{ role: "tool", content: [toolResult("x", "y")] }] })).toThrow(/has no call/);
    expect(() => encode({ messages: [] })).toThrow(/nothing to send/);
  });
});

describe("results", () => {
  const resultOf = (content: Message["content"], quirks = {}): unknown => {
    const tool = { role: "tool", content } as Message;
    return inputOf(encode({ messages: [user("hi"), foreignTurn, tool] }, { quirks })).slice(3);
  };

  test("say in their text that they are errors", () => {
    expect(resultOf([toolResult("toolu_1", "no such file", true)])).toMatchObject([{ output: "Error: no such file" }]);
    expect(resultOf([toolResult("toolu_1", "error: ENOENT", true)])).toMatchObject([{ output: "error: ENOENT" }]);
    expect(resultOf([toolResult("toolu_1", "", true)])).toMatchObject([{ output: "Error: " }]);
  });

  test("hold images, or have them follow where a server cannot", () => {
    const content = [
      {
        type: "tool_result",
        tool_call_id: "toolu_1",
        is_error: false,
        content: [
          { type: "text", text: "A picture" },
          { type: "image", media_type: "image/png", data: "AAAA" },
        ],
      },
    ] as const;
    const image = { type: "input_image", image_url: "data:image/png;base64,AAAA", detail: "auto" };
    expect(resultOf(content)).toEqual([
      {
        type: "function_call_output",
        call_id: "toolu_1",
        output: [{ type: "input_text", text: "A picture" }, image],
      },
    ]);
    expect(resultOf(content, { tool_result_parts: false })).toEqual([
      { type: "function_call_output", call_id: "toolu_1", output: "A picture\n\n[an image in the next message]" },
      { role: "user", content: [{ type: "input_text", text: "Images of the result of toolu_1:" }, image] },
    ]);
  });
});

describe("tools", () => {
  test("are strict with a schema that says so, by default", () => {
    expect(bodyOf(encode({ tools: [readTool] }))["tools"]).toEqual([
      {
        type: "function",
        name: "read",
        description: "Reads a file",
        parameters: {
          type: "object",
          properties: { path: { type: "string" }, limit: { type: ["integer", "null"] } },
          required: ["path", "limit"],
          additionalProperties: false,
        },
        strict: true,
      },
    ]);
  });

  test("are not strict where their schema cannot be, with a note; or when asked; or where a server knows no strict", () => {
    const free = { ...readTool, parameters: { type: "object", additionalProperties: true } };
    const call = encode({ tools: [free] });
    expect(bodyOf(call)["tools"]).toMatchObject([{ strict: false, parameters: free.parameters }]);
    expect(call.notes).toMatchObject([{ code: "not_strict" }]);
    expect(bodyOf(encode({ tools: [{ ...readTool, strict: false }] }))["tools"]).toMatchObject([
      { strict: false, parameters: readTool.parameters },
    ]);
    expect(bodyOf(encode({ tools: [readTool] }, { quirks: { strict_tools: false } }))["tools"]).toMatchObject([
      { strict: false },
    ]);
  });

  test.each([
    [{ mode: "auto" }, "auto"],
    [{ mode: "none" }, "none"],
    [{ mode: "required" }, "required"],
    [
      { mode: "specific", name: "read" },
      { type: "function", name: "read" },
    ],
  ] as const)("choice %j", (tool_choice, expected) => {
    const call = encode({ tools: [readTool], tool_choice });
    expect(bodyOf(call)["tool_choice"]).toEqual(expected);
    expect(call.notes).toEqual([]);
  });

  test("parallel calls can be ruled out", () => {
    const body = bodyOf(encode({ tools: [readTool], tool_choice: { mode: "auto", parallel_allowed: false } }));
    expect(body["parallel_tool_calls"]).toBe(false);
    const call = encode(
      { tools: [readTool], tool_choice: { mode: "auto", parallel_allowed: false } },
      { quirks: { parallel_tool_calls: false } },
    );
    expect(call.body).not.toHaveProperty("parallel_tool_calls");
    expect(call.notes).toMatchObject([{ code: "parameter_left_out" }]);
  });

  test("cannot be forced on a model that refuses: it may choose, and a note says so", () => {
    const never = thinkingModel();
    const model = thinkingModel({ capabilities: { ...never.capabilities, forced_tools: "never" } });
    const call = encode({ tools: [readTool], tool_choice: { mode: "required" } }, { model });
    expect(bodyOf(call)["tool_choice"]).toBe("auto");
    expect(call.notes).toMatchObject([{ code: "tool_choice_auto" }]);
    const sometimes = thinkingModel({ capabilities: { ...never.capabilities, forced_tools: "without_thinking" } });
    const forced = { tools: [readTool], tool_choice: { mode: "specific", name: "read" } } as const;
    expect(bodyOf(encode(forced, { model: sometimes }))["tool_choice"]).toBe("auto");
    expect(bodyOf(encode(forced, { model: sometimes, thinking: { level: "none" } }))["tool_choice"]).toEqual({
      type: "function",
      name: "read",
    });
  });

  test("on servers that know fewer modes", () => {
    const specific = { tools: [readTool], tool_choice: { mode: "specific", name: "read" } } as const;
    expect(bodyOf(encode(specific, { quirks: { tool_choice: "modes" } }))["tool_choice"]).toBe("auto");
    expect(bodyOf(encode(specific, { quirks: { tool_choice: "none" } }))).not.toHaveProperty("tool_choice");
    const none = encode({ tools: [readTool], tool_choice: { mode: "none" } }, { quirks: { tool_choice: "none" } });
    expect(none.body).not.toHaveProperty("tools");
    expect(none.notes).toHaveLength(1);
  });
});

describe("output formats", () => {
  const schema = { type: "object", properties: { a: { type: "string" } }, required: ["a"] };

  test("are flat here", () => {
    const output_format = { type: "json_schema", name: "out", schema, description: "d" } as const;
    expect(bodyOf(encode({ output_format }))["text"]).toEqual({
      format: {
        type: "json_schema",
        name: "out",
        description: "d",
        schema: { ...schema, additionalProperties: false },
        strict: true,
      },
    });
  });

  test("any JSON is asked for in the input too, where the API looks for the word", () => {
    const call = encode({ output_format: { type: "json" } });
    expect(bodyOf(call)["text"]).toEqual({ format: { type: "json_object" } });
    expect(inputOf(call)[0]).toEqual({ role: "system", content: "Answer with one JSON object." });
  });

  test("a schema that a server has no place for is told in words", () => {
    const output_format = { type: "json_schema", name: "out", schema } as const;
    const call = encode({ output_format }, { quirks: { output_schema: "object" } });
    expect(bodyOf(call)["text"]).toEqual({ format: { type: "json_object" } });
    const [told] = inputOf(call);
    expect(told).toMatchObject({ role: "system", content: expect.stringContaining(JSON.stringify(schema)) });
  });

  test("with optional properties come with a note, and without strict as they are", () => {
    const optional = { type: "object", properties: { a: { type: "string" } } };
    const call = encode({ output_format: { type: "json_schema", name: "out", schema: optional } });
    expect(call.notes).toMatchObject([{ code: "optional_as_null" }]);
    const loose = encode({ output_format: { type: "json_schema", name: "out", schema: optional, strict: false } });
    expect(bodyOf(loose)["text"]).toMatchObject({ format: { schema: optional, strict: false } });
  });
});

describe("B15 parameters a model refuses are left out and named", () => {
  const sampling = { temperature: 0.5, top_p: 0.9, top_k: 4, seed: 1, presence_penalty: 1, stop_sequences: ["x"] };
  const left = (notes: readonly { readonly message: string }[]): readonly string[] =>
    notes.map(({ message }) => message.split(" ", 1)[0] ?? "");

  test("while it thinks", () => {
    const call = encode(sampling);
    for (const name of Object.keys(sampling)) expect(call.body).not.toHaveProperty(name);
    expect(left(call.notes)).toEqual(["temperature", "top_p", "top_k", "presence_penalty", "seed", "stop_sequences"]);
  });

  test("not when it does not", () => {
    const call = encode(sampling, { thinking: { level: "none" } });
    expect(call.body).toMatchObject({ temperature: 0.5, top_p: 0.9, reasoning: { effort: "none" } });
    expect(left(call.notes)).toEqual(["top_k", "presence_penalty", "seed", "stop_sequences"]);
  });

  test("never, on models that never take them", () => {
    const { capabilities } = thinkingModel();
    const model = thinkingModel({ capabilities: { ...capabilities, sampling: "never" } });
    expect(encode({ temperature: 1 }, { model, thinking: { level: "none" } }).body).not.toHaveProperty("temperature");
    expect(encode({ temperature: 1 }, { model: plainModel() }).body).toMatchObject({ temperature: 1 });
  });

  test("servers that take more get more", () => {
    const quirks = { top_k: true, seed_field: "seed", penalties: true, stop_limit: 1 };
    const call = encode({ ...sampling, stop_sequences: ["x", "y"] }, { model: plainModel(), quirks });
    expect(call.body).toMatchObject({ top_k: 4, seed: 1, presence_penalty: 1, stop: ["x"] });
    expect(left(call.notes)).toEqual(["stop_sequences"]);
  });
});

describe("the prompt cache", () => {
  const longKey = `conversation-${"x".repeat(80)}`;

  test("is reached by a key of at most 64 characters, unless it is off", () => {
    expect(encode({ cache_key: "abc" }).body).toMatchObject({ prompt_cache_key: "abc" });
    expect(encode({ cache_key: "abc", cache: "off" }).body).not.toHaveProperty("prompt_cache_key");
    const key = bodyOf(encode({ cache_key: longKey }))["prompt_cache_key"];
    expect(key).toHaveLength(64);
    expect(bodyOf(encode({ cache_key: `${longKey}y` }))["prompt_cache_key"]).not.toBe(key);
  });

  test("keeps for long where the model can", () => {
    const model = thinkingModel({ traits: { prompt_cache_options: true } });
    expect(encode({ cache: "long" }, { model }).body).toMatchObject({ prompt_cache_options: { ttl: "12h" } });
    const call = encode({ cache: "long" });
    expect(call.body).not.toHaveProperty("prompt_cache_options");
    expect(call.notes).toMatchObject([{ code: "parameter_left_out" }]);
  });

  test("B17 a turn's body begins with the bytes of the one before it", () => {
    const first: readonly Message[] = [
      user("hi"),
      foreignTurn,
      { role: "tool", content: [toolResult("toolu_1", "x")] },
    ];
    const ends: Message = { ...foreignTurn, content: [{ type: "text", text: "Done." }] };
    const options = { system: [{ type: "text", text: "s" }], tools: [readTool], cache_key: "k" } as const;
    let earlier = "";
    for (const messages of [first.slice(0, 1), first, [...first, ends, user("more")]]) {
      const text = JSON.stringify(encode({ ...options, messages }).body);
      expect(text.startsWith(earlier)).toBe(true);
      expect(text.endsWith("]}")).toBe(true);
      earlier = text.slice(0, -2);
    }
  });
});

describe("servers that differ", () => {
  test("take the system prompt as a message", () => {
    const system = [{ type: "text", text: "Be brief." }] as const;
    for (const system_role of ["system", "developer"]) {
      const call = encode({ system }, { quirks: { system_role } });
      expect(call.body).not.toHaveProperty("instructions");
      expect(inputOf(call)[0]).toEqual({ role: system_role, content: "Be brief." });
    }
  });

  test("know no store, no sealed reasoning, another path, other fields and headers", () => {
    const quirks = {
      path: "/v2/answers",
      store: false,
      encrypted_reasoning: false,
      extra_body: '{"provider":{"order":["a"]}}',
      cache_key_field: "",
      cache_key_header: "x-conversation",
    };
    const call = encode({ cache_key: "abc" }, { quirks });
    expect(call.url).toBe("https://api.test/v1/v2/answers");
    expect(call.headers["x-conversation"]).toBe("abc");
    expect(call.body).toMatchObject({ provider: { order: ["a"] } });
    for (const field of ["store", "include", "prompt_cache_key"]) expect(call.body).not.toHaveProperty(field);
  });

  test("do not fetch images", () => {
    const content = [{ type: "image", url: "https://a.test/b.png" }] as const;
    const call = encode({ messages: [{ role: "user", content }] }, { quirks: { image_urls: false } });
    expect(inputOf(call)[0]).toMatchObject({ content: [{ type: "input_text" }] });
    expect(call.losses).toMatchObject([{ code: "unsupported_block" }]);
  });

  test("quirks of the wrong kind are not read", () => {
    expect(responsesQuirks({ store: "no", tool_choice: "sometimes", stop_limit: true, path: 7 })).toEqual(
      responsesDefaults,
    );
    expect(responsesQuirks({ store: true }, { store: false }).store).toBe(false);
  });
});

describe("beside the answer", () => {
  test("tokens are counted for what would be sent", () => {
    const target = targetFor();
    const call = responses.countTokens?.encode(
      { model: "gpt-6-sol", messages: [user("hello")], system: [{ type: "text", text: "s" }], tools: [readTool] },
      target,
    );
    expect(call?.url).toBe("https://api.test/v1/responses/input_tokens");
    expect(Object.keys(call?.body ?? {})).toEqual(["model", "instructions", "tools", "reasoning", "input"]);
    expect(responses.countTokens?.decode({ object: "response.input_tokens", input_tokens: 11 })).toBe(11);
    expect(() => responses.countTokens?.decode({})).toThrow(/count of tokens/);
  });

  test("models are listed", () => {
    expect(responses.listModels?.encode("https://api.test/v1/").url).toBe("https://api.test/v1/models");
    const data = [
      { id: "gpt-6-sol", object: "model", created: 1, owned_by: "x", shutdown_date: "2028-01-01" },
      { id: "local", max_model_len: 8192 },
      { object: "model" },
    ];
    expect(responses.listModels?.decode({ object: "list", data })).toEqual({
      models: [
        { id: "gpt-6-sol", retires_at: "2028-01-01" },
        { id: "local", context_tokens: 8192 },
      ],
    });
    expect(responses.listModels?.decode("?")).toEqual({ models: [] });
  });

  test("a key is a bearer", () => {
    const key = ["sk", "test"].join("-");
    expect(responses.authorize(key)).toEqual({ authorization: `Bearer ${key}` });
  });
});
