import {
  costOf,
  totalTokensOf,
  type AssistantMessage,
  type Conversation,
  type DoneEvent,
  type ErrorInfo,
  type Note,
  type StreamEvent,
} from "../core/index.ts";
import type { Facts } from "./answer.ts";
import { newToolCallId } from "./ids.ts";
import { argumentCleaner, describeRequest, type Resolved } from "./prepare.ts";
import { startRun, type Run } from "./run.ts";
import { defaultIdleTimeoutMs, missingAddress } from "./settings.ts";
import { fetchFor, secretsFor, withStartHint, type NetworkOptions } from "./small-calls.ts";

export type ExchangeOptions = NetworkOptions & {
  /** The size of the conversation where the caller knows it better than an estimate: the usage of its last exchange. */
  readonly context_tokens?: number;
};

/** One request to one model, ready to be performed. */
export type Exchange = { readonly run: Run; readonly facts: Facts };

export async function prepareExchange(
  resolved: Resolved,
  conversation: Conversation,
  options: ExchangeOptions & { readonly streamed: boolean },
): Promise<Exchange> {
  const gap = missingAddress(resolved.row, resolved.base_url);
  if (gap !== undefined) throw gap;
  const context_tokens = options.context_tokens ?? (await closerLook(resolved, conversation));
  const described = describeRequest(resolved, conversation, {
    stream: options.streamed,
    settings: options.settings,
    ...(context_tokens === undefined ? {} : { context_tokens }),
  });
  const cleanArguments = argumentCleaner(conversation);
  const { call, target, losses } = described;
  const run = startRun({
    adapter: resolved.adapter,
    call,
    context: {
      newId: newToolCallId,
      provider: target.provider,
      model: target.model.id,
      quirks: target.quirks,
      ...(call.prefix_hash === undefined ? {} : { prefix_hash: call.prefix_hash }),
      ...(conversation.web_search === undefined ? {} : { keeps_text: true }),
    },
    secrets: secretsFor(resolved, options),
    fetch: await fetchFor(resolved, options),
    idle_timeout_ms: idleTimeout(resolved, options),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    ...(cleanArguments === undefined ? {} : { cleanArguments }),
  });
  const notes = [...(await retirementNotes(resolved)), ...described.notes];
  return {
    run: withEnding(run, resolved),
    facts: {
      origin: { provider: target.provider, api: target.api, model: target.model.id },
      notes,
      losses,
      ...outputReader(conversation),
    },
  };
}

/** Where the size of a conversation decides how much the model may think, four characters a token is too rough. */
export async function closerLook({ model }: Resolved, conversation: Conversation): Promise<number | undefined> {
  if (model.thinking.kind !== "budget") return undefined;
  if (totalTokensOf(conversation, ({ length }) => length) < closerLookCharacters) return undefined;
  const { estimatedTokens } = await import("./estimate.ts");
  return estimatedTokens(conversation);
}

async function retirementNotes({ model }: Resolved): Promise<readonly Note[]> {
  if (model.retires_at === undefined) return [];
  const { retirementOnce } = await import("./later.ts");
  return retirementOnce(model, Date.now());
}

function outputReader({ output_format, tools = [] }: Conversation): Pick<Facts, "readOutput"> {
  if (output_format === undefined) return {};
  return {
    readOutput: async (message: AssistantMessage) => {
      // Calls come before the answer that was asked for.
      if (tools.length > 0 && message.content.some(({ type }) => type === "tool_call")) return {};
      const { structuredOutput } = await import("./later.ts");
      return structuredOutput(message, output_format);
    },
  };
}

/** Puts on the last event what only we know: the money, that thinking ate the answer, what to do about a refusal. */
function withEnding(run: Run, resolved: Resolved): Run {
  let visible = false;
  const seen = (event: StreamEvent): void => {
    if ((event.type === "text_delta" && event.text !== "") || event.type === "tool_call_start") visible = true;
  };
  return {
    ...run,
    async next() {
      const batch = await run.next();
      if (batch === undefined) return undefined;
      if (!visible) batch.forEach(seen);
      const last = batch.at(-1);
      if (last?.type === "done") return [...batch.slice(0, -1), ending(last, resolved, visible)];
      if (last?.type !== "error") return batch;
      return [...batch.slice(0, -1), { ...last, error: await withAdvice(last.error, resolved) }];
    },
  };
}

function ending(done: DoneEvent, { model }: Resolved, visible: boolean): DoneEvent {
  const unknown = done.usage.unreported?.includes("input_tokens") === true;
  const cost_usd = done.cost_usd ?? (unknown ? undefined : costOf(done.usage, model));
  const eaten = done.finish_reason === "length" && !visible;
  return {
    ...done,
    ...(cost_usd === undefined
      ? {}
      : { cost_usd, cost_source: done.cost_usd === undefined ? ("registry" as const) : ("provider" as const) }),
    ...(eaten ? { notes: [...(done.notes ?? []), thinkingUsedUpTheLimit] } : {}),
  };
}

async function withAdvice(error: ErrorInfo, resolved: Resolved): Promise<ErrorInfo> {
  const hinted = withStartHint(error, resolved.row);
  if (hinted.category !== "invalid_request" && hinted.category !== "not_found") return hinted;
  const { refusalAdvice } = await import("./later.ts");
  return refusalAdvice(hinted, resolved);
}

function idleTimeout(resolved: Resolved, options: ExchangeOptions & { readonly streamed: boolean }): number {
  const chosen = resolved.provider.idle_timeout_ms ?? options.settings?.idle_timeout_ms;
  const fallback = resolved.row.idle_timeout_ms ?? defaultIdleTimeoutMs;
  // Without a stream the whole answer is one silence.
  return chosen ?? (options.streamed ? fallback : Math.max(fallback, unstreamedTimeoutMs));
}

const thinkingUsedUpTheLimit: Note = {
  code: "thinking_used_output_limit",
  message: "Thinking used up the output limit before any text was written; raise max_output_tokens or lower the level",
};

const unstreamedTimeoutMs = 600_000;
/** As many tokens as characters is the most there can be; below this no threshold of ours is near. */
const closerLookCharacters = 100_000;
