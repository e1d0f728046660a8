/** What one exchange knows, and what a wire makes of it. */
import type { JsonObject } from "../../core/json.ts";
import type { Dialect } from "./dialect.ts";
import type { GeminiModel, MessagesModel, OpenAiModel } from "./models.ts";
import type { Random } from "./random.ts";
import type { Route } from "./route.ts";
import type { Signatures } from "./signatures.ts";
import type { CacheUse, PromptCache, Segment } from "./tokens.ts";
import type { Turn } from "./turn.ts";
import type { EmulatorOptions, Incoming, MockRequest, Refusal } from "./types.ts";

/** What the emulator remembers between exchanges. */
export type World = {
  readonly options: EmulatorOptions;
  readonly signatures: Signatures;
  readonly cache: PromptCache;
  readonly models: {
    readonly messages: readonly MessagesModel[];
    /** By catalogue. */
    readonly openai: Readonly<Record<string, readonly OpenAiModel[]>>;
    readonly gemini: readonly GeminiModel[];
  };
  /** Item ids that may only come back together with the reasoning item they were made with. */
  readonly reasoning_of: Map<string, string>;
  /** Responses kept on the server: their input and output items. */
  readonly stored: Map<string, readonly JsonObject[]>;
  readonly now: () => number;
};

export type Exchange = {
  readonly number: number;
  readonly incoming: Incoming;
  readonly route: Route;
  readonly world: World;
  readonly random: Random;
  readonly body: JsonObject;
};

/** One request, read by the wire it came in on. */
export type Session = {
  readonly request: MockRequest;
  readonly segments: readonly Segment[];
  readonly refuse: () => Refusal | undefined;
  readonly cacheUse: () => CacheUse;
  readonly framing: "sse" | "json";
  readonly stream: (turn: Turn) => Iterable<string>;
  readonly whole: (turn: Turn) => JsonObject;
  /** An error in the middle of a stream that began with 200. */
  readonly lateError: (status: number, body: JsonObject, form: "nested" | "flat" | "failed_only") => string[];
  readonly keepAlive: () => string;
  readonly headers: () => Readonly<Record<string, string>>;
};

/** One thing the provider refuses. Rows are checked in order; the first that objects answers. */
export type Rule<Context> = {
  readonly id: string;
  readonly about: string;
  readonly check: (context: Context) => Refusal | undefined;
};

export function runRules<Context>(
  rules: readonly Rule<Context>[],
  context: Context,
  dialect: Dialect,
): Refusal | undefined {
  for (const rule of rules) {
    if (dialect.without_rules?.includes(rule.id) === true) continue;
    const refusal = rule.check(context);
    if (refusal !== undefined) return { ...refusal, ...dialect.words?.[rule.id], rule: rule.id };
  }
  return undefined;
}

/** The same refusal with the names and numbers a dialect's own words leave open. */
export function filledIn(refusal: Refusal | undefined, facts: Readonly<Record<string, string>>): Refusal | undefined {
  if (refusal === undefined) return undefined;
  return { ...refusal, message: refusal.message.replace(/\{(\w+)\}/g, (gap, name: string) => facts[name] ?? gap) };
}

/** The first refusal among many places to look. */
export function firstRefusal<Item>(
  items: Iterable<Item>,
  look: (item: Item, index: number) => Refusal | undefined,
): Refusal | undefined {
  let index = 0;
  for (const item of items) {
    const refusal = look(item, index++);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
