import {
  categoryOfStatus,
  errorInfo,
  isJsonObject,
  parseJson,
  type ErrorCategory,
  type ErrorInfo,
  type JsonObject,
} from "../../core/index.ts";
import type { Refusal } from "../adapter.ts";
import { categoryFromMessage, describeBody, maskSecrets, retryAfterMs, shouldRetry } from "../error-patterns.ts";

/** Reads a refusal in any of the shapes that OpenAI and the servers speaking its dialects use. */
export function decodeOpenAiError(refusal: Refusal): ErrorInfo {
  return openAiError(parseJson(refusal.text), refusal);
}

/**
 * The same for an error object that is already parsed: a whole body, an `error` frame, the `error` of a failed
 * response. Inside a success `status` is 200 and the object's own status, where it has one, takes its place.
 */
export function openAiError(body: unknown, refusal: Omit<Refusal, "text"> & { readonly text?: string }): ErrorInfo {
  const said = saidBy(body);
  const { headers, now } = refusal;
  const status = refusal.status >= 400 ? refusal.status : (said.status ?? refusal.status);
  const message = said.message ?? describeBody(refusal.status, refusal.text ?? JSON.stringify(body) ?? "");
  const category = categoryOf(said, message, status);
  const retry_after_ms = retryAfterMs(headers, now) ?? delayInMessage(message);
  const provider_code = said.code ?? said.error_type ?? said.type;
  const request_id = requestIdIn(headers);
  return errorInfo({
    category,
    message: maskSecrets(message),
    retryable: isWorthRetrying(category, status, { headers, message }),
    ...(status >= 400 ? { http_status: status } : {}),
    ...(provider_code === undefined ? {} : { provider_code }),
    ...(request_id ? { request_id } : {}),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  });
}

/** What the category alone does not say: money that is only held back for a moment, two requests in each other's way. */
function isWorthRetrying(
  category: ErrorCategory,
  status: number,
  { headers, message }: { readonly headers: Headers; readonly message: string },
): boolean | undefined {
  if (category === "billing") return status === 402 && headers.has("retry-after");
  // More tokens at once than a minute allows: the same request never passes.
  if (category === "rate_limit" && /tokens must be reduced/i.test(message)) return false;
  return shouldRetry(headers) ?? (status === 409 ? true : undefined);
}

/** The name under which the server's own log knows an exchange. */
export function requestIdIn(headers: Headers): string | undefined {
  return requestIdHeaders.map((name) => headers.get(name)).find((id) => id) ?? undefined;
}

type Said = {
  readonly message?: string | undefined;
  readonly code?: string | undefined;
  readonly type?: string | undefined;
  /** A gateway's own word, of a fixed vocabulary. */
  readonly error_type?: string | undefined;
  /** What a gateway got from the server behind it. */
  readonly behind?: Said | undefined;
  readonly status?: number | undefined;
  readonly moderated?: boolean | undefined;
};

function saidBy(body: unknown): Said {
  if (Array.isArray(body)) return saidBy(body[0]);
  if (typeof body === "string") return { message: body };
  if (!isJsonObject(body)) return {};
  const { error, detail } = body;
  if (isJsonObject(error)) return saidByObject(error);
  if (typeof error === "string") return { message: error, code: asText(body["code"]), status: statusIn(body) };
  if (detail !== undefined && detail !== null) return { message: textOfDetail(detail), status: statusIn(body) };
  return saidByObject(body);
}

function saidByObject(error: JsonObject): Said {
  const { message, code, type, metadata } = error;
  const own = asText(message);
  const gateway = isJsonObject(metadata) ? metadata : {};
  const raw = gateway["raw"];
  const behind = raw === undefined || raw === null ? undefined : saidBy(parsedOrText(raw));
  const said = [own, behind?.message].filter((part) => part !== undefined && part !== "");
  return {
    message: said.length > 0 ? said.join(": ") : undefined,
    code: asText(code),
    type: type === "error" ? undefined : asText(type),
    error_type: asText(gateway["error_type"]),
    behind,
    status: statusIn(error),
    moderated: gateway["reasons"] !== undefined,
  };
}

function categoryOf(said: Said, message: string, status: number): ErrorCategory {
  const { code, type, error_type, behind } = said;
  return (
    lookUp(gatewayCategories, error_type) ??
    lookUp(categories, code) ??
    lookUp(categories, type) ??
    lookUp(categories, behind?.code) ??
    (said.moderated === true && status === 403 ? "content_filter" : undefined) ??
    categoryFromMessage(message) ??
    (status >= 400 ? categoryOfStatus(status) : undefined) ??
    lookUp(vagueCategories, code) ??
    lookUp(vagueCategories, type) ??
    "unknown"
  );
}

