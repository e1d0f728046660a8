/** Named errors of the providers and servers that speak the OpenAI wires. */
import type { Refusal } from "./types.ts";

type Table = Readonly<Record<string, Refusal>>;

const xai: Table = {
  authentication: {
    status: 400,
    code: "invalid-argument",
    message: "Incorrect API key provided: xa***yy. You can obtain an API key from https://console.x.ai.",
  },
  unauthenticated: { status: 401, code: "unauthenticated", message: "The API key is blocked." },
  permission: { status: 403, code: "permission-denied", message: "The caller does not have permission." },
  rate_limit: {
    status: 429,
    code: "resource-exhausted",
    message: "Too many requests.",
    headers: { "retry-after": "2" },
  },
  invalid_request: { status: 400, message: "The request is invalid." },
  unprocessable: { status: 422, code: "invalid-argument", message: "Failed to deserialize the JSON body." },
  context_length: {
    status: 400,
    code: "invalid-argument",
    message: "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
  },
  content_filter: { status: 403, code: "permission-denied", message: "Content violates usage guidelines." },
  billing: {
    status: 429,
    code: "resource-exhausted",
    message:
      "Your team has either used all available credits or reached its monthly spending limit. To continue making API " +
      "requests, please purchase more credits or raise your spending limit.",
  },
  payment_required: { status: 402, code: "payment-required", message: "Payment required." },
  not_found: { status: 404, code: "not-found", message: "The model grok-none does not exist." },
  server: { status: 500, code: "internal", message: "Internal error." },
  overloaded: { status: 503, code: "unavailable", message: "The service is temporarily unavailable." },
  timeout: { status: 504, code: "deadline-exceeded", message: "Deadline exceeded." },
};

const meta: Table = {
  authentication: { status: 401, code: "invalid_api_key", message: "Invalid API key." },
  rate_limit: {
    status: 429,
    code: "rate_limit_exceeded",
    message: "Rate limit reached.",
    headers: { "retry-after": "2" },
  },
  invalid_request: { status: 400, message: "The request contains invalid parameters" },
  context_length: { status: 400, message: "The prompt exceeds the model's maximum context length." },
  billing: { status: 402, code: "insufficient_quota", message: "Your credits are used up." },
  not_found: { status: 404, message: "The requested model was not found" },
  server: { status: 500, message: "Internal server error" },
  overloaded: { status: 503, message: "The service is overloaded." },
  timeout: { status: 504, message: "The request timed out." },
};

function routed(status: number, error_type: string, message: string, more: Partial<Refusal> = {}): Refusal {
  return { status, message, details: { error_type }, ...more };
}

const openrouter: Table = {
  authentication: routed(401, "authentication", "No auth credentials found"),
  permission: routed(403, "permission_denied", "Your key may not use this model."),
  rate_limit: routed(429, "rate_limit_exceeded", "Provider returned error", { headers: { "retry-after": "2" } }),
  invalid_request: routed(400, "invalid_request", "Provider returned error"),
  unprocessable: routed(422, "unprocessable", "The request could not be processed."),
  context_length: routed(
    400,
    "context_length_exceeded",
    "This endpoint's maximum context length is 200000 tokens. However, you requested about 2500021 tokens.",
  ),
  payload_too_large: routed(413, "payload_too_large", "The request is too large."),
  content_filter: {
    status: 403,
    message: "Your chosen model requires moderation and your input was flagged.",
    details: { error_type: "content_policy_violation", reasons: ["harassment"], flagged_input: "…" },
  },
  billing: routed(402, "payment_required", "This request requires more credits, or fewer max_tokens."),
  in_flight_budget: {
    status: 402,
    message: "Too much is in flight for your remaining credits.",
    details: { error_type: "payment_required", limit_source: "openrouter_in_flight_budget" },
    headers: { "retry-after": "1" },
  },
  not_found: routed(404, "not_found", "No endpoints found that support tool use."),
  request_timeout: routed(408, "timeout", "The request timed out."),
  server: routed(500, "server", "Internal Server Error"),
  bad_gateway: routed(502, "provider_unavailable", "Provider disconnected"),
  unavailable: routed(503, "provider_unavailable", "No provider is available for this routing."),
  edge_timeout: routed(524, "timeout", "The edge network timed out."),
  overloaded: routed(529, "provider_overloaded", "Provider returned error"),
};

