import type { Quirks } from "../adapter.ts";
import type { ProviderRow } from "../provider.ts";

/** What differs from one server on one's own machine to the next. */
export type LocalServer = Pick<
  ProviderRow,
  "name" | "other_names" | "display_name" | "base_url" | "base_url_variable" | "key_variables"
> & {
  /** The command that starts it. */
  readonly start: string;
  readonly chat?: Quirks;
  readonly responses?: Quirks;
};

/** A server that runs models on one's own machine: no key is needed, nothing costs money, the first token may take minutes. */
export function localServer({ start, chat, responses, ...row }: LocalServer): ProviderRow {
  return {
    ...row,
    prefixes: [],
    apis: [
      {
        name: "chat",
        load: () => import("../protocols/chat/index.ts").then((module) => module.chat),
        quirks: { ...localChat, ...chat },
      },
      {
        name: "responses",
        load: () => import("../protocols/responses/index.ts").then((module) => module.responses),
        quirks: { ...localResponses, ...responses },
      },
    ],
    models: () => Promise.resolve([]),
    local: { start },
    preset: true,
    idle_timeout_ms: 600_000,
  };
}

/** Without a parser for its model a server leaves thinking between tags in the text. */
const localChat: Quirks = { think_tags: true, plain_content: true, image_urls: false, cost_field: "" };

const localResponses: Quirks = {
  count_path: "",
  store: false,
  reasoning_summary: false,
  encrypted_reasoning: false,
  reasoning_replay: "none",
  item_ids: false,
  strict_tools: false,
  tool_choice: "modes",
  output_schema: "plain",
  tool_result_parts: false,
  image_urls: false,
  documents: "none",
  web_search: false,
  cache_key_field: "",
  cost_field: "",
};
