import { describe, expect, test } from "vitest";
import { user, type JsonObject, type Message, type Request } from "../../../src/core/index.ts";
import { adapter, assistant, bodyOf, call, encode, foreign, model, own, result, signed, targetFor } from "./support.ts";

const budget = model("budget");
const adaptive = model("adaptive");
const tool = { name: "look", description: "Looks", parameters: { type: "object", properties: { path: {} } } };
const hi = [user("hi")];
const messagesOf = (body: JsonObject): unknown =>
  JSON.parse(JSON.stringify(body["messages"], (key, value: unknown) => (key === "cache_control" ? undefined : value)));

describe("where it goes", () => {
  test("address, version, framing", () => {
    expect(encode(adaptive, { messages: hi })).toMatchObject({
      method: "POST",
      url: "https://api.test/v1/messages",
      headers: { "anthropic-version": "2026-10-21", "content-type": "application/json" },
      framing: "sse",
      body: { model: adaptive.id, stream: true },
      notes: [],
    });
    const target = { ...targetFor(adaptive), stream: false, base_url: "https://gate.test/v1/" };
    const whole = adapter.encode({ model: adaptive.id, messages: hi }, target);
    expect(whole).toMatchObject({ url: "https://gate.test/v1/messages", framing: "json" });
    expect(whole.body).not.toHaveProperty("stream");
  });

  test("a key is a key, an OAuth token a bearer", () => {
    const token = ["sk", "ant", "oat01", "abc"].join("-");
    expect(adapter.authorize("key")).toEqual({ "x-api-key": "key" });
    expect(adapter.authorize(token)).toEqual({ authorization: `Bearer ${token}` });
  });

  test("options of the provider are merged last, betas become a header", () => {
    const provider_options = {
      anthropic: { metadata: { user_id: "u" }, max_tokens: 5, betas: ["one", "two"] },
      elsewhere: { metadata: "no" },
    };
    const sent = encode(adaptive, { messages: hi, provider_options });
    expect(sent.body).toMatchObject({ metadata: { user_id: "u" }, max_tokens: 5 });
    expect(sent.body).not.toHaveProperty("betas");
    expect(sent.headers["anthropic-beta"]).toBe("one,two");
    expect(Object.keys(sent.body).at(-1)).toBe("messages");
  });
});

