import type { AssistantMessage, JsonObject, Message, ToolDefinition } from "../../../src/core/index.ts";
import { IkigaiError, project, type CallOptions, type LooseConversation } from "../../../src/llm/index.ts";

export const weather: ToolDefinition = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};

export function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

/** The body that would be sent, and what goes with it. */
export async function sent(
  model: string,
  conversation: LooseConversation | string,
  options: Parameters<typeof project>[2] = {},
): Promise<{
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: string[];
}> {
  const { body, headers, notes } = await project(conversation, model, options);
  return { body: body ?? {}, headers, notes: notes.map(({ code }) => code) };
}

/** A fetch that answers every request with one body and remembers what was asked. */
export function answering(
  answer: unknown,
  { status = 200, headers = {} }: { readonly status?: number; readonly headers?: Record<string, string> } = {},
): CallOptions & { readonly requests: { readonly url: string; readonly headers: Headers }[] } {
  const requests: { url: string; headers: Headers }[] = [];
  return {
    key: "test-key",
    requests,
    fetch: (url, init) => {
      requests.push({ url, headers: new Headers(init.headers) });
      const isStream = typeof answer === "string" && answer.startsWith("data:");
      const type = { "content-type": isStream ? "text/event-stream" : "application/json" };
      const text = typeof answer === "string" ? answer : JSON.stringify(answer);
      return Promise.resolve(new Response(text, { status, headers: { ...type, ...headers } }));
    },
  };
}

export function withoutKey(options: CallOptions): CallOptions {
  const { key: _key, ...rest } = options;
  return rest;
}

export function chunks(...list: readonly object[]): string {
  return `${list.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("")}data: [DONE]\n\n`;
}

export async function failureOf(work: PromiseLike<unknown>): Promise<IkigaiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("was expected to fail");
}

/** The same turn as if another provider had made it. */
export function madeBy(provider: string, model: string, content: AssistantMessage["content"]): AssistantMessage {
  return { role: "assistant", content, origin: { provider, api: "chat", model } };
}
