/** Passes requests on to whoever answers, and writes down what was said. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { RecordingError } from "./error.ts";
import type { RecordingFetch, RecordingMode } from "./mode.ts";
import {
  recordingVersion,
  writeRecording,
  type BodyEnd,
  type Exchange,
  type FailureLine,
  type ResponseLine,
} from "./lines.ts";
import { keptResponseHeaders, readRequest, type Outgoing } from "./request.ts";
import { findSecrets, keysIn } from "./secrets.ts";

export type RecorderOptions = {
  readonly fetch: RecordingFetch;
  readonly recorded_against: string | undefined;
  readonly now: () => number;
};

/** One exchange under way. `end` is called at least once; the first call counts. */
type Take = {
  readonly chunks: Uint8Array<ArrayBuffer>[];
  readonly end: (how: BodyEnd, message?: string) => void;
};

export function recorder(file: string, options: RecorderOptions): RecordingMode {
  const exchanges: (Exchange | undefined)[] = [];
  const open = new Set<Take>();
  let against = options.recorded_against;
  let failure: RecordingError | undefined;

  /** Keys are looked for before anything is written, in the bytes and not in their base64. */
  function refuseSecrets(where: string, text: string, headers: Headers): void {
    const [found] = findSecrets(text, keysIn(headers));
    if (found === undefined) return;
    failure = new RecordingError(
      `Nothing more is written to ${file}: ${where} holds what looks like ${found.what} (${found.shown})`,
    );
    throw failure;
  }

  /** After every exchange, so that a test that fails later has left what it did before. */
  function write(): void {
    if (failure !== undefined) return;
    const head = {
      type: "recording",
      version: recordingVersion,
      recorded_against: against ?? "nobody",
      recorded_at: new Date(options.now()).toISOString(),
    } as const;
    const complete = exchanges.filter((exchange) => exchange !== undefined);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(`${file}.new`, writeRecording(head, complete));
    renameSync(`${file}.new`, file);
  }

  function startTake(place: number, { line, headers }: Outgoing, response: ResponseLine): Take {
    const chunks: Uint8Array<ArrayBuffer>[] = [];
    const take: Take = {
      chunks,
      end(how, message) {
        if (!open.delete(take)) return;
        refuseSecrets("the response", `${JSON.stringify(response)}\n${latin1(chunks)}`, headers);
        const end = { type: "end", how, ...(message === undefined ? {} : { message }) } as const;
        exchanges[place] = { request: line, outcome: { response, chunks, end } };
        write();
      },
    };
    open.add(take);
    return take;
  }

  return {
    async fetch(input, init) {
      const place = exchanges.push(undefined) - 1;
      const outgoing = await readRequest(input, init);
      const { line, signal } = outgoing;
      against ??= new URL(line.url).host;
      refuseSecrets("the request", JSON.stringify(line), outgoing.headers);
      let response: Response;
      try {
        response = await options.fetch(line.url, passedOn(outgoing, init));
      } catch (error) {
        exchanges[place] = { request: line, outcome: failureOf(error) };
        write();
        throw error;
      }
      const headers = keptResponseHeaders(response.headers);
      const take = startTake(place, outgoing, { type: "response", status: response.status, headers });
      if (response.body === null) take.end("whole");
      signal.addEventListener("abort", () => endQuietly(take), { once: true });
      const { status, statusText } = response;
      return new Response(recordedBody(response.body, take, signal), { status, statusText, headers: response.headers });
    },
    close() {
      for (const take of open) take.end("left");
      if (failure !== undefined) throw failure;
      write();
    },
  };
}

function passedOn({ line, headers, bytes, signal }: Outgoing, init: RequestInit | undefined): RequestInit {
  const body = bytes.length === 0 ? {} : { body: bytes };
  return { ...init, method: line.method, headers, signal, ...body };
}

/** Reads only when asked to, so that the pieces are the ones the reader saw. */
function recordedBody(
  source: ReadableStream<Uint8Array<ArrayBuffer>> | null,
  take: Take,
  signal: AbortSignal,
): ReadableStream<Uint8Array> | null {
  if (source === null) return null;
  const reader = source.getReader();
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) {
            take.end("whole");
            controller.close();
          } else {
            take.chunks.push(value.slice());
            controller.enqueue(value);
          }
        } catch (error) {
          take.end(signal.aborted ? "left" : "broken", describe(error));
          controller.error(error);
        }
      },
      async cancel(reason) {
        endQuietly(take);
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Whoever left hears no more; `close` tells what was wrong. */
function endQuietly(take: Take): void {
  try {
    take.end("left");
  } catch {
    // Kept by the recorder.
  }
}

function failureOf(error: unknown): FailureLine {
  const { code } = deepest(error);
  return { type: "failure", message: describe(error), ...(code === undefined ? {} : { code }) };
}

function describe(error: unknown): string {
  return deepest(error).message;
}

/** `fetch` wraps the reason; the innermost one says what happened. */
function deepest(error: unknown): { readonly message: string; readonly code?: string } {
  if (!(error instanceof Error)) return { message: String(error) };
  if (error.cause instanceof Error) return deepest(error.cause);
  const code: unknown = Reflect.get(error, "code");
  return { message: error.message, ...(typeof code === "string" ? { code } : {}) };
}

/** Every byte a character: a key is found whatever the encoding and wherever the pieces are cut. */
function latin1(chunks: readonly Uint8Array[]): string {
  return Buffer.concat(chunks).toString("latin1");
}
