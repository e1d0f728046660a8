import { localServer } from "./local.ts";

export const lmstudio = localServer({
  name: "lmstudio",
  other_names: ["lm-studio"],
  display_name: "LM Studio",
  base_url: "http://localhost:1234/v1",
  base_url_variable: "LMSTUDIO_BASE_URL",
  key_variables: ["LM_API_TOKEN"],
  start: "lms server start",
  chat: { tool_choice: "modes", parallel_tool_calls: false, top_k: true },
  responses: { parallel_tool_calls: false },
});
