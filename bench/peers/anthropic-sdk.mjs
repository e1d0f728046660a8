import Anthropic from "@anthropic-ai/sdk";
import { key } from "../driver.ts";
import { bodyFor } from "../drivers/bodies.ts";

/** The vendor's own client, with its helper that builds the message. */
export const driver = {
  open(_wire, baseURL) {
    const client = new Anthropic({ apiKey: key, baseURL, maxRetries: 0 });
    const run = async ({ stream: _stream, ...body }) => {
      const stream = client.messages.stream(body);
      for await (const event of stream) void event;
      return understood(await stream.finalMessage());
    };
    return {
      ask: () => run(bodyFor("messages")),
      continue: (turns) => {
        const body = bodyFor("messages", turns);
        return () => run(body);
      },
    };
  },
};

function understood({ content, stop_reason: finish }) {
  const said = { text: "", thinking: "", arguments: "", finish };
  for (const block of content) {
    if (block.type === "text") said.text += block.text;
    else if (block.type === "thinking") said.thinking += block.thinking;
    else if (block.type === "tool_use") said.arguments += JSON.stringify(block.input);
  }
  return said;
}
