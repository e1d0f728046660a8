import { describe, expect, test } from "vitest";
import {
  categoryFromMessage,
  describeBody,
  maskSecrets,
  retryAfterMs,
  shouldRetry,
} from "../../src/llm/error-patterns.ts";

const now = Date.parse("2026-11-15T12:00:00Z");

describe("categoryFromMessage", () => {
  test.each([
    ["context_length", "prompt is too long: 213462 tokens > 200000 maximum"],
    ["context_length", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"],
    ["context_length", "Your input exceeds the context window of this model. Please adjust your input and try again."],
    ["context_length", "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)."],
    ["context_length", "This model's maximum prompt length is 131072 but the request contains 140000 tokens."],
    ["context_length", "This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021"],
    ["context_length", "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it"],
    [
      "context_length",
      "This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens",
    ],
    ["context_length", "The number of tokens to keep from the initial prompt is greater than the context length. …"],
    ["context_length", "too many tokens in the prompt"],
    ["context_length", "prompt too long; exceeded max context length by 12 tokens"],
    ["context_length", "The request exceeds the maximum allowed input length of 1000 tokens"],
    ["billing", "Your credit balance is too low to access the Anthropic API."],
    ["billing", "You have reached your specified API usage limits. You will regain access on 2026-12-01."],
    [
      "billing",
      "You exceeded your current quota, please check your plan and billing details. See https://x.y/rate-limits",
    ],
    ["billing", "Your team has either used all available credits or reached its monthly spending limit."],
    ["billing", "This request requires more credits, or fewer max_tokens. You requested up to 65536 tokens"],
    ["rate_limit", "This request would exceed the rate limit of 30,000 input tokens per minute"],
    [
      "rate_limit",
      "Rate limit reached for gpt-x on tokens per min (TPM): Limit 10000. Add a payment method: https://a.b/billing",
    ],
    ["rate_limit", "Request too large for gpt-x on tokens per min (TPM): Limit 30000, Requested 50000."],
    ["rate_limit", "Too many tokens per minute, slow down"],
    ["rate_limit", "Quota exceeded for quota metric 'requests' and limit 'requests per minute'"],
    ["rate_limit", "ThrottlingException: too many tokens, please wait before trying again."],
    ["rate_limit", "google/gemini-2.0-flash-exp:free is temporarily rate-limited upstream."],
    ["rate_limit", "Resource exhausted. Please try again later. See https://cloud.example/error-code-429"],
    ["auth", "Incorrect API key provided. You can obtain an API key from https://console.x.ai."],
    ["auth", "API key not valid. Please pass a valid API key."],
    ["auth", "invalid x-api-key"],
    ["content_filter", "Content violates usage guidelines. Failed check: SAFETY_CHECK_TYPE_DATA_LEAKAGE"],
    ["not_found", "openai/gpt-nonexistent is not a valid model ID"],
    ["not_found", "The requested model was not found"],
    ["overloaded", "Overloaded"],
    ["overloaded", "Loading model"],
  ])("B40 B41 %s: %s", (category, message) => {
    expect(categoryFromMessage(message)).toBe(category);
  });

  test.each([
    "The model gpt-429-turbo cannot be used with this endpoint",
    "max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens",
    "Schema is too complex for compilation. Try reducing the number of tools or simplifying tool schemas.",
    "tools.0.custom.input_schema: Input does not match the expected shape.",
    "",
  ])("B41 says nothing about: %s", (message) => {
    expect(categoryFromMessage(message)).toBeUndefined();
  });
});

describe("B42 retryAfterMs", () => {
  const delay = (headers: Record<string, string>): number | undefined => retryAfterMs(new Headers(headers), now);

  test("milliseconds, seconds and dates", () => {
    expect(delay({ "retry-after-ms": "1500", "retry-after": "2" })).toBe(1500);
    expect(delay({ "retry-after-ms": "0", "retry-after": "1" })).toBe(1000);
    expect(delay({ "retry-after": "1.5" })).toBe(1500);
    expect(delay({ "retry-after": "Sun, 15 Nov 2026 12:00:30 GMT" })).toBe(30_000);
    expect(delay({ "retry-after": "Sun, 15 Nov 2026 11:00:30 GMT" })).toBe(0);
    expect(delay({ "retry-after": "soon" })).toBeUndefined();
    expect(delay({})).toBeUndefined();
  });

  test("the latest reset of the limits that are used up", () => {
    expect(
      delay({
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-15T12:00:07Z",
        "anthropic-ratelimit-input-tokens-remaining": "0",
        "anthropic-ratelimit-input-tokens-reset": "2026-11-15T12:00:09Z",
        "anthropic-ratelimit-output-tokens-remaining": "12",
        "anthropic-ratelimit-output-tokens-reset": "2026-11-15T13:00:00Z",
      }),
    ).toBe(9000);
    expect(delay({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "23m2.4s" })).toBe(1_382_400);
    expect(delay({ "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "12ms" })).toBe(12);
    expect(delay({ "x-ratelimit-remaining": "0", "x-ratelimit-reset": String(now + 4000) })).toBe(4000);
    expect(delay({ "x-ratelimit-remaining-tokens": "9", "x-ratelimit-reset-tokens": "6.5s" })).toBeUndefined();
  });
});

test("x-should-retry is read as the provider says it", () => {
  expect(shouldRetry(new Headers({ "x-should-retry": "true" }))).toBe(true);
  expect(shouldRetry(new Headers({ "x-should-retry": "false" }))).toBe(false);
  expect(shouldRetry(new Headers())).toBeUndefined();
});

describe("B44 maskSecrets", () => {
  const body = "abcdEFGH1234".repeat(3);
  test.each([
    ["sk-", "ant-api03-"],
    ["sk-", "proj-"],
    ["sk-", "or-v1-"],
    ["AI", "za"],
    ["AQ", "."],
    ["xa", "i-"],
    ["gs", "k_"],
  ])("%s%s…", (start, rest) => {
    const masked = maskSecrets(`Incorrect key "${start}${rest}${body}" given`);
    expect(masked).not.toContain(body.slice(0, 12));
    expect(masked).toContain("Incorrect key");
  });

  test("bearer tokens and keys in addresses", () => {
    expect(maskSecrets(`authorization: Bearer ${body}`)).toBe("authorization: Bearer ***");
    expect(maskSecrets(`GET https://x.y/v1?key=${body}&alt=sse`)).toBe("GET https://x.y/v1?key=***&alt=sse");
  });

  test("ordinary words stay", () => {
    const text = "xai-responses-v1 and risk-management-of-everything FAQ. and task-force-of-many";
    expect(maskSecrets(text)).toBe(text);
  });
});

test("a proxy's page becomes a sentence", () => {
  const page =
    "<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>";
  expect(describeBody(502, page)).toBe("HTTP 502: 502 Bad Gateway");
  expect(describeBody(503, "")).toBe("HTTP 503 without a message");
  expect(describeBody(500, "upstream connect error")).toBe("HTTP 500: upstream connect error");
  expect(describeBody(500, "<html><body><p>no   title</p></body></html>")).toBe("HTTP 500: no title");
});
