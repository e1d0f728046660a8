import {
  assistantEntry,
  costOf,
  errorInfo,
  type AssistantData,
  type AssistantMessage,
  type Conversation,
  type ErrorInfo,
  type FinishReason,
  type InterruptedData,
  type ModelChoice,
  type ModelInfo,
  type Usage,
} from "../core/index.ts";
import { ask, explain, IkigaiError, modelInfo, type Answer } from "../llm/index.ts";
import type { Draft } from "../store/index.ts";
import { choiceOf, conversationOf, specOf } from "./conversation.ts";
import { adopt, append, CommandError, setState, spend, warn, type Engine, type Live } from "./engine.ts";
import { nextRetry } from "./retry.ts";
import { isSealRefusal, withoutSeals } from "./seals.ts";

/** How one request ended, after all its tries. Everything about it is in the log by then. */
export type Outcome =
  | { readonly end: "answered"; readonly message: AssistantMessage; readonly finish_reason: FinishReason }
  | { readonly end: "interrupted" }
  | { readonly end: "failed"; readonly error: ErrorInfo };

export type ExchangeOptions = {
  readonly signal: AbortSignal;
  /** The model has to answer without calling tools. */
  readonly closing: boolean;
  /** Whether something was done about a failure that makes another try worthwhile. */
  readonly mend: (error: ErrorInfo) => Promise<boolean>;
};

/** Sends what is in force and stores what comes back, whole or not. */
export async function exchange(engine: Engine, live: Live, options: ExchangeOptions): Promise<Outcome> {
  const { world } = engine;
  const { signal } = options;
  const started = world.now();
  let stripped = false;
  let lost_usd = 0;
  await orAborted(world.toolsReady?.(), signal);
  if (signal.aborted) return interrupted(engine, live, {}, reasonOf(signal));
  for (let made = 1; ; made++) {
    const request = await requestFor(engine, live, { ...options, stripped });
    const tried = "error" in request ? request : await attempt(engine, live, request, signal);
    if ("answer" in tried) return answered(engine, live, { ...tried, lost_usd });
    const { error } = tried;
    if (signal.aborted) return interrupted(engine, live, tried, reasonOf(signal));
    lost_usd += costOfFailed(tried) ?? 0;
    if (!stripped && isSealRefusal(error) && withoutSeals(live.replay.messages()) !== undefined) {
      stripped = true;
      warn(engine, live, "seals_refused", "The provider refused its own sealed data; asking again without it");
      await tried.draft?.discard();
      continue;
    }
    if (await options.mend(error)) {
      await tried.draft?.discard();
      continue;
    }
    const retry = nextRetry(error, { made, elapsed_ms: world.now() - started });
    if (retry === undefined) return failed(engine, live, tried);
    const discards = (tried.partial?.content.length ?? 0) > 0;
    engine.emit({ type: "retrying", agent_uuid: live.uuid, ...retry, error, discards });
    await tried.draft?.discard();
    setState(engine, live, "waiting");
    await world.sleep(retry.delay_ms, signal);
    if (signal.aborted) return interrupted(engine, live, {}, reasonOf(signal));
    setState(engine, live, "streaming");
  }
}

/** Waits, but not longer than somebody wants to. */
async function orAborted(work: Promise<void> | undefined, signal: AbortSignal): Promise<void> {
  if (work === undefined) return;
  const { promise: aborted, resolve } = Promise.withResolvers<void>();
  const stop = (): void => resolve();
  signal.addEventListener("abort", stop);
  if (signal.aborted) stop();
  await Promise.race([work, aborted]);
  signal.removeEventListener("abort", stop);
}

type Request = {
  readonly spec: string;
  readonly fallback?: readonly string[];
  readonly conversation: Conversation;
  readonly model: ModelInfo;
  readonly about: Pick<AssistantData, "provider" | "api" | "model" | "thinking_level" | "thinking_level_applied">;
};

