import { isJsonObject, own, type FinishReason, type JsonObject } from "../../../core/index.ts";

/** How a choice says it ended; empty as long as it does not. Old models say it in `finish_details`. */
export function rawFinishReason(choice: JsonObject): string {
  const { finish_reason, finish_details } = choice;
  if (typeof finish_reason === "string") return finish_reason;
  const type = isJsonObject(finish_details) ? finish_details["type"] : undefined;
  return typeof type === "string" ? type : "";
}

/** What the answer turned out to hold has a say: servers write "stop" over calls and "tool_calls" over torn ones. */
export function finishReason(answer: {
  readonly raw: string;
  readonly native: string;
  readonly refused: boolean;
  readonly calls: number;
  readonly all_complete: boolean;
}): FinishReason {
  const { raw, native, refused, calls, all_complete } = answer;
  const said = own(finishReasons, raw.toLowerCase()) ?? "unknown";
  const usable = calls > 0 && all_complete;
  if (said === "tool_use") {
    if (calls === 0) return "stop";
    return !all_complete && wasCut(native) ? "length" : "tool_use";
  }
  if (said === "stop" || (said === "unknown" && raw === "")) {
    if (usable) return "tool_use";
    if (refused) return "content_filter";
  }
  return said;
}

export function wasCut(raw: string): boolean {
  return own(finishReasons, raw.toLowerCase()) === "length";
}

const finishReasons: { readonly [raw: string]: FinishReason | undefined } = {
  stop: "stop",
  end: "stop",
  eos: "stop",
  end_turn: "stop",
  complete: "stop",
  completed: "stop",
  stop_sequence: "stop",
  // A model server's word for an empty prompt that only loads or unloads the model.
  load: "stop",
  unload: "stop",
  length: "length",
  max_tokens: "length",
  max_output_tokens: "length",
  model_length: "length",
  model_context_window_exceeded: "length",
  tool_calls: "tool_use",
  tool_call: "tool_use",
  tool_use: "tool_use",
  function_call: "tool_use",
  content_filter: "content_filter",
  refusal: "content_filter",
  safety: "content_filter",
  sensitive: "content_filter",
  error: "error",
  network_error: "error",
  abort: "error",
  insufficient_system_resource: "error",
};
