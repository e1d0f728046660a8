import type * as Library from "../../src/index.ts";
import type { Answer, CallOptions, LooseConversation, Message } from "../../src/index.ts";
import { key, question, type Driver, type Ended } from "../driver.ts";
import type { Turn } from "../history.ts";
import { models, tool, type Understood, type Wire } from "../traffic.ts";

/** The library as it is shipped; another build of it by name, to compare the two. */
const built = process.env["IKIGAI_BENCH_LIBRARY"] ?? "../../dist/index.js";
export const library: typeof Library = await import(new URL(built, import.meta.url).href);

/** Every event is looked at, and the whole message with usage, cost and notes is built. */
export const driver: Driver = {
  open(wire, base_url) {
    const options = optionsFor(wire, base_url);
    const run = async (conversation: LooseConversation): Promise<Ended> => {
      const stream = library.ask(models[wire], conversation, options);
      let events = 0;
      for await (const event of stream) if (event.type !== "start") events += 1;
      const answer = await stream;
      return { ...understood(answer), ...(events === 0 ? { text: "" } : {}), finish: answer.finish_reason };
    };
    const start: LooseConversation = { messages: [library.user(question)], tools: [tool] };
    return {
      ask: () => run(start),
      continue: (turns) => {
        const long = { ...start, messages: [...turns.map((turn) => messageOf(turn, wire)), library.user(question)] };
        return () => run(long);
      },
    };
  },
};

export function optionsFor(wire: Wire, base_url: string): CallOptions {
  const { provider, ...settings } = providers[wire];
  return { key, settings: { providers: { [provider]: { ...settings, base_url: base_url + paths[wire] } } } };
}

function understood({ message }: Answer): Understood {
  const said = { text: "", thinking: "", arguments: "" };
  for (const block of message.content) {
    if (block.type === "text" || block.type === "thinking") said[block.type] += block.text;
    else if (block.type === "tool_call") said.arguments += JSON.stringify(block.arguments);
  }
  return said;
}

function messageOf(turn: Turn, wire: Wire): Message {
  if (turn.role === "user") return library.user(turn.text);
  if (turn.role === "tool") return { role: "tool", content: [library.toolResult(turn.call.id, turn.text)] };
  const { id, name, arguments: given } = turn.call ?? {};
  const call =
    id === undefined || name === undefined ? [] : [{ type: "tool_call" as const, id, name, arguments: { ...given } }];
  const { provider, api } = { api: wire === "gemini" ? "generateContent" : wire, ...providers[wire] };
  const origin = { provider, api, model: models[wire] };
  return { role: "assistant", content: [{ type: "text", text: turn.text }, ...call], origin };
}

const providers: { readonly [wire in Wire]: { readonly provider: string; readonly api?: string } } = {
  messages: { provider: "anthropic" },
  responses: { provider: "openai", api: "responses" },
  chat: { provider: "openai", api: "chat" },
  gemini: { provider: "google" },
};

const paths: { readonly [wire in Wire]: string } = { messages: "", responses: "/v1", chat: "/v1", gemini: "/v1beta" };
