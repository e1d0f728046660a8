import { chat, toolDefinition } from "@tanstack/ai";
import { createAnthropicChat } from "@tanstack/ai-anthropic";
import { createGeminiChat } from "@tanstack/ai-gemini";
import { createOpenaiChat, createOpenaiChatCompletions } from "@tanstack/ai-openai";
import { key, question } from "../driver.ts";
import { models, tool } from "../traffic.ts";

export const driver = {
  unread: { chat: ["thinking"] },
  open(wire, base_url) {
    const adapter = openers[wire](base_url);
    const { name, description, parameters: inputSchema } = tool;
    const tools = [toolDefinition({ name, description, inputSchema }).client()];
    const run = async (messages) => {
      const said = { text: "", thinking: "", arguments: "" };
      for await (const chunk of chat({ adapter, messages, tools, debug: false })) {
        if (chunk.type === "TEXT_MESSAGE_CONTENT") said.text += chunk.delta;
        else if (chunk.type === "REASONING_MESSAGE_CONTENT") said.thinking += chunk.delta;
        else if (chunk.type === "TOOL_CALL_ARGS") said.arguments += chunk.delta;
        else if (chunk.type === "RUN_FINISHED") said.finish = "finished";
        else if (chunk.type === "RUN_ERROR") throw new Error(chunk.message);
      }
      return said;
    };
    const last = { role: "user", content: question };
    return {
      ask: () => run([last]),
      continue: (turns) => {
        const messages = [...turns.map(messageOf), last];
        return () => run(messages);
      },
    };
  },
};

const openers = {
  messages: (baseURL) => createAnthropicChat(models.messages, key, { baseURL, maxRetries: 0 }),
  responses: (base_url) => createOpenaiChat(models.responses, key, { baseURL: `${base_url}/v1`, maxRetries: 0 }),
  chat: (base_url) => createOpenaiChatCompletions(models.chat, key, { baseURL: `${base_url}/v1`, maxRetries: 0 }),
  gemini: (baseURL) => createGeminiChat(models.gemini, key, { baseURL }),
};

function messageOf(turn) {
  if (turn.role === "user") return { role: "user", content: turn.text };
  if (turn.role === "tool") return { role: "tool", content: turn.text, toolCallId: turn.call.id };
  const { call, text: content } = turn;
  if (call === undefined) return { role: "assistant", content };
  const made = { name: call.name, arguments: JSON.stringify(call.arguments) };
  return { role: "assistant", content, toolCalls: [{ id: call.id, type: "function", function: made }] };
}
