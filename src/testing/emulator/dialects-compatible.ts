/** Providers and local servers that speak the OpenAI wires, each with its differences. */
import { mebibyte, type Dialect, type Quirks } from "./dialect.ts";

const base = {
  plain: false,
  base_path: "/v1",
  family: "openai",
  auth: ["bearer"],
  key_optional: false,
  bad_json: "The request body is not valid JSON.",
  body_bytes_max: 64 * mebibyte,
} as const;

/** Rules about encrypted reasoning, where there is none. */
const unsealed = ["responses.reasoning.not_stored", "responses.reasoning.no_following"];

/** Taken over from another maker's wire, these rules are not known to hold. */
const looser = [
  "responses.max_output_tokens.minimum",
  "responses.max_output_tokens.ceiling",
  "responses.sampling.unsupported",
  "responses.cache.retention",
  "responses.cache_key.length",
  "responses.safety_identifier.length",
  "responses.metadata",
  "responses.format.json_word",
  "responses.reasoning.missing",
  "chat.max_tokens.reasoning",
  "chat.max_tokens.both",
  "chat.max_tokens.ceiling",
  "chat.sampling.unsupported",
  "chat.stop.model",
  "chat.format.json_word",
  "chat.tool_call.id_length",
  "chat.tools.strict",
  "chat.format.strict",
];

const samplers = ["top_k", "top_a", "min_p", "repetition_penalty"];

const xai: Dialect = {
  ...base,
  name: "xai",
  prefix: "/xai",
  catalogue: "xai",
  wires: ["responses", "chat"],
  errors: "code_and_text",
  no_key: { status: 401, code: "unauthenticated:missing-credentials", message: "No API key was provided." },
  bad_key: {
    status: 400,
    code: "invalid-argument",
    message: "Incorrect API key provided: {key}. You can obtain an API key from https://console.x.ai.",
  },
  // Recorded: ids of other kinds, reasoning before items without ids, switches for tools that are not there.
  without_rules: [
    ...looser,
    "responses.tools.strict",
    "responses.format.strict",
    "responses.effort.value",
    "responses.id.prefix",
    "responses.id.length",
    "responses.id.duplicate",
    "responses.reasoning.no_following",
    "chat.parallel.no_tools",
    "chat.tool_choice.no_tools",
  ],
  words: {
    "responses.model.unknown": { code: "invalid-argument", message: "Model not found: {model}" },
    "responses.model.retired": { status: 404, code: "not-found", message: "The model {model} was deprecated." },
    "chat.model.unknown": { status: 404, code: "not-found", message: "The model {model} does not exist." },
    "chat.model.retired": { status: 404, code: "not-found", message: "The model {model} was deprecated." },
    "responses.effort.no_reasoning": {
      code: "invalid-argument",
      message: "Model {model} does not support parameter reasoningEffort.",
    },
    "chat.effort.no_reasoning": {
      code: "Client specified an invalid argument",
      message: "Model {model} does not support parameter reasoningEffort.",
    },
    "responses.context.length": {
      code: "invalid-argument",
      message: "This model's maximum prompt length is {context} but the request contains {tokens} tokens.",
    },
    "chat.context.length": {
      code: "Client specified an invalid argument",
      message: "This model's maximum prompt length is {context} but the request contains {tokens} tokens.",
    },
  },
  more_fields: [...samplers, "seed", "logprobs", "max_turns", "search_parameters", "deferred"],
  quirks: {
    comment: "keepalive",
    summary_always: true,
    whole_tool_calls: true,
    ids: "uuid",
    reasoning_field: "reasoning_content",
    completion_excludes_reasoning: true,
    cost: "cost_in_usd_ticks",
    finish_key_late: true,
    no_developer_role: true,
  },
};

const meta: Dialect = {
  ...base,
  name: "meta",
  prefix: "/meta",
  catalogue: "meta",
  wires: ["responses", "chat"],
  errors: "openai",
  no_key: { status: 401, code: "invalid_api_key", message: "Missing API key." },
  bad_key: { status: 401, code: "invalid_api_key", message: "Invalid API key." },
  without_rules: looser.filter((rule) => !rule.endsWith("ceiling")),
  words: {
    "responses.model.unknown": { status: 404, code: null, param: null, message: "The requested model was not found" },
    "chat.model.unknown": { status: 404, code: null, message: "The requested model was not found" },
    "responses.max_output_tokens.ceiling": { code: null, message: "The request contains invalid parameters" },
    "chat.max_tokens.ceiling": { code: null, message: "The request contains invalid parameters" },
  },
  more_fields: ["presence_penalty", "frequency_penalty"],
  quirks: { tool_choice_auto_only: true, no_recursive_schemas: true },
};

