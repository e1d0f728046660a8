/** What a row of the table of dialects says. */
import type { Family } from "./models.ts";
import type { Refusal, WireName } from "./types.ts";

export const mebibyte = 1_048_576;

/** How an error body is built. */
export type ErrorShape = "anthropic" | "openai" | "google" | "code_and_text" | "routed" | "numbered" | "text_only";

export type Quirks = {
  /** Sent as SSE comments before the first frame and as keep-alive. */
  readonly comment?: string;
  /** Frames carry padding against reading their length. */
  readonly padding?: boolean;
  /** The Responses wire ends with `data: [DONE]`. */
  readonly done_after_responses?: boolean;
  /** Responses: reasoning is encrypted once when it begins, in a form that cannot be sent back, and again when done. */
  readonly unfinished_encryption?: boolean;
  /** Responses: there is a summary whether it was asked for or not. */
  readonly summary_always?: boolean;
  /** Responses: thinking is plain text in the item's content, and nothing is encrypted. */
  readonly reasoning_text?: boolean;
  /** Arguments come in one piece (Responses: one delta; Chat: the whole call in one chunk). */
  readonly whole_tool_calls?: boolean;
  /** Ids of answers. */
  readonly ids?: "uuid" | "gen" | "short";
  /** Where Chat puts thinking text; left out: Chat shows none. */
  readonly reasoning_field?: "reasoning_content" | "reasoning";
  /** Chat: thinking also as entries that can be sent back. */
  readonly reasoning_details?: boolean;
  /** Chat: the `reasoning` object is understood. */
  readonly reasoning_object?: boolean;
  /** Chat usage: reasoning is not part of the completion tokens. */
  readonly completion_excludes_reasoning?: boolean;
  /** Chat usage: what is reported beside the three sums. */
  readonly usage_details?: "all" | "cached" | "none";
  /** Chat: usage is sent without being asked for, on a chunk that repeats the finish reason. */
  readonly usage_with_finish?: boolean;
  /** Chat and Responses: what it cost, in the provider's own field. */
  readonly cost?: "cost" | "cost_in_usd_ticks";
  /** Chat: role and content on every chunk. */
  readonly role_everywhere?: boolean;
  /** Chat: no finish_reason at all until there is one. */
  readonly finish_key_late?: boolean;
  /** Chat: the upstream's own word beside the finish reason. */
  readonly native_finish?: boolean;
  /** Chat: a late error is a chunk with a finish reason. */
  readonly error_as_chunk?: boolean;
  /** The list of models says more than their names. */
  readonly model_card?: "routed" | "max_model_len" | "n_ctx";
  /** The role `developer` is not known. */
  readonly no_developer_role?: boolean;
  /** Only `tool_choice: "auto"`. */
  readonly tool_choice_auto_only?: boolean;
  readonly no_recursive_schemas?: boolean;
};

export type Dialect = {
  readonly name: string;
  /** The path before the wire's own. */
  readonly prefix: string;
  /** What a client's base URL ends with behind the prefix. */
  readonly base_path: "" | "/v1" | "/v1beta";
  /** Answers without the prefix, too. */
  readonly plain: boolean;
  readonly family: Family;
  /** Whose models and named errors these are. */
  readonly catalogue: string;
  readonly wires: readonly WireName[];
  readonly errors: ErrorShape;
  /** Where the key may be, in the order it is looked for. */
  readonly auth: readonly ("x-api-key" | "api-key" | "bearer" | "x-goog-api-key" | "query")[];
  readonly key_optional: boolean;
  readonly no_key: Refusal;
  /** `{key}` is the key, mostly blacked out. */
  readonly bad_key: Refusal;
  readonly bad_json: string;
  readonly body_bytes_max: number;
  /** Rules of the wire that do not hold here, by id. */
  readonly without_rules?: readonly string[];
  /** Other words for a refusal, by rule id; `{model}`, `{tokens}` and `{context}` are filled in. */
  readonly words?: Readonly<Record<string, Partial<Refusal>>>;
  /** Fields of the body the wire itself does not have. */
  readonly more_fields?: readonly string[];
  readonly quirks: Quirks;
};
