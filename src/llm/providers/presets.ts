import type { Quirks } from "../adapter.ts";
import type { ProviderRow } from "../provider.ts";
import { defineProvider, type ProviderDefinition } from "./define.ts";

/** Providers that need nothing but a row: known dialects at known addresses. Each difference was seen or is documented. */

/** Thinking comes and goes back as text in this field of the message. */
const echo = { echo_reasoning_field: "reasoning_content" } as const satisfies Quirks;

/** Who serve models of their own. */
const makers: readonly ProviderDefinition[] = [
  {
    name: "deepseek",
    display_name: "DeepSeek",
    protocol: "chat",
    base_url: "https://api.deepseek.com",
    key_variables: ["DEEPSEEK_API_KEY"],
    keys_page: "https://platform.deepseek.com/api_keys",
    prefixes: ["deepseek-v", "deepseek-chat", "deepseek-reasoner"],
    default_model: "deepseek-v4-pro",
    // A turn with calls whose thinking does not come back is refused.
    quirks: { ...echo, thinking_style: "thinking_type", echo_reasoning_required: true, output_schema: "object" },
    also: [
      {
        protocol: "responses",
        quirks: {
          count_path: "",
          store: false,
          encrypted_reasoning: false,
          reasoning_summary: false,
          reasoning_replay: "any",
          cache_key_field: "",
          output_schema: "object",
          tool_result_parts: false,
          documents: "none",
          web_search: false,
        },
      },
    ],
  },
  {
    name: "mistral",
    display_name: "Mistral",
    protocol: "chat",
    base_url: "https://api.mistral.ai/v1",
    key_variables: ["MISTRAL_API_KEY"],
    keys_page: "https://console.mistral.ai/api-keys",
    prefixes: ["mistral-", "ministral-", "magistral-", "codestral-", "devstral-", "voxtral-"],
    default_model: "mistral-medium-3-5",
    quirks: {
      echo_reasoning_field: "content_parts",
      stream_options: false,
      seed_field: "random_seed",
      output_schema: "strict",
      tool_result_name: true,
      assistant_after_tool: true,
      tool_call_id_character: "[a-zA-Z0-9]",
      tool_call_id_length_max: 9,
      tool_call_id_length_exact: 9,
    },
  },
  {
    name: "zai",
    display_name: "Z.ai",
    protocol: "chat",
    base_url: "https://api.z.ai/api/paas/v4",
    base_url_variable: "ZAI_BASE_URL",
    key_variables: ["ZAI_API_KEY"],
    keys_page: "https://z.ai/manage-apikey/apikey-list",
    prefixes: ["glm-"],
    default_model: "glm-5.2",
    quirks: {
      ...echo,
      thinking_style: "thinking_type",
      tool_choice: "none",
      parallel_tool_calls: false,
      output_schema: "object",
      stop_limit: 1,
      penalties: false,
    },
  },
  {
    name: "moonshot",
    display_name: "Moonshot",
    protocol: "chat",
    base_url: "https://api.moonshot.ai/v1",
    key_variables: ["MOONSHOT_API_KEY"],
    keys_page: "https://platform.moonshot.ai/console/api-keys",
    prefixes: ["kimi-"],
    quirks: {
      ...echo,
      thinking_style: "thinking_type",
      echo_reasoning_required: true,
      cache_key_field: "prompt_cache_key",
    },
  },
  {
    name: "alibaba",
    display_name: "Alibaba Cloud Model Studio",
    protocol: "chat",
    base_url: "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
    base_url_variable: "DASHSCOPE_BASE_URL",
    key_variables: ["DASHSCOPE_API_KEY", "ALIBABA_API_KEY"],
    keys_page: "https://bailian.console.alibabacloud.com",
    quirks: {
      ...echo,
      thinking_style: "enable_thinking",
      thinking_budget_field: "thinking_budget",
      output_schema: "object",
      top_k: true,
    },
  },
  {
    name: "perplexity",
    display_name: "Perplexity",
    protocol: "chat",
    base_url: "https://api.perplexity.ai",
    key_variables: ["PERPLEXITY_API_KEY", "PPLX_API_KEY"],
    keys_page: "https://www.perplexity.ai/settings/api",
    prefixes: ["sonar"],
    default_model: "sonar-pro",
    quirks: {
      think_tags: true,
      merge_user_messages: true,
      seed_field: "",
      stop_limit: 0,
      top_k: true,
      cost_field: "cost.total_cost",
    },
  },
];

