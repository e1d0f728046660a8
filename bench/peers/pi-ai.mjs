import { createModels, normalizeContext } from "@earendil-works/pi-ai";
import { stream as streamChat } from "@earendil-works/pi-ai/api/openai-completions";
import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";
import { googleProvider } from "@earendil-works/pi-ai/providers/google";
import { openaiProvider } from "@earendil-works/pi-ai/providers/openai";
import { key, question } from "../driver.ts";
import { models as names, tool } from "../traffic.ts";

export const driver = {
  open(wire, base_url) {
    const models = createModels();
    for (const provider of [anthropicProvider(), openaiProvider(), googleProvider()]) models.setProvider(provider);
    const model = modelFor(wire, base_url);
    // This model cannot be asked without thinking, which is what it asks for if not told.
    const options = { apiKey: key, maxRetries: 0, ...(wire === "responses" ? { reasoningEffort: "low" } : {}) };
    // Its OpenAI provider knows only Responses; the other wire is called directly, as its documentation shows.
    const start = (context) =>
      wire === "chat" ? streamChat(model, normalizeContext(context), options) : models.stream(model, context, options);
    const run = async (messages) => {
      const stream = start({ messages, tools: [tool] });
      for await (const event of stream) if (event.type === "error") throw new Error(event.error.errorMessage);
      return understood(await stream.result());
    };
    const last = { role: "user", content: question, timestamp: 0 };
    return {
      ask: () => run([last]),
      continue: (turns) => {
        const messages = [...turns.map((turn) => messageOf(turn, model)), last];
        return () => run(messages);
      },
    };
  },
};

function modelFor(wire, base_url) {
  const { api, provider, path } = wiresOf[wire];
  return {
    id: names[wire],
    name: names[wire],
    api,
    provider,
    baseUrl: base_url + path,
    reasoning: true,
    input: ["text"],
    cost: { input: 1, output: 1, cacheRead: 1, cacheWrite: 1 },
    contextWindow: 1_000_000,
    maxTokens: 64_000,
  };
}

const wiresOf = {
  messages: { api: "anthropic-messages", provider: "anthropic", path: "" },
  responses: { api: "openai-responses", provider: "openai", path: "/v1" },
  chat: { api: "openai-completions", provider: "openai", path: "/v1" },
  gemini: { api: "google-generative-ai", provider: "google", path: "/v1beta" },
};

function understood({ content, stopReason: finish }) {
  const said = { text: "", thinking: "", arguments: "", finish };
  for (const block of content) {
    if (block.type === "text") said.text += block.text;
    else if (block.type === "thinking") said.thinking += block.thinking;
    else if (block.type === "toolCall") said.arguments += JSON.stringify(block.arguments);
  }
  return said;
}

function messageOf(turn, model) {
  if (turn.role === "user") return { role: "user", content: turn.text, timestamp: 0 };
  if (turn.role === "tool") {
    const content = [{ type: "text", text: turn.text }];
    const { id: toolCallId, name: toolName } = turn.call;
    return { role: "toolResult", toolCallId, toolName, content, isError: false, timestamp: 0 };
  }
  const { call } = turn;
  const calls = call ? [{ type: "toolCall", id: call.id, name: call.name, arguments: call.arguments }] : [];
  return {
    role: "assistant",
    content: [{ type: "text", text: turn.text }, ...calls],
    api: model.api,
    provider: model.provider,
    model: model.id,
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0, cost: {} },
    stopReason: call ? "toolUse" : "stop",
    timestamp: 0,
  };
}
