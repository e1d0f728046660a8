import type { Usage } from "../../core/index.ts";

/** `Tokens: I in + O out + T thinking (C cached) = total · $cost · time` */
export function exchangeLine(exchange: {
  readonly usage: Usage;
  readonly cost_usd?: number;
  readonly duration_ms?: number;
}): string {
  const { usage, cost_usd, duration_ms } = exchange;
  const cached = usage.cache_read_tokens;
  const unknown = (part: "input_tokens" | "output_tokens"): boolean => usage.unreported?.includes(part) === true;
  const read = unknown("input_tokens") ? "?" : count(usage.input_tokens + cached + usage.cache_write_tokens);
  const written = unknown("output_tokens") ? "?" : count(usage.output_tokens);
  const total = usage.total_tokens === 0 && unknown("input_tokens") ? "?" : count(usage.total_tokens);
  const parts = `${read} in + ${written} out + ${count(usage.thinking_tokens)} thinking (${count(cached)} cached)`;
  const time = duration_ms === undefined ? "" : ` · ${seconds(duration_ms)}`;
  return `Tokens: ${parts} = ${total} · ${money(cost_usd)}${time}`;
}

/** An unknown price is never 0. */
export function money(usd: number | undefined): string {
  if (usd === undefined) return "$?";
  if (usd > 0 && usd < 0.000_05) return "<$0.0001";
  return `$${usd.toFixed(usd > 0 && usd < 0.995 ? 4 : 2)}`;
}

export function count(tokens: number): string {
  return tokens.toLocaleString("en-US");
}

/** `0.1s`, `14s`, `2m05s` */
export function seconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)}s`;
  const whole = Math.round(ms / 1000);
  const two = (value: number): string => String(value).padStart(2, "0");
  if (whole < 60) return `${whole}s`;
  if (whole < 3600) return `${Math.floor(whole / 60)}m${two(whole % 60)}s`;
  return `${Math.floor(whole / 3600)}h${two(Math.floor(whole / 60) % 60)}m`;
}

/** `0.1 s`, `2 min 5 s`: for reading aloud. */
export function spokenSeconds(ms: number): string {
  if (ms < 9_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export function plural(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** The part of an id people type. */
export function shortId(uuid: string): string {
  return uuid.slice(0, 4);
}
