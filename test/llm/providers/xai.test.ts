import { describe, expect, test } from "vitest";
import { ask, complete, countTokens } from "../../../src/llm/index.ts";
import { answering, chunks, failureOf, madeBy, sent, user, weather } from "./support.ts";

const chatApi = { settings: { providers: { xai: { api: "chat" } } } };

describe("xAI requests", () => {
  test("go to Responses, keep nothing there, and take their reasoning along encrypted", async () => {
    const { body, notes } = await sent("grok-4.7/high", {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
      cache_key: "conversation-1",
      temperature: 0.3,
      top_k: 20,
      seed: 7,
    });
    expect(body).toMatchObject({
      model: "grok-4.7",
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "high" },
      prompt_cache_key: "conversation-1",
      temperature: 0.3,
      top_k: 20,
      seed: 7,
    });
    // There is no developer here, and summaries come unasked.
    expect(body["input"]).toEqual([
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Hi" }] },
    ]);
    expect(body).not.toHaveProperty("instructions");
    expect(notes).toEqual([]);
  });

  test("hold no developer in JSON mode either", async () => {
    const { body } = await sent("grok-4.7", { messages: [user("Hi")], output_format: { type: "json" } });
    expect(JSON.stringify(body)).not.toContain("developer");
  });

  test("say no effort to a model that refuses every effort, and still ask for its reasoning", async () => {
    const { body, notes } = await sent("grok-4.20-reasoning/high", "Hi");
    expect(body).not.toHaveProperty("reasoning");
    expect(body["include"]).toEqual(["reasoning.encrypted_content"]);
    expect(notes).toContain("thinking_unsupported");
    expect((await sent("grok-4.20-non-reasoning", "Hi")).body).not.toHaveProperty("include");
  });

  test("leave out what is refused, with a note", async () => {
    const { body, notes } = await sent("grok-4.7", {
      messages: [user("Hi")],
      stop_sequences: ["END"],
      presence_penalty: 1,
    });
    expect(body).not.toHaveProperty("stop");
    expect(body).not.toHaveProperty("presence_penalty");
    expect(notes).toEqual(["parameter_left_out", "parameter_left_out"]);
  });

  test("send images of a tool result after it", async () => {
    const call = { type: "tool_call", id: "call_1", name: "get_weather", arguments: { city: "Rome" } } as const;
    const image = { type: "image", media_type: "image/png", data: "iVBORw0KGgo=" } as const;
    const { body } = await sent("grok-4.7", {
      tools: [weather],
      messages: [
        user("Look"),
        madeBy("xai", "grok-4.7", [call]),
        { role: "tool", content: [{ type: "tool_result", tool_call_id: "call_1", content: [image], is_error: false }] },
      ],
    });
    const input = body["input"];
    expect(Array.isArray(input) ? input.slice(-2) : []).toMatchObject([
      { type: "function_call_output", call_id: "call_1", output: "[an image in the next message]" },
      { role: "user", content: [{ type: "input_text" }, { type: "input_image" }] },
    ]);
  });

  test("over Chat: another field for the limit, a header for the conversation, thinking back in its field", async () => {
    const { body, headers } = await sent(
      "grok-4.7/low",
      {
        system: "Be brief.",
        cache_key: "conversation-1",
        messages: [
          user("Hi"),
          madeBy("xai", "grok-4.7", [
            { type: "thinking", text: "A greeting." },
            { type: "text", text: "Hello" },
          ]),
          user("Again"),
        ],
      },
      chatApi,
    );
    expect(body).toMatchObject({ reasoning_effort: "low", max_completion_tokens: 24_384 });
    expect(body).not.toHaveProperty("max_tokens");
    expect(headers["x-grok-conv-id"]).toBe("conversation-1");
    expect(body["messages"]).toMatchObject([
      { role: "system" },
      { role: "user" },
      { role: "assistant", content: "Hello", reasoning_content: "A greeting." },
      { role: "user" },
    ]);
  });

  test("cannot count tokens", async () => {
    const failure = await failureOf(countTokens("grok-4.7", "Hi", answering({})));
    expect(failure.info).toMatchObject({ category: "invalid_argument", message: "xai cannot count tokens" });
  });
});

