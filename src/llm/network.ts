import { errorInfo, type ErrorInfo } from "../core/index.ts";
import { Failure } from "./failure.ts";
import { maskSecrets } from "./error-patterns.ts";

/** What went wrong below HTTP, as a value. */
export function networkError(error: unknown, url: string): ErrorInfo {
  if (error instanceof Failure) return error.info;
  const host = URL.canParse(url) ? new URL(url).host : url;
  const { code, detail } = describeCause(error);
  if (code !== undefined && timeoutCodes.has(code)) {
    return errorInfo({ category: "timeout", message: `${host} did not answer in time (${code})`, provider_code: code });
  }
  if (code === "ECONNREFUSED") {
    const message = `Nothing answers at ${host} (connection refused). Is the server running there?`;
    return errorInfo({ category: "network", message, provider_code: code, retryable: false });
  }
  const provider_code = code === undefined ? {} : { provider_code: code };
  return errorInfo({
    category: "network",
    message: `The connection to ${host} failed: ${maskSecrets(detail)}`,
    ...provider_code,
  });
}

/** `fetch` wraps the reason, sometimes twice; the innermost code is the one that tells. */
function describeCause(error: unknown): { readonly code?: string; readonly detail: string } {
  let current: unknown = error;
  let code: string | undefined;
  let detail = "unknown reason";
  for (let depth = 0; depth < causeDepthMax && current instanceof Error; depth++) {
    detail = current.message === "" ? detail : current.message;
    const { code: own, errors } = current as { code?: unknown; errors?: readonly unknown[] };
    if (typeof own === "string") code = own;
    current = current.cause ?? errors?.[0];
  }
  return { ...(code === undefined ? {} : { code }), detail };
}

const causeDepthMax = 5;

const timeoutCodes: ReadonlySet<string> = new Set([
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
]);
