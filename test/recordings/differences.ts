import type { Field } from "./compare.ts";

/** Where our decoding may disagree with the plain reading, and why. An entry that no longer differs fails the suite. */
export const decodeDifferences: readonly {
  readonly file: string;
  readonly fields: readonly Field[];
  readonly reason: string;
}[] = [];

/** Recorded replays that our request does not repeat in everything the provider checks, and why. */
export const replayDifferences: readonly { readonly file: string; readonly reason: string }[] = [];
