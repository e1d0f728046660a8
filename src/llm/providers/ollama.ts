import { localServer } from "./local.ts";

export const ollama = localServer({
  name: "ollama",
  display_name: "Ollama",
  base_url: "http://localhost:11434/v1",
  base_url_variable: "OLLAMA_BASE_URL",
  key_variables: [],
  start: "ollama serve",
  chat: { echo_reasoning_field: "reasoning", tool_choice: "none", parallel_tool_calls: false },
  responses: { tool_choice: "none", parallel_tool_calls: false },
});
