/** The vocabulary of the emulator: what a test says, what a program sent, what goes back over the wire. */
import type { JsonObject, JsonValue } from "../../core/json.ts";

export type WireName = "messages" | "responses" | "chat" | "gemini";

/** One string is streamed in small pieces; a list is streamed in exactly these pieces. */
export type Pieces = string | readonly string[];

export type Citation = { readonly url: string; readonly title?: string; readonly cited_text?: string };

export type ScriptedToolCall = {
  readonly name: string;
  /** An object, or the exact text (which need not be JSON). Left out: a call without arguments. */
  readonly arguments?: JsonObject | string;
  readonly id?: string;
};

/** A block of an answer where the order matters more than the shorthand fields of `Answer` allow. */
export type AnswerBlock =
  | { readonly type: "thinking"; readonly text: Pieces }
  | { readonly type: "redacted_thinking" }
  | { readonly type: "omitted_thinking" }
  | {
      readonly type: "text";
      readonly text: Pieces;
      readonly phase?: "commentary" | "final_answer";
      readonly citations?: readonly Citation[];
    }
  | { readonly type: "refusal"; readonly text: Pieces }
  | ({ readonly type: "tool_call" } & ScriptedToolCall);

export type ScriptedUsage = {
  readonly input_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly output_tokens?: number;
  readonly thinking_tokens?: number;
};

export type FinishWord = "stop" | "length" | "tool_use" | "content_filter";

/**
 * What the model says, in no provider's words. The request decides what of the thinking is shown: with thinking off
 * there is none, with the text withheld there are signatures only.
 */
export type Answer = {
  /** Two words are special: `redacted` is a block nobody can read, `omitted` one whose text is withheld. */
  readonly thinking?: Pieces;
  readonly text?: Pieces;
  readonly tool_calls?: readonly ScriptedToolCall[];
  readonly refusal?: Pieces;
  readonly citations?: readonly Citation[];
  /** Replaces the five fields above. */
  readonly blocks?: readonly AnswerBlock[];
  readonly finish?: FinishWord;
  /** The provider's own word, sent as it is. */
  readonly raw_finish?: string;
  readonly usage?: ScriptedUsage;
  /** The id of the model that claims to have answered. */
  readonly model?: string;
  /** Gemini: the prompt is blocked with this reason, there is no candidate. Elsewhere: the same as `content_filter`. */
  readonly blocked?: string;
};

export type CustomError = {
  readonly status: number;
  readonly message?: string;
  readonly type?: string;
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole body, text or JSON; otherwise it is made in the provider's shape from the fields above. */
  readonly body?: JsonValue;
};

export type FaultKind =
  | "cut"
  | "stall"
  | "slow"
  | "keep_alives_only"
  | "split"
  | "garbage"
  | "reset"
  | "late_error"
  | "wrong_content_type"
  | "error_in_200"
  | "never_ending"
  | "stay_open"
  | "thinking_eats_limit";

export type Fault = {
  readonly kind: FaultKind;
  /** Where in the stream: after so many frames (events), or bytes. Left out: a seeded place. */
  readonly after_frames?: number;
  readonly after_bytes?: number;
  /** slow, keep_alives_only, never_ending: the time between frames. */
  readonly delay_ms?: number;
  /** split: bytes per piece. Left out: seeded sizes from 1 to 7. */
  readonly size?: number;
  /** garbage: the bytes put in. wrong_content_type: a body in place of the real one. */
  readonly text?: string;
  readonly content_type?: string;
  /** late_error, error_in_200: a named error of the wire (`overloaded` when left out) or one of your own. */
  readonly error?: string | CustomError;
  /** late_error on the Responses wire: the three forms seen in the wild. */
  readonly form?: "nested" | "flat" | "failed_only";
};

export type Match = {
  readonly wire?: WireName;
  readonly dialect?: string;
  readonly model?: string;
  /** The last user text contains this. */
  readonly text?: string;
  /** Regular expression over the last user text. */
  readonly pattern?: string;
  /** The request ends with tool results. */
  readonly tool_results?: boolean;
  readonly stream?: boolean;
};

