import { key, type Driver } from "../driver.ts";
import { models, type Understood, type Wire } from "../traffic.ts";
import { bodyFor } from "./bodies.ts";

/** The least that can be done: fetch, split into lines, parse, append. No events, no errors, no second vendor. */
export const driver: Driver = {
  open(wire, base_url) {
    const body = bodyFor(wire);
    return {
      ask: () => read(wire, base_url, body),
      continue: (turns) => {
        const long = bodyFor(wire, turns);
        return () => read(wire, base_url, long);
      },
    };
  },
};

async function read(wire: Wire, base_url: string, body: object): Promise<Understood> {
  const { path, take } = readers[wire];
  const response = await fetch(base_url + path, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: JSON.stringify(body),
  });
  const said = { text: "", thinking: "", arguments: "" };
  const decoder = new TextDecoder();
  let rest = "";
  if (response.body === null) return said;
  for await (const bytes of response.body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line.startsWith("data: ") && line !== "data: [DONE]") take(said, JSON.parse(line.slice(6)));
    }
  }
  return said;
}

type Said = { text: string; thinking: string; arguments: string };
type Delta = { text?: string; thinking?: string; partial_json?: string };
type Choice = {
  delta: { content?: string | null; reasoning_content?: string; tool_calls?: { function: { arguments?: string } }[] };
};
type Part = { text?: string; thought?: boolean; functionCall?: { args: object } };
type Chunk = {
  type?: string;
  delta?: Delta | string;
  choices?: Choice[];
  candidates?: { content?: { parts?: Part[] } }[];
};

const readers: { readonly [wire in Wire]: { path: string; take: (said: Said, chunk: Chunk) => void } } = {
  messages: {
    path: "/v1/messages",
    take(said, { type, delta }) {
      if (type !== "content_block_delta" || typeof delta !== "object") return;
      if (delta.text !== undefined) said.text += delta.text;
      else if (delta.thinking !== undefined) said.thinking += delta.thinking;
      else if (delta.partial_json !== undefined) said.arguments += delta.partial_json;
    },
  },
  responses: {
    path: "/v1/responses",
    take(said, { type, delta }) {
      if (typeof delta !== "string") return;
      if (type === "response.output_text.delta") said.text += delta;
      else if (type === "response.reasoning_summary_text.delta") said.thinking += delta;
      else if (type === "response.function_call_arguments.delta") said.arguments += delta;
    },
  },
  chat: {
    path: "/v1/chat/completions",
    take(said, { choices }) {
      const delta = choices?.[0]?.delta;
      if (delta === undefined) return;
      if (delta.content) said.text += delta.content;
      if (delta.reasoning_content) said.thinking += delta.reasoning_content;
      if (delta.tool_calls) said.arguments += delta.tool_calls[0]?.function.arguments ?? "";
    },
  },
  gemini: {
    path: `/v1beta/models/${models.gemini}:streamGenerateContent?alt=sse`,
    take(said, { candidates }) {
      for (const part of candidates?.[0]?.content?.parts ?? []) {
        if (part.functionCall) said.arguments += JSON.stringify(part.functionCall.args);
        else if (part.text !== undefined) said[part.thought === true ? "thinking" : "text"] += part.text;
      }
    },
  },
};
