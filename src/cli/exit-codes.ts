import type { ErrorCategory } from "../core/index.ts";

/** What the program answers to the shell that started it. */
export const exitCodes: { readonly [category in ErrorCategory]: number } = {
  invalid_argument: 2,
  auth: 3,
  billing: 4,
  rate_limit: 5,
  overloaded: 5,
  context_length: 6,
  content_filter: 7,
  not_found: 8,
  timeout: 9,
  network: 9,
  server: 10,
  invalid_request: 10,
  unknown: 10,
  aborted: 130,
};

/** The answer was cut off by the limit of its length. */
export const lengthExitCode = 11;
/** A limit of money, turns or agents was reached. */
export const limitExitCode = 12;

/** What each of them means, for the help and the reference. */
export const exitCodeMeanings: { readonly [code: number]: string } = {
  0: "done",
  1: "history cannot be used, or a fault of ours",
  2: "wrong use",
  3: "no or bad key",
  4: "billing",
  5: "rate limit or overloaded",
  6: "too long",
  7: "filtered",
  8: "no such model",
  9: "timeout or network",
  10: "provider error",
  [lengthExitCode]: "answer cut off",
  [limitExitCode]: "limit of money or turns",
  130: "interrupted",
};
