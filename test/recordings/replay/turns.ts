import { isJsonObject, type JsonObject, type UserBlock } from "../../../src/core/index.ts";

/** A recorded request's history, cut into turns; what the assistant said stays in the wire's own words. */
export type Turn =
  | { readonly role: "user"; readonly content: readonly UserBlock[] }
  | { readonly role: "tool"; readonly results: readonly WireResult[] }
  | { readonly role: "assistant"; readonly wire: readonly JsonObject[] };

/** Gemini 2 has no ids: its results answer the calls of their name in order. */
export type WireResult = { readonly id?: string; readonly name?: string; readonly content: readonly UserBlock[] };

export type WireReader = {
  readonly turnsOf: (body: JsonObject) => readonly Turn[];
  /** What the provider checks in replayed blocks: signatures, encrypted and redacted content, call ids, in order. */
  readonly sealsOf: (wire: readonly JsonObject[]) => readonly string[];
  /** The visible text of replayed blocks, one string a block. */
  readonly textsOf: (wire: readonly JsonObject[]) => readonly string[];
  /** The responses that would have said this, where they are not among the recordings. */
  readonly responsesOf: (wire: readonly JsonObject[]) => readonly JsonObject[];
};

/** Neighbouring assistant turns are one: clients cut them up and put them together as they like. */
export function joinTurns(turns: readonly Turn[]): readonly Turn[] {
  const joined: Turn[] = [];
  for (const turn of turns) {
    const last = joined.at(-1);
    if (turn.role === "assistant" && last?.role === "assistant") {
      joined[joined.length - 1] = { role: "assistant", wire: [...last.wire, ...turn.wire] };
    } else if (turn.role === "tool" && last?.role === "tool") {
      joined[joined.length - 1] = { role: "tool", results: [...last.results, ...turn.results] };
    } else joined.push(turn);
  }
  return joined;
}

export function text(value: unknown): UserBlock {
  return { type: "text", text: typeof value === "string" && value !== "" ? value : "(something else)" };
}

/** `data:TYPE;base64,DATA` or an address. */
export function imageFrom(url: string): UserBlock {
  const [, media_type, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
  return media_type !== undefined && data !== undefined ? { type: "image", media_type, data } : { type: "image", url };
}

export function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

export function strings(...values: readonly unknown[]): readonly string[] {
  return values.filter((value): value is string => typeof value === "string" && value !== "");
}
