import { own, type FinishReason } from "../../../core/index.ts";

/** The provider's word, or the number of it where a gateway sends enums as numbers. `STOP` is said after calls too. */
export function finishReasonOf(raw: string, hasToolCall: boolean): FinishReason {
  const reason = own(finishWords, raw) ?? "unknown";
  return reason === "stop" && hasToolCall ? "tool_use" : reason;
}

const finishWords: { readonly [word: string]: FinishReason | undefined } = {
  STOP: "stop",
  MAX_TOKENS: "length",
  // The answer goes on in another request.
  CONTINUATION: "length",
  SAFETY: "content_filter",
  RECITATION: "content_filter",
  LANGUAGE: "content_filter",
  BLOCKLIST: "content_filter",
  PROHIBITED_CONTENT: "content_filter",
  SPII: "content_filter",
  MODEL_ARMOR: "content_filter",
  IMAGE_SAFETY: "content_filter",
  IMAGE_PROHIBITED_CONTENT: "content_filter",
  IMAGE_RECITATION: "content_filter",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  NO_IMAGE: "error",
  IMAGE_OTHER: "error",
  // The two deployments number their words differently from 6 on; what both call a filter is one, the rest is unknown.
  1: "stop",
  2: "length",
  3: "content_filter",
  4: "content_filter",
  6: "content_filter",
  7: "content_filter",
  8: "content_filter",
};