describe("messages", () => {
  test("system is a list of blocks, blank ones left out", () => {
    const system = [
      { type: "text", text: "Be brief." },
      { type: "text", text: " \n" },
    ] as const;
    expect(bodyOf(adaptive, { messages: hi, system, cache: "off" })["system"]).toEqual([
      { type: "text", text: "Be brief." },
    ]);
    expect(bodyOf(adaptive, { messages: hi, system: [] })).not.toHaveProperty("system");
  });

  test("blank text is left out, and with it the message", () => {
    const messages = [user("hi"), assistant(own(adaptive), { type: "text", text: "\n\n" }), user("  "), user("go")];
    expect(messagesOf(bodyOf(adaptive, { messages }))).toEqual([
      { role: "user", content: [{ type: "text", text: "hi" }] },
      { role: "user", content: [{ type: "text", text: "go" }] },
    ]);
  });

  test("results come first in the next user message, images of a failed one after all of them", () => {
    const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
    const messages: Message[] = [
      user("go"),
      assistant(own(adaptive), call("a"), call("b")),
      {
        role: "tool",
        content: [
          { type: "tool_result", tool_call_id: "a", content: [{ type: "text", text: "no" }, image], is_error: true },
          { type: "tool_result", tool_call_id: "b", content: [image, { type: "text", text: " " }], is_error: false },
        ],
      },
      user("and now?"),
    ];
    const wireImage = { type: "image", source: { type: "base64", media_type: "image/png", data: "AAAA" } };
    expect(messagesOf(bodyOf(adaptive, { messages, tools: [tool] }))).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: [{ type: "text", text: "no" }], is_error: true },
          { type: "tool_result", tool_use_id: "b", content: [wireImage] },
          wireImage,
        ],
      },
      { role: "user", content: [{ type: "text", text: "and now?" }] },
    ]);
  });

  test("an empty result has no content at all", () => {
    const messages: Message[] = [
      user("go"),
      assistant(own(adaptive), call("a")),
      { role: "tool", content: [{ type: "tool_result", tool_call_id: "a", content: [], is_error: false }] },
    ];
    expect(messagesOf(bodyOf(adaptive, { messages, tools: [tool] }))).toMatchObject([
      {},
      {},
      { role: "user", content: [{ type: "tool_result", tool_use_id: "a" }] },
    ]);
  });

  test("images by data, by address, by data address; a kind it cannot read becomes a word", () => {
    const messages: Message[] = [
      {
        role: "user",
        content: [
          { type: "image", media_type: "image/webp", data: "AA" },
          { type: "image", url: "https://pic.test/a.png" },
          { type: "image", url: "data:image/gif;base64,R0lG" },
          { type: "image", media_type: "image/svg+xml", data: "PHN2Zz4" },
        ],
      },
    ];
    const sent = encode(adaptive, { messages, cache: "off" });
    expect(sent.body["messages"]).toMatchObject([
      {
        content: [
          { type: "image", source: { type: "base64", media_type: "image/webp", data: "AA" } },
          { type: "image", source: { type: "url", url: "https://pic.test/a.png" } },
          { type: "image", source: { type: "base64", media_type: "image/gif", data: "R0lG" } },
          { type: "text" },
        ],
      },
    ]);
    expect(sent.losses).toMatchObject([{ code: "unsupported_block", message_index: 0 }]);
  });

  test("opaque data goes back to its maker only", () => {
    const data = { type: "thinking", signature: "theirs" };
    const opaque = { provider: "elsewhere", model: "m", data };
    const messages: Message[] = [
      user("hi"),
      assistant(
        foreign,
        { type: "thinking", text: "t", opaque },
        { type: "text", text: "x", opaque },
        { type: "provider", opaque },
        { type: "tool_call", id: "a", name: "look", arguments: {}, opaque },
      ),
      result("a"),
    ];
    const body = bodyOf(adaptive, { messages, tools: [tool] });
    expect(JSON.stringify(body)).not.toContain("theirs");
    expect(messagesOf(body)).toMatchObject([
      {},
      {
        content: [
          { type: "text", text: "x" },
          { type: "tool_use", id: "a", name: "look", input: {} },
        ],
      },
      {},
    ]);
  });

  test("half surrogate pairs are mended where nothing is signed", () => {
    const half = "a\ud83d";
    const messages: Message[] = [
      user(half),
      assistant(
        own(adaptive),
        signed(adaptive, half),
        { type: "text", text: half },
        call("a", "look", { [half]: [half] }),
      ),
      result("a", half),
    ];
    const tools = [{ ...tool, description: half }];
    const body = bodyOf(adaptive, { messages, tools, system: [{ type: "text", text: half }] });
    const thinking = JSON.stringify({ type: "thinking", thinking: half, signature: `sig-of-${half}` });
    const rest = JSON.stringify(body).replace(thinking, "");
    expect(rest).not.toMatch(/\\ud83d/);
    expect(rest.match(/a\ufffd/g)).toHaveLength(7);
  });

  test("names that other models made up are made legal", () => {
    const messages = [user("go"), assistant(foreign, call("a", "functions.look:0")), result("a")];
    const body = bodyOf(adaptive, { messages });
    expect(messagesOf(body)).toMatchObject([{}, { content: [{ name: "functions_look_0" }] }, {}]);
    expect(body["tools"]).toMatchObject([{ name: "functions_look_0" }]);
  });

  test("an answer to be continued does not end in blanks", () => {
    const messages = [user("hi"), assistant(own(budget), { type: "text", text: "The best is \n" })];
    expect(messagesOf(bodyOf(budget, { messages }))).toMatchObject([{}, { content: [{ text: "The best is" }] }]);
  });

  test("a server's unanswered call is kept while it can be continued, and left out once the user spoke", () => {
    const data = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} };
    const paused = assistant(
      own(adaptive),
      { type: "text", text: "wait" },
      {
        type: "provider",
        opaque: { provider: "anthropic", model: adaptive.id, data },
      },
    );
    const answer = assistant(own(adaptive), {
      type: "provider",
      opaque: {
        provider: "anthropic",
        model: adaptive.id,
        data: { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
      },
    });
    const sent = (messages: readonly Message[]): string => JSON.stringify(bodyOf(adaptive, { messages }));
    expect(sent([user("hi"), paused])).toContain("srvtoolu_1");
    expect(sent([user("hi"), paused, answer, user("go on")])).toContain("server_tool_use");
    expect(sent([user("hi"), paused, user("stop")])).not.toContain("srvtoolu_1");
    expect(encode(adaptive, { messages: [user("hi"), paused, user("stop")] }).losses).toMatchObject([
      { code: "half_tool_call", message_index: 1, block_index: 1 },
    ]);
  });

  test.each<[string, readonly Message[], Partial<Request>]>([
    ["no messages", [], {}],
    ["only blanks", [user(" ")], {}],
    ["a call without its result", [user("hi"), assistant(own(adaptive), call("a"))], {}],
    ["a result without its call", [user("hi"), result("a")], {}],
    ["an unknown level", hi, { thinking: JSON.parse('{"level":"extreme"}') as JsonObject }],
  ])("refused before it is sent: %s", (_name, messages, rest) => {
    const send = (): unknown =>
      adapter.encode({ model: adaptive.id, messages, ...rest }, targetFor(adaptive, { level: "low" }));
    expect(send).toThrow(expect.objectContaining({ info: expect.objectContaining({ category: "invalid_argument" }) }));
  });
});

