import { describe, expect, test } from "vitest";
import type { ErrorCategory } from "../../../src/core/index.ts";
import { chat } from "../../../src/llm/protocols/chat/index.ts";

function refused(
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): ReturnType<typeof chat.decodeError> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return chat.decodeError({ status, headers: new Headers(headers), text, now: 0 });
}

const gateway = (code: number, error_type: string, message = "Provider returned error"): unknown => ({
  error: { code, message, metadata: { error_type } },
});

describe("B40 categories", () => {
  test.each<[string, number, unknown, ErrorCategory]>([
    ["a gateway's word", 400, gateway(400, "context_length_exceeded"), "context_length"],
    ["a gateway's word over its status", 500, gateway(500, "payload_too_large"), "context_length"],
    ["credits", 402, gateway(402, "payment_required", "requires more credits, or fewer max_tokens"), "billing"],
    [
      "moderation",
      403,
      { error: { code: 403, message: "flagged", metadata: { reasons: ["violence"] } } },
      "content_filter",
    ],
    ["a gateway down", 502, gateway(502, "provider_unavailable"), "overloaded"],
    ["a word that says nothing", 500, gateway(500, "unmapped"), "server"],
    [
      "what the server behind said",
      400,
      {
        error: {
          code: 400,
          message: "Provider returned error",
          metadata: { raw: '{"error":{"code":"context_length_exceeded","message":"too big"}}' },
        },
      },
      "context_length",
    ],
    ["a detail", 401, { detail: "Unauthorized" }, "auth"],
    ["a validation list", 422, { detail: [{ loc: ["body"], msg: "field required" }] }, "invalid_request"],
    [
      "a bare object",
      400,
      { object: "error", message: "bad", type: "invalid_request_invalid_args", code: "3051" },
      "invalid_request",
    ],
    [
      "llama-server context",
      400,
      {
        error: {
          code: 400,
          message: "request (9000 tokens) exceeds the available context size (8192 tokens)",
          type: "exceed_context_size_error",
        },
      },
      "context_length",
    ],
    [
      "llama-server loading",
      503,
      { error: { code: 503, message: "Loading model", type: "unavailable_error" } },
      "overloaded",
    ],
    [
      "vllm context",
      400,
      {
        error: {
          message: "This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens",
          type: "BadRequestError",
          param: "input_tokens",
          code: 400,
        },
      },
      "context_length",
    ],
    [
      "vllm model",
      404,
      { error: { message: "The model `x` does not exist.", type: "NotFoundError", param: "model", code: 404 } },
      "not_found",
    ],
    ["ollama native", 404, { error: 'model "x" not found, try pulling it first' }, "not_found"],
    [
      "ollama context",
      400,
      {
        error: { message: "prompt too long; exceeded max context length by 12 tokens", type: "invalid_request_error" },
      },
      "context_length",
    ],
    [
      "lm studio context",
      400,
      { error: "The number of tokens to keep from the initial prompt is greater than the context length." },
      "context_length",
    ],
    ["a bad key as 400", 400, { code: "invalid-argument", error: "Incorrect API key provided: xx***yy." }, "auth"],
    [
      "credits as 429",
      429,
      { code: "x", error: "Your team has either used all available credits or reached its monthly spending limit." },
      "billing",
    ],
    ["a page of a proxy", 502, "<html><head><title>502 Bad Gateway</title></head></html>", "server"],
    ["nothing", 504, "", "timeout"],
  ])("%s", (_name, status, body, category) => {
    expect(refused(status, body).category).toBe(category);
  });

  test("B41 quota is billing and not retried; tokens per minute is no overflow; a 429 in a name is none", () => {
    const quota = {
      error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
    };
    expect(refused(429, quota)).toMatchObject({ category: "billing", retryable: false });
    const perMinute = {
      error: { message: "Too many tokens per minute: rate limit reached", type: "tokens", code: "rate_limit_exceeded" },
    };
    expect(refused(429, perMinute)).toMatchObject({ category: "rate_limit", retryable: true });
    const named = { error: { message: "The model `vendor/model-429` does not exist", code: "model_not_found" } };
    expect(refused(404, named).category).toBe("not_found");
  });

  test("in-flight budget of a gateway may be tried again", () => {
    const body = {
      error: { code: 402, message: "in flight", metadata: { limit_source: "openrouter_in_flight_budget" } },
    };
    expect(refused(402, body, { "retry-after": "3" })).toMatchObject({
      category: "billing",
      retryable: true,
      retry_after_ms: 3_000,
    });
  });

  test("what the model wrote instead of a legal call is shown, shortened", () => {
    const error = {
      message: "tool call validation failed",
      type: "invalid_request_error",
      code: "tool_use_failed",
      failed_generation: "x".repeat(400),
    };
    const { message, provider_code } = refused(400, { error });
    expect(provider_code).toBe("tool_use_failed");
    expect(message).toMatch(/; the model wrote: x{300}…$/);
  });

  test("B44 keys are blacked out", () => {
    const key = ["sk", "proj", "abcdefghijklmnop"].join("-");
    const said = refused(401, { error: { message: `Incorrect API key provided: ${key}` } });
    expect(said.message).not.toContain("abcdefghijklmnop");
  });
});
