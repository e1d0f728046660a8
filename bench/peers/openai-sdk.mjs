import OpenAI from "openai";
import { key } from "../driver.ts";
import { bodyFor } from "../drivers/bodies.ts";

/** The vendor's own client, with its helpers that build the response. */
export const driver = {
  unread: { chat: ["thinking"] },
  open(wire, base_url) {
    const client = new OpenAI({ apiKey: key, baseURL: `${base_url}/v1`, maxRetries: 0 });
    const run = wire === "responses" ? responses : chat;
    return {
      ask: () => run(client, bodyFor(wire)),
      continue: (turns) => {
        const body = bodyFor(wire, turns);
        return () => run(client, body);
      },
    };
  },
};

async function responses(client, { stream: _stream, ...body }) {
  const stream = client.responses.stream(body);
  for await (const event of stream) void event;
  const { output, status: finish } = await stream.finalResponse();
  const said = { text: "", thinking: "", arguments: "", finish };
  for (const item of output) {
    if (item.type === "message") for (const part of item.content) said.text += part.text;
    else if (item.type === "reasoning") for (const part of item.summary) said.thinking += part.text;
    else if (item.type === "function_call") said.arguments += item.arguments;
  }
  return said;
}

async function chat(client, { stream: _stream, ...body }) {
  const stream = client.chat.completions.stream(body);
  for await (const event of stream) void event;
  const { message, finish_reason: finish } = (await stream.finalChatCompletion()).choices[0] ?? {};
  const given = message?.tool_calls?.map((call) => call.function.arguments).join("") ?? "";
  return { text: message?.content ?? "", thinking: "", arguments: given, finish };
}
