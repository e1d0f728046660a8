import type { JsonObject } from "./json.ts";
import type { Message, TextBlock } from "./messages.ts";
import type { ThinkingConfig } from "./thinking.ts";

/** `parameters` is a JSON Schema of type object. `strict` (default true) is used where the provider has such a mode. */
export type ToolDefinition = {
  readonly name: string;
  readonly description?: string;
  readonly parameters: JsonObject;
  readonly strict?: boolean;
};

/** `parallel_allowed: false` asks for at most one call per answer. */
export type ToolChoice = { readonly parallel_allowed?: boolean } & (
  | { readonly mode: "auto" | "none" | "required" }
  | { readonly mode: "specific"; readonly name: string }
);

export type OutputFormat =
  | { readonly type: "json" }
  | {
      readonly type: "json_schema";
      readonly name: string;
      readonly schema: JsonObject;
      readonly description?: string;
      readonly strict?: boolean;
    };

/** The provider's own search of the web. Domains: those allowed, or else those left out; few providers take both. */
export type WebSearch = {
  /** False: off, as if the field were absent. */
  readonly enabled?: boolean;
  readonly max_uses?: number;
  readonly allowed_domains?: readonly string[];
  readonly blocked_domains?: readonly string[];
};

/** Everything a request can carry except the model it is meant for. Plain JSON. */
export type Conversation = {
  readonly system?: readonly TextBlock[];
  readonly messages: readonly Message[];
  readonly tools?: readonly ToolDefinition[];
  readonly tool_choice?: ToolChoice;
  readonly thinking?: ThinkingConfig;
  /** Visible output only; room for thinking is added where the provider counts both. Absent or −1: 16,384. */
  readonly max_output_tokens?: number;
  readonly temperature?: number;
  readonly top_p?: number;
  readonly top_k?: number;
  readonly presence_penalty?: number;
  readonly frequency_penalty?: number;
  readonly seed?: number;
  readonly stop_sequences?: readonly string[];
  readonly output_format?: OutputFormat;
  readonly web_search?: WebSearch;
  /** Default "auto": breakpoints and keys are placed so that the next turn is read from the cache. */
  readonly cache?: "auto" | "off" | "long";
  /** A stable name of this conversation; providers route requests with the same key to the same cache. */
  readonly cache_key?: string;
  /** What becomes of thinking that another model made: left out (default) or shown as marked text. */
  readonly foreign_thinking?: "omit" | "text";
  /** By provider name: fields merged into the body as they are, last. */
  readonly provider_options?: { readonly [provider: string]: JsonObject | undefined };
};

export type Request = Conversation & { readonly model: string };
