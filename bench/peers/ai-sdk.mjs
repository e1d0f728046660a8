import { createAnthropic } from "@ai-sdk/anthropic";
import { createGoogle } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { jsonSchema, streamText, tool as defineTool } from "ai";
import { key, question } from "../driver.ts";
import { models, tool } from "../traffic.ts";

export const driver = {
  // Its OpenAI provider has no place for what compatible servers call `reasoning_content`.
  unread: { chat: ["thinking"] },
  open(wire, base_url) {
    const model = openers[wire](base_url);
    const tools = {
      [tool.name]: defineTool({ description: tool.description, inputSchema: jsonSchema(tool.parameters) }),
    };
    const run = async (messages) => {
      const failures = [];
      const result = streamText({
        model,
        messages,
        tools,
        maxRetries: 0,
        onError: ({ error }) => failures.push(error),
      });
      for await (const part of result.stream) void part;
      if (failures.length > 0) throw failures[0];
      const { text, reasoningText, toolCalls, finishReason } = result;
      const [said, thinking, calls, finish] = await Promise.all([text, reasoningText, toolCalls, finishReason]);
      const given = calls.map(({ input }) => JSON.stringify(input)).join("");
      return { text: said, thinking: thinking ?? "", arguments: given, finish };
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
  messages: (base_url) => createAnthropic({ apiKey: key, baseURL: `${base_url}/v1` })(models.messages),
  responses: (base_url) => createOpenAI({ apiKey: key, baseURL: `${base_url}/v1` }).responses(models.responses),
  chat: (base_url) => createOpenAI({ apiKey: key, baseURL: `${base_url}/v1` }).chat(models.chat),
  gemini: (base_url) => createGoogle({ apiKey: key, baseURL: `${base_url}/v1beta` })(models.gemini),
};

function messageOf(turn) {
  if (turn.role === "user") return { role: "user", content: [{ type: "text", text: turn.text }] };
  if (turn.role === "tool") {
    const { id, name } = turn.call;
    const output = { type: "text", value: turn.text };
    return { role: "tool", content: [{ type: "tool-result", toolCallId: id, toolName: name, output }] };
  }
  const { call } = turn;
  const calls = call ? [{ type: "tool-call", toolCallId: call.id, toolName: call.name, input: call.arguments }] : [];
  return { role: "assistant", content: [{ type: "text", text: turn.text }, ...calls] };
}
