import type { ProviderRow } from "../provider.ts";

export const openrouter: ProviderRow = {
  name: "openrouter",
  display_name: "OpenRouter",
  // Its ids have the shape vendor/model, which no prefix can say.
  prefixes: [],
  key_variables: ["OPENROUTER_API_KEY"],
  keys_page: "https://openrouter.ai/settings/keys",
  key_prefix: "sk-or-",
  key_check_path: "/key",
  base_url: "https://openrouter.ai/api/v1",
  base_url_variable: "OPENROUTER_BASE_URL",
  default_model: "anthropic/claude-opus-5.5",
  app_headers: { title: "X-Title", url: "HTTP-Referer" },
  vendors: { anthropic: "anthropic", openai: "openai", google: "google", "x-ai": "xai", meta: "meta" },
  apis: [
    {
      name: "chat",
      load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat),
      quirks: {
        max_tokens_field: "max_completion_tokens",
        thinking_style: "reasoning_object",
        echo_reasoning_field: "reasoning",
        output_schema: "strict",
        top_k: true,
        cache_key_field: "session_id",
        cache_control_models: "anthropic/ ~anthropic/",
        // It reads documents for models that cannot, and searches for all of them.
        documents: "all",
        web_search_models: "*",
        web_search_tool: "openrouter:web_search",
      },
      fallback_field: "models",
    },
    {
      name: "responses",
      load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses),
      quirks: {
        count_path: "",
        top_k: true,
        seed_field: "seed",
        penalties: true,
        cache_key_field: "session_id",
        tool_result_parts: false,
        max_tool_calls: false,
      },
      fallback_field: "models",
    },
  ],
  models: () => import("../models/openrouter.json", { with: { type: "json" } }).then((file) => file.default.models),
};
