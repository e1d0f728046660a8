import {
  errorInfo,
  isJsonObject,
  type Citation,
  type ErrorInfo,
  type FinishReason,
  type JsonObject,
  type Opaque,
  type StreamEvent,
  type ToolCallId,
  type Usage,
} from "../core/index.ts";

/**
 * The one piece of code that turns fragments into events, for all providers. Decoders say what arrived;
 * the writer numbers the blocks, collects and parses tool arguments once, at their end, and lets nothing follow
 * the one `done` or `error`.
 */
export type BlockWriter = {
  readonly start: (model: string, request_id?: string) => void;
  /** Opens a block and returns its number. An opened block without a delta writes an empty one, so that it exists. */
  readonly openText: () => number;
  readonly openThinking: () => number;
  readonly openToolCall: (id: ToolCallId, name: string) => number;
  readonly text: (block: number, text: string) => void;
  readonly thinking: (block: number, text: string) => void;
  readonly toolDelta: (block: number, fragment: string) => void;
  /** Closes a call. `whole` replaces the fragments where the provider repeats the complete arguments. */
  readonly toolDone: (block: number, whole?: string | JsonObject) => void;
  /** What a text block leans on. The block has been written to before. */
  readonly citation: (block: number, citation: Citation) => void;
  /** Attaches opaque data to an open block, at most once and after its deltas. */
  readonly opaque: (block: number, opaque: Opaque) => void;
  /** A block that is nothing but opaque data. */
  readonly provider: (opaque: Opaque) => number;
  readonly done: (end: {
    readonly finish_reason: FinishReason;
    readonly raw_finish_reason: string;
    readonly usage: Usage;
    readonly cost_usd?: number | undefined;
    readonly provider_data?: JsonObject | undefined;
  }) => void;
  readonly error: (error: ErrorInfo, usage?: Usage) => void;
  readonly ended: () => boolean;
  readonly started: () => boolean;
  /** Calls that were opened and not yet closed. */
  readonly openToolCalls: () => readonly number[];
  /** Whether at least one call was closed with usable arguments. */
  readonly hasCompleteToolCall: () => boolean;
};

type OpenCall = { readonly name: string; readonly fragments: string[] };

export type WriterOptions = {
  /** Last look at parsed arguments before they are handed out (removes the nulls that strict schemas ask for). */
  readonly cleanArguments?: (name: string, parsed: JsonObject) => JsonObject;
};

export function createWriter(emit: (event: StreamEvent) => void, options: WriterOptions = {}): BlockWriter {
  let blocks = 0;
  let ended = false;
  let started = false;
  let completeCalls = 0;
  const openCalls = new Map<number, OpenCall>();
  const write = (event: StreamEvent): void => {
    if (!ended) emit(event);
  };
  const finish = (event: StreamEvent): void => {
    write(event);
    ended = true;
  };
  return {
    start(model, request_id) {
      if (started) return;
      started = true;
      write({ type: "start", model, ...(request_id ? { request_id } : {}) });
    },
    openText() {
      return blocks++;
    },
    openThinking() {
      return blocks++;
    },
    openToolCall(id, name) {
      const block = blocks++;
      openCalls.set(block, { name, fragments: [] });
      write({ type: "tool_call_start", block_index: block, id, name });
      return block;
    },
    text(block, text) {
      write({ type: "text_delta", block_index: block, text });
    },
    thinking(block, text) {
      write({ type: "thinking_delta", block_index: block, text });
    },
    toolDelta(block, fragment) {
      const call = openCalls.get(block);
      if (call === undefined || fragment === "") return;
      call.fragments.push(fragment);
      write({ type: "tool_call_delta", block_index: block, json_fragment: fragment });
    },
    toolDone(block, whole) {
      const call = openCalls.get(block);
      if (call === undefined) return;
      openCalls.delete(block);
      const parsed = parseArguments(whole ?? call.fragments.join(""), (args) =>
        options.cleanArguments ? options.cleanArguments(call.name, args) : args,
      );
      if (parsed.invalid !== true) completeCalls += 1;
      write({ type: "tool_call_done", block_index: block, ...parsed });
    },
    citation(block, citation) {
      write({ type: "citation", block_index: block, citation });
    },
    opaque(block, opaque) {
      write({ type: "opaque", block_index: block, opaque });
    },
    provider(opaque) {
      const block = blocks++;
      write({ type: "opaque", block_index: block, opaque });
      return block;
    },
    done(end) {
      const { cost_usd, provider_data, ...rest } = end;
      finish({
        type: "done",
        ...rest,
        ...(cost_usd === undefined ? {} : { cost_usd }),
        ...(provider_data === undefined ? {} : { provider_data }),
      });
    },
    error(error, usage) {
      finish({ type: "error", error, ...(usage ? { usage } : {}) });
    },
    ended: () => ended,
    started: () => started,
    openToolCalls: () => [...openCalls.keys()],
    hasCompleteToolCall: () => completeCalls > 0,
  };
}

/** The stream stopped before the provider said that it was over. */
export function cutOff(detail = "the connection ended before the answer did"): ErrorInfo {
  return errorInfo({ category: "network", message: `Stream cut off: ${detail}`, provider_code: "stream_cut_off" });
}

function parseArguments(
  given: string | JsonObject,
  clean: (parsed: JsonObject) => JsonObject,
): { arguments: JsonObject; arguments_text?: string; invalid?: true } {
  if (typeof given !== "string") return { arguments: clean(given) };
  // A call without arguments arrives as nothing, as blanks or as null, depending on the server.
  const text = given.trim();
  if (text === "" || text === "null") return { arguments: {}, ...(given === "" ? {} : { arguments_text: given }) };
  const parsed = parseObject(text);
  if (parsed === undefined) return { arguments: {}, arguments_text: given, invalid: true };
  const cleaned = clean(parsed);
  return JSON.stringify(cleaned) === given ? { arguments: cleaned } : { arguments: cleaned, arguments_text: given };
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
}
