import {
  categoryOfStatus,
  errorInfo,
  isJsonObject,
  own,
  parseJson,
  type ErrorCategory,
  type ErrorInfo,
  type JsonObject,
} from "../../../core/index.ts";
import type { Refusal } from "../../adapter.ts";
import { categoryFromMessage, describeBody, maskSecrets, retryAfterMs, shouldRetry } from "../../error-patterns.ts";

/** Reads a refusal: its status word first, with the details that tell money from haste, then its message, then HTTP. */
export function decodeError({ status, headers, text, now }: Refusal): ErrorInfo {
  const error = errorObject(parseJson(text));
  const after = (error === undefined ? undefined : retryDelayMs(error)) ?? retryAfterMs(headers, now);
  // Inside a 200 the error's own code is the status it would have had.
  const code = error?.["code"];
  const httpStatus = status >= 400 || typeof code !== "number" ? status : code;
  const message = messageOf(error) ?? describeBody(status, text);
  const word = error === undefined ? undefined : (error["status"] ?? code);
  return errorInfo({
    category: categoryOf(error, message, httpStatus),
    message: maskSecrets(message),
    retryable: shouldRetry(headers),
    http_status: httpStatus,
    ...(typeof word === "string" || typeof word === "number" ? { provider_code: String(word) } : {}),
    ...(after === undefined ? {} : { retry_after_ms: after }),
  });
}

/** The error of a body or a frame: `{error: {…}}`, or an array of one where the answer would have been an array. */
export function errorObject(json: unknown): JsonObject | undefined {
  const holder: unknown = Array.isArray(json) ? json.find((item) => isJsonObject(item) && "error" in item) : json;
  if (!isJsonObject(holder)) return undefined;
  const { error } = holder;
  if (typeof error === "string") return { message: error };
  return isJsonObject(error) ? error : undefined;
}

function messageOf(error: JsonObject | undefined): string | undefined {
  const message = error?.["message"];
  return typeof message === "string" && message.trim() !== "" ? message.trim() : undefined;
}

function categoryOf(error: JsonObject | undefined, message: string, status: number): ErrorCategory {
  const details = error === undefined ? [] : detailsOf(error);
  // A bad key is an HTTP 400 here.
  if (details.some(({ reason }) => typeof reason === "string" && reason.startsWith("API_KEY_"))) return "auth";
  const said = categoryFromMessage(message);
  const word = error?.["status"];
  if (word === "RESOURCE_EXHAUSTED" || (word === undefined && status === 429)) return quotaCategory(details, message);
  const known = own(statusWords, word);
  if (known === undefined) return said ?? categoryOfStatus(status);
  const moreExact = known === "invalid_request" && (said === "context_length" || said === "auth");
  return moreExact ? said : known;
}

/** Only what passes by waiting is a rate limit: a daily or an empty allowance needs a person. */
function quotaCategory(details: readonly JsonObject[], message: string): ErrorCategory {
  const hopeless = quotasOf(details).some(
    ({ id, value }) => (typeof id === "string" && /per_?day/i.test(id)) || String(value) === "0",
  );
  if (hopeless) return "billing";
  const aboutMoney = /\bplan\b|\bbilling\b/i.test(message.replace(/https?:\/\/\S+/g, " "));
  return aboutMoney && !details.some(isRetryInfo) ? "billing" : "rate_limit";
}

function quotasOf(details: readonly JsonObject[]): readonly { readonly id: unknown; readonly value: unknown }[] {
  return details.flatMap(({ violations, metadata }) => {
    const violated = Array.isArray(violations) ? violations.filter(isJsonObject) : [];
    return [
      ...violated.map(({ quotaId, quotaValue }) => ({ id: quotaId, value: quotaValue })),
      ...(isJsonObject(metadata) ? [{ id: metadata["quota_limit"], value: metadata["quota_limit_value"] }] : []),
    ];
  });
}

/** `"22s"`, `"0.5s"`, or seconds and nanoseconds apart. */
function retryDelayMs(error: JsonObject): number | undefined {
  const delay = detailsOf(error).find(isRetryInfo)?.["retryDelay"];
  if (typeof delay === "string") {
    const seconds = /^(\d+(?:\.\d+)?)s$/.exec(delay.trim())?.[1];
    return seconds === undefined ? undefined : Math.ceil(Number(seconds) * 1000);
  }
  if (!isJsonObject(delay)) return undefined;
  const milliseconds = Number(delay["seconds"] ?? 0) * 1000 + Number(delay["nanos"] ?? 0) / 1e6;
  return Number.isFinite(milliseconds) ? Math.ceil(milliseconds) : undefined;
}

function isRetryInfo(detail: JsonObject): boolean {
  return detail["retryDelay"] !== undefined;
}

function detailsOf(error: JsonObject): readonly JsonObject[] {
  const { details } = error;
  return Array.isArray(details) ? details.filter(isJsonObject) : [];
}

const statusWords: { readonly [word: string]: ErrorCategory | undefined } = {
  INVALID_ARGUMENT: "invalid_request",
  OUT_OF_RANGE: "invalid_request",
  // The free tier ends at some borders; an account with billing does not.
  FAILED_PRECONDITION: "billing",
  UNAUTHENTICATED: "auth",
  PERMISSION_DENIED: "auth",
  NOT_FOUND: "not_found",
  ABORTED: "invalid_request",
  ALREADY_EXISTS: "invalid_request",
  UNIMPLEMENTED: "invalid_request",
  // We did not cancel: the other side gave up.
  CANCELLED: "server",
  INTERNAL: "server",
  UNKNOWN: "server",
  DATA_LOSS: "server",
  UNAVAILABLE: "overloaded",
  DEADLINE_EXCEEDED: "timeout",
};
