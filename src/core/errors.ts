export const errorCategories = [
  "auth",
  "rate_limit",
  "invalid_request",
  "context_length",
  "content_filter",
  "billing",
  "not_found",
  "server",
  "overloaded",
  "timeout",
  "network",
  "aborted",
  "invalid_argument",
  "unknown",
] as const;
export type ErrorCategory = (typeof errorCategories)[number];

/** One shape for everything that can go wrong between a request and its answer. Plain JSON, never holds a key. */
export type ErrorInfo = {
  readonly category: ErrorCategory;
  /** What happened, to what, and where it helps what to do now. */
  readonly message: string;
  readonly retryable: boolean;
  readonly http_status?: number;
  /** The provider's own word for it. */
  readonly provider_code?: string;
  readonly request_id?: string;
  /** How long the provider asked us to wait. */
  readonly retry_after_ms?: number;
};

const retryableCategories: ReadonlySet<ErrorCategory> = new Set([
  "rate_limit",
  "server",
  "overloaded",
  "timeout",
  "network",
]);

/** A provider's own hint wins over the category. */
export function errorInfo(
  fields: Omit<ErrorInfo, "retryable"> & { readonly retryable?: boolean | undefined },
): ErrorInfo {
  return { ...fields, retryable: fields.retryable ?? retryableCategories.has(fields.category) };
}

/** What a status means when neither the provider's code nor its message says more. */
export function categoryOfStatus(status: number): ErrorCategory {
  const known = statusCategories[status];
  if (known !== undefined) return known;
  if (status >= 500) return "server";
  if (status >= 400) return "invalid_request";
  return "unknown";
}

const statusCategories: { readonly [status: number]: ErrorCategory | undefined } = {
  400: "invalid_request",
  401: "auth",
  402: "billing",
  403: "auth",
  404: "not_found",
  408: "timeout",
  409: "invalid_request",
  413: "context_length",
  422: "invalid_request",
  429: "rate_limit",
  503: "overloaded",
  504: "timeout",
  524: "timeout",
  529: "overloaded",
};
