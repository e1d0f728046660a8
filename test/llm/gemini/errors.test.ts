import { describe, expect, test } from "vitest";
import type { ErrorInfo, JsonObject } from "../../../src/core/index.ts";
import { decodeError } from "../../../src/llm/protocols/gemini/errors.ts";
import { decodeChunks, decodeText } from "./support.ts";

function refusal(status: number, body: unknown, headers: Record<string, string> = {}): ErrorInfo {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return decodeError({ status, headers: new Headers(headers), text, now: 0 });
}

function error(code: number, status: string, message: string, details?: readonly JsonObject[]): JsonObject {
  return { error: { code, message, status, ...(details === undefined ? {} : { details }) } };
}

const type = (name: string): JsonObject => ({ "@type": `type.googleapis.com/google.rpc.${name}` });
const retryInfo = (retryDelay: string): JsonObject => ({ ...type("RetryInfo"), retryDelay });
const quota = (quotaId: string, quotaValue = "250"): JsonObject => ({
  ...type("QuotaFailure"),
  violations: [{ quotaMetric: "m", quotaId, quotaDimensions: { model: "gemini-429" }, quotaValue }],
});
const overQuota = "You exceeded your current quota, please check your plan and billing details.";

describe("B40 category by status word, details, message, HTTP", () => {
  test.each([
    ["auth", 400, "INVALID_ARGUMENT", "API key not valid. Please pass a valid API key."],
    ["auth", 401, "UNAUTHENTICATED", "Request had invalid authentication credentials."],
    ["auth", 403, "PERMISSION_DENIED", "Generative Language API has not been used in project 1 before."],
    [
      "context_length",
      400,
      "INVALID_ARGUMENT",
      "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    ],
    ["invalid_request", 400, "INVALID_ARGUMENT", "Please use a valid role: user, model."],
    ["invalid_request", 400, "OUT_OF_RANGE", "Too far."],
    ["invalid_request", 409, "ABORTED", "Conflict."],
    ["invalid_request", 409, "ALREADY_EXISTS", "There."],
    ["invalid_request", 501, "UNIMPLEMENTED", "Not here."],
    ["billing", 400, "FAILED_PRECONDITION", "User location is not supported for the API use."],
    ["not_found", 404, "NOT_FOUND", "models/x is not found for API version v1beta"],
    ["server", 499, "CANCELLED", "The operation was cancelled."],
    ["server", 500, "INTERNAL", "An internal error has occurred."],
    ["server", 500, "UNKNOWN", "?"],
    ["server", 500, "DATA_LOSS", "?"],
    ["overloaded", 503, "UNAVAILABLE", "The model is overloaded. Please try again later."],
    ["timeout", 504, "DEADLINE_EXCEEDED", "Deadline expired before operation could complete."],
    ["rate_limit", 429, "RESOURCE_EXHAUSTED", "Resource exhausted. Please try again later."],
    ["invalid_request", 400, "SOMETHING_NEW", "?"],
    ["overloaded", 503, "SOMETHING_NEW", "?"],
  ])("%s: %i %s", (category, code, status, message) => {
    const info = refusal(code, error(code, status, message));
    expect(info).toMatchObject({ category, message, http_status: code, provider_code: status });
    expect(info.retryable).toBe(["rate_limit", "server", "overloaded", "timeout"].includes(category));
  });

  test("a bad key is an HTTP 400 with a reason", () => {
    const details = [{ ...type("ErrorInfo"), reason: "API_KEY_INVALID", domain: "googleapis.com" }];
    expect(refusal(400, error(400, "INVALID_ARGUMENT", "No.", details))).toMatchObject({ category: "auth" });
  });

  test("an array of one, as endpoints without alt=sse answer", () => {
    const body = error(400, "INVALID_ARGUMENT", "Function call is missing a thought_signature in functionCall parts.");
    expect(refusal(400, [body])).toEqual(refusal(400, body));
  });

  test("what is not Google's JSON", () => {
    const page = "<!DOCTYPE html><html><title>Error 404 (Not Found)!!1</title></html>";
    expect(refusal(404, page)).toMatchObject({
      category: "not_found",
      message: "HTTP 404: Error 404 (Not Found)!!1",
      http_status: 404,
    });
    expect(refusal(502, "")).toMatchObject({ category: "server", retryable: true });
    expect(refusal(503, { error: "Overloaded" })).toMatchObject({ category: "overloaded", message: "Overloaded" });
  });
});

describe("B41 only what passes by waiting is a rate limit", () => {
  test.each([
    ["billing", overQuota, [quota("GenerateRequestsPerDayPerProjectPerModel-FreeTier"), retryInfo("22s")]],
    ["billing", overQuota, [quota("GenerateRequestsPerMinutePerProject", "0"), retryInfo("22s")]],
    ["billing", overQuota, []],
    ["billing", overQuota, [quota("GenerateRequestsPerMinutePerProject")]],
    ["rate_limit", overQuota, [quota("GenerateContentInputTokensPerModelPerMinute-FreeTier"), retryInfo("22s")]],
    ["rate_limit", "Resource exhausted. See https://x.test/billing/plan for more.", []],
    ["rate_limit", "Too many tokens per minute for gemini-429.", [quota("TokensPerMinute")]],
  ])("%s: %s %o", (category, message, details) => {
    const info = refusal(429, error(429, "RESOURCE_EXHAUSTED", message, details));
    expect(info).toMatchObject({ category, retryable: category === "rate_limit" });
  });

  test("the allowance may also be told in an ErrorInfo", () => {
    const metadata = { quota_limit: "RequestsPerMinutePerRegion", quota_limit_value: "0" };
    const details = [{ ...type("ErrorInfo"), reason: "RATE_LIMIT_EXCEEDED", metadata }];
    expect(refusal(429, error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", details)).category).toBe("billing");
    const some = [{ ...type("ErrorInfo"), metadata: { ...metadata, quota_limit_value: "60" } }];
    expect(refusal(429, error(429, "RESOURCE_EXHAUSTED", "Quota exceeded.", some)).category).toBe("rate_limit");
  });
});

describe("B42 how long to wait", () => {
  test.each([
    ["22s", 22_000],
    ["0.5s", 500],
    ["34.4s", 34_400],
    ["34.074824224s", 34_075],
    ["soon", undefined],
  ])("%s", (delay, wanted) => {
    const info = refusal(429, error(429, "RESOURCE_EXHAUSTED", "Slow down.", [quota("PerMinute"), retryInfo(delay)]));
    expect(info.retry_after_ms).toBe(wanted);
  });

  test("as seconds and nanoseconds, or in a header", () => {
    const detail = { ...type("RetryInfo"), retryDelay: { seconds: 1, nanos: 500_000_000 } };
    expect(refusal(429, error(429, "RESOURCE_EXHAUSTED", "x", [detail])).retry_after_ms).toBe(1_500);
    expect(refusal(503, error(503, "UNAVAILABLE", "x"), { "retry-after": "3" }).retry_after_ms).toBe(3_000);
  });
});

describe("B24 an error inside a 200 is the error by status", () => {
  const body = error(503, "UNAVAILABLE", "The model is overloaded. Please try again later.");
  const byStatus = refusal(503, body);
  const begun = { candidates: [{ content: { parts: [{ text: "First" }] }, finishReason: "STOP" }] };

  test.each([
    ["a frame", JSON.stringify(body), `data: ${JSON.stringify(body)}\r\n\r\n`],
    ["a frame of an array", "", `data: ${JSON.stringify([body])}\r\n\r\n`],
    ["bare JSON among frames", "", `${JSON.stringify(body, null, 2)}\n`],
    ["a field called error", "", `error: ${JSON.stringify(body)}\n\n`],
    ["a field called error, unwrapped", "", `error: ${JSON.stringify(body["error"])}\n\n`],
  ])("%s", (_name, _json, tail) => {
    const { end, message } = decodeChunks([begun], { tail });
    expect(end).toMatchObject({ type: "error", error: byStatus });
    expect(message.content).toEqual([{ type: "text", text: "First" }]);
  });

  test("a whole body, an array of one, the last element of an array", () => {
    for (const text of [body, [body], [begun, body]]) {
      expect(decodeText(JSON.stringify(text)).end).toEqual({ type: "error", error: byStatus });
    }
  });
});

test("B44 keys never stand in a message", () => {
  const key = ["AI", "za", "SyNotARealKey0123456789abcdefghijk"].join("");
  const info = refusal(400, error(400, "INVALID_ARGUMENT", `Bad request to /models/x?key=${key} with ${key}`));
  expect(info.message).not.toContain(key);
});