/** The delay a rate limit names in its sentence: "Please try again in 1.2s", "in 6m0s", "in 350ms". */
function delayInMessage(message: string): number | undefined {
  const found = /(?:try again|retry) (?:in|after) (?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+)ms)?/i.exec(
    message,
  );
  if (found === null) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = found.slice(1).map((part) => Number(part ?? 0));
  const delay = Math.ceil(((hours * 60 + minutes) * 60 + seconds) * 1000 + milliseconds);
  return delay > 0 ? delay : undefined;
}

function textOfDetail(detail: unknown): string | undefined {
  if (typeof detail === "string") return detail;
  if (Array.isArray(detail)) {
    const lines = detail.map((entry) => (isJsonObject(entry) ? asText(entry["msg"]) : undefined));
    return lines.filter((line) => line !== undefined).join("; ") || undefined;
  }
  return isJsonObject(detail) ? saidBy(detail).message : undefined;
}

function statusIn(error: JsonObject): number | undefined {
  for (const value of [error["status"], error["status_code"], error["raw_status_code"], error["code"]]) {
    const status = typeof value === "number" || typeof value === "string" ? Number(value) : 0;
    if (Number.isInteger(status) && status >= 400 && status < 600) return status;
  }
  return undefined;
}

function asText(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function parsedOrText(value: unknown): unknown {
  return typeof value === "string" ? (parseJson(value) ?? value) : value;
}

function lookUp(
  table: { readonly [word: string]: ErrorCategory | undefined },
  word: string | undefined,
): ErrorCategory | undefined {
  return word !== undefined && Object.hasOwn(table, word) ? table[word] : undefined;
}

const requestIdHeaders = ["x-request-id", "x-generation-id", "request-id", "apim-request-id"];

/** Codes and types that decide by themselves, whatever status they come with. */
const categories: { readonly [word: string]: ErrorCategory | undefined } = {
  invalid_api_key: "auth",
  authentication_error: "auth",
  unsupported_country_region_territory: "auth",
  insufficient_quota: "billing",
  credit_balance_exhausted: "billing",
  billing_hard_limit_reached: "billing",
  billing_not_active: "billing",
  rate_limit_exceeded: "rate_limit",
  rate_limit_error: "rate_limit",
  RateLimitReached: "rate_limit",
  context_length_exceeded: "context_length",
  exceed_context_size_error: "context_length",
  string_above_max_length: "context_length",
  too_many_prompt_tokens: "context_length",
  content_policy_violation: "content_filter",
  content_filter: "content_filter",
  invalid_prompt: "content_filter",
  bio_policy: "content_filter",
  cyber_policy: "content_filter",
  misalignment_policy_violation: "content_filter",
  image_content_policy_violation: "content_filter",
  moderation_blocked: "content_filter",
  not_supported_error: "invalid_request",
  model_not_found: "not_found",
  DeploymentNotFound: "not_found",
  not_found_error: "not_found",
  server_is_overloaded: "overloaded",
  service_unavailable_error: "overloaded",
  overloaded_error: "overloaded",
  unavailable_error: "overloaded",
  vector_store_timeout: "timeout",
};

/** Words that come with many statuses and count only where there is none, inside a stream. */
const vagueCategories: { readonly [word: string]: ErrorCategory | undefined } = {
  slow_down: "rate_limit",
  tokens: "rate_limit",
  requests: "rate_limit",
  permission_error: "auth",
  server_error: "server",
  internal_server_error: "server",
  internal_error: "server",
  api_error: "server",
  upstream_error: "server",
  invalid_request_error: "invalid_request",
  unauthenticated: "auth",
  "permission-denied": "auth",
  "resource-exhausted": "rate_limit",
  "invalid-argument": "invalid_request",
  "not-found": "not_found",
  internal: "server",
  unavailable: "overloaded",
  "deadline-exceeded": "timeout",
};

/** `metadata.error_type`; other words say nothing. */
const gatewayCategories: { readonly [word: string]: ErrorCategory | undefined } = {
  authentication: "auth",
  permission_denied: "auth",
  payment_required: "billing",
  rate_limit_exceeded: "rate_limit",
  context_length_exceeded: "context_length",
  token_limit_exceeded: "context_length",
  string_too_long: "context_length",
  payload_too_large: "context_length",
  max_tokens_exceeded: "invalid_request",
  invalid_request: "invalid_request",
  invalid_prompt: "invalid_request",
  unprocessable: "invalid_request",
  precondition_failed: "invalid_request",
  invalid_image: "invalid_request",
  content_policy_violation: "content_filter",
  refusal: "content_filter",
  not_found: "not_found",
  provider_overloaded: "overloaded",
  provider_unavailable: "overloaded",
  server: "server",
  timeout: "timeout",
};
