import { errorInfo, type ErrorInfo, type JsonObject, type StreamEvent, type Usage } from "../core/index.ts";
import type { Adapter, Call, Decoder } from "./adapter.ts";
import { failureInfo } from "./decode.ts";
import { Failure } from "./failure.ts";
import { createFeed, type Feed } from "./feed.ts";
import { networkError } from "./network.ts";
import { isRedirect, readRefusal, redirected, responseInfo, send, type Fetch, type ResponseInfo } from "./transport.ts";
import { createWriter, type BlockWriter } from "./writer.ts";

/** One exchange, ready to be performed. */
export type RunInput = {
  readonly adapter: Adapter;
  readonly call: Call;
  readonly context: Omit<Parameters<Adapter["decoder"]>[0], "out" | "headers" | "now">;
  readonly secrets: Readonly<Record<string, string>>;
  readonly fetch: Fetch;
  readonly idle_timeout_ms: number;
  readonly signal?: AbortSignal;
  readonly cleanArguments?: (name: string, parsed: JsonObject) => JsonObject;
};

/** Pulls one exchange: each call of `next` gives the events that have arrived, and undefined after the last. */
export type Run = {
  readonly next: () => Promise<readonly StreamEvent[] | undefined>;
  readonly abort: (reason?: unknown) => void;
  readonly response: () => ResponseInfo | undefined;
};

/**
 * Never throws for what a network or provider does: the last event is `done` or `error`, exactly once.
 * Reads from the socket only when asked for more, so a slow consumer slows the sender and not the memory.
 */
export function startRun(input: RunInput): Run {
  const controller = new AbortController();
  let batch: StreamEvent[] = [];
  const out = createWriter(
    (event) => batch.push(event),
    input.cleanArguments ? { cleanArguments: input.cleanArguments } : {},
  );
  const watch = createWatch(input.idle_timeout_ms, () => controller.abort(idle));
  const onOuterAbort = (): void => controller.abort(input.signal?.reason);
  if (input.signal?.aborted) onOuterAbort();
  else input.signal?.addEventListener("abort", onOuterAbort, { once: true });

  let body: Body | undefined;
  let info: ResponseInfo | undefined;
  let over = false;
  /** What is thrown now is the network's, not the decoder's. */
  let reading = false;

  const finish = (): void => {
    over = true;
    watch.stop();
    input.signal?.removeEventListener("abort", onOuterAbort);
    if (body === undefined) return controller.abort(left);
    void body.drain().then((atEnd) => {
      if (!atEnd) controller.abort(left);
    });
  };

  const open = async (): Promise<Body | undefined> => {
    const { call, adapter, context } = input;
    const response = await send(call, { fetch: input.fetch, secrets: input.secrets, signal: controller.signal });
    info = responseInfo(response);
    if (isRedirect(response)) {
      out.error(redirected(response));
    } else if (!response.ok) {
      const text = await readRefusal(response, call.url, input.secrets);
      out.error(adapter.decodeError({ status: response.status, headers: response.headers, text, now: Date.now() }));
    } else {
      const decoder = adapter.decoder({ ...context, out, headers: response.headers, now: Date.now() });
      return openBody(response, decoder, call, controller.signal);
    }
    return undefined;
  };

  return {
    async next() {
      if (over) return undefined;
      watch.start();
      try {
        if (controller.signal.aborted) throw controller.signal.reason;
        body ??= await open();
        while (batch.length === 0 && !out.ended() && body !== undefined) {
          // One await a chunk: where every delta is a chunk of its own, that is most of what we cost.
          reading = true;
          const chunk = await body.read();
          reading = false;
          if (controller.signal.aborted) throw controller.signal.reason;
          body.take(chunk);
          if (chunk.done && !out.ended()) out.error(endless);
          if (body.settled()) watch.settle();
        }
      } catch (error) {
        const failure = reading ? new Failure(networkError(error, input.call.url)) : error;
        endWith(out, controller.signal, failure, { body, input });
      }
      watch.pause();
      const events = batch;
      batch = [];
      if (out.ended()) finish();
      return events;
    },
    abort(reason) {
      if (!over) controller.abort(reason ?? left);
    },
    response: () => info,
  };
}

