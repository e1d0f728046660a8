import { errorInfo, type ErrorInfo } from "../core/index.ts";
import type { Call } from "./adapter.ts";
import { maskSecrets } from "./error-patterns.ts";
import { Failure, invalidArgument } from "./failure.ts";
import { networkError } from "./network.ts";

/** The part of `fetch` that is used, so that anything that behaves like it can be passed in. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** What a response says besides its body. */
export type ResponseInfo = {
  readonly status: number;
  readonly request_id?: string;
  /** Rate-limit headers as the provider sent them. */
  readonly rate_limits: { readonly [header: string]: string };
};

export type SendOptions = {
  readonly fetch: Fetch;
  /** Headers that carry the key. They are put on here and nowhere else. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

/** The only I/O of the provider layer: performs one described call. */
export async function send(call: Call, options: SendOptions): Promise<Response> {
  const { fetch, secrets, signal } = options;
  checkAddressAndHeaders(call, secrets);
  // A redirect would carry the key to another host.
  const init: RequestInit = {
    method: call.method,
    headers: { ...call.headers, ...secrets },
    signal,
    redirect: "manual",
    ...(call.body === undefined ? {} : { body: bodyText(call.body) }),
  };
  try {
    // The race is for a fetch that does not listen to its signal.
    return await Promise.race([fetch(call.url, init), rejectOnAbort(signal)]);
  } catch (error) {
    throw new Failure(networkError(error, call.url));
  }
}

/** What can never be sent is nobody's network. And `fetch` repeats a header it cannot send, which may be the key. */
function checkAddressAndHeaders(call: Call, secrets: SendOptions["secrets"]): void {
  if (!URL.canParse(call.url)) throw invalidArgument(`"${maskSecrets(call.url)}" is not an address; mend base_url`);
  if (!areHeaders(secrets)) {
    const message = "The key holds a line break or a character that no header can carry; set it again";
    throw new Failure(errorInfo({ category: "auth", message, provider_code: "unsendable_key" }));
  }
  const names = Object.keys(call.headers).filter((name) => !areHeaders({ [name]: call.headers[name] ?? "" }));
  if (names.length > 0) throw invalidArgument(`These headers cannot be sent as they are: ${names.join(", ")}`);
}

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    void new Headers(headers);
    return true;
  } catch {
    return false;
  }
}

function bodyText(body: NonNullable<Call["body"]>): string {
  try {
    return JSON.stringify(body);
  } catch (error) {
    const reason = error instanceof Error ? error.message.split("\n", 1)[0] : "";
    throw invalidArgument(`The request cannot be written as JSON: ${reason}`);
  }
}

/** The body of a refusal. A server that repeats our key in it does not get it into an error message. */
export async function readRefusal(response: Response, url: string, secrets: SendOptions["secrets"]): Promise<string> {
  const text = await readWhole(response, url, refusalCharactersMax);
  const keys = Object.values(secrets).map((value) => value.replace(/^Bearer /, ""));
  return keys.filter((key) => key.length >= keyCharactersMin).reduce((rest, key) => rest.replaceAll(key, "***"), text);
}

/** A body as text, up to a limit: some proxies answer a refusal with a whole web page. */
export async function readWhole(response: Response, url: string, charactersMax: number): Promise<string> {
  const pieces: string[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  try {
    while (reader !== undefined && size <= charactersMax) {
      const { done, value } = await reader.read();
      const text = done ? decoder.decode() : decoder.decode(value, { stream: true });
      size += text.length;
      pieces.push(text);
      if (done) break;
    }
  } catch (error) {
    throw new Failure(networkError(error, url));
  } finally {
    reader?.cancel().catch(() => {});
  }
  return pieces.join("");
}

export function isRedirect(response: Response): boolean {
  return response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400);
}

export function redirected(response: Response): ErrorInfo {
  const to = maskSecrets(response.headers.get("location") ?? "another address");
  const message = `The server redirects to ${to}; set base_url to where it really is (keys are not sent along)`;
  return errorInfo({ category: "not_found", message, http_status: response.status, provider_code: "redirect" });
}

export function responseInfo(response: Response): ResponseInfo {
  const rate_limits: Record<string, string> = {};
  response.headers.forEach((value, name) => {
    if (/rate-?limit|^retry-after/i.test(name)) rate_limits[name] = value;
  });
  const request_id = idHeaders.map((name) => response.headers.get(name)).find((value) => value !== null);
  return { status: response.status, rate_limits, ...(request_id ? { request_id } : {}) };
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

const refusalCharactersMax = 256 * 1024;
const idHeaders = ["request-id", "x-request-id", "x-generation-id"];
/** Anything shorter is a stand-in, and may be a part of any word. */
const keyCharactersMin = 8;
