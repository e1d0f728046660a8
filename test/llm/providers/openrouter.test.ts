import { describe, expect, test } from "vitest";
import { ask, complete, explain, listModels } from "../../../src/llm/index.ts";
import { answering, chunks, failureOf, madeBy, sent, user, weather } from "./support.ts";

describe("OpenRouter requests", () => {
  test("hold thinking as an object, the conversation's name, and marks for Claude's cache", async () => {
    const { body } = await sent("anthropic/claude-opus-5.5/high", {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
      cache_key: "conversation-1",
    });
    const mark = { type: "ephemeral" };
    expect(body).toMatchObject({
      model: "anthropic/claude-opus-5.5",
      reasoning: { effort: "high" },
      session_id: "conversation-1",
      cache_control: mark,
      stream_options: { include_usage: true },
    });
    expect(body["messages"]).toMatchObject([
      { role: "system", content: [{ type: "text", text: "Be brief.", cache_control: mark }] },
      { role: "user", content: "Hi" },
    ]);
    expect(body["tools"]).toMatchObject([{ cache_control: mark }]);
  });

  test("hold no marks for others", async () => {
    const { body } = await sent("openai/gpt-6.1-sol", {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
    });
    expect(JSON.stringify(body)).not.toContain("cache_control");
    expect(body["messages"]).toMatchObject([{ role: "system", content: "Be brief." }, {}]);
  });

  test.each([":nitro", ":floor", ":free", ":thinking", ":exacto"])("keep the variant %s", async (variant) => {
    const { body } = await sent(`openai/gpt-oss-120b${variant}/low`, "Hi");
    expect(body).toMatchObject({ model: `openai/gpt-oss-120b${variant}`, reasoning: { effort: "low" } });
  });

  test("take fallback models and routing preferences from provider_options", async () => {
    const options = {
      models: ["anthropic/claude-opus-5.5", "openai/gpt-6.1-sol"],
      provider: { order: ["anthropic"], allow_fallbacks: false, data_collection: "deny" },
      plugins: [{ id: "web" }],
    };
    const { body } = await sent("anthropic/claude-opus-5.5", {
      messages: [user("Hi")],
      provider_options: { openrouter: options, anthropic: { container: "x" } },
    });
    expect(body).toMatchObject(options);
    expect(body).not.toHaveProperty("container");
  });

  test("say which application asks, if it wants to be known", async () => {
    const app = { title: "My program", url: "https://example.com" };
    const { headers } = await sent("openai/gpt-6.1-sol", "Hi", { settings: { app } });
    expect(headers).toMatchObject({ "X-Title": "My program", "HTTP-Referer": "https://example.com" });
    const silent = await sent("openai/gpt-6.1-sol", "Hi");
    expect(Object.keys(silent.headers)).not.toContain("X-Title");
    const elsewhere = await sent("grok-4.7", "Hi", { settings: { app } });
    expect(Object.keys(elsewhere.headers)).not.toContain("X-Title");
  });

  test("hide thinking that nobody wants to see", async () => {
    const thinking = { include_summary: false };
    const { body } = await sent("anthropic/claude-opus-5.5/low", { messages: [user("Hi")], thinking });
    expect(body["reasoning"]).toEqual({ effort: "low", exclude: true });
  });
});

describe("models that are not on its list", () => {
  test.each([
    ["anthropic/claude-3.7-sonnet/high", { max_tokens: 32_000 }],
    ["~anthropic/claude-opus-5.5/max", { effort: "max" }],
    ["openai/gpt-5-pro:nitro/low", { effort: "high" }],
    ["x-ai/grok-2-1212/high", undefined],
  ])("%s has its maker's thinking", async (spec, reasoning) => {
    const { parameters, model } = await explain(`openrouter:${spec}`);
    expect(model).toBe(spec.replace(/\/[a-z]+$/, ""));
    expect(parameters["reasoning"]).toEqual(reasoning);
  });

  test("but not its maker's traits, and nothing is made up for vendors we do not know", async () => {
    const unknown = await explain("openrouter:acme/model-1/high");
    expect(unknown.parameters).toEqual({ max_completion_tokens: 16_384 });
    expect(unknown.warnings.map(({ code }) => code)).toEqual(["thinking_unsupported"]);
    const strange = await explain("openrouter:constructor/model-1");
    expect(strange.provider).toBe("openrouter");
  });
});

const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 40, cache_write_tokens: 10 },
  completion_tokens_details: { reasoning_tokens: 5 },
  cost: 0.0015,
};

function whole(extra: object = {}, message: object = { content: "Hi" }): object {
  return {
    id: "gen-1",
    provider: "Anthropic",
    model: "anthropic/claude-opus-5.5",
    choices: [{ index: 0, message, finish_reason: "stop", native_finish_reason: "end_turn" }],
    usage: { ...usage, ...extra },
  };
}