/** Who serve the models of others, each under the maker's name or one of their own. */
const hosts: readonly ProviderDefinition[] = [
  {
    name: "groq",
    display_name: "Groq",
    protocol: "chat",
    base_url: "https://api.groq.com/openai/v1",
    key_variables: ["GROQ_API_KEY"],
    keys_page: "https://console.groq.com/keys",
    quirks: {
      max_tokens_field: "max_completion_tokens",
      penalties: false,
      empty_content: "omit",
      // Models with a switch leave their thinking in the text unless asked not to; the others refuse the question.
      on_word: "default",
      on_body: '{"reasoning_format":"parsed"}',
    },
  },
  {
    name: "cerebras",
    display_name: "Cerebras",
    protocol: "chat",
    base_url: "https://api.cerebras.ai/v1",
    key_variables: ["CEREBRAS_API_KEY"],
    keys_page: "https://cloud.cerebras.ai",
    quirks: {
      max_tokens_field: "max_completion_tokens",
      think_tags: true,
      tool_result_name: true,
      output_schema: "strict",
      penalties: false,
    },
  },
  {
    name: "together",
    display_name: "Together",
    protocol: "chat",
    base_url: "https://api.together.xyz/v1",
    key_variables: ["TOGETHER_API_KEY"],
    keys_page: "https://api.together.ai/settings/api-keys",
    quirks: { think_tags: true, top_k: true },
  },
  {
    name: "huggingface",
    display_name: "Hugging Face",
    protocol: "chat",
    base_url: "https://router.huggingface.co/v1",
    key_variables: ["HF_TOKEN"],
    keys_page: "https://huggingface.co/settings/tokens",
    quirks: {},
  },
  {
    name: "nvidia",
    display_name: "NVIDIA",
    protocol: "chat",
    base_url: "https://integrate.api.nvidia.com/v1",
    key_variables: ["NVIDIA_API_KEY"],
    keys_page: "https://build.nvidia.com/settings/api-keys",
    quirks: { thinking_style: "chat_template_kwargs", think_tags: true },
  },
  {
    name: "doubleword",
    display_name: "Doubleword",
    protocol: "chat",
    base_url: "https://api.doubleword.ai/v1",
    key_variables: ["DOUBLEWORD_API_KEY"],
    quirks: { ...echo, thinking_style: "chat_template_kwargs" },
  },
  {
    name: "avian",
    display_name: "Avian",
    protocol: "chat",
    base_url: "https://api.avian.io/v1",
    key_variables: ["AVIAN_API_KEY"],
    quirks: echo,
  },
  {
    name: "crusoe",
    display_name: "Crusoe",
    protocol: "chat",
    base_url: "https://api.inference.crusoecloud.com/v1",
    key_variables: ["CRUSOE_API_KEY"],
    quirks: { echo_reasoning_field: "reasoning", empty_content: "null" },
  },
  {
    name: "ollama-cloud",
    display_name: "Ollama Cloud",
    protocol: "chat",
    base_url: "https://ollama.com/v1",
    key_variables: ["OLLAMA_API_KEY"],
    keys_page: "https://ollama.com/settings/keys",
    quirks: { echo_reasoning_field: "reasoning", tool_choice: "none", parallel_tool_calls: false, image_urls: false },
  },
];

