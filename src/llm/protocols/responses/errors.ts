import { errorInfo, type ErrorInfo } from "../../../core/index.ts";

export { decodeOpenAiError as decodeError } from "../openai-errors.ts";

/** A frame or body that is not what this API sends. */
export function unreadable(detail: string): ErrorInfo {
  const message = `The answer could not be read: ${detail}`;
  return errorInfo({ category: "server", message, provider_code: "unreadable_answer" });
}
