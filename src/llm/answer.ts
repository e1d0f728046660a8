import {
  createCollector,
  type AssistantMessage,
  type CostSource,
  type ErrorInfo,
  type FinishReason,
  type Hop,
  type JsonObject,
  type JsonValue,
  type Loss,
  type Note,
  type Origin,
  type OutputError,
  type StreamEvent,
  type Usage,
} from "../core/index.ts";
import { failureInfo } from "./decode.ts";
import type { Run } from "./run.ts";
import type { ResponseInfo } from "./transport.ts";

/** A whole answer. Plain JSON. */
export type Answer = {
  readonly message: AssistantMessage;
  readonly finish_reason: FinishReason;
  readonly raw_finish_reason: string;
  readonly usage: Usage;
  readonly cost_usd?: number;
  readonly cost_source?: CostSource;
  /** The answer as the JSON that `output_format` asked for, once it was found to fit. */
  readonly output?: JsonValue;
  /** Why there is no `output` although one was asked for. */
  readonly output_error?: OutputError;
  /** Models of a fallback chain that failed before this answer; each with what it used. */
  readonly hops?: readonly Hop[];
  /** The model that answered, which may be more precise than the one that was asked for. */
  readonly model: string;
  readonly response: ResponseInfo;
  readonly provider_data?: JsonObject;
  /** What a person should know: a level that was moved, a parameter that was left out. */
  readonly notes: readonly Note[];
  /** What the model was not shown of the history. */
  readonly losses: readonly Loss[];
};

/** The one error the library throws: what happened, and what had arrived until then. */
export class IkigaiError extends Error {
  readonly info: ErrorInfo;
  readonly partial: AssistantMessage | undefined;
  readonly usage: Usage | undefined;
  readonly response: ResponseInfo | undefined;
  /** Models of a fallback chain that failed before this one did. */
  readonly hops: readonly Hop[];

  constructor(
    info: ErrorInfo,
    rest: {
      readonly partial?: AssistantMessage;
      readonly usage?: Usage;
      readonly response?: ResponseInfo;
      readonly hops?: readonly Hop[];
    } = {},
  ) {
    super(info.message);
    this.name = "IkigaiError";
    this.info = info;
    this.partial = rest.partial;
    this.usage = rest.usage;
    this.response = rest.response;
    this.hops = rest.hops ?? [];
  }

  get category(): ErrorInfo["category"] {
    return this.info.category;
  }
}

/** What is known of an exchange once it has been prepared. */
export type Facts = {
  readonly origin: Origin;
  readonly notes: readonly Note[];
  readonly losses: readonly Loss[];
  readonly hops?: readonly Hop[];
  /** Reads the finished message as the JSON that was asked for. */
  readonly readOutput?: (message: AssistantMessage) => Promise<Pick<Answer, "output" | "output_error">>;
};

/** An exchange that can be performed. A chain of models learns anew what it is after each hop. */
export type Prepared = {
  readonly run: Run;
  readonly facts: () => Facts | undefined;
  readonly hops?: () => readonly Hop[];
};

/**
 * An answer that can be awaited, iterated, or both. Nothing is sent before the first of either.
 * Iterating never throws for what a network or provider does: the last event says how it ended. Awaiting throws an
 * `IkigaiError` that carries the partial answer. Leaving the loop cancels the request.
 */
export class AnswerStream implements AsyncIterable<StreamEvent>, PromiseLike<Answer> {
  readonly #prepare: () => Promise<Prepared>;
  readonly #accumulate: boolean;
  readonly #signal: AbortSignal | undefined;
  #prepared: Prepared | undefined;
  #collector: ReturnType<typeof createCollector> | undefined;
  #pulling: Promise<boolean> | undefined;
  #over = false;
  #cancelled = false;
  /** Batches that an iteration has not taken yet; unused while nobody iterates. */
  #queue: (readonly StreamEvent[])[] = [];
  #iterating = false;
  #failure: ErrorInfo | undefined;

  constructor(
    prepare: () => Promise<Prepared>,
    options: { readonly accumulate?: boolean; readonly signal?: AbortSignal } = {},
  ) {
    this.#prepare = prepare;
    this.#accumulate = options.accumulate ?? true;
    this.#signal = options.signal;
  }

