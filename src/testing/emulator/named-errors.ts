/** One named error for every row of the error matrix: what the big three say. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { compatibleErrors } from "./named-errors-compatible.ts";
import type { Refusal } from "./types.ts";

const anthropicLimits: Readonly<Record<string, string>> = {
  "retry-after": "3",
  "anthropic-ratelimit-requests-limit": "50",
  "anthropic-ratelimit-requests-remaining": "0",
  "anthropic-ratelimit-requests-reset": "2030-01-01T00:00:03Z",
  "anthropic-ratelimit-tokens-limit": "40000",
  "anthropic-ratelimit-tokens-remaining": "0",
  "anthropic-ratelimit-tokens-reset": "2030-01-01T00:00:03Z",
  "x-should-retry": "true",
};
const openAiLimits: Readonly<Record<string, string>> = {
  "retry-after": "2",
  "retry-after-ms": "1500",
  "x-ratelimit-limit-requests": "500",
  "x-ratelimit-remaining-requests": "0",
  "x-ratelimit-reset-requests": "1.5s",
  "x-ratelimit-limit-tokens": "30000",
  "x-ratelimit-remaining-tokens": "0",
  "x-ratelimit-reset-tokens": "6m0s",
  "x-should-retry": "true",
};

function googleReason(reason: string): JsonValue {
  return [
    {
      "@type": "type.googleapis.com/google.rpc.ErrorInfo",
      reason,
      domain: "googleapis.com",
      metadata: { service: "generativelanguage.googleapis.com" },
    },
  ];
}

function googleQuota(quotaId: string, quotaValue: string): JsonObject {
  return {
    "@type": "type.googleapis.com/google.rpc.QuotaFailure",
    violations: [
      {
        quotaMetric: "generativelanguage.googleapis.com/generate_content_free_tier_requests",
        quotaId,
        quotaDimensions: { location: "global", model: "gemini-4-argon" },
        quotaValue,
      },
    ],
  };
}

const googleRetry: JsonObject = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "22s" };

export const namedErrors: Readonly<Record<string, Readonly<Record<string, Refusal>>>> = {
  anthropic: {
    authentication: { status: 401, message: "invalid x-api-key" },
    permission: { status: 403, message: "Your API key does not have permission to use the specified resource." },
    organization_on_hold: {
      status: 400,
      message: "This organization has been disabled.",
      details: { error_code: "organization_on_hold" },
    },
    rate_limit: {
      status: 429,
      message: "This request would exceed your organization's rate limit of 40,000 input tokens per minute.",
      headers: anthropicLimits,
    },
    ramp_limit: {
      status: 429,
      message: "Your usage is rising faster than your organization's limit allows.",
      details: { error_code: "ramp_limit_exceeded" },
      headers: anthropicLimits,
    },
    invalid_request: { status: 400, message: "messages.0: Input does not match the expected shape." },
    unprocessable: { status: 422, message: "The request could not be processed." },
    context_length: { status: 400, message: "prompt is too long: 213462 tokens > 200000 maximum" },
    request_too_large: { status: 413, message: "Request exceeds the maximum size" },
    billing: { status: 402, message: "There is a problem with your billing. Please check your payment details." },
    spend_limit: {
      status: 429,
      message: "Your organization has reached its monthly spend limit.",
      details: { error_code: "enforced_spend_limit_reached" },
      headers: { "x-should-retry": "false" },
    },
    credit_balance: {
      status: 400,
      message: "Your credit balance is too low to access the API. Please go to Plans & Billing to purchase credits.",
    },
    not_found: { status: 404, message: "model: claude-does-not-exist" },
    conflict: { status: 409, message: "The resource was changed by another request." },
    request_timeout: { status: 408, message: "Request timed out", type: "timeout_error" },
    timeout: { status: 504, message: "Request timed out" },
    server: { status: 500, message: "Internal server error" },
    unavailable: { status: 503, message: "Service unavailable" },
    overloaded: { status: 529, message: "Overloaded" },
  },
  openai: {
    authentication: {
      status: 401,
      code: "invalid_api_key",
      message:
        "Incorrect API key provided: bad*****key. " +
        "You can find your API key at https://platform.openai.com/account/api-keys.",
    },
    permission: { status: 403, message: "You are not allowed to sample from this model" },
    unsupported_country: {
      status: 403,
      type: "request_forbidden",
      code: "unsupported_country_region_territory",
      message: "Country, region, or territory not supported",
    },
    rate_limit: {
      status: 429,
      type: "tokens",
      code: "rate_limit_exceeded",
      message:
        "Rate limit reached for gpt-6.1-sol in organization org-mock on tokens per min (TPM): " +
        "Limit 30000, Used 29000, Requested 2000. Please try again in 1.5s.",
      headers: openAiLimits,
    },
    slow_down: {
      status: 429,
      code: "slow_down",
      type: "requests",
      message: "Slow down: your request rate rose too quickly.",
      headers: openAiLimits,
    },
    invalid_request: { status: 400, code: "invalid_value", param: "input", message: "Invalid value: 'input'." },
    context_length: {
      status: 400,
      code: "context_length_exceeded",
      param: "input",
      message: "Your input exceeds the context window of this model. Please adjust your input and try again.",
    },
    content_policy: {
      status: 400,
      code: "content_policy_violation",
      message: "Your request was rejected as a result of our safety system.",
    },
    invalid_prompt: {
      status: 400,
      code: "invalid_prompt",
      message: "Invalid prompt: your prompt was flagged as potentially violating our usage policy.",
    },
    billing: {
      status: 429,
      type: "insufficient_quota",
      code: "insufficient_quota",
      message: "You exceeded your current quota, please check your plan and billing details.",
    },
    credit_balance: {
      status: 429,
      type: "insufficient_quota",
      code: "credit_balance_exhausted",
      message: "Your credit balance is exhausted.",
    },
    not_found: {
      status: 404,
      code: "model_not_found",
      message: "The model `gpt-nonexistent` does not exist or you do not have access to it.",
    },
    conflict: { status: 409, message: "The resource was changed by another request." },
    request_timeout: { status: 408, type: "server_error", message: "Request timed out." },
    timeout: { status: 504, message: "The server did not answer in time." },
    server: {
      status: 500,
      code: "server_error",
      message: "The server had an error while processing your request. Sorry about that!",
    },
    overloaded: {
      status: 503,
      type: "service_unavailable_error",
      code: "server_is_overloaded",
      message: "Our servers are currently overloaded. Please try again later.",
    },
  },
  google: {
    authentication: {
      status: 400,
      message: "API key not valid. Please pass a valid API key.",
      details: googleReason("API_KEY_INVALID"),
    },
    unauthenticated: {
      status: 401,
      message:
        "Request had invalid authentication credentials. " +
        "Expected OAuth 2 access token, login cookie or other valid authentication credential.",
      details: googleReason("ACCESS_TOKEN_TYPE_UNSUPPORTED"),
    },
    permission: { status: 403, message: "The caller does not have permission" },
    rate_limit: {
      status: 429,
      message: "You exceeded your current quota, please check your plan and billing details. Please retry in 22s.",
      details: [googleQuota("GenerateRequestsPerMinutePerProjectPerModel", "10"), googleRetry],
    },
    resource_exhausted: {
      status: 429,
      message:
        "Resource exhausted. Please try again later. Please refer to " +
        "https://cloud.google.com/vertex-ai/generative-ai/docs/error-code-429 for more details.",
    },
    billing: {
      status: 429,
      message: "You exceeded your current quota, please check your plan and billing details.",
      details: [googleQuota("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "250"), googleRetry],
    },
    free_tier: {
      status: 400,
      type: "FAILED_PRECONDITION",
      message: "User location is not supported for the API use without a billing account linked.",
    },
    invalid_request: { status: 400, message: "Request contains an invalid argument." },
    out_of_range: { status: 400, type: "OUT_OF_RANGE", message: "Value is out of range." },
    context_length: {
      status: 400,
      message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575).",
    },
    not_found: {
      status: 404,
      message:
        "models/gemini-nonexistent is not found for API version v1beta, or is not supported for generateContent. " +
        "Call ModelService.ListModels to see the list of available models and their supported methods.",
    },
    conflict: { status: 409, message: "The operation was aborted." },
    cancelled: { status: 499, message: "The operation was cancelled." },
    server: { status: 500, message: "An internal error has occurred. Please retry." },
    unimplemented: { status: 501, message: "Operation is not implemented, or supported, or enabled." },
    overloaded: { status: 503, message: "The model is overloaded. Please try again later." },
    timeout: { status: 504, message: "Deadline expired before operation could complete." },
  },
  ...compatibleErrors,
};
