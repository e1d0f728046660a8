import type { Part } from "../traffic.ts";
import { namedFrame, padding, seal } from "./frames.ts";

/** OpenAI Responses: items in an output list, padding on every delta, and each text repeated at every level at its end. */
export function responsesFrames(parts: readonly Part[], model: string): readonly string[] {
  const frames: string[] = [];
  const push = (event: { readonly type: string; readonly [key: string]: unknown }): void => {
    frames.push(namedFrame({ ...event, sequence_number: frames.length }));
  };
  push({ type: "response.created", response: response(model, "in_progress", []) });
  push({ type: "response.in_progress", response: response(model, "in_progress", []) });
  const output = parts.map(({ kind, deltas }, output_index) => {
    const { added, begin, delta, end, done } = kinds[kind](deltas.join(""), output_index);
    push({ type: "response.output_item.added", item: added, output_index });
    for (const event of begin) push(event);
    deltas.forEach((text, at) => push(delta(text, padding(at))));
    for (const event of end) push(event);
    push({ type: "response.output_item.done", item: done, output_index });
    return done;
  });
  push({ type: "response.completed", response: response(model, "completed", output) });
  return frames;
}

type Event = { readonly type: string; readonly [key: string]: unknown };
type Kind = {
  readonly added: object;
  readonly begin: readonly Event[];
  readonly delta: (delta: string, obfuscation: string) => Event;
  readonly end: readonly Event[];
  readonly done: object;
};

const kinds: { readonly [kind in Part["kind"]]: (text: string, output_index: number) => Kind } = {
  thinking(text, output_index) {
    const item_id = "rs_05af6cbcb94335490069c027441700819fb43384a81e5e0bb7";
    const place = { item_id, output_index, summary_index: 0 };
    const part = { type: "summary_text", text };
    const item = { id: item_id, type: "reasoning", encrypted_content: seal(900) };
    return {
      added: { ...item, summary: [] },
      begin: [{ type: "response.reasoning_summary_part.added", ...place, part: { type: "summary_text", text: "" } }],
      delta: (delta, obfuscation) => ({ type: "response.reasoning_summary_text.delta", delta, obfuscation, ...place }),
      end: [
        { type: "response.reasoning_summary_text.done", ...place, text },
        { type: "response.reasoning_summary_part.done", ...place, part },
      ],
      done: { ...item, summary: [part] },
    };
  },
  text(text, output_index) {
    const item_id = "msg_05af6cbcb94335490069c0274922b8819f90efd0ac01d97263";
    const place = { content_index: 0, item_id, output_index };
    const part = { type: "output_text", annotations: [], logprobs: [], text };
    const item = { id: item_id, type: "message", phase: "final_answer", role: "assistant" };
    return {
      added: { ...item, status: "in_progress", content: [] },
      begin: [{ type: "response.content_part.added", ...place, part: { ...part, text: "" } }],
      delta: (delta, obfuscation) => ({
        type: "response.output_text.delta",
        ...place,
        delta,
        logprobs: [],
        obfuscation,
      }),
      end: [
        { type: "response.output_text.done", ...place, logprobs: [], text },
        { type: "response.content_part.done", ...place, part },
      ],
      done: { ...item, status: "completed", content: [part] },
    };
  },
  arguments(text, output_index) {
    const item_id = "fc_05af6cbcb94335490069c027492ca4819f9221fb3831ca8082";
    const place = { item_id, output_index };
    const item = { id: item_id, type: "function_call", call_id: "call_2Z1FdZUn8rTmV9OQ4b8NEDvc", name: "write_file" };
    return {
      added: { ...item, status: "in_progress", arguments: "" },
      begin: [],
      delta: (delta, obfuscation) => ({ type: "response.function_call_arguments.delta", delta, obfuscation, ...place }),
      end: [{ type: "response.function_call_arguments.done", arguments: text, ...place }],
      done: { ...item, status: "completed", arguments: text },
    };
  },
};

function response(model: string, status: string, output: readonly object[]): object {
  const usage = {
    input_tokens: 67,
    input_tokens_details: { cached_tokens: 0 },
    output_tokens: 20232,
    output_tokens_details: { reasoning_tokens: 174 },
    total_tokens: 20299,
  };
  return {
    id: "resp_05af6cbcb94335490069c02743bca8819fb507f703b41054ac",
    object: "response",
    created_at: 1774200643,
    status,
    background: false,
    error: null,
    incomplete_details: null,
    instructions: null,
    max_output_tokens: null,
    model,
    output,
    parallel_tool_calls: true,
    previous_response_id: null,
    reasoning: { effort: "medium", summary: "detailed" },
    service_tier: "default",
    store: false,
    temperature: 1,
    text: { format: { type: "text" }, verbosity: "medium" },
    tool_choice: "auto",
    tools: [],
    top_p: 0.98,
    truncation: "disabled",
    usage: status === "completed" ? usage : null,
    user: null,
    metadata: {},
  };
}