  /** The events that arrived together, for consumers in a hurry. */
  async *batches(): AsyncGenerator<readonly StreamEvent[], void, undefined> {
    this.#iterating = true;
    try {
      for (;;) {
        const batch = this.#isStopped() ? this.#lastWord([]) : this.#queue.shift();
        if (batch !== undefined) yield batch;
        else if (!(await this.#pull())) return;
      }
    } finally {
      this.#iterating = false;
      this.abort();
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<StreamEvent, undefined> {
    this.#iterating = true;
    let batch: readonly StreamEvent[] = [];
    let position = 0;
    const end = { done: true, value: undefined } as const;
    const advance = async (): Promise<IteratorResult<StreamEvent, undefined>> => {
      for (;;) {
        const next = this.#isStopped() ? this.#lastWord(batch.slice(position)) : this.#queue.shift();
        batch = next ?? [];
        position = 1;
        if (batch[0] !== undefined) return { done: false, value: batch[0] };
        if (next === undefined && !(await this.#pull())) return end;
      }
    };
    return {
      next: () => {
        const event = batch[position];
        if (event === undefined || this.#isStopped()) return advance();
        position += 1;
        return Promise.resolve({ done: false, value: event });
      },
      return: () => {
        this.#iterating = false;
        this.abort();
        return Promise.resolve(end);
      },
    };
  }

  then<Fulfilled = Answer, Rejected = never>(
    onfulfilled?: ((answer: Answer) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onrejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null,
  ): Promise<Fulfilled | Rejected> {
    return this.#finish().then(onfulfilled, onrejected);
  }

  /** Cancels the request. What has arrived stays; the stream ends with `aborted` unless it had already ended. */
  abort(): void {
    this.#cancelled = true;
    this.#prepared?.run.abort();
  }

  /** The message as far as it has arrived. */
  partial(): AssistantMessage | undefined {
    return this.#collector?.message();
  }

  async #finish(): Promise<Answer> {
    while (await this.#pull());
    const collector = this.#collector;
    const end = collector?.end();
    const prepared = this.#prepared;
    const response = prepared?.run.response();
    const facts = prepared?.facts();
    const hops = prepared?.hops?.() ?? [];
    if (collector === undefined || facts === undefined || end?.type !== "done") {
      const info = end?.type === "error" ? end.error : (this.#failure ?? failureInfo("no end"));
      const partial = collector?.message();
      throw new IkigaiError(info, {
        ...(partial === undefined ? {} : { partial }),
        ...(end?.type === "error" && end.usage ? { usage: end.usage } : {}),
        ...(response === undefined ? {} : { response }),
        hops,
      });
    }
    const { type: _type, notes = [], ...rest } = end;
    const message = collector.message();
    const output = this.#accumulate ? await facts.readOutput?.(message) : undefined;
    const misfit = output?.output_error;
    return {
      message,
      ...rest,
      ...output,
      ...(hops.length > 0 ? { hops } : {}),
      model: collector.model() ?? facts.origin.model,
      response: withRequestId(response ?? { status: 200, rate_limits: {} }, collector.request_id()),
      notes: [
        ...facts.notes,
        ...notes,
        ...(misfit === undefined ? [] : [{ code: "output_invalid", message: misfit.message }]),
      ],
      losses: facts.losses,
    };
  }

  #isStopped(): boolean {
    return this.#cancelled || this.#signal?.aborted === true;
  }

  /** Who stopped it wants nothing more of what had arrived together, only to hear how it ended. */
  #lastWord(rest: readonly StreamEvent[]): readonly StreamEvent[] | undefined {
    const last = this.#queue.at(-1)?.at(-1) ?? rest.at(-1);
    this.#queue = [];
    return last?.type === "done" || last?.type === "error" ? [last] : undefined;
  }

  /** Gets one batch; callers that come while it is under way share it. False after the last. */
  #pull(): Promise<boolean> {
    if (this.#over) return Promise.resolve(false);
    this.#pulling ??= this.#step();
    return this.#pulling;
  }

  async #step(): Promise<boolean> {
    try {
      this.#prepared ??= await this.#begin();
      const batch = await this.#prepared.run.next();
      if (batch === undefined) this.#over = true;
      else this.#take(batch);
    } catch (error) {
      this.#fail(failureInfo(error));
      return true;
    } finally {
      this.#pulling = undefined;
    }
    return !this.#over;
  }

  async #begin(): Promise<Prepared> {
    const prepared = await this.#prepare();
    if (this.#cancelled) prepared.run.abort();
    return prepared;
  }

  #fail(error: ErrorInfo): void {
    this.#over = true;
    this.#failure = error;
    this.#queue.push([{ type: "error", error }]);
  }

  #take(batch: readonly StreamEvent[]): void {
    const facts = this.#prepared?.facts();
    if (facts !== undefined) this.#collector ??= createCollector(facts.origin);
    for (const event of batch) {
      if (this.#accumulate || event.type === "done" || event.type === "error") this.#collector?.add(event);
      // Another model speaks from here on.
      if (event.type === "fallback") {
        this.#collector = facts === undefined ? undefined : createCollector(facts.origin);
      }
      // None of a chain could even be asked.
      if (event.type === "error" && facts === undefined) this.#failure = event.error;
    }
    if (this.#iterating && batch.length > 0) this.#queue.push(batch);
  }
}

function withRequestId(response: ResponseInfo, request_id: string | undefined): ResponseInfo {
  return request_id === undefined || response.request_id !== undefined ? response : { ...response, request_id };
}
