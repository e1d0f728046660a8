// One conversation in each library's own format, with thinking, over the models that `order` names.

import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createModels } from "@earendil-works/pi-ai";
import { anthropicProvider } from "@earendil-works/pi-ai/providers/anthropic";
import { googleProvider } from "@earendil-works/pi-ai/providers/google";
import { openaiProvider } from "@earendil-works/pi-ai/providers/openai";
import { ChatAnthropic } from "@langchain/anthropic";
import { HumanMessage } from "@langchain/core/messages";
import { ChatGoogle } from "@langchain/google/node";
import { ChatOpenAI } from "@langchain/openai";
import { chat } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { createGeminiChat } from "@tanstack/ai-gemini";
import { createOpenaiChat } from "@tanstack/ai-openai";
import { generateText } from "ai";
import { key as apiKey } from "../driver.ts";

// What it cannot send it writes to the console.
globalThis.AI_SDK_LOG_WARNINGS = false;

const vendors = { messages: "anthropic", responses: "openai", gemini: "google" };

export const converse = {
  "ai (AI SDK)": async (order, { base_url, models, question }) => {
    const baseURL = `${base_url}/v1`;
    const opened = {
      messages: createAnthropic({ apiKey, baseURL })(models.messages),
      responses: createOpenAI({ apiKey, baseURL }).responses(models.responses),
      gemini: createGoogle({ apiKey, baseURL: `${base_url}/v1beta` })(models.gemini),
    };
    const messages = [];
    for (const wire of order) {
      messages.push({ role: "user", content: question });
      const { response } = await generateText({ model: opened[wire], messages, reasoning: "medium", maxRetries: 0 });
      messages.push(...response.messages);
    }
  },

  "pi-ai": async (order, { base_url, models, question }) => {
    const all = createModels();
    for (const provider of [anthropicProvider(), openaiProvider(), googleProvider()]) all.setProvider(provider);
    const paths = { messages: "", responses: "/v1", gemini: "/v1beta" };
    const messages = [];
    for (const wire of order) {
      messages.push({ role: "user", content: question, timestamp: 0 });
      const model = { ...all.getModel(vendors[wire], models[wire]), baseUrl: base_url + paths[wire] };
      const answer = await all.completeSimple(model, { messages }, { apiKey, reasoning: "medium", maxRetries: 0 });
      if (answer.stopReason === "error") throw new Error(answer.errorMessage);
      messages.push(answer);
    }
  },

  LangChain: async (order, { base_url, models, question }) => {
    const thinking = { type: "enabled", budget_tokens: 2_000 };
    const anthropic = { model: models.messages, anthropicApiUrl: base_url, maxTokens: 8_000, thinking };
    const reasoning = { effort: "medium", summary: "auto" };
    const configuration = { baseURL: `${base_url}/v1` };
    const openai = { model: models.responses, configuration, useResponsesApi: true, zdrEnabled: true, reasoning };
    const opened = {
      messages: new ChatAnthropic({ apiKey, maxRetries: 0, ...anthropic }),
      responses: new ChatOpenAI({ apiKey, maxRetries: 0, ...openai }),
      gemini: new ChatGoogle({
        apiKey,
        maxRetries: 0,
        model: models.gemini,
        endpoint: base_url,
        reasoningEffort: "medium",
      }),
    };
    const messages = [];
    for (const wire of order) {
      messages.push(new HumanMessage(question));
      messages.push(await opened[wire].invoke(messages));
    }
  },

  "TanStack AI": async (order, { base_url, models, question }) => {
    const client = { baseURL: `${base_url}/v1`, maxRetries: 0 };
    const opened = {
      messages: {
        adapter: createAnthropicChat(models.messages, apiKey, { baseURL: base_url, maxRetries: 0 }),
        modelOptions: { max_tokens: 8_000, thinking: { type: "enabled", budget_tokens: 2_000 } },
      },
      responses: {
        adapter: createOpenaiChat(models.responses, apiKey, client),
        modelOptions: { reasoning: { effort: "medium", summary: "auto" } },
      },
      gemini: {
        adapter: createGeminiChat(models.gemini, apiKey, { baseURL: base_url }),
        modelOptions: { thinkingConfig: { includeThoughts: true, thinkingLevel: "MEDIUM" } },
      },
    };
    const messages = [];
    for (const wire of order) {
      messages.push({ role: "user", content: question });
      const said = { content: "", thinking: "" };
      for await (const chunk of chat({ ...opened[wire], messages, debug: false })) {
        if (chunk.type === "TEXT_MESSAGE_CONTENT") said.content += chunk.delta;
        else if (chunk.type === "REASONING_MESSAGE_CONTENT") said.thinking += chunk.delta;
        else if (chunk.type === "REASONING_ENCRYPTED_VALUE") said.signature = chunk.encryptedValue;
        else if (chunk.type === "RUN_ERROR") throw new Error(chunk.message);
      }
      const { content, thinking, signature } = said;
      messages.push({ role: "assistant", content, thinking: [{ content: thinking, signature }] });
    }
  },
};
