/** Answers from a file, in the order in which it was written, and nothing else. */
import { readFileSync } from "node:fs";
import { differences, pathOf, shownDifferences } from "./compare.ts";
import { RecordingError } from "./error.ts";
import type { RecordingMode } from "./mode.ts";
import { readRecording, type Answered, type EndLine, type Exchange, type RequestLine } from "./lines.ts";
import { readRequest } from "./request.ts";

export function replayer(file: string): RecordingMode {
  const { exchanges } = readRecording(readFile(file), file);
  let used = 0;
  let failure: RecordingError | undefined;

  function check(place: number, made: RequestLine): Exchange {
    const exchange = exchanges[place];
    // Once a request did not fit, nothing that follows means anything.
    failure ??= problemWith(exchange, made, { file, place, count: exchanges.length });
    if (failure !== undefined || exchange === undefined) throw failure ?? new RecordingError(file);
    return exchange;
  }

  return {
    async fetch(input, init) {
      const place = used++;
      const { line, signal } = await readRequest(input, init);
      signal.throwIfAborted();
      const { outcome } = check(place, line);
      if ("type" in outcome) throw networkFailure(outcome.message, outcome.code);
      const { response } = outcome;
      return new Response(bodyOf(outcome, signal, file), { status: response.status, headers: { ...response.headers } });
    },
    close() {
      if (failure !== undefined) throw failure;
      const rest = exchanges.slice(used);
      if (rest.length === 0) return;
      const names = rest.map(({ request }) => `${request.method} ${pathOf(request.url)}`).join(", ");
      throw new RecordingError(
        `${file}: ${rest.length} of ${exchanges.length} recorded requests were not made: ${names}`,
      );
    },
  };
}

function readFile(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RecordingError(`There is no recording to replay (${reason}); run once with VCR_RECORD=1 to make it`);
  }
}

function problemWith(
  exchange: Exchange | undefined,
  made: RequestLine,
  { file, place, count }: { readonly file: string; readonly place: number; readonly count: number },
): RecordingError | undefined {
  const name = `${made.method} ${pathOf(made.url)}`;
  if (exchange === undefined) {
    const message = `request ${place + 1} (${name}) was never recorded: ${file} holds ${count}`;
    return new RecordingError(`${message}. Record it again with VCR_RECORD=1`);
  }
  const found = differences(exchange.request, made);
  if (found.length === 0) return undefined;
  return new RecordingError(
    `request ${place + 1} is not the one in ${file} (- recorded, + made now). Record it again with VCR_RECORD=1 if this ` +
      `is what it should be.\n${shownDifferences(found)}`,
  );
}

/** A response that cannot have a body (204, 304) must not be given an empty one. */
function bodyOf({ response, chunks, end }: Answered, signal: AbortSignal, file: string): ReadableStream | null {
  if (chunks.length === 0 && bodiless.includes(response.status)) return null;
  let position = 0;
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener("abort", () => controller.error(signal.reason), { once: true });
      },
      pull(controller) {
        const chunk = chunks[position++];
        // A copy: who reads it may do with it what they like, and the next replay wants it whole.
        if (chunk !== undefined) controller.enqueue(chunk.slice());
        else if (end.how === "whole") controller.close();
        else controller.error(earlyEnd(end, file));
      },
    },
    { highWaterMark: 0 },
  );
}

function earlyEnd(end: EndLine, file: string): Error {
  if (end.how === "broken") return networkFailure(end.message ?? "terminated", undefined);
  return new RecordingError(`${file} holds no more of this body: its reader had left`);
}

/** The way `fetch` says that there was no answer. */
function networkFailure(message: string, code: string | undefined): TypeError {
  const cause = Object.assign(new Error(message), code === undefined ? {} : { code });
  return new TypeError("fetch failed", { cause });
}

const bodiless = [101, 204, 205, 304];
