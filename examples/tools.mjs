// A model that calls functions of yours until it has what it needs.
//
//   node examples/tools.mjs "What is the weather in Kyoto and in Lima?"

import { ask, textOf, toolResult, user } from "ikigai";

const tools = [
  {
    name: "weather",
    description: "The weather in a city right now",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
];

const known = { Kyoto: "18 °C, light rain", Lima: "22 °C, haze" };

/** What a call gets back. A mistake is a result, too: the model can act on it. */
function run({ id, name, arguments: { city } }) {
  const report = known[city];
  console.log(`→ ${name} ${city}: ${report ?? "unknown"}`);
  return report === undefined ? toolResult(id, `No report for ${city}`, true) : toolResult(id, report);
}

const messages = [user(process.argv[2] ?? "What is the weather in Kyoto and in Lima?")];
for (let turn = 0; turn < 10; turn++) {
  const { message } = await ask("gpt-6.1-sol/low", { messages, tools });
  messages.push(message);
  const calls = message.content.filter((block) => block.type === "tool_call");
  if (calls.length === 0) break;
  messages.push({ role: "tool", content: calls.map(run) });
}
console.log(textOf(messages.at(-1)));