type Tried = {
  readonly draft?: Draft;
  readonly about?: Request["about"];
  readonly model?: ModelInfo;
  readonly latency_ms?: number;
};
type Answered = Tried & { readonly answer: Answer };
type Failed = Tried & { readonly error: ErrorInfo; readonly partial?: AssistantMessage; readonly usage?: Usage };

async function requestFor(
  engine: Engine,
  live: Live,
  { closing, stripped }: { readonly closing: boolean; readonly stripped: boolean },
): Promise<Request | Failed> {
  const { llm } = engine.world;
  let choice: ModelChoice | undefined;
  try {
    choice = choiceOf(live);
    const spec = specOf(choice);
    const conversation = await conversationOf(engine, live);
    const { thinking_level, thinking_budget, fallback } = choice;
    const [explanation, model] = await Promise.all([
      explain(thinking_level === undefined ? spec : `${spec}/${thinking_level}`, {
        ...llm,
        ...(thinking_budget === undefined ? {} : { thinking_budget }),
      }),
      modelInfo(spec, llm),
    ]);
    const { provider, api, level_asked, level_applied } = explanation;
    return {
      spec,
      model,
      ...(fallback === undefined ? {} : { fallback }),
      conversation: {
        ...conversation,
        ...(stripped ? { messages: withoutSeals(conversation.messages) ?? conversation.messages } : {}),
        ...(closing && conversation.tools !== undefined ? { tool_choice: { mode: "none" } } : {}),
      },
      about: {
        provider,
        api,
        model: explanation.model,
        thinking_level: level_asked,
        thinking_level_applied: level_applied,
      },
    };
  } catch (thrown) {
    const error = errorOf(thrown);
    return choice === undefined
      ? { error }
      : { error, about: { provider: choice.provider, api: "", model: choice.model } };
  }
}

async function attempt(engine: Engine, live: Live, request: Request, signal: AbortSignal): Promise<Answered | Failed> {
  const { world } = engine;
  const { about, model } = request;
  const started = world.now();
  const chain = request.fallback === undefined ? {} : { fallback: request.fallback };
  const stream = ask(request.spec, request.conversation, { ...world.llm, ...chain, signal });
  let draft: Draft | undefined;
  for await (const batch of stream.batches()) {
    // Only now it is known who answers: the first of a chain may have failed.
    const origin = draft === undefined ? stream.partial()?.origin : undefined;
    if (origin !== undefined) draft = world.store.history.draft(live.uuid, headOf(about, origin));
    for (const event of batch) {
      draft?.add(event);
      engine.emit({ type: "stream", agent_uuid: live.uuid, event });
    }
  }
  const tried = { ...(draft === undefined ? {} : { draft }), about, model, latency_ms: world.now() - started };
  try {
    return { ...tried, answer: await stream };
  } catch (thrown) {
    const { partial, usage } = thrown instanceof IkigaiError ? thrown : {};
    return { ...tried, error: errorOf(thrown), ...(partial && { partial }), ...(usage && { usage }) };
  }
}

function headOf(about: Request["about"], origin: AssistantMessage["origin"]) {
  const { thinking_level, thinking_level_applied } = about;
  // What a level became is known of the model that was asked first.
  const same = origin.model === about.model;
  return {
    origin,
    ...(thinking_level && { thinking_level }),
    ...(same && thinking_level_applied && { thinking_level_applied }),
  };
}

/** What a try that brought nothing is charged all the same. */
function costOfFailed({ usage, model, error, partial }: Failed): number | undefined {
  // A refusal costs nothing; what broke off after it began costs something nobody has told us.
  const refused =
    error.http_status !== undefined || error.category === "auth" || neverSent.has(error.provider_code ?? "");
  if (usage === undefined) return refused && (partial?.content.length ?? 0) === 0 ? 0 : undefined;
  return model === undefined ? undefined : costOf(usage, model);
}

