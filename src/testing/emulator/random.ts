/** Dice that fall the same way every time: one generator per exchange, made from the emulator's seed. */
import { fingerprint } from "../../core/hash.ts";

export type Random = {
  /** In [0, 1). */
  readonly next: () => number;
  /** In [low, high], whole numbers. */
  readonly between: (low: number, high: number) => number;
  readonly pick: <Value>(values: readonly Value[]) => Value;
  readonly letters: (length: number, alphabet?: string) => string;
};

export const base58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
export const alphanumeric = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
export const hex = "0123456789abcdef";
export const base36 = "0123456789abcdefghijklmnopqrstuvwxyz";

export function seededRandom(seed: string): Random {
  let state = Number.parseInt(fingerprint(seed).slice(0, 8), 16);
  // Mulberry32: 32 bits of state are plenty for padding, ids and fault places.
  function next(): number {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }
  function between(low: number, high: number): number {
    return low + Math.floor(next() * (high - low + 1));
  }
  function pick<Value>(values: readonly Value[]): Value {
    const value = values[between(0, values.length - 1)];
    if (value === undefined) throw new Error("pick from an empty list");
    return value;
  }
  function letters(length: number, alphabet = alphanumeric): string {
    let out = "";
    for (let index = 0; index < length; index++) out += alphabet.charAt(between(0, alphabet.length - 1));
    return out;
  }
  return { next, between, pick, letters };
}

/** 8-4-4-4-12 hexadecimal digits. */
export function uuid(random: Random): string {
  return [8, 4, 4, 4, 12].map((length) => random.letters(length, hex)).join("-");
}
