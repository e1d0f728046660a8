import type { JsonObject, JsonValue } from "../../src/core/index.ts";
import { createEmulator, type EmulatorOptions, type LocalEmulator, type ScriptEntry } from "../../src/testing/index.ts";

export const version = "2026-10-21";
export const oldVersion = "2023-06-01";

/** Plain readers: the tests use nothing of the emulator's own to read what it wrote. */
export function field(value: unknown, ...path: (string | number)[]): unknown {
  let current: unknown = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null) return undefined;
    current = Reflect.get(current, key);
  }
  return current;
}

export function list(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

export function json(value: unknown): JsonValue {
  return JSON.parse(JSON.stringify(value));
}

export type Frame = { readonly event: string | undefined; readonly data: string };

/** Splits a finished stream by the rules of server-sent events, nothing clever. */
export function framesOf(text: string): Frame[] {
  return text
    .split(/\r?\n\r?\n/)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const lines = part.split(/\r?\n/);
      const data = lines.filter((line) => line.startsWith("data: ")).map((line) => line.slice(6));
      return { event: lines.find((line) => line.startsWith("event: "))?.slice(7), data: data.join("\n") };
    });
}

export function dataOf(text: string): unknown[] {
  return framesOf(text)
    .filter((frame) => frame.data !== "" && frame.data !== "[DONE]")
    .map((frame) => JSON.parse(frame.data));
}

export type Lab = {
  readonly emulator: LocalEmulator;
  readonly script: (...entries: ScriptEntry[]) => void;
  readonly messages: (body: JsonObject, headers?: Record<string, string>) => Promise<Response>;
  readonly countMessages: (body: JsonObject) => Promise<Response>;
  readonly responses: (body: JsonObject, headers?: Record<string, string>) => Promise<Response>;
  readonly chat: (body: JsonObject, headers?: Record<string, string>) => Promise<Response>;
  /** Another provider that speaks an OpenAI wire. */
  readonly at: (path: string, body: JsonObject) => Promise<Response>;
  readonly gemini: (body: JsonObject, model?: string, how?: string) => Promise<Response>;
  readonly raw: (path: string, init: RequestInit) => Promise<Response>;
};

export function makeLab(options: EmulatorOptions = {}): Lab {
  const emulator = createEmulator({ bad_keys: ["bad"], ...options });
  const raw = (path: string, init: RequestInit): Promise<Response> => emulator.fetch(`http://emulator${path}`, init);
  const post = (path: string, headers: Record<string, string>, body: JsonObject): Promise<Response> =>
    raw(path, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    });
  const anthropic = { "x-api-key": "good", "anthropic-version": version };
  return {
    emulator,
    script: (...entries) => emulator.script(...entries),
    raw,
    messages: (body, headers = {}) =>
      post("/anthropic/v1/messages", { ...anthropic, ...headers }, { ...messagesBase, ...body }),
    countMessages: (body) => post("/anthropic/v1/messages/count_tokens", anthropic, body),
    responses: (body, headers = {}) =>
      post("/openai/v1/responses", { authorization: "Bearer good", ...headers }, { ...responsesBase, ...body }),
    chat: (body, headers = {}) =>
      post("/openai/v1/chat/completions", { authorization: "Bearer good", ...headers }, { ...chatBase, ...body }),
    at: (path, body) => post(path, { authorization: "Bearer good" }, body),
    gemini: (body, model = "gemini-4-argon", how = "generateContent") =>
      post(`/google/v1beta/models/${model}:${how}`, { "x-goog-api-key": "good" }, { ...geminiBase, ...body }),
  };
}

export const messagesBase: JsonObject = {
  model: "claude-opus-5-5",
  max_tokens: 4_096,
  messages: [{ role: "user", content: "Hello" }],
};
export const responsesBase: JsonObject = {
  model: "gpt-6.1-sol",
  input: [{ role: "user", content: "Hello" }],
  store: false,
  include: ["reasoning.encrypted_content"],
};
export const chatBase: JsonObject = { model: "gpt-5.4", messages: [{ role: "user", content: "Hello" }] };
export const geminiBase: JsonObject = { contents: [{ role: "user", parts: [{ text: "Hello" }] }] };

export const schema: JsonObject = {
  type: "object",
  properties: { path: { type: "string" } },
  required: ["path"],
  additionalProperties: false,
};
export const messagesTools: JsonValue = [{ name: "read", description: "Reads a file", input_schema: schema }];
export const responsesTools: JsonValue = [{ type: "function", name: "read", parameters: schema, strict: true }];
export const chatTools: JsonValue = [{ type: "function", function: { name: "read", parameters: schema } }];
export const geminiTools: JsonValue = [{ functionDeclarations: [{ name: "read", parametersJsonSchema: schema }] }];

export const readCall = { name: "read", arguments: { path: "/x" } };
