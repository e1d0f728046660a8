import { isJsonObject, type JsonObject } from "../../../core/index.ts";
import type { Quirks } from "../../adapter.ts";
import { invalidArgument } from "../../failure.ts";

/**
 * How one server's Chat Completions differ from another's. A provider row states only what differs from `chatDefaults`,
 * which is what every compatible server is known to take. A trait of a model with the name of a quirk wins over the row.
 */
export type ChatQuirks = {
  /** Below the base URL; `{model}` stands for the model id. */
  readonly path: string;
  /** A JSON object of fields that every body to this server carries, e.g. `{"reasoning_format":"parsed"}`. */
  readonly extra_body: string;

  /** Who speaks the system prompt. `first_user`: nobody, it is put in front of the first user message. */
  readonly system_role: "system" | "developer" | "developer_if_thinking" | "first_user";
  readonly max_tokens_field: "max_tokens" | "max_completion_tokens";

  /**
   * Which field switches thinking:
   * `reasoning_effort` – that word at the top level, "none" for off;
   * `reasoning_object` – `reasoning: {effort | max_tokens | enabled, exclude?}`;
   * `thinking_type` – `thinking: {type: "enabled" | "disabled"}`, with `reasoning_effort` where the model has efforts;
   * `enable_thinking` – `enable_thinking: true | false` at the top level;
   * `chat_template_kwargs` – the same inside `chat_template_kwargs`;
   * `think` – `think: true | false | word`;
   * `none` – nothing is ever sent.
   */
  readonly thinking_style:
    | "reasoning_effort"
    | "reasoning_object"
    | "thinking_type"
    | "enable_thinking"
    | "chat_template_kwargs"
    | "think"
    | "none";
  /** What `reasoning_effort` says for "on" where a model's thinking is only on or off. */
  readonly on_word: string;
  /** A JSON object of fields that go with it, e.g. one that asks for thinking apart from the text. */
  readonly on_body: string;
  /** Top-level field for a budget in tokens beside an on/off switch. Empty: the server has none. */
  readonly thinking_budget_field: string;
  /**
   * The field of an assistant message in which its own thinking text is sent back. `none`: the server refuses or
   * ignores it. `content_parts`: as `{type: "thinking"}` parts of the content.
   */
  readonly echo_reasoning_field: "none" | "reasoning_content" | "reasoning" | "reasoning_text" | "content_parts";
  /** The server insists on the echo field in every assistant message with calls; it is sent empty where there was none. */
  readonly echo_reasoning_required: boolean;
  /** `reasoning_details` go back as they came. */
  readonly reasoning_details: boolean;
  /** Thinking arrives inside the text, between `<think>` and `</think>`. */
  readonly think_tags: boolean;

  /** Tools may be marked strict; their schemas are rewritten to satisfy that. */
  readonly strict_tools: boolean;
  /** `all`; `modes`: the words auto, none, required, but no tool by name; `none`: ignored or refused. */
  readonly tool_choice: "all" | "modes" | "none";
  /** `parallel_tool_calls` is understood. */
  readonly parallel_tool_calls: boolean;
  /** Tool messages repeat the name of the tool. */
  readonly tool_result_name: boolean;
  /** Structured output: a schema held to strictly, a schema, any JSON object, or nothing. */
  readonly output_schema: "strict" | "plain" | "object" | "none";

  /** `stream_options: {include_usage: true}` is understood. */
  readonly stream_options: boolean;
  /** `store: false` is understood, and needed so that nothing is kept. */
  readonly store: boolean;
  /** How many stop sequences are taken; 0: none. */
  readonly stop_limit: number;
  /** Empty: the server has none. */
  readonly seed_field: string;
  readonly top_k: boolean;
  readonly penalties: boolean;

  /** Text goes as one string even where it has several parts. */
  readonly plain_content: boolean;
  /** What stands for the content of an assistant message that has only calls. */
  readonly empty_content: "empty" | "null" | "omit";
  /** The server fetches images by address; otherwise they must be in the request. */
  readonly image_urls: boolean;
  /** PDF and the like: not taken; taken as data by models that can see; taken by every model, also by address. */
  readonly documents: "none" | "data" | "all";
  /** Neighbouring user messages become one: chat templates that insist on alternation. */
  readonly merge_user_messages: boolean;
  /** No user message may follow a tool result: a short answer is put between them. */
  readonly assistant_after_tool: boolean;

  /** A regular expression for one character that a tool call id may have. */
  readonly tool_call_id_character: string;
  readonly tool_call_id_length_max: number;
  /** 0: any length. */
  readonly tool_call_id_length_exact: number;

  /** Body field and header that take a stable name of the conversation, for cache routing. Empty: none. */
  readonly cache_key_field: string;
  readonly cache_key_header: string;
  /** `prompt_cache_options` says how long a prompt is kept. */
  readonly prompt_cache_options: boolean;
  /** Models that take `cache_control` marks on content parts: prefixes of their ids, separated by blanks; `*`: all. */
  readonly cache_control_models: string;

  /** Models that can search the web: prefixes of their ids, separated by blanks; `*`: all. */
  readonly web_search_models: string;
  /** The type of the server's own search among the tools. Empty: it is asked for by `web_search_options`. */
  readonly web_search_tool: string;

  /** `completion_tokens` does not count reasoning. Also noticed by arithmetic where the totals allow it. */
  readonly usage_excludes_reasoning: boolean;
  /** Where in `usage` the price of the exchange stands, e.g. `cost` or `cost.total_cost`. Empty: nowhere. */
  readonly cost_field: string;
  readonly cost_units_per_usd: number;
};

