import type {
  ErrorInfo,
  JsonObject,
  Loss,
  ModelInfo,
  Note,
  OutputLimits,
  ProjectionRules,
  Request,
  ThinkingConfig,
  ThinkingPlan,
  ToolCallId,
  Usage,
} from "../core/index.ts";
import type { BlockWriter } from "./writer.ts";

/** Where a request goes. Everything an adapter needs besides the request; holds no key. */
export type Target = {
  readonly provider: string;
  readonly api: string;
  readonly model: ModelInfo;
  readonly base_url: string;
  readonly stream: boolean;
  readonly plan: ThinkingPlan;
  /** Facts of one deployment (which system role, which token field …), read by the protocol it speaks. */
  readonly quirks: Quirks;
};

export type Quirks = { readonly [quirk: string]: string | number | boolean | undefined };

/** One HTTP exchange, described but not performed. `body` is serialised as it stands. */
export type Call = {
  readonly method: "GET" | "POST";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
  readonly framing: "sse" | "json" | "ndjson";
  readonly notes: readonly Note[];
  /** Set where the model binds its thinking to the prefix it was made for: a hash of the prefix as sent. */
  readonly prefix_hash?: string;
  /** What encoding itself left out of the history. */
  readonly losses?: readonly Loss[];
};

/** Frames in, events out, no awaiting: a network chunk with 40 frames costs one turn of the event loop. */
export type Decoder = {
  /** One SSE frame (or one NDJSON line). */
  readonly frame: (data: string, event?: string) => void;
  /** A whole body where the server did not stream: the same events, ending in `done` or `error`. */
  readonly body: (json: unknown) => void;
  /** The bytes are over. Writes `done` if the provider's ending makes that legal, else an `error`. */
  readonly end: () => void;
  /** The provider has said how it ended although more may follow; silence from here on means the end. */
  readonly settled?: () => boolean;
  /** What the provider has reported so far, for an answer that is cut short. */
  readonly usage?: () => Usage | undefined;
};

export type DecoderContext = {
  readonly out: BlockWriter;
  readonly newId: () => ToolCallId;
  readonly provider: string;
  /** The id that was asked for; goes into `opaque.model`. */
  readonly model: string;
  readonly headers: Headers;
  readonly quirks: Quirks;
  readonly now: number;
  readonly prefix_hash?: string;
  /** The decoder may keep what it has written, to say where in it a citation belongs. */
  readonly keeps_text?: boolean;
};

/** A response that is not a success, or an error object inside one that is (`status` 200). */
export type Refusal = {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text; adapters parse it themselves, since proxies answer in HTML. */
  readonly text: string;
  /** Milliseconds since the epoch, for headers that name a point in time. */
  readonly now: number;
};

export type ListedModel = {
  readonly id: string;
  readonly display_name?: string;
  readonly context_tokens?: number;
  readonly output_tokens_max?: number;
  readonly retires_at?: string;
};

/** What a provider can do, as pure functions over plain data. No I/O, no clock, no dice. */
export type Adapter = {
  readonly plan: (model: ModelInfo, thinking: ThinkingConfig, limits: OutputLimits, quirks?: Quirks) => ThinkingPlan;
  readonly projection: (target: ProjectionTarget) => ProjectionRules;
  readonly encode: (request: Request, target: Target) => Call;
  readonly authorize: (key: string) => Record<string, string>;
  readonly decoder: (context: DecoderContext) => Decoder;
  readonly decodeError: (refusal: Refusal) => ErrorInfo;
  readonly listModels?: {
    readonly encode: (base_url: string, page?: string) => Call;
    readonly decode: (body: unknown) => { readonly models: readonly ListedModel[]; readonly next_page?: string };
  };
  readonly countTokens?: {
    readonly encode: (request: Request, target: Target) => Call;
    readonly decode: (body: unknown) => number;
  };
};

export type ProjectionTarget = { readonly provider: string; readonly model: ModelInfo; readonly quirks: Quirks };
