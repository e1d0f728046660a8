import type { ProviderRow } from "../provider.ts";

export const xai: ProviderRow = {
  name: "xai",
  display_name: "xAI",
  prefixes: ["grok-"],
  key_variables: ["XAI_API_KEY"],
  keys_page: "https://console.x.ai",
  key_prefix: "xai-",
  base_url: "https://api.x.ai/v1",
  base_url_variable: "XAI_BASE_URL",
  default_model: "grok-4.7",
  apis: [
    {
      name: "responses",
      load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses),
      quirks: {
        count_path: "",
        // There is no developer here, and a summary comes unasked.
        system_role: "system",
        reasoning_summary: false,
        // Ids of searches are longer than what the API's author takes.
        item_id_length_max: 128,
        tool_result_parts: false,
        // Searches of posts are told as calls of tools that nobody else has.
        custom_tool_calls: false,
        // Files have to be uploaded first.
        documents: "none",
        blocked_domains_field: "excluded_domains",
        max_tool_calls: false,
        top_k: true,
        seed_field: "seed",
        cost_field: "cost_in_usd_ticks",
        cost_units_per_usd: 10_000_000_000,
      },
    },
    {
      name: "chat",
      load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat),
      quirks: {
        max_tokens_field: "max_completion_tokens",
        echo_reasoning_field: "reasoning_content",
        output_schema: "strict",
        penalties: false,
        stop_limit: 0,
        cache_key_header: "x-grok-conv-id",
        usage_excludes_reasoning: true,
        cost_field: "cost_in_usd_ticks",
        cost_units_per_usd: 10_000_000_000,
      },
    },
  ],
  models: () => import("../models/xai.json", { with: { type: "json" } }).then((file) => file.default.models),
};
