/**
 * Tokens of one exchange. The parts never overlap and `total_tokens` is their sum, equal to the provider's own total.
 * A part the provider does not report is 0 and named in `unreported`.
 */
export type Usage = {
  /** Read and not cached. */
  readonly input_tokens: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Visible output, without thinking. */
  readonly output_tokens: number;
  readonly thinking_tokens: number;
  readonly total_tokens: number;
  /** How much of `cache_write_tokens` is billed at the one-hour price, where the provider says so. */
  readonly cache_write_1h_tokens?: number;
  readonly unreported?: readonly UsagePart[];
};

export const usageParts = [
  "input_tokens",
  "cache_read_tokens",
  "cache_write_tokens",
  "output_tokens",
  "thinking_tokens",
] as const;
export type UsagePart = (typeof usageParts)[number];

/** Builds a usage from the parts that are known; `undefined` means the provider did not say. */
export function usageFrom(
  parts: {
    readonly [part in UsagePart]: number | undefined;
  } & { readonly cache_write_1h_tokens?: number | undefined },
): Usage {
  const unreported = usageParts.filter((part) => parts[part] === undefined);
  const known = {
    input_tokens: parts.input_tokens ?? 0,
    cache_read_tokens: parts.cache_read_tokens ?? 0,
    cache_write_tokens: parts.cache_write_tokens ?? 0,
    output_tokens: parts.output_tokens ?? 0,
    thinking_tokens: parts.thinking_tokens ?? 0,
  };
  return {
    ...known,
    total_tokens: usageParts.reduce((sum, part) => sum + known[part], 0),
    ...(parts.cache_write_1h_tokens ? { cache_write_1h_tokens: parts.cache_write_1h_tokens } : {}),
    ...(unreported.length > 0 ? { unreported } : {}),
  };
}

/** A usage of nothing at all: what an answer has when its provider reported none. */
export const unreportedUsage: Usage = usageFrom({
  input_tokens: undefined,
  cache_read_tokens: undefined,
  cache_write_tokens: undefined,
  output_tokens: undefined,
  thinking_tokens: undefined,
});

export function addUsage(left: Usage, right: Usage): Usage {
  const oneHour = (left.cache_write_1h_tokens ?? 0) + (right.cache_write_1h_tokens ?? 0);
  const unreported = usageParts.filter((part) => left.unreported?.includes(part) || right.unreported?.includes(part));
  return {
    input_tokens: left.input_tokens + right.input_tokens,
    cache_read_tokens: left.cache_read_tokens + right.cache_read_tokens,
    cache_write_tokens: left.cache_write_tokens + right.cache_write_tokens,
    output_tokens: left.output_tokens + right.output_tokens,
    thinking_tokens: left.thinking_tokens + right.thinking_tokens,
    total_tokens: left.total_tokens + right.total_tokens,
    ...(oneHour > 0 ? { cache_write_1h_tokens: oneHour } : {}),
    ...(unreported.length > 0 ? { unreported } : {}),
  };
}
