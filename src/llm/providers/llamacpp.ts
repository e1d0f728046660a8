import { localServer } from "./local.ts";

export const llamacpp = localServer({
  name: "llamacpp",
  other_names: ["llama.cpp"],
  display_name: "llama.cpp",
  base_url: "http://localhost:8080/v1",
  base_url_variable: "LLAMACPP_BASE_URL",
  key_variables: ["LLAMA_API_KEY"],
  start: "llama-server --jinja -m MODEL.gguf",
  // Models trained to see their own reasoning between calls need it back.
  chat: { echo_reasoning_field: "reasoning_content", tool_choice: "modes", top_k: true },
});
