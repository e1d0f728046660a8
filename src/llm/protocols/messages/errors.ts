import {
  categoryOfStatus,
  errorInfo,
  isJsonObject,
  own,
  type ErrorCategory,
  type ErrorInfo,
  type JsonObject,
} from "../../../core/index.ts";
import type { Refusal } from "../../adapter.ts";
import { categoryFromMessage, describeBody, maskSecrets, retryAfterMs, shouldRetry } from "../../error-patterns.ts";

/** `{type: "error", error: {type, message, details?: {error_code}}, request_id?}`, by status or inside a 200. */
export function decodeError({ status, headers, text, now }: Refusal): ErrorInfo {
  const body = parseObject(text);
  const error = isJsonObject(body["error"]) ? body["error"] : {};
  const details = isJsonObject(error["details"]) ? error["details"] : {};
  const said = [error["message"], body["message"], body["error"]].find(isText);
  const code = [details["error_code"], error["type"], error["code"]].find(isText);
  // Gateways put the status of who refused into the body of their own 200.
  const effective = status >= 400 ? status : typeof error["code"] === "number" ? error["code"] : 0;
  const category = categoryFor(code, error["type"], said ?? "", effective);
  const request_id = [headers.get("request-id"), body["request_id"], headers.get("x-request-id")].find(isText);
  const info = errorInfo({
    category,
    message: maskSecrets(said ?? describeBody(status, text)),
    retryable: shouldRetry(headers),
  });
  const retry_after_ms = info.retryable ? retryAfterMs(headers, now) : undefined;
  return {
    ...info,
    ...(status >= 400 ? { http_status: status } : {}),
    ...(code === undefined ? {} : { provider_code: maskSecrets(code) }),
    ...(request_id === undefined ? {} : { request_id }),
    ...(retry_after_ms === undefined ? {} : { retry_after_ms }),
  };
}

/** The provider's code, then its sentence, then the status. Two of its codes say too little to go first. */
function categoryFor(code: string | undefined, type: unknown, message: string, status: number): ErrorCategory {
  const byCode = own(codeCategories, code);
  if (byCode !== undefined) return byCode;
  const byType = own(typeCategories, type);
  const byMessage = categoryFromMessage(message);
  // Limits that the customer has set come as 400 or as 429, told apart by their sentence only.
  if (byType === "rate_limit") return byMessage === "billing" ? "billing" : "rate_limit";
  if (byType !== undefined && byType !== "invalid_request") return byType;
  if (byMessage !== undefined) return byMessage;
  if (byType !== undefined && (status === 0 || status === 400 || status === 422)) return byType;
  return status === 0 ? (byType ?? "unknown") : categoryOfStatus(status);
}

function parseObject(text: string): JsonObject {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

const codeCategories: { readonly [code: string]: ErrorCategory | undefined } = {
  enforced_spend_limit_reached: "billing",
  ramp_limit_exceeded: "rate_limit",
  organization_on_hold: "auth",
  compaction_unavailable: "overloaded",
};

const typeCategories: { readonly [type: string]: ErrorCategory | undefined } = {
  invalid_request_error: "invalid_request",
  authentication_error: "auth",
  permission_error: "auth",
  billing_error: "billing",
  not_found_error: "not_found",
  conflict_error: "server",
  request_too_large: "context_length",
  rate_limit_error: "rate_limit",
  api_error: "server",
  timeout_error: "timeout",
  overloaded_error: "overloaded",
};
