import { own } from "../../core/index.ts";

/** How recordings name what we speak, and whose row reads it: two tables. */
export type WireApi = "messages" | "responses" | "chat" | "generateContent";

/** A recording's word for an API in our words, or undefined for what we do not speak. */
export function wireApi(label: string): WireApi | undefined {
  return own(apiOfLabel, label);
}

export function providerFor(label: string, api: WireApi): string {
  return own(providerOfLabel[api], label) ?? label;
}

const apiOfLabel: { readonly [label: string]: WireApi } = {
  messages: "messages",
  "anthropic-messages": "messages",
  responses: "responses",
  chat: "chat",
  generateContent: "generateContent",
  streamGenerateContent: "generateContent",
};

/** Other doors to the same provider: what comes through them is that provider's. All others keep their own name. */
const providerOfLabel: { readonly [api in WireApi]: { readonly [label: string]: string } } = {
  messages: { "google-vertex": "anthropic", azure: "anthropic", openrouter: "anthropic" },
  responses: { azure: "openai", "openai-codex": "openai", "llama.cpp": "llamacpp" },
  chat: {
    azure: "openai",
    "openai-codex": "openai",
    "llama.cpp": "llamacpp",
    "google-openai-compat": "gemini-compatible",
  },
  generateContent: { "google-vertex": "google" },
};
