import { afterEach, describe, expect, test, vi } from "vitest";
import { ask } from "../../../src/llm/index.ts";
import { answering, failureOf, sent, user, weather, withoutKey } from "./support.ts";

const forced = { messages: [user("Hi")], tools: [weather], tool_choice: { mode: "required" } } as const;

afterEach(() => {
  vi.unstubAllEnvs();
});

describe("Meta requests", () => {
  test("go to Responses with the key of either variable", async () => {
    const { body } = await sent("muse-wonder-1.0/max", { system: "Be brief.", messages: [user("Hi")] });
    expect(body).toMatchObject({
      model: "muse-wonder-1.0",
      instructions: "Be brief.",
      store: false,
      include: ["reasoning.encrypted_content"],
      reasoning: { effort: "max" },
    });
    const requests = answering({ object: "response", status: "completed", output: [], model: "muse-spark-1.3" });
    vi.stubEnv("MODEL_API_KEY", "");
    vi.stubEnv("META_API_KEY", "");
    const failure = await failureOf(ask("muse-spark-1.3", "Hi", withoutKey(requests)));
    expect(failure.info.category).toBe("auth");
    expect(failure.info.message).toMatch(/MODEL_API_KEY/);
    vi.stubEnv("META_API_KEY", "second");
    await ask("muse-spark-1.3", "Hi", withoutKey(requests));
    vi.stubEnv("MODEL_API_KEY", "first");
    await ask("muse-spark-1.3", "Hi", withoutKey(requests));
    expect(requests.requests.map(({ headers }) => headers.get("authorization"))).toEqual([
      "Bearer second",
      "Bearer first",
    ]);
  });

  test.each(["none", "low", "med", "high", "max"])("never switch thinking off (%s)", async (level) => {
    const { body } = await sent(`muse-spark-1.2/${level}`, "Hi");
    expect(["minimal", "low", "medium", "high", "xhigh"]).toContain(
      JSON.parse(JSON.stringify(body["reasoning"])).effort,
    );
  });

  test("never ask for more than the model writes", async () => {
    const { body } = await sent("muse-spark-1.3/max", { messages: [user("Hi")], max_output_tokens: 1_048_576 });
    expect(body["max_output_tokens"]).toBe(131_072);
  });

  test("let the model choose its tools: any other choice would be refused", async () => {
    const must = await sent("muse-spark-1.3", forced);
    expect(must.body).not.toHaveProperty("tool_choice");
    expect(must.notes).toContain("tool_choice_auto");
    const none = await sent("muse-spark-1.3", { ...forced, tool_choice: { mode: "none" } });
    expect(none.body).not.toHaveProperty("tools");
    expect(none.body).not.toHaveProperty("tool_choice");
    const chat = await sent("muse-spark-1.3", forced, { settings: { providers: { meta: { api: "chat" } } } });
    expect(chat.body).not.toHaveProperty("tool_choice");
    expect(chat.notes).toContain("tool_choice_moved");
  });

  test("hold no stop sequences, with a note, but temperature", async () => {
    const { body, notes } = await sent("muse-spark-1.3", {
      messages: [user("Hi")],
      stop_sequences: ["END"],
      temperature: 0.2,
    });
    expect(body).not.toHaveProperty("stop");
    expect(body["temperature"]).toBe(0.2);
    expect(notes).toEqual(["parameter_left_out"]);
  });
});

describe("Llama names", () => {
  test("without an address or a local server: not found, and where they run today", async () => {
    const nowhere = answering("", { status: 500 });
    const failure = await failureOf(ask("llama-4-maverick", "Hi", nowhere));
    expect(failure.info).toMatchObject({ category: "not_found", provider_code: "retired_provider" });
    expect(failure.info.message).toMatch(/OpenRouter.*meta-llama\/llama-4-maverick.*local servers.*base_url/);
  });

  test("with an address: over Chat, as compatible servers speak it, with every choice of tools", async () => {
    const settings = { providers: { meta: { base_url: "https://llama.example/v1" } } };
    const { body } = await sent("llama-3.1-8b-instruct", forced, { settings });
    expect(body).toMatchObject({ model: "llama-3.1-8b-instruct", tool_choice: "required", max_tokens: 16_384 });
    const known = await sent("llama-4-maverick", "Hi", { settings });
    expect(known.body).toMatchObject({ model: "Llama-4-Maverick-17B-128E-Instruct-FP8", max_tokens: 4_096 });
  });
});

describe("Meta refusals", () => {
  test.each([
    [
      401,
      { error: { message: "Bad key", type: "invalid_request_error", param: null, code: "invalid_api_key" } },
      "auth",
    ],
    [404, { error: { message: "The requested model was not found", type: "x", param: null, code: null } }, "not_found"],
    [400, { error: { code: null, message: "Recursive schemas are not supported" } }, "invalid_request"],
    [400, { error: { message: "The request contains invalid parameters", code: null } }, "invalid_request"],
  ])("%d %j is %s", async (status, body, category) => {
    const failure = await failureOf(ask("muse-spark-1.3", "Hi", answering(body, { status })));
    expect(failure.info).toMatchObject({ category, http_status: status });
  });
});