describe("tools", () => {
  test("definitions; strict only where it is asked for", () => {
    const parameters = { properties: { n: { type: "integer", minimum: 1 } }, required: ["n"] };
    const tools = [tool, { name: "count", parameters, strict: true }, { name: "free", parameters: {}, strict: false }];
    expect(bodyOf(adaptive, { messages: hi, tools, cache: "off" })["tools"]).toEqual([
      { name: "look", description: "Looks", input_schema: tool.parameters },
      {
        name: "count",
        input_schema: {
          type: "object",
          properties: { n: { type: "integer", description: "{minimum: 1}" } },
          required: ["n"],
          additionalProperties: false,
        },
        strict: true,
      },
      { name: "free", input_schema: { type: "object" } },
    ]);
  });

  test.each<[NonNullable<Request["tool_choice"]>, JsonObject]>([
    [{ mode: "auto" }, { type: "auto" }],
    [{ mode: "none", parallel_allowed: false }, { type: "none" }],
    [{ mode: "required" }, { type: "any" }],
    [
      { mode: "specific", name: "look" },
      { type: "tool", name: "look" },
    ],
    [
      { mode: "auto", parallel_allowed: false },
      { type: "auto", disable_parallel_tool_use: true },
    ],
    [
      { mode: "required", parallel_allowed: false },
      { type: "any", disable_parallel_tool_use: true },
    ],
  ])("choice %j is %j", (tool_choice, wire) => {
    expect(bodyOf(adaptive, { messages: hi, tools: [tool], tool_choice })["tool_choice"]).toEqual(wire);
  });

  test("a choice the model refuses becomes auto, and is announced", () => {
    const tool_choice = { mode: "required", parallel_allowed: false } as const;
    const sent = (info: typeof budget, level: "none" | "low"): unknown => {
      const { body, notes } = encode(info, { messages: hi, tools: [tool], tool_choice, thinking: { level } });
      return [(body["tool_choice"] as JsonObject)["type"], notes.map(({ code }) => code)];
    };
    expect(sent(model("bound", { forced_tools: "never" }), "low")).toEqual(["auto", ["tool_choice_moved"]]);
    expect(sent(budget, "low")).toEqual(["auto", ["tool_choice_moved"]]);
    expect(sent(budget, "none")).toEqual(["any", []]);
    expect(sent(model("adaptive", { forced_tools: "without_thinking" }), "none")).toEqual(["any", []]);
    expect(sent(adaptive, "low")).toEqual(["any", []]);
  });

  test("a history with calls and no tools gets empty definitions that are not for calling", () => {
    const messages = [
      user("hi"),
      assistant(own(adaptive), call("a", "look"), call("b", "read")),
      {
        role: "tool",
        content: [result("a"), result("b")].flatMap((m) => (m.role === "tool" ? m.content : [])),
      },
    ] as const satisfies readonly Message[];
    const { body, notes } = encode(adaptive, { messages, cache: "off" });
    expect(body["tools"]).toEqual([
      { name: "look", input_schema: { type: "object" } },
      { name: "read", input_schema: { type: "object" } },
    ]);
    expect(body["tool_choice"]).toEqual({ type: "none" });
    expect(notes).toMatchObject([{ code: "tools_synthesised" }]);
  });
});

