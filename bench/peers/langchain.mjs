import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { concat } from "@langchain/core/utils/stream";
import { ChatGoogle } from "@langchain/google/node";
import { ChatOpenAI } from "@langchain/openai";
import { key, question } from "../driver.ts";
import { models, tool } from "../traffic.ts";

export const driver = {
  unread: { chat: ["thinking"] },
  open(wire, base_url) {
    const model = openers[wire](base_url).bindTools([{ type: "function", function: tool }]);
    const run = async (messages) => {
      // Adding up the pieces is how its documentation builds the message.
      let whole;
      for await (const piece of await model.stream(messages))
        whole = whole === undefined ? piece : concat(whole, piece);
      return understood(whole);
    };
    const last = new HumanMessage(question);
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
  messages: (base_url) =>
    new ChatAnthropic({ apiKey: key, anthropicApiUrl: base_url, model: models.messages, maxRetries: 0 }),
  responses: (base_url) => openai(base_url, models.responses, true),
  chat: (base_url) => openai(base_url, models.chat, false),
  gemini: (base_url) => new ChatGoogle({ apiKey: key, endpoint: base_url, model: models.gemini, maxRetries: 0 }),
};

function openai(base_url, model, useResponsesApi) {
  const configuration = { baseURL: `${base_url}/v1` };
  return new ChatOpenAI({ apiKey: key, configuration, model, useResponsesApi, maxRetries: 0 });
}

function understood(message) {
  const { stop_reason } = message.additional_kwargs;
  const { finish_reason, finishReason, status } = message.response_metadata;
  const finish = stop_reason ?? finish_reason ?? finishReason ?? status;
  const said = { text: message.text, thinking: "", arguments: "", finish };
  for (const block of message.contentBlocks) if (block.type === "reasoning") said.thinking += block.reasoning;
  for (const call of message.tool_calls ?? []) said.arguments += JSON.stringify(call.args);
  return said;
}

function messageOf(turn) {
  if (turn.role === "user") return new HumanMessage(turn.text);
  if (turn.role === "tool") {
    const { id: tool_call_id, name } = turn.call;
    return new ToolMessage({ tool_call_id, name, content: turn.text });
  }
  const { call, text: content } = turn;
  const tool_calls = call ? [{ id: call.id, name: call.name, args: call.arguments, type: "tool_call" }] : [];
  return new AIMessage({ content, tool_calls });
}
