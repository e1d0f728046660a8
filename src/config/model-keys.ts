import { efforts } from "../core/index.ts";
import type { Fields } from "./shape.ts";

const price = { kind: "number", min: 0 } as const;
const prices = {
  input: { ...price, says: "What is read." },
  output: { ...price, says: "What is written, thinking included." },
  cache_read: { ...price, says: "What is read from the cache." },
  cache_write: { ...price, says: "What is written into the cache." },
  cache_write_1h: { ...price, says: "What is written into the cache for an hour." },
} as const satisfies Fields;
const effort = { kind: "word", words: efforts, says: "An effort." } as const;
const flag = { kind: "flag" } as const;
const omitted = {
  kind: "word",
  words: ["on", "off"],
  says: "What the model does when the field is left out.",
} as const;
const sometimes = { kind: "word", words: ["always", "without_thinking", "never"] } as const;

/** What `config.json` can say of one model: the words of the registry. */
export const modelFields = {
  display_name: { kind: "text", says: "Its name for people." },
  aliases: { kind: "list", says: "Other ids of the same model.", of: { kind: "text", says: "An id." } },
  context_tokens: { kind: "whole", min: 1, says: "The context window." },
  output_tokens_max: { kind: "whole", min: 1, says: "The longest answer, thinking included." },
  prices: {
    kind: "record",
    says: "US dollars per million tokens.",
    required: ["input", "output"],
    fields: prices,
  },
  price_tiers: {
    kind: "list",
    says: "Other prices for requests that read more than a number of tokens.",
    of: {
      kind: "record",
      says: "One tier.",
      required: ["above_input_tokens", "input", "output"],
      fields: {
        above_input_tokens: { kind: "whole", min: 0, says: "Above how many tokens it holds." },
        ...prices,
      },
    },
  },
  thinking: {
    kind: "variants",
    by: "kind",
    says: "How its thinking is controlled.",
    of: {
      none: { kind: "record", says: "It does not think.", fields: {} },
      budget: {
        kind: "record",
        says: "By a number of tokens.",
        required: ["min", "max", "can_disable", "omitted"],
        fields: {
          min: { kind: "whole", min: 0, says: "The smallest budget." },
          max: { kind: "whole", min: 0, says: "The largest budget." },
          can_disable: { ...flag, says: "Whether thinking can be switched off." },
          omitted,
          dynamic: { ...flag, says: "Whether -1 lets the model decide." },
        },
      },
      effort: {
        kind: "record",
        says: "By a word.",
        required: ["efforts"],
        fields: { efforts: { kind: "list", says: "The legal words.", of: effort } },
      },
      adaptive: {
        kind: "record",
        says: "The model decides; a word sets the depth.",
        required: ["efforts", "off", "omitted"],
        fields: {
          efforts: { kind: "list", says: "The legal words.", of: effort },
          off: {
            kind: "word",
            words: ["disabled", "between_tools", "never"],
            says: "How far it can be switched off.",
          },
          omitted,
          bound: { ...flag, says: "Whether thinking is valid only after the prefix it was made for." },
        },
      },
      level: {
        kind: "record",
        says: "By a level.",
        required: ["levels"],
        fields: { levels: { kind: "list", says: "The legal words.", of: effort } },
      },
    },
  },
  capabilities: {
    kind: "record",
    says: "What it can do.",
    fields: {
      tools: { ...flag, says: "Call tools." },
      vision: { ...flag, says: "See images." },
      documents: { ...flag, says: "Read PDF and the like." },
      streaming: { ...flag, says: "Answer as a stream." },
      sampling: { ...sometimes, says: "When temperature and its kin may be sent." },
      forced_tools: { ...sometimes, says: "When a tool can be forced." },
      stop_sequences: { ...flag, says: "Take stop sequences." },
    },
  },
  retires_at: {
    kind: "text",
    pattern: { pattern: "^\\d{4}-\\d{2}-\\d{2}$", says: "a date such as 2027-01-31" },
    says: "When the provider stops serving it.",
  },
  successor: { kind: "text", says: "What to use instead." },
} as const satisfies Fields;
