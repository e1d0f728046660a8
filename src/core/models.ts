import type { ThinkingSpec } from "./thinking.ts";
import type { Usage } from "./usage.ts";

/** US dollars per million tokens. */
export type Prices = {
  readonly input: number;
  readonly output: number;
  readonly cache_read?: number;
  readonly cache_write?: number;
  readonly cache_write_1h?: number;
};

/** These prices hold for the whole request once its input (cached or not) is larger than `above_input_tokens`. */
export type PriceTier = Prices & { readonly above_input_tokens: number };

export type ModelInfo = {
  /** The id on the wire. */
  readonly id: string;
  readonly provider: string;
  readonly display_name: string;
  /** Other ids the provider takes for the same model: dated snapshots, moving names. */
  readonly aliases: readonly string[];
  /** Names people use that the provider does not know: understood, never sent. */
  readonly spellings?: readonly string[];
  readonly context_tokens: number;
  /** The provider's ceiling for one answer, thinking included where it counts both. */
  readonly output_tokens_max: number;
  readonly thinking: ThinkingSpec;
  readonly capabilities: {
    readonly tools: boolean;
    readonly vision: boolean;
    /** PDF and the like. Absent: as for images. */
    readonly documents?: boolean;
    readonly streaming: boolean;
    /** When temperature and its kin may be sent. */
    readonly sampling: "always" | "without_thinking" | "never";
    /** Whether a tool can be forced (`required`, `specific`). */
    readonly forced_tools: "always" | "without_thinking" | "never";
    readonly stop_sequences: boolean;
  };
  readonly prices?: Prices;
  readonly price_tiers?: readonly PriceTier[];
  /** ISO dates. A date in the past means the provider no longer serves it. */
  readonly retires_at?: string;
  readonly successor?: string;
  /** Facts of one provider only, read by its adapter. */
  readonly traits?: { readonly [trait: string]: string | number | boolean | undefined };
  /** Not in the registry: built from its family's defaults. */
  readonly unknown?: true;
};

/** Whose figure a cost is: the bill of the provider, or the prices of the registry. */
export type CostSource = "provider" | "registry";

/** A model the registry does not know, or what a person knows better of one it does. */
export type ModelCorrection = Pick<ModelInfo, "id" | "provider"> &
  Partial<Omit<ModelInfo, "id" | "provider" | "capabilities">> & {
    readonly capabilities?: Partial<ModelInfo["capabilities"]>;
  };

/** Money for one exchange, or undefined where the price is not known. Thinking is billed as output everywhere. */
export function costOf(usage: Usage, model: Pick<ModelInfo, "prices" | "price_tiers">): number | undefined {
  if (model.prices === undefined) return undefined;
  const read = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
  const prices = tierFor(read, model.prices, model.price_tiers ?? []);
  const writtenForAnHour = usage.cache_write_1h_tokens ?? 0;
  const dollarsPerMillion =
    usage.input_tokens * prices.input +
    usage.cache_read_tokens * (prices.cache_read ?? prices.input) +
    (usage.cache_write_tokens - writtenForAnHour) * (prices.cache_write ?? prices.input) +
    writtenForAnHour * (prices.cache_write_1h ?? prices.cache_write ?? prices.input) +
    (usage.output_tokens + usage.thinking_tokens) * prices.output;
  return dollarsPerMillion / 1_000_000;
}

function tierFor(inputTokens: number, base: Prices, tiers: readonly PriceTier[]): Prices {
  let chosen: { prices: Prices; above: number } = { prices: base, above: -1 };
  for (const tier of tiers) {
    if (inputTokens > tier.above_input_tokens && tier.above_input_tokens > chosen.above) {
      chosen = { prices: tier, above: tier.above_input_tokens };
    }
  }
  return chosen.prices;
}