describe("B15 parameters only where they are legal", () => {
  const asked = { temperature: 0.5, top_p: 0.9, top_k: 40 };

  test("never, while thinking, without thinking", () => {
    const sent = (info: typeof budget, level: "none" | "low"): unknown => {
      const { body, headers, notes } = encode(info, { messages: hi, ...asked, thinking: { level } });
      const fields = Object.keys(asked).filter((name) => name in body);
      return [headers["anthropic-version"], fields, notes.map(({ message }) => message.split(" ")[0])];
    };
    const refused = ["2026-10-21", [], ["temperature", "top_p", "top_k"]];
    expect(sent(adaptive, "low")).toEqual(refused);
    expect(sent(adaptive, "none")).toEqual(refused);
    expect(sent(budget, "low")).toEqual(refused);
    expect(sent(budget, "none")).toEqual(["2023-06-01", ["temperature", "top_k"], ["top_p"]]);
  });

  test("a temperature above 1 is held to 1; what this API does not have is named", () => {
    const request = { messages: hi, temperature: 1.7, seed: 1, presence_penalty: 0.5, thinking: { level: "none" } };
    const { body, notes } = encode(budget, { ...request, thinking: { level: "none" } });
    expect(body).toMatchObject({ temperature: 1 });
    expect(body).not.toHaveProperty("seed");
    expect(notes.map(({ code }) => code)).toEqual(["parameter_left_out", "parameter_left_out", "temperature_clamped"]);
  });

  test("stop sequences, but not blank ones", () => {
    const { body, notes } = encode(adaptive, { messages: hi, stop_sequences: ["END", "\n"] });
    expect(body["stop_sequences"]).toEqual(["END"]);
    expect(notes).toMatchObject([{ code: "parameter_left_out" }]);
  });
});

describe("structured output", () => {
  const output_format = {
    type: "json_schema",
    name: "point",
    schema: { type: "object", properties: { x: { type: "number", minimum: 0 } }, required: ["x"] },
  } as const;

  test("joins the effort", () => {
    expect(bodyOf(adaptive, { messages: hi, output_format, thinking: { level: "med" } })["output_config"]).toEqual({
      effort: "medium",
      format: {
        type: "json_schema",
        schema: {
          type: "object",
          properties: { x: { type: "number", description: "{minimum: 0}" } },
          required: ["x"],
          additionalProperties: false,
        },
      },
    });
  });

  test("what cannot be enforced is left out and announced", () => {
    const recursive = { type: "object", properties: { next: { $ref: "#" } } };
    for (const format of [{ type: "json" }, { ...output_format, schema: recursive }] as const) {
      const { body, notes } = encode(budget, { messages: hi, output_format: format });
      expect(body).not.toHaveProperty("output_config");
      expect(notes).toMatchObject([{ code: "output_format_left_out" }]);
    }
  });
});