const openrouter: Dialect = {
  ...base,
  name: "openrouter",
  prefix: "/openrouter/api",
  catalogue: "openrouter",
  wires: ["chat", "responses"],
  errors: "routed",
  no_key: { status: 401, message: "Missing Authentication header" },
  bad_key: { status: 401, message: "No cookie auth credentials found" },
  without_rules: [
    ...looser,
    "chat.stream_options",
    "chat.effort.no_reasoning",
    "chat.tools.reasoning",
    "chat.tools.model",
    "chat.tool_choice.no_tools",
    "chat.parallel.no_tools",
    // Recorded: empty content, pictures in results, videos, ids like "functions.read:0".
    "chat.content.empty",
    "chat.content.type",
    "chat.tool_call.id_pattern",
    "responses.effort.no_reasoning",
  ],
  words: {
    "chat.model.unknown": { status: 400, message: "{model} is not a valid model ID" },
    "responses.model.unknown": { status: 400, message: "{model} is not a valid model ID" },
    "chat.context.length": {
      status: 400,
      message:
        "This endpoint's maximum context length is {context} tokens. However, you requested about {tokens} tokens " +
        "({tokens} of text input). Please reduce the length of either one.",
    },
  },
  more_fields: [
    ...samplers,
    "reasoning",
    "include_reasoning",
    "models",
    "provider",
    "plugins",
    "session_id",
    "cache_control",
    "trace",
    "debug",
    "usage",
    "transforms",
    "route",
    "stop",
    "seed",
  ],
  quirks: {
    comment: "OPENROUTER PROCESSING",
    done_after_responses: true,
    ids: "gen",
    reasoning_field: "reasoning",
    reasoning_details: true,
    reasoning_object: true,
    usage_with_finish: true,
    cost: "cost",
    role_everywhere: true,
    native_finish: true,
    error_as_chunk: true,
    model_card: "routed",
  },
};

type LocalRow = Pick<Dialect, "name" | "errors" | "words"> & { readonly quirks: Quirks };

function local(row: LocalRow): Dialect {
  return {
    ...base,
    ...row,
    prefix: `/${row.name}`,
    catalogue: row.name,
    wires: ["chat", "responses"],
    key_optional: true,
    no_key: { status: 401, type: "authentication_error", message: "Invalid API Key" },
    bad_key: { status: 401, type: "authentication_error", message: "Invalid API Key" },
    without_rules: [
      ...looser,
      ...unsealed,
      "chat.effort.value",
      "chat.effort.no_reasoning",
      "chat.effort.unsupported",
      "chat.tools.reasoning",
      "chat.tools.model",
      "chat.tool_choice.no_tools",
      "chat.parallel.no_tools",
      "chat.tool_call.id_pattern",
      "chat.stream_options",
    ],
    more_fields: [...samplers, "reasoning", "chat_template_kwargs", "enable_thinking", "reasoning_format", "options"],
    quirks: { no_developer_role: true, reasoning_text: true, ...row.quirks },
  };
}

const ollama = local({
  name: "ollama",
  errors: "openai",
  words: {
    "chat.model.unknown": {
      status: 404,
      type: "not_found_error",
      code: null,
      message: 'model "{model}" not found, try pulling it first',
    },
    "chat.context.length": { code: null, message: "the input length exceeds the context length" },
  },
  quirks: {
    ids: "short",
    reasoning_field: "reasoning",
    usage_details: "none",
    role_everywhere: true,
    whole_tool_calls: true,
  },
});

const llamacpp = local({
  name: "llamacpp",
  errors: "numbered",
  words: {
    "chat.model.unknown": { status: 404, type: "not_found_error", message: "model '{model}' not found" },
    "chat.context.length": {
      type: "exceed_context_size_error",
      message: "request ({tokens} tokens) exceeds the available context size ({context} tokens), try increasing it",
    },
  },
  quirks: { reasoning_field: "reasoning_content", usage_details: "cached", model_card: "n_ctx" },
});

const vllm = local({
  name: "vllm",
  errors: "numbered",
  words: {
    "chat.model.unknown": { status: 404, type: "NotFoundError", message: "The model `{model}` does not exist." },
    "chat.context.length": {
      type: "BadRequestError",
      param: "input_tokens",
      message:
        "This model's maximum context length is {context} tokens. However, your prompt contains {tokens} input " +
        "tokens. Please reduce the length of the input prompt.",
    },
  },
  quirks: { reasoning_field: "reasoning", usage_details: "all", model_card: "max_model_len" },
});

const lmstudio = local({
  name: "lmstudio",
  errors: "text_only",
  words: {
    "chat.model.unknown": { status: 404, message: "Model {model} is not loaded" },
    "chat.context.length": {
      message:
        "The number of tokens to keep from the initial prompt is greater than the context length. " +
        "Try to load the model with a larger context length, or provide a shorter input",
    },
  },
  quirks: { reasoning_field: "reasoning", usage_details: "none" },
});

/** Stands in for every server that calls itself compatible: takes fields it does not know, and models of any name. */
const compatible: Dialect = {
  ...base,
  name: "compatible",
  prefix: "/compatible",
  catalogue: "compatible",
  wires: ["chat", "responses"],
  errors: "openai",
  auth: ["bearer", "api-key"],
  no_key: { status: 401, type: "authentication_error", code: "invalid_api_key", message: "No API key was provided." },
  bad_key: { status: 401, type: "authentication_error", code: "invalid_api_key", message: "Invalid API key." },
  without_rules: [
    ...looser,
    ...unsealed,
    "chat.field.unknown",
    "chat.effort.value",
    "chat.effort.no_reasoning",
    "chat.effort.unsupported",
    "chat.tools.reasoning",
    "chat.tools.model",
    "chat.tool_choice.no_tools",
    "chat.parallel.no_tools",
    "chat.tool_call.id_pattern",
    "chat.stream_options",
    "chat.content.type",
    "responses.field.unknown",
    "responses.effort.value",
    "responses.effort.no_reasoning",
    "responses.effort.unsupported",
  ],
  quirks: {
    no_developer_role: true,
    reasoning_field: "reasoning_content",
    reasoning_text: true,
    usage_with_finish: true,
  },
};

export const compatibleDialects: readonly Dialect[] = [
  xai,
  meta,
  openrouter,
  ollama,
  llamacpp,
  vllm,
  lmstudio,
  compatible,
];