describe("OpenRouter answers", () => {
  test("cost what they say they cost", async () => {
    const answer = await complete("anthropic/claude-opus-5.5", "Hi", answering(whole()));
    expect(answer.cost_usd).toBe(0.0015);
    expect(answer.usage).toMatchObject({
      input_tokens: 50,
      cache_read_tokens: 40,
      cache_write_tokens: 10,
      output_tokens: 15,
      thinking_tokens: 5,
      total_tokens: 120,
    });
  });

  test("with a key of one's own cost what the provider behind it charged", async () => {
    const own = { is_byok: true, cost: 0.000_075, cost_details: { upstream_inference_cost: 0.0015 } };
    const answer = await complete("anthropic/claude-opus-5.5", "Hi", answering(whole(own)));
    expect(answer.cost_usd).toBe(0.0015);
    expect(answer.provider_data).toMatchObject({ usage: own });
    const gratis = { is_byok: true, cost: 0.000_075, cost_details: { upstream_inference_cost: null } };
    expect((await complete("anthropic/claude-opus-5.5", "Hi", answering(whole(gratis)))).cost_usd).toBe(0.000_075);
  });

  test("give reasoning_details that go back as they came, and no second copy of the text", async () => {
    const details = [
      { type: "reasoning.text", text: "Hm.", signature: "sig-1", format: "anthropic-claude-v1", index: 0 },
      { type: "reasoning.encrypted", data: "blob-1", id: "rs_1", format: "openai-responses-v1", index: 1 },
    ];
    const message = { content: "Hi", reasoning: "Hm.", reasoning_details: details };
    const answer = await complete("anthropic/claude-opus-5.5", "Hi", answering(whole({}, message)));
    const { body } = await sent("anthropic/claude-opus-5.5", {
      messages: [user("Hi"), answer.message, user("Again")],
    });
    expect(body["messages"]).toMatchObject([{}, { role: "assistant", content: "Hi", reasoning_details: details }, {}]);
    expect(JSON.stringify(body["messages"])).not.toContain('"reasoning":');
    const other = await sent("openai/gpt-6.1-sol", { messages: [user("Hi"), answer.message, user("Again")] });
    expect(JSON.stringify(other.body)).not.toMatch(/sig-1|blob-1/);
  });

  test("give plain reasoning that goes back in its field", async () => {
    const turn = madeBy("openrouter", "deepseek/deepseek-r1", [
      { type: "thinking", text: "Hm." },
      { type: "text", text: "Hi" },
    ]);
    const { body } = await sent("deepseek/deepseek-r1", { messages: [user("Hi"), turn, user("Again")] });
    expect(body["messages"]).toMatchObject([{}, { content: "Hi", reasoning: "Hm." }, {}]);
  });

  test("B26 begin with comments, which say nothing", async () => {
    const comments = ": OPENROUTER PROCESSING\n\n".repeat(3);
    const stream = chunks({
      id: "gen-1",
      model: "m",
      choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
    });
    const options = answering(`data: {"choices":[]}\n\n${comments}${stream}`);
    const answer = await ask("openai/gpt-6.1-sol", "Hi", options);
    expect(answer.message.content).toEqual([{ type: "text", text: "Hi" }]);
  });
});

describe("OpenRouter refusals", () => {
  const error = { code: 502, message: "Upstream down", metadata: { error_type: "provider_unavailable" } };

  test("B24 inside a stream are the same as by status", async () => {
    const chunk = { id: "gen-1", choices: [{ index: 0, delta: { content: "" }, finish_reason: "error" }], error };
    const early = await failureOf(ask("openai/gpt-6.1-sol", "Hi", answering({ error }, { status: 502 })));
    const late = await failureOf(ask("openai/gpt-6.1-sol", "Hi", answering(chunks(chunk))));
    const whole200 = await failureOf(complete("openai/gpt-6.1-sol", "Hi", answering({ error })));
    for (const { info } of [early, late, whole200]) {
      expect(info).toMatchObject({ category: "overloaded", message: "Upstream down", retryable: true });
    }
  });

  test.each([
    [402, { code: 402, message: "This request requires more credits, or fewer max_tokens." }, {}, "billing", false],
    [
      402,
      { code: 402, message: "Budget in flight", metadata: { limit_source: "openrouter_in_flight_budget" } },
      { "retry-after": "2" },
      "billing",
      true,
    ],
    [
      403,
      { code: 403, message: "Flagged", metadata: { reasons: ["violence"], flagged_input: "…" } },
      {},
      "content_filter",
      false,
    ],
    [403, { code: 403, message: "This key may not use that model" }, {}, "auth", false],
    [400, { code: 400, message: "acme/x is not a valid model ID" }, {}, "not_found", false],
    [
      429,
      {
        code: 429,
        message: "Provider returned error",
        metadata: { raw: "acme/x is temporarily rate-limited upstream" },
      },
      { "retry-after": "3" },
      "rate_limit",
      true,
    ],
    [
      529,
      { code: 529, message: "Overloaded", metadata: { error_type: "provider_overloaded" } },
      {},
      "overloaded",
      true,
    ],
    [524, { code: 524, message: "Timed out at the edge" }, {}, "timeout", true],
  ])("%d %j with %j is %s", async (status, said, headers, category, retryable) => {
    const options = answering({ error: said, user_id: "u" }, { status, headers });
    const { info } = await failureOf(ask("openai/gpt-6.1-sol", "Hi", options));
    expect(info).toMatchObject({ category, retryable, http_status: status });
  });
});

test("its list says how much fits into a model", async () => {
  const entry = {
    id: "openai/gpt-6.1-sol",
    name: "OpenAI: GPT-6.1 Sol",
    context_length: 1_050_000,
    top_provider: { context_length: 1_050_000, max_completion_tokens: 128_000 },
    expiration_date: "2027-01-01",
  };
  expect(await listModels("openrouter", answering({ data: [entry] }))).toEqual([
    {
      id: "openai/gpt-6.1-sol",
      display_name: "OpenAI: GPT-6.1 Sol",
      context_tokens: 1_050_000,
      output_tokens_max: 128_000,
      retires_at: "2027-01-01",
    },
  ]);
});
