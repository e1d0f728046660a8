import {
  errorInfo,
  usageParts,
  type AssistantMessage,
  type ErrorCategory,
  type ErrorInfo,
  type FinishReason,
  type Usage,
} from "../../core/index.ts";
import type { Adapter, Quirks } from "../../llm/adapter.ts";
import { decodeResponse, type DecodedResponse } from "../../llm/decode.ts";
import { newToolCallId } from "../../llm/ids.ts";
import { builtinProviders } from "../../llm/registry.ts";
import { readExchange, type Exchange } from "./exchange.ts";
import { wireApi, providerFor, type WireApi } from "./labels.ts";

/** One line of `wire decode --json`. What is not known is null, never absent. */
export type DecodedLine = {
  readonly file: string;
  readonly provider: string | null;
  readonly api: string | null;
  /** Decoded, and neither the status nor the stream reported an error. */
  readonly ok: boolean;
  readonly events: number;
  readonly message: AssistantMessage | null;
  readonly finish_reason: FinishReason | null;
  readonly raw_finish_reason: string | null;
  readonly usage: UsageLine | null;
  readonly error: ErrorLine | null;
};

export type UsageLine = Omit<Usage, "unreported" | "cache_write_1h_tokens">;
export type ErrorLine = {
  readonly category: ErrorCategory;
  readonly http_status: number | null;
  readonly provider_code: string | null;
  readonly message: string;
  readonly retry_after_ms: number | null;
  readonly retryable: boolean;
};

/** The line for one value of a file, whatever it turns out to be. */
export async function decodeJson(file: string, json: unknown): Promise<DecodedLine> {
  const exchange = readExchange(json);
  if ("problem" in exchange) return failedLine(file, "not_an_exchange", `Not a recorded exchange: ${exchange.problem}`);
  return decodeExchange(file, exchange);
}

export async function decodeExchange(file: string, exchange: Exchange): Promise<DecodedLine> {
  const { provider, status } = exchange;
  const decoded = await decodeRecorded(exchange);
  if (decoded === undefined) {
    const line = failedLine(file, "unsupported_api", `${provider} ${exchange.api} is not an API this program speaks`);
    return { ...line, provider, api: exchange.api };
  }
  const { events, message, end } = decoded;
  const usage = end.usage === undefined ? null : usageLine(end.usage);
  return {
    file,
    provider,
    api: wireApi(exchange.api) ?? exchange.api,
    ok: end.type === "done",
    events: events.length,
    // A refusal by status has no answer, not even an empty one.
    message: status >= 400 ? null : message,
    finish_reason: end.type === "done" ? end.finish_reason : null,
    raw_finish_reason: end.type === "done" ? end.raw_finish_reason : null,
    usage,
    error: end.type === "error" ? errorLine(end.error) : null,
  };
}

/** An exchange through the adapter of its API, or undefined for an API we do not speak. `pieces` cuts it anywhere. */
export async function decodeRecorded(
  exchange: Exchange,
  options: { readonly pieces?: readonly string[] } = {},
): Promise<DecodedResponse | undefined> {
  const api = wireApi(exchange.api);
  if (api === undefined) return undefined;
  const provider = providerFor(exchange.provider, api);
  const response = { ...exchange, provider, api, quirks: quirksFor(provider, api) };
  const now = exchange.received_at ?? Date.now();
  return decodeResponse(await adapterFor(api), response, { newId: newToolCallId, now, ...options });
}

export function adapterFor(api: WireApi): Promise<Adapter> {
  return adapters[api]();
}

/** A file or value that gives no answer to decode. */
export function failedLine(file: string, provider_code: string, message: string): DecodedLine {
  const error = errorLine(errorInfo({ category: "invalid_argument", provider_code, message }));
  const nothing = { message: null, finish_reason: null, raw_finish_reason: null, usage: null };
  return { file, provider: null, api: null, ok: false, events: 0, ...nothing, error };
}

export function quirksFor(provider: string, api: WireApi): Quirks {
  const row = builtinProviders.find((candidate) => candidate.name === provider);
  return row?.apis.find((candidate) => candidate.name === api)?.quirks ?? {};
}

/** The six figures, or null where the provider reported not one of them. */
function usageLine(usage: Usage): UsageLine | null {
  if (usageParts.every((part) => usage.unreported?.includes(part))) return null;
  const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, total_tokens } = usage;
  return { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, total_tokens };
}

function errorLine(error: ErrorInfo): ErrorLine {
  return {
    category: error.category,
    http_status: error.http_status ?? null,
    provider_code: error.provider_code ?? null,
    message: error.message,
    retry_after_ms: error.retry_after_ms ?? null,
    retryable: error.retryable,
  };
}

const adapters: { readonly [api in WireApi]: () => Promise<Adapter> } = {
  messages: () => import("../../llm/protocols/messages/index.ts").then(({ messages }) => messages),
  responses: () => import("../../llm/protocols/responses/index.ts").then(({ responses }) => responses),
  chat: () => import("../../llm/protocols/chat/index.ts").then(({ chat }) => chat),
  generateContent: () => import("../../llm/protocols/gemini/index.ts").then(({ gemini }) => gemini),
};
