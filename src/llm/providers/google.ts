import type { ProviderRow } from "../provider.ts";

export const google: ProviderRow = {
  name: "google",
  display_name: "Google",
  prefixes: ["gemini-", "gemma-"],
  key_variables: ["GOOGLE_API_KEY", "GEMINI_API_KEY"],
  keys_page: "https://aistudio.google.com/apikey",
  base_url: "https://generativelanguage.googleapis.com/v1beta",
  base_url_variable: "GOOGLE_BASE_URL",
  default_model: "gemini-4-argon",
  apis: [
    {
      name: "generateContent",
      load: () => import("../protocols/gemini/index.ts").then(({ gemini }) => gemini),
      // What is cached is the contents; how to think about them is told beside.
      level_change_keeps: { budget: "all", level: "all" },
    },
  ],
  models: () => import("../models/google.json", { with: { type: "json" } }).then((file) => file.default.models),
};
