import { describe, expect, test } from "vitest";
import type { ErrorCategory, ErrorInfo } from "../../../src/core/index.ts";
import { recordedErrors } from "../../recordings/errors.ts";
import { haveRecordings, loadRecordings } from "../../recordings/load.ts";
import { adapter } from "./support.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

function read(status: number, body: unknown, headers: Record<string, string> = {}): ErrorInfo {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return adapter.decodeError({ status, headers: new Headers(headers), text, now });
}

const refusal = (type: string, message: string, error_code?: string): object => ({
  type: "error",
  error: { type, message, ...(error_code === undefined ? {} : { details: { error_code } }) },
  request_id: "req_body",
});

describe("B40 B41 categories", () => {
  test.each<[number, string, string, string | undefined, ErrorCategory, boolean]>([
    [400, "invalid_request_error", "messages: at least one message is required", undefined, "invalid_request", false],
    [
      400,
      "invalid_request_error",
      "prompt is too long: 213462 tokens > 200000 maximum",
      undefined,
      "context_length",
      false,
    ],
    [
      400,
      "invalid_request_error",
      "input length and `max_tokens` exceed context limit: 1 + 2 > 2",
      undefined,
      "context_length",
      false,
    ],
    [400, "invalid_request_error", "Your credit balance is too low to access the API.", undefined, "billing", false],
    [400, "invalid_request_error", "You have reached your specified API usage limits.", undefined, "billing", false],
    [400, "invalid_request_error", "This organization is on hold", "organization_on_hold", "auth", false],
    [400, "invalid_request_error", "claude-429-turbo does not support tools", undefined, "invalid_request", false],
    [401, "authentication_error", "invalid x-api-key", undefined, "auth", false],
    [402, "billing_error", "Payment needed", undefined, "billing", false],
    [403, "permission_error", "Not for you", undefined, "auth", false],
    [404, "not_found_error", "model: claude-does-not-exist", undefined, "not_found", false],
    [409, "conflict_error", "Try again", undefined, "server", true],
    [413, "request_too_large", "Request exceeds the maximum size", undefined, "context_length", false],
    [429, "rate_limit_error", "This would exceed 30,000 input tokens per minute", undefined, "rate_limit", true],
    [429, "rate_limit_error", "Slow down", "ramp_limit_exceeded", "rate_limit", true],
    [429, "rate_limit_error", "Too much", "enforced_spend_limit_reached", "billing", false],
    [429, "rate_limit_error", "The workspace has reached its spend limit", undefined, "billing", false],
    [500, "api_error", "Internal server error", undefined, "server", true],
    [503, "api_error", "Key service away", "cmek_unavailable", "server", true],
    [504, "timeout_error", "Request timed out", undefined, "timeout", true],
    [529, "overloaded_error", "Overloaded", undefined, "overloaded", true],
    [529, "overloaded_error", "No room", "compaction_unavailable", "overloaded", true],
    [418, "brand_new_error", "I am a teapot", undefined, "invalid_request", false],
    [503, "brand_new_error", "later", undefined, "overloaded", true],
  ])("%i %s %s (%s)", (...row) => {
    const [status, type, message, code, category, retryable] = row;
    expect(read(status, refusal(type, message, code))).toEqual({
      category,
      message,
      retryable,
      http_status: status,
      provider_code: code ?? type,
      request_id: "req_body",
    });
  });

  test.each<[number, unknown, ErrorCategory, string]>([
    [502, "<html><head><title>502 Bad Gateway</title></head></html>", "server", "HTTP 502: 502 Bad Gateway"],
    [503, "", "overloaded", "HTTP 503 without a message"],
    [408, "upstream timed out", "timeout", "HTTP 408: upstream timed out"],
    [422, { error: "nope" }, "invalid_request", "nope"],
    [
      402,
      { error: { code: 402, message: "This request requires more credits" } },
      "billing",
      "This request requires more credits",
    ],
    [200, { error: { code: 502, message: "Provider disconnected" } }, "server", "Provider disconnected"],
  ])("%i %j", (status, body, category, message) => {
    expect(read(status, body)).toMatchObject({ category, message });
  });

  test.skipIf(!haveRecordings)("the recorded refusals of this provider", () => {
    const expected = new Map<string, ErrorCategory>(recordedErrors.map(([hash, , category]) => [hash, category]));
    const refusals = loadRecordings().filter(
      ({ recording }) => recording.provider === "anthropic" && recording.response.status >= 400,
    );
    expect(refusals.length).toBeGreaterThan(10);
    for (const { recording } of refusals) {
      const { id, response } = recording;
      const { category, request_id, retryable } = read(response.status, response.body, response.headers);
      const wanted = { id, category: expected.get(id.slice(-8)), request_id: "string", retryable: false };
      expect({ id, category, request_id: typeof request_id, retryable }).toEqual(wanted);
    }
  });
});

describe("hints", () => {
  test("B42 the delay, and a request id from the header first", () => {
    expect(
      read(429, refusal("rate_limit_error", "slow"), { "retry-after": "7", "request-id": "req_head" }),
    ).toMatchObject({ retry_after_ms: 7000, request_id: "req_head" });
    const reset = {
      "anthropic-ratelimit-input-tokens-remaining": "0",
      "anthropic-ratelimit-input-tokens-reset": "2026-11-15T12:00:09Z",
    };
    expect(read(429, refusal("rate_limit_error", "slow"), reset)).toMatchObject({ retry_after_ms: 9000 });
    expect(read(400, refusal("invalid_request_error", "no"), reset)).not.toHaveProperty("retry_after_ms");
  });

  test("the provider's own word on trying again wins", () => {
    expect(read(529, refusal("overloaded_error", "x"), { "x-should-retry": "false" }).retryable).toBe(false);
    expect(read(400, refusal("invalid_request_error", "x"), { "x-should-retry": "true" }).retryable).toBe(true);
  });

  test("B44 a key in a message does not get out", () => {
    const key = ["sk", "ant", "api03", "verysecretverysecret"].join("-");
    for (const body of [refusal("authentication_error", `invalid key ${key}`), `<p>${key}</p>`, `plain ${key}`]) {
      expect(JSON.stringify(read(401, body))).not.toContain("verysecret");
    }
  });
});
