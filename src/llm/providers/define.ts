import { errorInfo, type ModelInfo } from "../../core/index.ts";
import type { Adapter, Quirks } from "../adapter.ts";
import { IkigaiError } from "../answer.ts";
import type { ApiRow, ProviderRow } from "../provider.ts";

/** A provider that speaks a protocol we know, in plain words: an address, a key variable, differences as data. */
export type ProviderDefinition = {
  readonly name: string;
  readonly display_name?: string;
  readonly protocol: ProtocolName;
  /** `{NAME}` stands for the environment variable of that name. */
  readonly base_url: string;
  readonly base_url_variable?: string;
  /** Environment variables to look in for a key; none: no key is sent. */
  readonly key_variables?: readonly string[];
  readonly keys_page?: string;
  /** Where the key goes if not where the protocol puts it. */
  readonly key_header?: string;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Model ids that start with one of these are this provider's; `name:model` always is. */
  readonly prefixes?: readonly string[];
  readonly default_model?: string;
  readonly quirks?: Quirks;
  /** What else it speaks, for `api` in the settings. */
  readonly also?: readonly { readonly protocol: ProtocolName; readonly quirks?: Quirks }[];
  readonly models?: readonly ModelInfo[];
  /** Whose models it serves: the part of an id before its first `/` (empty: ids without one) → a provider's name. */
  readonly vendors?: { readonly [prefix: string]: string };
  readonly idle_timeout_ms?: number;
};

/** Makes a provider from its description; pass it in `options.providers`. */
export function defineProvider(definition: ProviderDefinition): ProviderRow {
  const { protocol, quirks, also = [], models = [], key_variables = [], prefixes = [], ...rest } = definition;
  return {
    ...rest,
    display_name: definition.display_name ?? definition.name,
    key_variables,
    prefixes,
    apis: [apiRow(protocol, quirks), ...also.map((other) => apiRow(other.protocol, other.quirks))],
    models: () => Promise.resolve(models),
  };
}

export function isProtocolName(word: unknown): word is ProtocolName {
  return typeof word === "string" && Object.hasOwn(protocols, word);
}

function apiRow(protocol: ProtocolName, quirks: Quirks | undefined): ApiRow {
  if (!isProtocolName(protocol)) {
    const message = `"${String(protocol)}" is not a protocol; use one of ${protocolNames.join(", ")}`;
    throw new IkigaiError(errorInfo({ category: "invalid_argument", message }));
  }
  return { ...protocols[protocol], ...(quirks === undefined ? {} : { quirks }) };
}

const protocols = {
  anthropic: {
    name: "messages",
    load: () => import("../protocols/messages/index.ts").then(({ messages }) => messages),
  },
  responses: {
    name: "responses",
    load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses),
  },
  chat: { name: "chat", load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat) },
  gemini: { name: "generateContent", load: () => import("../protocols/gemini/index.ts").then(({ gemini }) => gemini) },
} as const satisfies { readonly [protocol: string]: { readonly name: string; readonly load: () => Promise<Adapter> } };

export type ProtocolName = keyof typeof protocols;

/** The words a person may write for `protocol`. */
export const protocolNames: readonly string[] = Object.keys(protocols);
