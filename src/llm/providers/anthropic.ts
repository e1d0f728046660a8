import type { ProviderRow } from "../provider.ts";

export const anthropic: ProviderRow = {
  name: "anthropic",
  display_name: "Anthropic",
  prefixes: ["claude-"],
  key_variables: ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"],
  bearer_variables: ["ANTHROPIC_AUTH_TOKEN"],
  keys_page: "https://platform.claude.com/settings/keys",
  key_prefix: "sk-ant-",
  base_url: "https://api.anthropic.com",
  base_url_variable: "ANTHROPIC_BASE_URL",
  default_model: "claude-opus-5-5",
  apis: [
    {
      name: "messages",
      load: () => import("../protocols/messages/index.ts").then(({ messages }) => messages),
      // A budget is not part of the rendered tools and system; an effort is.
      level_change_keeps: { budget: "system" },
    },
  ],
  models: () => import("../models/anthropic.json", { with: { type: "json" } }).then((file) => file.default.models),
};
