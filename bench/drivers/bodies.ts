import { question } from "../driver.ts";
import type { Turn } from "../history.ts";
import { models, tool, type Wire } from "../traffic.ts";

/** Requests in the wires' own words, as one writes them by hand. */
export function bodyFor(wire: Wire, turns: readonly Turn[] = []): { readonly [field: string]: unknown } {
  return bodies[wire]([...turns, { role: "user", text: question }]);
}

const bodies: { readonly [wire in Wire]: (turns: readonly Turn[]) => { readonly [field: string]: unknown } } = {
  messages: (turns) => ({
    model: models.messages,
    max_tokens: 16_384,
    stream: true,
    messages: turns.map((turn) => {
      if (turn.role === "user") return { role: "user", content: [{ type: "text", text: turn.text }] };
      if (turn.role === "tool") {
        return { role: "user", content: [{ type: "tool_result", tool_use_id: turn.call.id, content: turn.text }] };
      }
      const { call } = turn;
      const calls = call ? [{ type: "tool_use", id: call.id, name: call.name, input: call.arguments }] : [];
      return { role: "assistant", content: [{ type: "text", text: turn.text }, ...calls] };
    }),
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
  }),
  responses: (turns) => ({
    model: models.responses,
    stream: true,
    store: false,
    input: turns.flatMap((turn): readonly object[] => {
      if (turn.role === "user") return [{ role: "user", content: [{ type: "input_text", text: turn.text }] }];
      if (turn.role === "tool") return [{ type: "function_call_output", call_id: turn.call.id, output: turn.text }];
      const { call } = turn;
      const said = { role: "assistant", content: [{ type: "output_text", text: turn.text }] };
      if (call === undefined) return [said];
      const given = JSON.stringify(call.arguments);
      return [said, { type: "function_call", call_id: call.id, name: call.name, arguments: given }];
    }),
    tools: [{ type: "function", ...tool, strict: true }],
  }),
  chat: (turns) => ({
    model: models.chat,
    stream: true,
    stream_options: { include_usage: true },
    messages: turns.map((turn) => {
      if (turn.role === "user") return { role: "user", content: turn.text };
      if (turn.role === "tool") return { role: "tool", tool_call_id: turn.call.id, content: turn.text };
      const { call } = turn;
      if (call === undefined) return { role: "assistant", content: turn.text };
      const made = { name: call.name, arguments: JSON.stringify(call.arguments) };
      return { role: "assistant", content: turn.text, tool_calls: [{ id: call.id, type: "function", function: made }] };
    }),
    tools: [{ type: "function", function: { ...tool, strict: true } }],
  }),
  gemini: (turns) => ({
    contents: turns.map((turn) => {
      if (turn.role === "user") return { role: "user", parts: [{ text: turn.text }] };
      if (turn.role === "tool") {
        const functionResponse = { name: turn.call.name, response: { result: turn.text } };
        return { role: "user", parts: [{ functionResponse }] };
      }
      const { call } = turn;
      const calls = call ? [{ functionCall: { name: call.name, args: call.arguments } }] : [];
      return { role: "model", parts: [{ text: turn.text }, ...calls] };
    }),
    tools: [
      {
        functionDeclarations: [
          { name: tool.name, description: tool.description, parametersJsonSchema: tool.parameters },
        ],
      },
    ],
  }),
};
