import { modelFields } from "./model-keys.ts";
import type { Fields, TextPattern } from "./shape.ts";

/** `:` and `/` separate a provider from a model and a model from a level. */
export const providerName: TextPattern = {
  pattern: "^[a-z0-9][a-z0-9._-]*$",
  says: "a provider's name (a to z, 0 to 9, dot, dash)",
};

/** People write keys where they look for them. */
export const misplacedKey = {
  kind: "misplaced",
  says: "keys do not belong here: this file may be shown to others. Run `ikigai login`, then remove it",
} as const;

/** What `config.json` can say of one provider. */
export const providerFields = {
  default_model: {
    kind: "text",
    says: "MODEL or MODEL/LEVEL for new agents on this provider.",
    default_says: "the provider's newest all-round model",
  },
  default_thinking: {
    kind: "level",
    says: "The thinking level where none is asked for: none, low, med, high or max.",
    default_says: "med where the model thinks",
  },
  api: { kind: "text", says: "Which of the provider's APIs to speak.", default_says: "its first" },
  base_url: { kind: "url", says: "Another address for the provider: a proxy, a gateway, a server of your own." },
  headers: {
    kind: "map",
    says: "Sent with every request, after ours.",
    of: { kind: "text", secret: true, says: "The value of one header." },
  },
  idle_timeout_ms: { kind: "whole", min: 1, says: "As `idle_timeout_ms` above, for this provider." },
  system: { kind: "text", says: "Added to the system prompt on this provider." },
  models: {
    kind: "map",
    says: "Models by id: those the registry does not know, or corrections of those it does.",
    of: { kind: "record", says: "One model.", fields: modelFields },
  },
  protocol: {
    kind: "word",
    words: ["anthropic", "responses", "chat", "gemini"],
    says: "What a provider of your own speaks. With it the entry describes a new provider.",
  },
  display_name: {
    kind: "text",
    says: "How a provider of your own is called on the screen.",
    default_says: "its name",
  },
  api_key_env: {
    kind: "list",
    or_one: true,
    says: "The environment variables that hold the key of a provider of your own, the first that is set counts.",
    default_says: "no key is sent",
    of: {
      kind: "text",
      pattern: { pattern: "^[A-Za-z_][A-Za-z0-9_]*$", says: "the name of an environment variable" },
      says: "The name of a variable.",
    },
  },
  key_header: {
    kind: "text",
    pattern: { pattern: "^[A-Za-z0-9-]+$", says: "the name of a header" },
    says: "The header that carries the key of a provider of your own.",
    default_says: "where the protocol puts it",
  },
  prefixes: {
    kind: "list",
    says: "Model names that begin with one of these belong to this provider; NAME:MODEL always does.",
    of: { kind: "text", says: "The beginning of a name." },
  },
  quirks: {
    kind: "map",
    says: "How a provider of your own differs from the protocol it speaks.",
    of: { kind: "scalar", says: "One difference." },
  },
  api_key: misplacedKey,
  key: misplacedKey,
} as const satisfies Fields;
