/** A request as it is compared and kept: no key, no header that is not known to be harmless. */
import { parseJson } from "../../core/json.ts";
import { base64, utf8Text, type RequestLine } from "./lines.ts";

/** What a caller handed to `fetch`, read once. */
export type Outgoing = {
  readonly line: RequestLine;
  readonly headers: Headers;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly signal: AbortSignal;
};

export async function readRequest(input: RequestInfo | URL, init: RequestInit | undefined): Promise<Outgoing> {
  const request = new Request(input, init);
  const bytes = new Uint8Array(await request.arrayBuffer());
  const { method, url, headers, signal } = request;
  const line: RequestLine = { type: "request", method, url, headers: kept(headers, requestHeaders), ...bodyOf(bytes) };
  return { line, headers, bytes, signal };
}

export function keptResponseHeaders(headers: Headers): Readonly<Record<string, string>> {
  return kept(headers, responseHeaders);
}

function kept(headers: Headers, names: RegExp): Readonly<Record<string, string>> {
  return Object.fromEntries([...headers].filter(([name]) => names.test(name)));
}

function bodyOf(bytes: Uint8Array): Pick<RequestLine, "body" | "body_text" | "body_base64"> {
  if (bytes.length === 0) return {};
  const text = utf8Text(bytes);
  if (text === undefined) return { body_base64: base64(bytes) };
  const parsed = parseJson(text);
  return parsed === undefined ? { body_text: text } : { body: parsed };
}

const requestHeaders = /^(accept|content-type|anthropic-version|anthropic-beta|openai-beta)$/;

/** What a program may act upon; nothing that names an account. */
const responseHeaders =
  /^(content-type|(x-)?request-id|x-generation-id|retry-after(-ms)?|x-should-retry|x-mock-rule|(x|anthropic)-ratelimit-.+)$/;
