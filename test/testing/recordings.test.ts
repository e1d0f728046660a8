import { describe, expect, test } from "vitest";
import { createEmulator } from "../../src/testing/index.ts";
import { haveRecordings, loadRecordings, recordingsMessage, type Recording } from "../recordings/load.ts";

/** What recordings call a provider, and where it lives here. */
const prefixes: Readonly<Record<string, string>> = {
  anthropic: "/anthropic",
  openai: "/openai",
  google: "/google",
  xai: "/xai",
  openrouter: "/openrouter",
  ollama: "/ollama",
  "llama.cpp": "/llamacpp",
};
const apis = ["messages", "count_tokens", "responses", "chat", "generateContent", "streamGenerateContent"];

const recorded = loadRecordings()
  .map(({ recording }) => recording)
  .filter(({ provider, api, request }) => {
    // The router's Messages endpoint is not one of its dialect's wires here.
    const spoken = apis.includes(api) && !(provider === "openrouter" && api === "messages");
    return prefixes[provider] !== undefined && spoken && request !== null && isObject(request.body);
  });

console.log(recordingsMessage("emulator and recorded requests"));

describe.skipIf(!haveRecordings)("what a provider accepted is accepted here", () => {
  const accepted = recorded.filter(({ response }) => response.status === 200);

  test("there is something to read", () => {
    expect(accepted.length).toBeGreaterThan(0);
  });

  test.each(accepted.map((recording): [string, Recording] => [recording.id, recording]))(
    "%s",
    async (_id, recording) => {
      const response = await replay(recording);
      expect(response.status, `${response.headers.get("x-mock-rule")}: ${await response.text()}`).toBe(200);
    },
  );
});

describe.skipIf(!haveRecordings)("what a provider refused is refused here with its words", () => {
  const refusals = recorded.flatMap((recording): [string, Recording, string][] => {
    const rule = refusedByRule[recording.id];
    return rule === undefined ? [] : [[recording.id, recording, rule]];
  });

  test.each(refusals)("%s", async (_id, recording, rule) => {
    const response = await replay(recording);
    const body: unknown = await response.json();
    expect(response.headers.get("x-mock-rule")).toBe(rule);
    expect(response.status).toBe(recording.response.status);
    expect(messageOf(body)).toBe(messageOf(recording.response.body));
  });
});

/** Recorded refusals the rules were written from (those about keys, quotas and vanished models need other means). */
const refusedByRule: Readonly<Record<string, string>> = {
  "anthropic-messages-anthropic-explicit-effort-xhigh-unsupported-model-errors-0-19c6292e": "messages.effort.level",
  "anthropic-messages-anthropic-json-0-6353752f": "messages.prefill.model",
  "anthropic-messages-object-basic-0-c6c77a3d": "messages.format.schema",
  "openai-responses-test-openai-responses-thinking-with-modified-history-1-5bee585f":
    "responses.reasoning.no_following",
  "openai-responses-reasoning-basic-0-e9532101": "responses.effort.no_reasoning",
  "openai-responses-openai-responses-post-c4a90328-0-59a39236": "responses.format.strict",
  "openai-chat-multi-tool-0-f3f277ce": "chat.tools.model",
  "xai-chat-reasoning-basic-0-bbfd86dd": "chat.effort.no_reasoning",
  "google-generatecontent-test-51a8b0ff-0-93fb4451": "gemini.contents.missing",
};

/** Signatures of the real provider cannot be checked here, and many recorded models are gone. */
async function replay(recording: Recording): Promise<Response> {
  const { request, provider } = recording;
  if (request === null) throw new Error("no request");
  const emulator = createEmulator({ signatures: "any", unknown_models: "serve", retired_models: "serve" });
  // Some sources replaced the host of a local server by a placeholder.
  const url = new URL(request.url.replace(/^<[^>]*>/, "http://local/v1"));
  const headers = new Headers(request.headers);
  if (!headers.has("anthropic-version")) headers.set("anthropic-version", "2023-06-01");
  for (const name of ["x-api-key", "x-goog-api-key"]) headers.set(name, "key");
  headers.set("authorization", "Bearer key");
  return emulator.fetch(`http://emulator${prefixes[provider] ?? ""}${url.pathname}${url.search}`, {
    method: "POST",
    headers,
    body: JSON.stringify(request.body),
  });
}

function messageOf(body: unknown): unknown {
  const error: unknown = isObject(body) ? Reflect.get(body, "error") : undefined;
  if (typeof error === "string") return error;
  return isObject(error) ? Reflect.get(error, "message") : undefined;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
