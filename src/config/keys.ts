import { defaultLongContext, defaultMaxOutputTokens } from "../core/index.ts";
import { misplacedKey, providerFields, providerName } from "./provider-keys.ts";
import { screenKeys } from "./screen-keys.ts";
import type { RecordShape, ValueOf } from "./shape.ts";
import { mcpServersShape, permissionsShape, sandboxShape } from "./tool-keys.ts";

/**
 * Every key of `config.json`: name, type, default and one sentence. What is checked, what editors offer and what the
 * reference says are made from this table; a new key is a new row.
 */
export const configShape = {
  kind: "record",
  says: "Settings of ikigai. Holds no secrets and can be shown to others; keys are in credentials.json.",
  fields: {
    $schema: {
      kind: "text",
      says: "Where an editor finds the schema of this file; `ikigai doctor --fix` puts one beside it.",
    },
    default_provider: {
      kind: "text",
      says: "The provider whose default model new agents use.",
      default_says: "the first provider with a key",
    },
    providers: {
      kind: "map",
      names: providerName,
      says: "Settings of one provider by its name; with `protocol`, a provider of your own.",
      of: { kind: "record", says: "Settings of one provider.", fields: providerFields },
    },
    aliases: {
      kind: "map",
      names: { pattern: "^[^/:\\s]+$", says: "a name without blanks, / and :" },
      says: "Names of your own for MODEL or MODEL/LEVEL; also other meanings for fast, smart and cheap.",
      of: { kind: "text", says: "MODEL, MODEL/LEVEL or another alias." },
    },
    routes: {
      kind: "map",
      says: 'What is done with which model: `{"summaries": "cheap"}`.',
      of: { kind: "text", says: "MODEL, MODEL/LEVEL or an alias." },
    },
    fallback: {
      kind: "list",
      says: "Models that are asked, in this order, where one fails before it has said anything.",
      of: { kind: "text", says: "MODEL, MODEL/LEVEL or an alias." },
    },
    max_output_tokens: {
      kind: "whole",
      min: 1,
      also: -1,
      default: defaultMaxOutputTokens,
      says: "Visible output of one answer in tokens; room for thinking is added where a provider counts both. -1 is the default.",
    },
    thinking: {
      kind: "record",
      present: true,
      says: "How deep models think in long conversations.",
      fields: {
        long_context_above_tokens: {
          kind: "whole",
          min: 0,
          default: defaultLongContext.above_tokens,
          says: "A conversation of more tokens than this counts as long.",
        },
        long_context_budget_tokens: {
          kind: "whole",
          min: 0,
          default: defaultLongContext.budget_tokens,
          says: "The largest thinking budget in a long conversation.",
        },
      },
    },
    idle_timeout_ms: {
      kind: "whole",
      min: 1,
      says: "How long a provider may be silent in the middle of an answer before the request is given up.",
      default_says: "120000, for servers on your own machine 600000",
    },
    app: {
      kind: "record",
      says: "Which application asks, for providers that want to be told.",
      fields: {
        title: { kind: "text", says: "Its name." },
        url: { kind: "url", says: "Its page." },
      },
    },
    database_url: {
      kind: "text",
      secret: true,
      pattern: {
        pattern: "^(postgres(ql)?://|sqlite:|file:|/|~/|\\.{1,2}/|[A-Za-z]:[\\\\/]|[^:]+\\.(db|sqlite3?)$)",
        says: "a path, sqlite:PATH or postgres://…",
      },
      says: "Where history is kept: a path for SQLite, or the address of a PostgreSQL database.",
      default_says: "one SQLite file in your data folder",
    },
    max_tool_turns: {
      kind: "whole",
      min: 1,
      default: 50,
      says: "How many times in a row a model may call tools before it has to answer.",
    },
    max_output_size: {
      kind: "whole",
      min: 1024,
      default: 1_048_576,
      says: "Bytes of one tool result that are kept in the history; the model sees less of it.",
    },
    history_size: { kind: "whole", min: 0, default: 10_000, says: "Lines of input that the editor remembers." },
    ...screenKeys,
    tools: {
      kind: "record",
      present: true,
      says: "Limits of tools.",
      fields: {
        timeout_ms: { kind: "whole", min: 1, default: 120_000, says: "How long one tool call may take." },
        shown_bytes: {
          kind: "whole",
          min: 256,
          default: 30_720,
          says: "Bytes of one tool result that the model sees.",
        },
        env: {
          kind: "list",
          says: "Variables that tools see besides the usual ones; what looks like a secret is never passed on.",
          of: { kind: "text", says: "The name of a variable." },
        },
        private_hosts: {
          kind: "list",
          says: "Hosts of private networks that web_fetch may reach: localhost, localhost:3000.",
          of: { kind: "text", says: "A host, with or without its port." },
        },
      },
    },
    permissions: permissionsShape,
    sandbox: sandboxShape,
    mcp_servers: mcpServersShape,
    agents: {
      kind: "record",
      present: true,
      says: "How many agents there may be before you are asked.",
      fields: {
        running_max: { kind: "whole", min: 1, default: 8, says: "Agents that work at the same time." },
        depth_max: { kind: "whole", min: 0, default: 4, says: "Generations of forks below the first agent." },
        total_max: { kind: "whole", min: 1, default: 100, says: "Agents of one session that are not dead." },
      },
    },
    compact: {
      kind: "record",
      present: true,
      says: "How long conversations are shortened; `routes.summaries` says by which model.",
      fields: {
        auto: {
          kind: "flag",
          default: false,
          says: "Whether a summary takes the place of what was said once 80 % of a model's window is used.",
        },
      },
    },
    budget: {
      kind: "record",
      present: true,
      says: "How much money may be spent before you are asked. You are warned at 80 %.",
      fields: {
        session_usd: { kind: "number", min: 0, default: 5, says: "US dollars of one session." },
        day_usd: { kind: "number", min: 0, says: "US dollars of one day.", default_says: "no limit" },
      },
    },
    listen_address: { kind: "text", default: "127.0.0.1", says: "The address on which the local server listens." },
    listen_port: { kind: "whole", min: 0, max: 65_535, default: 1984, says: "Its port; 0 takes any that is free." },
    api_key: misplacedKey,
    credentials: misplacedKey,
  },
} as const satisfies RecordShape;

/** `credentials.json`: `{"<provider>": {"api_key": "…"}}` and nothing else. */
export const credentialsShape = {
  kind: "map",
  names: providerName,
  secret: true,
  says: "Keys by provider. Private: only you may read this file.",
  of: {
    kind: "record",
    secret: true,
    example: '{"api_key": "…"}',
    says: "The key of one provider.",
    required: ["api_key"],
    fields: {
      api_key: {
        kind: "text",
        secret: true,
        pattern: { pattern: "^[\\x21-\\x7e]+$", says: "text without blanks and without characters no key has" },
        says: "The key.",
      },
    },
  },
} as const;

export type ConfigData = ValueOf<typeof configShape>;
export type ProviderConfig = NonNullable<NonNullable<ConfigData["providers"]>[string]>;
export type ModelConfig = NonNullable<NonNullable<ProviderConfig["models"]>[string]>;
export type CredentialsData = ValueOf<typeof credentialsShape>;
