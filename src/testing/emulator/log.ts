/** The requests of the recent past, within limits of number and size. */
import type { EmulatorOptions, RecordedRequest } from "./types.ts";

const requestsMaxDefault = 10_000;
const charactersMax = 64 * 1_048_576;

export type RequestLog = {
  readonly add: (request: RecordedRequest, characters: number) => void;
  readonly all: () => readonly RecordedRequest[];
  readonly clear: () => void;
};

export function makeLog(options: EmulatorOptions): RequestLog {
  const max = options.requests_max ?? requestsMaxDefault;
  let entries: { readonly request: RecordedRequest; readonly characters: number }[] = [];
  let total = 0;

  function add(request: RecordedRequest, characters: number): void {
    entries.push({ request, characters });
    total += characters;
    // The newest stays whatever its size: a test always sees what it has just sent.
    while (entries.length > 1 && (entries.length > max || total > charactersMax)) {
      total -= entries.shift()?.characters ?? 0;
    }
    options.onRequest?.(request);
  }

  function clear(): void {
    entries = [];
    total = 0;
  }

  return { add, all: () => entries.map((entry) => entry.request), clear };
}
