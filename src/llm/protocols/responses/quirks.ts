import type { Quirks } from "../../adapter.ts";

/**
 * How one server's Responses API differs from OpenAI's own, which is what `responsesDefaults` describes. A provider row
 * states only what differs; a trait of a model with the name of a quirk wins over the row.
 * A quirk with the name of one of Chat Completions means the same there and here.
 */
export type ResponsesQuirks = {
  /** Below the base URL. */
  readonly path: string;
  /** Where tokens are counted, below the base URL. Empty: nowhere. */
  readonly count_path: string;
  /** A JSON object of fields that every body to this server carries. */
  readonly extra_body: string;

  /** `instructions`: the field of that name; otherwise a first message spoken by this role. */
  readonly system_role: "instructions" | "system" | "developer";
  /** `store: false` is understood; otherwise the field is left out. */
  readonly store: boolean;

  /** `reasoning` is understood. Without it no level is ever sent. */
  readonly reasoning: boolean;
  /** `reasoning.summary` is understood; without it a server that has thinking text sends it unasked. */
  readonly reasoning_summary: boolean;
  /** `include: ["reasoning.encrypted_content"]` is understood. */
  readonly encrypted_reasoning: boolean;
  /** Which reasoning items go back: those with encrypted content, those with any content, or none. */
  readonly reasoning_replay: "encrypted" | "any" | "none";
  /** The ids of items go back with them. Servers that invent new ids in every event want none. */
  readonly item_ids: boolean;
  /** Longer ids are not sent back. A server that makes longer ones takes them: its row says how long. */
  readonly item_id_length_max: number;

  /** Tools and output formats may be marked strict; their schemas are rewritten to satisfy that. */
  readonly strict_tools: boolean;
  /** `all`; `modes`: the words auto, none, required, but no tool by name; `none`: ignored or refused. */
  readonly tool_choice: "all" | "modes" | "none";
  readonly parallel_tool_calls: boolean;
  /** A `custom_tool_call` is ours to answer. Otherwise it is how the server reports a tool of its own. */
  readonly custom_tool_calls: boolean;
  /** Structured output: a schema held to strictly, a schema, any JSON object, or nothing. */
  readonly output_schema: "strict" | "plain" | "object" | "none";
  /** Results may be lists of parts, images among them. Otherwise they are text and images follow as a user message. */
  readonly tool_result_parts: boolean;
  /** The server fetches images by address; otherwise they must be in the request. */
  readonly image_urls: boolean;

  /** PDF and the like: not taken; taken as data; taken by address too. */
  readonly documents: "none" | "data" | "all";

  /** The server's own search stands among the tools. */
  readonly web_search: boolean;
  /** The filter of the search for domains to leave out. Empty: there is none. */
  readonly blocked_domains_field: string;
  /** `max_tool_calls` limits how often the server's own tools run. */
  readonly max_tool_calls: boolean;

  readonly max_output_tokens_min: number;
  readonly top_k: boolean;
  /** Empty: the server has none. */
  readonly seed_field: string;
  readonly penalties: boolean;
  /** How many stop sequences are taken; 0: none. */
  readonly stop_limit: number;

  /** Body field and header that take a stable name of the conversation, for cache routing. Empty: none. */
  readonly cache_key_field: string;
  readonly cache_key_header: string;
  /** `prompt_cache_options` is understood: the cache can be asked to keep a prompt for long. */
  readonly prompt_cache_options: boolean;

  /** Where in `usage` the price of the exchange stands. Empty: nowhere. */
  readonly cost_field: string;
  readonly cost_units_per_usd: number;
};

/** OpenAI's own API, for models of which nothing else is known. */
export const responsesDefaults: ResponsesQuirks = {
  path: "/responses",
  count_path: "/responses/input_tokens",
  extra_body: "",
  system_role: "instructions",
  store: true,
  reasoning: true,
  reasoning_summary: true,
  encrypted_reasoning: true,
  reasoning_replay: "encrypted",
  item_ids: true,
  item_id_length_max: 64,
  strict_tools: true,
  tool_choice: "all",
  parallel_tool_calls: true,
  custom_tool_calls: true,
  output_schema: "strict",
  tool_result_parts: true,
  image_urls: true,
  documents: "all",
  web_search: true,
  blocked_domains_field: "",
  max_tool_calls: true,
  max_output_tokens_min: 16,
  top_k: false,
  seed_field: "",
  penalties: false,
  stop_limit: 0,
  cache_key_field: "prompt_cache_key",
  cache_key_header: "",
  prompt_cache_options: false,
  cost_field: "cost",
  cost_units_per_usd: 1,
};