const ollama: Table = {
  authentication: { status: 401, type: "api_error", message: "Unauthorized" },
  rate_limit: { status: 429, type: "api_error", message: "too many concurrent requests" },
  invalid_request: { status: 400, message: "invalid reasoning effort" },
  context_length: {
    status: 400,
    message: "prompt too long; exceeded max context length by 1119046 tokens",
  },
  not_found: { status: 404, type: "not_found_error", message: 'model "x" not found, try pulling it first' },
  server: { status: 500, type: "api_error", message: "llama runner process has terminated" },
  bad_gateway: { status: 502, type: "api_error", message: "the cloud cannot be reached" },
};

const llamacpp: Table = {
  authentication: { status: 401, type: "authentication_error", message: "Invalid API Key" },
  permission: { status: 403, type: "permission_error", message: "Not allowed" },
  invalid_request: { status: 400, message: "unsupported content[].type" },
  context_length: {
    status: 400,
    type: "exceed_context_size_error",
    message: "request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it",
  },
  not_found: { status: 404, type: "not_found_error", message: "File Not Found" },
  server: { status: 500, message: "tools param requires --jinja flag" },
  unimplemented: { status: 501, type: "not_supported_error", message: "This server does not support it." },
  overloaded: { status: 503, type: "unavailable_error", message: "Loading model" },
};

const vllm: Table = {
  authentication: { status: 401, type: "authentication_error", message: "Unauthorized" },
  invalid_request: { status: 400, type: "BadRequestError", param: null, message: "Bad request" },
  context_length: {
    status: 400,
    type: "BadRequestError",
    param: "input_tokens",
    message:
      "This model's maximum context length is 32768 tokens. However, you requested 4096 output tokens and your " +
      "prompt contains at least 32769 input tokens.",
  },
  not_found: { status: 404, type: "NotFoundError", param: "model", message: "The model `x` does not exist." },
  server: { status: 500, type: "InternalServerError", param: null, message: "Internal server error" },
};

const lmstudio: Table = {
  authentication: { status: 401, message: "Invalid API token" },
  invalid_request: { status: 400, message: "Bad request" },
  context_length: {
    status: 400,
    message: "The number of tokens to keep from the initial prompt is greater than the context length.",
  },
  not_found: { status: 404, message: "Model x is not loaded" },
  server: { status: 500, message: "The model has crashed without additional information." },
};

const compatible: Table = {
  authentication: {
    status: 401,
    type: "authentication_error",
    code: "invalid_api_key",
    message: "Invalid API key.",
  },
  permission: { status: 403, message: "This key may not use this model." },
  rate_limit: {
    status: 429,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    message: "Rate limit reached, please try again later.",
    headers: { "retry-after": "2" },
  },
  invalid_request: { status: 400, message: "The request is invalid." },
  unprocessable: { status: 422, message: "The request could not be processed." },
  context_length: {
    status: 400,
    code: "context_length_exceeded",
    message: "This model's maximum context length is 128000 tokens.",
  },
  billing: { status: 402, type: "insufficient_quota", code: "insufficient_quota", message: "Insufficient balance." },
  not_found: { status: 404, code: "model_not_found", message: "The model does not exist." },
  server: { status: 500, code: "server_error", message: "Internal server error." },
  bad_gateway: { status: 502, message: "Bad gateway." },
  overloaded: { status: 503, type: "service_unavailable_error", message: "The server is overloaded." },
  timeout: { status: 504, message: "The request timed out." },
};

export const compatibleErrors: Readonly<Record<string, Table>> = {
  xai,
  meta,
  openrouter,
  ollama,
  llamacpp,
  vllm,
  lmstudio,
  compatible,
};