async function answered(
  engine: Engine,
  live: Live,
  { answer, draft, lost_usd, ...tried }: Answered & { readonly lost_usd: number },
): Promise<Outcome> {
  const { message, finish_reason, raw_finish_reason, usage, notes, losses, model, response, hops = [] } = answer;
  // What failed models of a chain and tries that broke off cost is part of what this answer cost.
  const cost_usd =
    answer.cost_usd === undefined
      ? undefined
      : hops.reduce((sum, hop) => sum + (hop.cost_usd ?? 0), answer.cost_usd + lost_usd);
  const { origin: _origin, ...levels } = headOf(tried.about ?? message.origin, message.origin);
  const entry = assistantEntry(message, {
    ...levels,
    finish_reason,
    raw_finish_reason,
    usage,
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(tried.latency_ms === undefined ? {} : { latency_ms: tried.latency_ms }),
    ...(response.request_id === undefined ? {} : { request_id: response.request_id }),
    ...(model === message.origin.model ? {} : { answered_model: model }),
    ...(notes.length === 0 ? {} : { notes }),
    ...(losses.length === 0 ? {} : { losses }),
    ...(hops.length === 0 ? {} : { hops }),
  });
  const store = draft?.finish(entry) ?? engine.world.store.history.append(live.uuid, [entry]);
  adopt(engine, live, await store);
  spend(engine, live, { usage, ...(cost_usd === undefined ? {} : { cost_usd }) });
  for (const { code, message: text } of notes) warn(engine, live, code, text);
  const window_tokens = tried.model?.context_tokens ?? 0;
  live.last = { usage, messages: live.replay.messages().length, window_tokens };
  return { end: "answered", message, finish_reason };
}

async function failed(engine: Engine, live: Live, tried: Failed): Promise<Outcome> {
  const { error } = tried;
  await storePartial(engine, live, tried, []);
  return { end: "failed", error };
}

async function interrupted(
  engine: Engine,
  live: Live,
  tried: Omit<Failed, "error">,
  reason: InterruptedData["reason"],
): Promise<Outcome> {
  const error = errorInfo({ category: "aborted", message: "interrupted" });
  await storePartial(engine, live, { ...tried, error }, [{ kind: "interrupted", data: { reason } }]);
  return { end: "interrupted" };
}

/** What had arrived is kept, marked, together with why there is no more of it. */
async function storePartial(
  engine: Engine,
  live: Live,
  tried: Failed,
  more: readonly { readonly kind: "interrupted"; readonly data: InterruptedData }[],
): Promise<void> {
  const { draft, partial, about, error, usage, latency_ms } = tried;
  const nothing = partial === undefined || partial.content.length === 0;
  if (about === undefined || (nothing && more.length > 0)) {
    await draft?.discard();
    await append(engine, live, more);
    return;
  }
  const { thinking_level, thinking_level_applied, ...origin } = about;
  const message: AssistantMessage = { role: "assistant", content: [], origin, ...partial, incomplete: true };
  const cost_usd = costOfFailed(tried);
  const entry = assistantEntry(message, {
    ...(thinking_level && { thinking_level }),
    ...(thinking_level_applied && { thinking_level_applied }),
    error,
    ...(usage === undefined ? {} : { usage }),
    ...(cost_usd === undefined ? {} : { cost_usd }),
    ...(latency_ms === undefined ? {} : { latency_ms }),
  });
  const store = draft?.finish(entry, ...more) ?? engine.world.store.history.append(live.uuid, [entry, ...more]);
  adopt(engine, live, await store);
  if (usage !== undefined || cost_usd === undefined) {
    spend(engine, live, { ...(usage === undefined ? {} : { usage }), ...(cost_usd === undefined ? {} : { cost_usd }) });
  }
}

export function errorOf(thrown: unknown): ErrorInfo {
  if (thrown instanceof IkigaiError) return thrown.info;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return errorInfo({ category: thrown instanceof CommandError ? "invalid_argument" : "unknown", message });
}

/** Why a turn was ended from outside; said by whoever aborts. */
export function reasonOf(signal: AbortSignal): InterruptedData["reason"] {
  return signal.reason === "exit" ? "exit" : "user";
}

/** Nobody was reached: not found, or nobody listens. */
const neverSent: ReadonlySet<string> = new Set([
  "ENOTFOUND",
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
]);
