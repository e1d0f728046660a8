import type { RecordingFetch } from "./mode.ts";
import { recorder } from "./record.ts";
import { replayer } from "./replay.ts";

export { RecordingError } from "./error.ts";
export { findSecrets, type SecretFinding } from "./secrets.ts";
export type { RecordingFetch } from "./mode.ts";

export type RecordingOptions = {
  /** Left out: `record` where the environment says VCR_RECORD=1, else `replay`. */
  readonly mode?: "replay" | "record";
  /** Who answers while recording; the network when left out. */
  readonly fetch?: RecordingFetch;
  /** Who that was, for the first line of the file; the host of the first request when left out. */
  readonly recorded_against?: string;
  /** When, for the same line. */
  readonly now?: () => number;
};

/** A `fetch` that answers from a file, or that writes one. */
export type Recording = typeof globalThis.fetch & {
  readonly mode: "replay" | "record";
  /** Replaying: throws if a request did not fit or was not made. Recording: writes what is still open. */
  readonly close: () => void;
  readonly [Symbol.dispose]: () => void;
};

/**
 * Requests are answered from the file in the order in which they were recorded, each compared by method, path and body.
 * With VCR_RECORD=1 they are passed on and the file is written; nothing that looks like a key ever is.
 */
export function withRecording(file: string, options: RecordingOptions = {}): Recording {
  const mode = options.mode ?? (isWanted(process.env["VCR_RECORD"]) ? "record" : "replay");
  const { fetch, close } = mode === "replay" ? replayer(file) : recorder(file, recorderOptions(options));
  return Object.assign(((input, init) => fetch(input, init)) satisfies typeof globalThis.fetch, {
    mode,
    close,
    [Symbol.dispose]: close,
  });
}

function recorderOptions(options: RecordingOptions): Parameters<typeof recorder>[1] {
  return {
    fetch: options.fetch ?? ((url, init) => globalThis.fetch(url, init)),
    recorded_against: options.recorded_against,
    now: options.now ?? Date.now,
  };
}

function isWanted(variable: string | undefined): boolean {
  return variable !== undefined && variable !== "" && variable !== "0";
}