describe("xAI answers", () => {
  test("B43 Chat counts reasoning beside the completion, and the price is the provider's", async () => {
    const usage = {
      prompt_tokens: 288,
      completion_tokens: 27,
      total_tokens: 665,
      prompt_tokens_details: { cached_tokens: 7 },
      completion_tokens_details: { reasoning_tokens: 350 },
      cost_in_usd_ticks: 2_733_250,
    };
    const stream = chunks(
      { id: "1", model: "grok-4.7", choices: [{ index: 0, delta: { role: "assistant", reasoning_content: "Hm" } }] },
      { id: "1", model: "grok-4.7", choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }] },
      { id: "1", model: "grok-4.7", choices: [], usage },
    );
    const answer = await ask("grok-4.7", "Hi", { ...answering(stream), ...chatApi });
    expect(answer.message.content).toEqual([
      { type: "thinking", text: "Hm" },
      { type: "text", text: "Hi" },
    ]);
    expect(answer.usage).toMatchObject({
      input_tokens: 281,
      cache_read_tokens: 7,
      output_tokens: 27,
      thinking_tokens: 350,
      total_tokens: 665,
    });
    // Ten billion ticks are a dollar.
    expect(answer.cost_usd).toBeCloseTo(0.000_273_325, 12);
  });

  test("B43 the same rule where the total is missing", async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 5, completion_tokens_details: { reasoning_tokens: 20 } };
    const body = {
      model: "grok-4.7",
      choices: [{ index: 0, message: { content: "Hi" }, finish_reason: "stop" }],
      usage,
    };
    const answer = await complete("grok-4.7", "Hi", { ...answering(body), ...chatApi });
    expect(answer.usage).toMatchObject({ output_tokens: 5, thinking_tokens: 20, total_tokens: 35 });
  });
});

const key = ["xai", "abcdefghijklmnopqrst"].join("-");

describe("xAI refusals", () => {
  test.each([
    [
      400,
      {
        code: "Client specified an invalid argument",
        error: `Incorrect API key provided: ${key}. You can obtain an API key from https://console.x.ai.`,
      },
      "auth",
    ],
    [401, { error: "Missing or blocked key" }, "auth"],
    [
      400,
      { code: "Client specified an invalid argument", error: "Model grok-1 does not support parameter stop." },
      "invalid_request",
    ],
    [
      400,
      {
        code: "invalid-argument",
        error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
      },
      "context_length",
    ],
    [400, { code: "invalid-argument", error: "Model not found: grok-nonexistent" }, "not_found"],
    [404, { error: { message: "The model grok-9 does not exist", type: "invalid_request_error" } }, "not_found"],
    [
      429,
      { error: "Your team has either used all available credits or reached its monthly spending limit." },
      "billing",
    ],
    [429, { code: "resource-exhausted", error: "Too many requests" }, "rate_limit"],
    [403, { code: "permission-denied", error: "Content violates usage guidelines." }, "content_filter"],
    [403, { code: "permission-denied", error: "The key has no access to this model." }, "auth"],
    [503, { error: "Service temporarily at capacity" }, "overloaded"],
  ])("%d %j is %s", async (status, body, category) => {
    for (const options of [{}, chatApi]) {
      const failure = await failureOf(ask("grok-4.7", "Hi", { ...answering(body, { status }), ...options }));
      expect(failure.info).toMatchObject({ category, http_status: status });
      expect(failure.info.message).not.toContain(key);
    }
  });

  test("inside a stream are the same", async () => {
    const stream = 'data: {"code":"resource-exhausted","error":"Too many requests"}\n\n';
    const failure = await failureOf(ask("grok-4.7", "Hi", { ...answering(stream), ...chatApi }));
    expect(failure.info.category).toBe("rate_limit");
  });
});