describe("B11 a budget and a turn in progress that was begun without thinking", () => {
  const tools = [tool];
  const thinking = { level: "low" } as const;
  const begun = (...first: Parameters<typeof assistant>): readonly Message[] => [
    user("go"),
    assistant(...first),
    result("a"),
  ];
  const sent = (messages: readonly Message[], info = budget): unknown => {
    const { body, notes } = encode(info, { messages, tools, thinking });
    return [(body["thinking"] as JsonObject | undefined)?.["type"], notes.map(({ code }) => code)];
  };
  const off = [undefined, ["thinking_left_out"]];
  const on = ["enabled", []];

  test("another's call: thinking is off for this request, with a warning", () => {
    expect(sent(begun(foreign, call("a")))).toEqual(off);
    expect(sent([...begun(foreign, call("a")), user("wait")])).toEqual(off);
  });

  test("its own call, made with thinking or without", () => {
    expect(sent(begun(own(budget), signed(budget, "t"), call("a")))).toEqual(on);
    expect(sent(begun(own(budget), call("a")))).toEqual(off);
  });

  test("later steps of its own turn need no thinking, another's do", () => {
    const first = begun(own(budget), signed(budget, "t"), call("a"));
    expect(sent([...first, assistant(own(budget), call("b")), result("b")])).toEqual(on);
    expect(sent([...first, assistant(foreign, call("b")), result("b")])).toEqual(off);
  });

  test("a finished turn does not matter", () => {
    const done = assistant(foreign, { type: "text", text: "done" });
    expect(sent([...begun(foreign, call("a")), done, user("thanks")])).toEqual(on);
  });

  test("models that think adaptively do not mind", () => {
    expect(sent(begun(foreign, call("a")), adaptive)).toEqual(["adaptive", []]);
  });
});

test("a budget model with tools may think after each result", () => {
  const beta = (info: typeof budget, level: "none" | "low", tools: readonly (typeof tool)[]): string | undefined =>
    encode(info, { messages: hi, tools, thinking: { level } }).headers["anthropic-beta"];
  expect(beta(budget, "low", [tool])).toBe("interleaved-thinking-2025-05-14");
  expect(beta(budget, "low", [])).toBeUndefined();
  expect(beta(budget, "none", [tool])).toBeUndefined();
  expect(beta(adaptive, "low", [tool])).toBeUndefined();
});

describe("counting", () => {
  test("the same body without what concerns the answer", () => {
    const request: Request = {
      model: adaptive.id,
      messages: hi,
      tools: [tool],
      system: [{ type: "text", text: "s" }],
      stop_sequences: ["END"],
    };
    const counted = adapter.countTokens?.encode(request, targetFor(adaptive));
    expect(counted).toMatchObject({ url: "https://api.test/v1/messages/count_tokens", framing: "json" });
    expect(Object.keys(counted?.body ?? {}).sort()).toEqual(
      ["messages", "model", "output_config", "system", "thinking", "tools"].sort(),
    );
    expect(adapter.countTokens?.decode({ input_tokens: 12 })).toBe(12);
  });
});

test("the list of models comes in pages", () => {
  expect(adapter.listModels?.encode("https://api.test", "claude-a")).toMatchObject({
    method: "GET",
    url: "https://api.test/v1/models?limit=1000&after_id=claude-a",
    headers: { "anthropic-version": "2026-10-21" },
  });
  const data = [
    { id: "claude-a", display_name: "A", max_input_tokens: 100, max_tokens: 10, retires_at: null },
    { id: "claude-b", retires_at: "2027-01-01" },
  ];
  expect(adapter.listModels?.decode({ data, has_more: true, last_id: "claude-b" })).toEqual({
    models: [
      { id: "claude-a", display_name: "A", context_tokens: 100, output_tokens_max: 10 },
      { id: "claude-b", retires_at: "2027-01-01" },
    ],
    next_page: "claude-b",
  });
  expect(adapter.listModels?.decode({ data, has_more: false, last_id: "claude-b" })).not.toHaveProperty("next_page");
});

test("the rules for a history name every id of the model", () => {
  const { projection } = adapter;
  expect(projection({ provider: "anthropic", model: budget, quirks: {} })).toMatchObject({
    models: [budget.id, ...budget.aliases],
    tool_call_id: { length_max: 64 },
    thinking_needs_opaque: true,
    tool_calls_last: true,
  });
});
