/**
 * Who speaks which wire, under which path, and how its errors look. A provider that speaks another's protocol is one
 * more row: its path, its wires, its error shape and its peculiarities as data. The wires never ask for a name.
 */
import type { Family } from "./models.ts";
import type { WireName } from "./types.ts";

export type ErrorShape = "anthropic" | "openai" | "google";

export type Quirks = {
  /** Sent as an SSE comment between frames. */
  readonly comment?: string;
  /** The Responses wire ends with `data: [DONE]`. */
  readonly done_after_responses?: boolean;
  /** Where Chat puts thinking text; left out: Chat shows none. */
  readonly reasoning_field?: "reasoning_content" | "reasoning";
  /** Chat usage counts reasoning outside the completion tokens. */
  readonly completion_excludes_reasoning?: boolean;
  /** Chat sends every tool call whole, in one chunk. */
  readonly whole_tool_calls?: boolean;
};

export type Dialect = {
  readonly name: string;
  /** The path before the wire's own; every wire also answers without it. */
  readonly prefix: string;
  readonly family: Family;
  readonly wires: readonly WireName[];
  readonly errors: ErrorShape;
  /** Where the key may be, in the order it is looked for. */
  readonly auth: readonly ("x-api-key" | "bearer" | "x-goog-api-key" | "query")[];
  readonly body_bytes_max: number;
  readonly quirks: Quirks;
};

export const mebibyte = 1_048_576;

export const dialects: readonly Dialect[] = [
  {
    name: "anthropic",
    prefix: "/anthropic",
    family: "messages",
    wires: ["messages"],
    errors: "anthropic",
    auth: ["x-api-key", "bearer"],
    body_bytes_max: 32 * mebibyte,
    quirks: {},
  },
  {
    name: "openai",
    prefix: "/openai",
    family: "openai",
    wires: ["responses", "chat"],
    errors: "openai",
    auth: ["bearer"],
    body_bytes_max: 64 * mebibyte,
    quirks: {},
  },
  {
    name: "google",
    prefix: "/google",
    family: "gemini",
    wires: ["gemini"],
    errors: "google",
    auth: ["x-goog-api-key", "query"],
    body_bytes_max: 64 * mebibyte,
    quirks: {},
  },
];