export type ScriptEntry = {
  readonly match?: Match;
  readonly answer?: Answer;
  readonly error?: string | CustomError;
  readonly fault?: FaultKind | Fault;
  /** Characters per streamed piece. Left out: seeded sizes. */
  readonly chunk_size?: number;
  /** Time between frames. */
  readonly delay_ms?: number;
  /** How often the entry may be used; 1 when left out. */
  readonly times?: number | "always";
};

export type MockToolCall = { readonly id: string; readonly name: string; readonly arguments: JsonValue };
export type MockToolResult = { readonly id: string; readonly text: string; readonly is_error: boolean };
export type MockMessage = {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: string;
  readonly tool_calls: readonly MockToolCall[];
  readonly tool_results: readonly MockToolResult[];
};
export type MockTool = { readonly name: string; readonly schema: JsonObject };

/** A request in no provider's words: what rules in code look at. */
export type MockRequest = {
  readonly wire: WireName;
  readonly dialect: string;
  readonly model: string;
  readonly stream: boolean;
  readonly system: string;
  readonly messages: readonly MockMessage[];
  readonly tools: readonly MockTool[];
  readonly tool_choice: "auto" | "none" | "required" | { readonly name: string };
  readonly thinking: { readonly on: boolean; readonly shown: boolean };
  /** The limit of the answer in tokens, thinking included. */
  readonly max_tokens: number;
  readonly stop_sequences: readonly string[];
  readonly format_schema?: JsonObject;
  readonly body: JsonObject;
};

export type AnswerRule = (request: MockRequest) => Answer | ScriptEntry | undefined;

/** One exchange as the emulator saw it. Keys are never kept. */
export type RecordedRequest = {
  readonly number: number;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonValue | undefined;
  readonly wire?: WireName;
  readonly dialect?: string;
  readonly endpoint?: string;
  readonly model?: string;
  readonly status: number;
  /** The rule that refused the request. */
  readonly rule?: string;
  readonly fault?: FaultKind;
};

export type EmulatorOptions = {
  /** Everything that looks random follows from it. */
  readonly seed?: number;
  readonly script?: readonly ScriptEntry[];
  /** Answers what the script does not; `undefined` falls through to the echo. */
  readonly rule?: AnswerRule;
  readonly faults?: { readonly seed?: number; readonly rate: number; readonly kinds?: readonly FaultKind[] };
  /** The keys that are accepted. Left out: any that is not empty. */
  readonly keys?: readonly string[];
  readonly bad_keys?: readonly string[];
  readonly delay_ms?: number;
  readonly chunk_size?: number;
  /** `own`: only signatures made here are good. `any`: whatever has the right shape (for recorded requests). */
  readonly signatures?: "own" | "any";
  readonly unknown_models?: "refuse" | "serve";
  readonly retired_models?: "refuse" | "serve";
  /** More model ids, each with the rules of a known one. */
  readonly models?: readonly { readonly id: string; readonly like: string }[];
  /** The smallest prefix that is cached, in place of the providers' own (512 to 4,096 tokens). */
  readonly cache_min_tokens?: number;
  /** Padding, pings, comments and obfuscation as in real streams; on when left out. */
  readonly noise?: boolean;
  /** How many requests are remembered. */
  readonly requests_max?: number;
  /** Told of every request, after its answer was decided. */
  readonly onRequest?: (request: RecordedRequest) => void;
  readonly now?: () => number;
};

/** What a refusal says, before a dialect gives it its shape. */
export type Refusal = {
  readonly status: number;
  readonly message: string;
  /** Anthropic and OpenAI `type`, Google `status`. */
  readonly type?: string;
  readonly code?: string | null;
  readonly param?: string | null;
  readonly details?: JsonValue;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: JsonValue;
  readonly rule?: string;
};

/** One HTTP request as the transport hands it in. Header names are lower case. */
export type Incoming = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
};

/** What the transport does, one after the other. */
export type Step =
  | { readonly do: "send"; readonly bytes: Uint8Array }
  | { readonly do: "wait"; readonly ms: number }
  /** Nothing more comes, the connection stays open. */
  | { readonly do: "hang" }
  /** The connection breaks. */
  | { readonly do: "reset" };

export type Reply = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly steps: Iterable<Step>;
  /** Every piece is sent on its own, not together with its neighbours. */
  readonly apart?: boolean;
};