/** Reads an open record as this protocol's quirks. What is missing or of the wrong kind has its default. */
export function chatQuirks(quirks: Quirks, traits: Quirks = {}): ChatQuirks {
  const read = (name: string, usual: string | number | boolean): string | number | boolean => {
    for (const value of [traits[name], quirks[name]]) {
      if (value !== undefined && problemWith(name, value) === undefined) return value;
    }
    return usual;
  };
  // Each value was checked against its default's type and its list of words.
  return Object.fromEntries(
    Object.entries(chatDefaults).map(([name, usual]) => [name, read(name, usual)]),
  ) as unknown as ChatQuirks;
}

/** A quirk that holds fields for the body as JSON. */
export function jsonFields(text: string, quirk: string): JsonObject {
  if (text === "") return {};
  try {
    const parsed: unknown = JSON.parse(text);
    if (isJsonObject(parsed)) return parsed;
  } catch {
    // Told below.
  }
  throw invalidArgument(`The quirk ${quirk} must be a JSON object, not ${text}`);
}

/** What is wrong with quirks that a person wrote, one sentence each. */
export function chatQuirkProblems(quirks: Quirks): readonly string[] {
  return Object.entries(quirks).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const usual = (chatDefaults as Quirks)[name];
    if (usual === undefined) return [`"${name}" is not a quirk of Chat Completions`];
    return problemWith(name, value) ?? [];
  });
}

function problemWith(name: string, value: string | number | boolean): string | undefined {
  const usual = (chatDefaults as Quirks)[name];
  if (typeof value !== typeof usual) return `"${name}" must be a ${typeof usual}`;
  const words: readonly (string | number | boolean)[] | undefined = quirkWords[name];
  if (words !== undefined && !words.includes(value)) return `"${name}" must be one of ${words.join(", ")}`;
  return undefined;
}

/** What every compatible server is known to take. */
export const chatDefaults: ChatQuirks = {
  path: "/chat/completions",
  extra_body: "",
  system_role: "system",
  max_tokens_field: "max_tokens",
  thinking_style: "reasoning_effort",
  on_word: "medium",
  on_body: "",
  thinking_budget_field: "",
  echo_reasoning_field: "none",
  echo_reasoning_required: false,
  reasoning_details: true,
  think_tags: false,
  strict_tools: false,
  tool_choice: "all",
  parallel_tool_calls: true,
  tool_result_name: false,
  output_schema: "plain",
  stream_options: true,
  store: false,
  stop_limit: 4,
  seed_field: "seed",
  top_k: false,
  penalties: true,
  plain_content: false,
  empty_content: "empty",
  image_urls: true,
  documents: "none",
  merge_user_messages: false,
  assistant_after_tool: false,
  tool_call_id_character: "[!-~]",
  tool_call_id_length_max: 256,
  tool_call_id_length_exact: 0,
  cache_key_field: "",
  cache_key_header: "",
  prompt_cache_options: false,
  cache_control_models: "",
  web_search_models: "",
  web_search_tool: "",
  usage_excludes_reasoning: false,
  cost_field: "cost",
  cost_units_per_usd: 1,
};

const quirkWords: { readonly [name: string]: readonly string[] | undefined } = {
  system_role: ["system", "developer", "developer_if_thinking", "first_user"],
  max_tokens_field: ["max_tokens", "max_completion_tokens"],
  thinking_style: [
    "reasoning_effort",
    "reasoning_object",
    "thinking_type",
    "enable_thinking",
    "chat_template_kwargs",
    "think",
    "none",
  ],
  echo_reasoning_field: ["none", "reasoning_content", "reasoning", "reasoning_text", "content_parts"],
  tool_choice: ["all", "modes", "none"],
  output_schema: ["strict", "plain", "object", "none"],
  empty_content: ["empty", "null", "omit"],
  documents: ["none", "data", "all"],
};