/** How an exchange ends that was cut short: by the caller, by silence, or by something that broke. */
function endWith(
  out: BlockWriter,
  signal: AbortSignal,
  error: unknown,
  { body, input }: { readonly body: Body | undefined; readonly input: RunInput },
): void {
  if (out.ended()) return;
  const usage = body?.usage();
  if (signal.aborted && signal.reason !== idle) return out.error(aborted, usage);
  // Silence, or a broken connection, after the provider has said how it ended: that is the end.
  if (body?.settled() === true) body.end();
  if (out.ended()) return;
  if (signal.aborted) return out.error(silence(input.idle_timeout_ms), usage);
  out.error(body === undefined ? networkError(error, input.call.url) : failureInfo(error), usage);
}

type Chunk = ReadableStreamReadResult<Uint8Array>;

type Body = {
  readonly read: () => Promise<Chunk>;
  /** Decodes what was read. After the last of it the decoder is told that the bytes are over. */
  readonly take: (chunk: Chunk) => void;
  readonly end: () => void;
  readonly settled: () => boolean;
  readonly usage: () => Usage | undefined;
  /** Reads what a server may still send after its last word. False: it has not ended. */
  readonly drain: () => Promise<boolean>;
};

function openBody(response: Response, decoder: Decoder, call: Call, signal: AbortSignal): Body {
  const feed: Feed = createFeed(decoder, call.framing);
  const reader = response.body?.getReader();
  const utf8 = new TextDecoder();
  const close = (): void => void reader?.cancel().catch(() => {});
  // Cancelling resolves a pending read at once, whatever the server does.
  signal.addEventListener("abort", close, { once: true });
  return {
    read: () => reader?.read() ?? Promise.resolve({ done: true, value: undefined }),
    take({ done, value }) {
      if (!done) return feed.push(utf8.decode(value, { stream: true }));
      const rest = utf8.decode();
      if (rest !== "") feed.push(rest);
      feed.end();
    },
    end: () => feed.end(),
    settled: () => decoder.settled?.() === true || feed.settled?.() === true,
    usage: () => decoder.usage?.(),
    drain: () => (reader === undefined || signal.aborted ? Promise.resolve(true) : drain(reader)),
  };
}

/**
 * Most servers end their answer a moment after its last frame. Who waits for that can use the connection again; who
 * leaves at once has to greet the server anew with every request. A server that does not end is left after all.
 */
async function drain(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<boolean> {
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    // Ends the read that is waiting.
    reader.cancel().catch(() => {});
  }, drainMs);
  try {
    let size = 0;
    while (size < drainBytesMax) {
      const { done, value } = await reader.read();
      if (done) return !late;
      size += value.length;
    }
    return false;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

type Watch = {
  readonly start: () => void;
  readonly pause: () => void;
  readonly settle: () => void;
  readonly stop: () => void;
};

/**
 * Rings when nothing that counts as content came for too long while we were waiting for it. One timer for the whole
 * exchange, never touched per chunk; time the consumer takes does not count.
 */
function createWatch(limitMs: number, ring: () => void): Watch {
  let limit = limitMs;
  let waitingSince: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const arm = (delay: number): void => {
    clearTimeout(timer);
    timer = setTimeout(check, delay);
  };
  const check = (): void => {
    timer = undefined;
    if (waitingSince === undefined) return;
    const left = waitingSince + limit - Date.now();
    if (left <= 0) ring();
    else arm(left);
  };
  return {
    start() {
      waitingSince = Date.now();
      if (timer === undefined) arm(limit);
    },
    pause() {
      waitingSince = undefined;
    },
    settle() {
      const grace = Math.min(limitMs, settledGraceMs);
      if (limit === grace) return;
      limit = grace;
      arm(limit);
    },
    stop() {
      clearTimeout(timer);
      waitingSince = undefined;
    },
  };
}

const drainMs = 250;
const drainBytesMax = 64 * 1024;

/** How long a provider that has said how it ended may still add something. */
const settledGraceMs = 10_000;

const idle = Symbol("idle");
const left = Symbol("left");

const endless = errorInfo({ category: "unknown", message: "The answer ended without an end" });
const aborted = errorInfo({ category: "aborted", message: "The request was cancelled" });

function silence(limitMs: number): ErrorInfo {
  const message = `Nothing came for ${Math.round(limitMs / 100) / 10} s; the request was given up`;
  return errorInfo({ category: "timeout", message, provider_code: "idle_timeout" });
}