/** Reads an open record as this protocol's quirks. What is missing or of the wrong kind has its default. */
export function responsesQuirks(quirks: Quirks, traits: Quirks = {}): ResponsesQuirks {
  const given = (name: keyof ResponsesQuirks): unknown => traits[name] ?? quirks[name];
  const usual = responsesDefaults;
  const text = (name: keyof ResponsesQuirks, fallback: string): string => {
    const value = given(name);
    return typeof value === "string" ? value : fallback;
  };
  const flag = (name: keyof ResponsesQuirks, fallback: boolean): boolean => {
    const value = given(name);
    return typeof value === "boolean" ? value : fallback;
  };
  const number = (name: keyof ResponsesQuirks, fallback: number): number => {
    const value = given(name);
    return typeof value === "number" ? value : fallback;
  };
  const word = <Word extends string>(name: keyof ResponsesQuirks, words: readonly Word[], fallback: Word): Word =>
    words.find((candidate) => candidate === given(name)) ?? fallback;
  return {
    path: text("path", usual.path),
    count_path: text("count_path", usual.count_path),
    extra_body: text("extra_body", usual.extra_body),
    system_role: word("system_role", ["instructions", "system", "developer"], usual.system_role),
    store: flag("store", usual.store),
    reasoning: flag("reasoning", usual.reasoning),
    reasoning_summary: flag("reasoning_summary", usual.reasoning_summary),
    encrypted_reasoning: flag("encrypted_reasoning", usual.encrypted_reasoning),
    reasoning_replay: word("reasoning_replay", ["encrypted", "any", "none"], usual.reasoning_replay),
    item_ids: flag("item_ids", usual.item_ids),
    item_id_length_max: number("item_id_length_max", usual.item_id_length_max),
    strict_tools: flag("strict_tools", usual.strict_tools),
    tool_choice: word("tool_choice", ["all", "modes", "none"], usual.tool_choice),
    parallel_tool_calls: flag("parallel_tool_calls", usual.parallel_tool_calls),
    custom_tool_calls: flag("custom_tool_calls", usual.custom_tool_calls),
    output_schema: word("output_schema", ["strict", "plain", "object", "none"], usual.output_schema),
    tool_result_parts: flag("tool_result_parts", usual.tool_result_parts),
    image_urls: flag("image_urls", usual.image_urls),
    documents: word("documents", ["none", "data", "all"], usual.documents),
    web_search: flag("web_search", usual.web_search),
    blocked_domains_field: text("blocked_domains_field", usual.blocked_domains_field),
    max_tool_calls: flag("max_tool_calls", usual.max_tool_calls),
    max_output_tokens_min: number("max_output_tokens_min", usual.max_output_tokens_min),
    top_k: flag("top_k", usual.top_k),
    seed_field: text("seed_field", usual.seed_field),
    penalties: flag("penalties", usual.penalties),
    stop_limit: number("stop_limit", usual.stop_limit),
    cache_key_field: text("cache_key_field", usual.cache_key_field),
    cache_key_header: text("cache_key_header", usual.cache_key_header),
    prompt_cache_options: flag("prompt_cache_options", usual.prompt_cache_options),
    cost_field: text("cost_field", usual.cost_field),
    cost_units_per_usd: number("cost_units_per_usd", usual.cost_units_per_usd),
  };
}

/** What is wrong with quirks that a person wrote, one sentence each. */
export function responsesQuirkProblems(quirks: Quirks): readonly string[] {
  return Object.entries(quirks).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const usual = (responsesDefaults as Quirks)[name];
    if (usual === undefined) return [`"${name}" is not a quirk of the Responses API`];
    const read = (responsesQuirks({ [name]: value }) as Quirks)[name];
    return read === value ? [] : [`"${name}" cannot be ${JSON.stringify(value)}; usual: ${JSON.stringify(usual)}`];
  });
}
