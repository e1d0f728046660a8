import type { ProviderRow } from "../provider.ts";

export const meta: ProviderRow = {
  name: "meta",
  display_name: "Meta",
  prefixes: ["muse-"],
  key_variables: ["MODEL_API_KEY", "META_API_KEY"],
  keys_page: "https://dev.meta.ai",
  base_url: "https://api.meta.ai/v1",
  base_url_variable: "META_BASE_URL",
  default_model: "muse-spark-1.3",
  apis: [
    {
      name: "responses",
      load: () => import("../protocols/responses/index.ts").then(({ responses }) => responses),
      // Any tool_choice but auto is refused.
      quirks: {
        count_path: "",
        tool_choice: "none",
        tool_result_parts: false,
        documents: "data",
        max_tool_calls: false,
        penalties: true,
      },
    },
    {
      name: "chat",
      load: () => import("../protocols/chat/index.ts").then(({ chat }) => chat),
      quirks: { max_tokens_field: "max_completion_tokens", tool_choice: "none", stop_limit: 0 },
    },
  ],
  models: () => import("../models/meta.json", { with: { type: "json" } }).then((file) => file.default.models),
};
