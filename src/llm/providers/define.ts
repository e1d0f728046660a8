import type { ModelInfo } from "../../core/index.ts";
import type { Adapter, Quirks } from "../adapter.ts";
import type { ApiRow, ProviderRow } from "../provider.ts";

/** A provider that speaks a protocol we know, in plain words: an address, a key variable, differences as data. */
export type ProviderDefinition = {
  readonly name: string;
  readonly display_name?: string;
  readonly protocol: ProtocolName;
  readonly base_url: string;
  /** Environment variables to look in for a key; none: no key is sent. */
  readonly key_variables?: readonly string[];
  readonly keys_page?: string;
  /** Model ids that start with one of these are this provider's; `name:model` always is. */
  readonly prefixes?: readonly string[];
  readonly default_model?: string;
  readonly quirks?: Quirks;
  readonly models?: readonly ModelInfo[];
  readonly idle_timeout_ms?: number;
};

/** Makes a provider from its description; pass it in `options.providers`. */
export function defineProvider(definition: ProviderDefinition): ProviderRow {
  const { protocol, quirks, models = [], key_variables = [], prefixes = [], ...rest } = definition;
  const api: ApiRow = { ...protocols[protocol], ...(quirks === undefined ? {} : { quirks }) };
  return {
    ...rest,
    display_name: definition.display_name ?? definition.name,
    key_variables,
    prefixes,
    apis: [api],
    models: () => Promise.resolve(models),
  };
}

const protocols = {
  anthropic: { name: "messages", load: () => import("../protocols/messages/index.ts").then(({ messages }) => messages) },
  responses: { name: "responses", load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses) },
  chat: { name: "chat", load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat) },
  gemini: { name: "generateContent", load: () => import("../protocols/gemini/index.ts").then(({ gemini }) => gemini) },
} as const satisfies { readonly [protocol: string]: { readonly name: string; readonly load: () => Promise<Adapter> } };

export type ProtocolName = keyof typeof protocols;