/** One door to many providers. */
const gateways: readonly ProviderDefinition[] = [
  {
    name: "vercel-gateway",
    display_name: "Vercel AI Gateway",
    protocol: "chat",
    base_url: "https://ai-gateway.vercel.sh/v1",
    key_variables: ["AI_GATEWAY_API_KEY"],
    keys_page: "https://vercel.com/dashboard/ai-gateway",
    vendors: { anthropic: "anthropic", openai: "openai", google: "google", xai: "xai", meta: "meta" },
    quirks: { thinking_style: "reasoning_object", echo_reasoning_field: "reasoning", output_schema: "strict" },
  },
  {
    name: "copilot",
    display_name: "GitHub Copilot",
    protocol: "chat",
    base_url: "https://api.githubcopilot.com",
    key_variables: ["GITHUB_COPILOT_TOKEN"],
    headers: { "editor-version": "ikigai/1" },
    vendors: { "": "openai" },
    quirks: {},
    also: [
      {
        protocol: "responses",
        // Every event names its item anew, so that no id means anything later.
        quirks: {
          count_path: "",
          item_ids: false,
          store: false,
          reasoning_summary: false,
          tool_result_parts: false,
          documents: "none",
          web_search: false,
        },
      },
    ],
  },
  {
    name: "cloudflare",
    display_name: "Cloudflare Workers AI",
    protocol: "chat",
    base_url: "https://api.cloudflare.com/client/v4/accounts/{CLOUDFLARE_ACCOUNT_ID}/ai/v1",
    key_variables: ["CLOUDFLARE_API_TOKEN", "CLOUDFLARE_API_KEY"],
    keys_page: "https://dash.cloudflare.com/profile/api-tokens",
    quirks: { think_tags: true },
  },
  {
    name: "gemini-compatible",
    display_name: "Gemini over Chat Completions",
    protocol: "chat",
    base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
    key_variables: ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    keys_page: "https://aistudio.google.com/apikey",
    vendors: { "": "google" },
    quirks: { seed_field: "", penalties: false, output_schema: "plain" },
  },
];

/** Addresses of one's own: an account, a host or a region stands in them. */
const clouds: readonly ProviderDefinition[] = [
  {
    name: "azure",
    display_name: "Azure",
    protocol: "responses",
    base_url: "https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1",
    base_url_variable: "AZURE_OPENAI_BASE_URL",
    key_variables: ["AZURE_OPENAI_API_KEY", "AZURE_API_KEY"],
    key_header: "api-key",
    vendors: { "": "openai" },
    quirks: { count_path: "" },
    also: [
      {
        protocol: "chat",
        quirks: {
          system_role: "developer_if_thinking",
          max_tokens_field: "max_completion_tokens",
          strict_tools: true,
          output_schema: "strict",
          tool_call_id_character: "[A-Za-z0-9_-]",
          tool_call_id_length_max: 40,
        },
      },
    ],
  },
  {
    name: "bedrock-mantle",
    display_name: "Amazon Bedrock (OpenAI wire)",
    protocol: "responses",
    base_url: "https://bedrock-mantle.{AWS_REGION}.api.aws/openai/v1",
    key_variables: ["AWS_BEARER_TOKEN_BEDROCK"],
    quirks: { count_path: "", tool_result_parts: false },
  },
  {
    name: "databricks",
    display_name: "Databricks",
    protocol: "chat",
    base_url: "https://{DATABRICKS_HOST}/serving-endpoints",
    key_variables: ["DATABRICKS_TOKEN"],
    quirks: { thinking_style: "none", stream_options: false },
  },
  {
    name: "snowflake",
    display_name: "Snowflake Cortex",
    protocol: "chat",
    base_url: "https://{SNOWFLAKE_ACCOUNT}.snowflakecomputing.com/api/v2/cortex/v1",
    key_variables: ["SNOWFLAKE_TOKEN", "SNOWFLAKE_PAT"],
    vendors: { "": "anthropic" },
    quirks: { thinking_style: "reasoning_object", max_tokens_field: "max_completion_tokens" },
  },
  {
    name: "gpustack",
    display_name: "GPUStack",
    protocol: "chat",
    base_url: "{GPUSTACK_API_BASE}",
    key_variables: ["GPUSTACK_API_KEY"],
    idle_timeout_ms: 600_000,
    quirks: { ...echo, thinking_style: "enable_thinking", image_urls: false },
  },
];

export const presets: readonly ProviderRow[] = [...makers, ...hosts, ...gateways, ...clouds].map((row) => ({
  ...defineProvider(row),
  preset: true,
}));
