/** How recordings name what we speak, and whose row reads it. Data only. */

/** A recording's word for an API → ours. What is not here we do not speak. */
export const apiOfLabel: { readonly [label: string]: WireApi | undefined } = {
  messages: "messages",
  "anthropic-messages": "messages",
  responses: "responses",
  chat: "chat",
  generateContent: "generateContent",
  streamGenerateContent: "generateContent",
};

export type WireApi = "messages" | "responses" | "chat" | "generateContent";

/** Other doors to the same provider: what comes through them is that provider's. All others keep their own name. */
const providerOfLabel: { readonly [api in WireApi]: { readonly [label: string]: string | undefined } } = {
  messages: { "google-vertex": "anthropic", azure: "anthropic", openrouter: "anthropic" },
  responses: { azure: "openai", "openai-codex": "openai" },
  chat: { azure: "openai", "openai-codex": "openai" },
  generateContent: { "google-vertex": "google" },
};

export function providerFor(label: string, api: WireApi): string {
  return providerOfLabel[api][label] ?? label;
}
