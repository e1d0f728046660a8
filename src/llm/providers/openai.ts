import type { ProviderRow } from "../provider.ts";

export const openai: ProviderRow = {
  name: "openai",
  display_name: "OpenAI",
  prefixes: ["gpt-", "chatgpt-", "codex-", "chat-latest", "o1", "o2", "o3", "o4", "o5", "o6", "o7", "o8", "o9"],
  key_variables: ["OPENAI_API_KEY"],
  keys_page: "https://platform.openai.com/api-keys",
  base_url: "https://api.openai.com/v1",
  base_url_variable: "OPENAI_BASE_URL",
  default_model: "gpt-6.1-sol",
  apis: [
    { name: "responses", load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses) },
    {
      name: "chat",
      load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat),
      quirks: {
        system_role: "developer_if_thinking",
        max_tokens_field: "max_completion_tokens",
        store: true,
        strict_tools: true,
        output_schema: "strict",
        cache_key_field: "prompt_cache_key",
        documents: "data",
        web_search_models: "gpt-4o-search gpt-4o-mini-search gpt-5-search",
        tool_call_id_character: "[A-Za-z0-9_-]",
        tool_call_id_length_max: 40,
      },
    },
  ],
  models: () => import("../models/openai.json", { with: { type: "json" } }).then(({ default: data }) => data.models),
};
