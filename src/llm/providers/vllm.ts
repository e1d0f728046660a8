import { localServer } from "./local.ts";

export const vllm = localServer({
  name: "vllm",
  display_name: "vLLM",
  base_url: "http://localhost:8000/v1",
  base_url_variable: "VLLM_BASE_URL",
  key_variables: ["VLLM_API_KEY"],
  start: "vllm serve MODEL --enable-auto-tool-choice --tool-call-parser PARSER",
  chat: { echo_reasoning_field: "reasoning", top_k: true },
  responses: { tool_choice: "all" },
});
