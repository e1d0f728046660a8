import { describe, expect, test } from "vitest";
import type { ErrorCategory, ErrorInfo } from "../../../src/core/index.ts";
import { decodeOpenAiError } from "../../../src/llm/protocols/openai-errors.ts";
import { responses } from "../../../src/llm/protocols/responses/index.ts";

function read(status: number, body: unknown, headers: Record<string, string> = {}): ErrorInfo {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return responses.decodeError({ status, headers: new Headers(headers), text, now: 0 });
}
const openAi = (message: string, fields: object = {}): object => ({
  error: { message, type: "invalid_request_error", param: null, code: null, ...fields },
});

describe("B40 code, then message, then status", () => {
  test.each<[ErrorCategory, number, unknown]>([
    [
      "context_length",
      400,
      openAi("Your input exceeds the context window of this model.", { code: "context_length_exceeded" }),
    ],
    [
      "context_length",
      400,
      openAi("This model's maximum context length is 32768 tokens. However, you requested …", { code: 400 }),
    ],
    ["invalid_request", 400, openAi("Unsupported parameter: 'stop'", { code: "unsupported_parameter" })],
    ["content_filter", 400, openAi("Invalid prompt: flagged", { code: "invalid_prompt" })],
    ["auth", 401, openAi("Incorrect API key provided: x", { code: "invalid_api_key" })],
    ["auth", 401, openAi("You must be a member of an organization to use the API")],
    [
      "auth",
      403,
      openAi("Country, region, or territory not supported", { code: "unsupported_country_region_territory" }),
    ],
    ["not_found", 404, openAi("The model `x` does not exist", { code: "model_not_found" })],
    ["not_found", 400, openAi("The requested model 'x' does not exist.", { code: "model_not_found", param: "model" })],
    ["not_found", 400, openAi("The requested model 'x' does not exist.")],
    ["rate_limit", 429, openAi("Rate limit reached", { type: "requests", code: "rate_limit_exceeded" })],
    ["rate_limit", 429, openAi("Slow down", { code: "slow_down" })],
    ["overloaded", 503, openAi("Slow down", { type: "service_unavailable_error", code: "slow_down" })],
    ["overloaded", 503, openAi("The server is busy", { type: "server_error", code: "server_is_overloaded" })],
    ["server", 500, openAi("The server had an error", { type: "server_error" })],
    ["timeout", 504, "upstream timed out"],
    ["server", 502, "<html><head><title>502 Bad Gateway</title></head></html>"],
    ["auth", 400, { code: "Client specified an invalid argument", error: "Incorrect API key provided: xx***yy." }],
    [
      "invalid_request",
      400,
      { code: "invalid-argument", error: "Model x does not support parameter reasoningEffort." },
    ],
    [
      "context_length",
      400,
      { code: "c", error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens" },
    ],
    [
      "content_filter",
      403,
      { code: "The caller does not have permission", error: "Content violates usage guidelines." },
    ],
    ["not_found", 404, { error: "Model not found: x" }],
    ["auth", 401, { detail: "Could not parse your authentication token." }],
    ["invalid_request", 422, { detail: [{ loc: ["body"], msg: "field required", type: "missing" }] }],
    ["context_length", 400, { error: { code: 400, message: "too large", type: "exceed_context_size_error" } }],
    ["overloaded", 503, { error: { code: 503, message: "Loading model", type: "unavailable_error" } }],
    [
      "overloaded",
      502,
      { error: { code: 502, message: "Provider disconnected", metadata: { error_type: "provider_unavailable" } } },
    ],
    [
      "content_filter",
      403,
      { error: { code: 403, message: "Moderated", metadata: { reasons: ["x"], flagged_input: "y" } } },
    ],
    ["invalid_request", 400, { error: { code: 400, message: "Bad", metadata: { error_type: "unmapped" } } }],
    ["unknown", 200, { error: { message: "Hm", type: "strange" } }],
  ])("%s %i %j", (category, status, body) => {
    expect(read(status, body).category).toBe(category);
  });
});

describe("B41 money is not patience", () => {
  test.each([
    [
      429,
      openAi("You exceeded your current quota, please check your plan and billing details.", {
        type: "insufficient_quota",
        code: "insufficient_quota",
      }),
    ],
    [429, openAi("Your credit balance is used up", { type: "insufficient_quota", code: "credit_balance_exhausted" })],
    [
      429,
      { code: "x", error: "Your team has either used all available credits or reached its monthly spending limit." },
    ],
    [
      402,
      {
        error: {
          code: 402,
          message: "This request requires more credits",
          metadata: { error_type: "payment_required" },
        },
      },
    ],
  ])("%i %j", (status, body) => {
    expect(read(status, body, { "x-should-retry": "true" })).toMatchObject({ category: "billing", retryable: false });
  });

  test("except where the provider says when there will be some again", () => {
    const body = { error: { code: 402, message: "In-flight budget", metadata: { error_type: "payment_required" } } };
    expect(read(402, body, { "retry-after": "3" })).toMatchObject({
      category: "billing",
      retryable: true,
      retry_after_ms: 3000,
    });
  });

  test("too many tokens per minute is no overflow, and a model named 429 no rate limit", () => {
    const tokens = openAi("Request too large for x on tokens per min (TPM): Limit 1, Requested 30. Too many tokens.", {
      type: "tokens",
      code: "rate_limit_exceeded",
    });
    expect(read(429, tokens).category).toBe("rate_limit");
    expect(read(404, openAi("The model `gpt-429` does not exist", { code: "model_not_found" })).category).toBe(
      "not_found",
    );
  });
});

describe("what an error carries", () => {
  test("the provider's word, its message, its id, its delay", () => {
    const body = openAi("Rate limit reached. Please try again in 6m1.5s.", { code: "rate_limit_exceeded" });
    expect(read(429, body, { "x-request-id": "req_1" })).toEqual({
      category: "rate_limit",
      message: "Rate limit reached. Please try again in 6m1.5s.",
      retryable: true,
      http_status: 429,
      provider_code: "rate_limit_exceeded",
      request_id: "req_1",
      retry_after_ms: 361_500,
    });
    expect(read(429, body, { "retry-after-ms": "20" }).retry_after_ms).toBe(20);
    expect(read(500, openAi("x"), { "x-should-retry": "false" }).retryable).toBe(false);
  });

  test("what a gateway got from behind", () => {
    const raw = JSON.stringify({ error: { message: "Unsupported parameter: 'temperature'", code: null } });
    const info = read(400, { error: { code: 400, message: "Provider returned error", metadata: { raw } } });
    expect(info.message).toBe("Provider returned error: Unsupported parameter: 'temperature'");
  });

  test("B44 no key", () => {
    const key = ["sk", "proj", "a1B2".repeat(10)].join("-");
    expect(read(401, openAi(`Incorrect API key provided: ${key}`)).message).not.toContain("a1B2a1B2");
    expect(read(502, `bad upstream ${key}`).message).not.toContain("a1B2a1B2");
  });

  test("B24 the same inside a success, where the object names its status", () => {
    const headers = new Headers();
    const body = {
      error: { code: 429, message: "Provider returned error", metadata: { raw: "rate-limited upstream" } },
    };
    const inside = decodeOpenAiError({ status: 200, headers, text: JSON.stringify(body), now: 0 });
    expect(inside).toEqual(read(429, body));
  });
});

test("B41 a request larger than a minute's allowance is not worth sending again", () => {
  const error = {
    code: "rate_limit_exceeded",
    message:
      "Request too large for gpt-4o on tokens per min (TPM): Limit 1, Requested 30. The input or output tokens must be " +
      "reduced in order to run successfully.",
  };
  expect(read(429, { error })).toMatchObject({ category: "rate_limit", retryable: false });
});
