import type { ErrorInfo } from "../core/index.ts";
import type { Call } from "./adapter.ts";
import { IkigaiError } from "./answer.ts";
import { failureInfo } from "./decode.ts";
import { Failure } from "./failure.ts";
import type { PrepareOptions, Resolved } from "./prepare.ts";
import type { ProviderRow } from "./provider.ts";
import { findKey, isBearer, missingAddress, missingKey } from "./settings.ts";
import { readRefusal, readWhole, send, type Fetch } from "./transport.ts";

export type NetworkOptions = PrepareOptions & {
  readonly signal?: AbortSignal;
  /** Instead of the built-in one. */
  readonly fetch?: Fetch;
  /** Instead of the key from settings or environment. */
  readonly key?: string;
};

/** One body for one call, for everything that is not an answer of a model. */
export async function fetchJson(resolved: Resolved, call: Call, options: NetworkOptions): Promise<unknown> {
  const { row, adapter, base_url, provider } = resolved;
  const gap = missingAddress(row, base_url);
  if (gap !== undefined) throw gap;
  const signal = AbortSignal.any([
    AbortSignal.timeout(smallCallTimeoutMs),
    ...(options.signal ? [options.signal] : []),
  ]);
  const fetch = await fetchFor(resolved, options);
  const headers = { ...call.headers, ...row.headers, ...provider.headers };
  const secrets = secretsFor(resolved, options);
  const response = await hinting(row, send({ ...call, headers }, { fetch, secrets, signal }));
  if (!response.ok) {
    const text = await readRefusal(response, call.url, secrets);
    throw new Failure(
      adapter.decodeError({ status: response.status, headers: response.headers, text, now: Date.now() }),
    );
  }
  return JSON.parse(await readWhole(response, call.url, listCharactersMax));
}

/** The headers that carry the key. A server on one's own machine may do without. */
export function secretsFor({ row, provider, adapter }: Resolved, options: NetworkOptions): Record<string, string> {
  const key = options.key ?? findKey(row, provider);
  if (key !== undefined) {
    if (row.key_header !== undefined) return { [row.key_header]: key };
    return isBearer(row, key) ? { authorization: `Bearer ${key}` } : adapter.authorize(key);
  }
  if (row.key_variables.length > 0 && row.local === undefined) throw missingKey(row, provider);
  return {};
}

/** Where nothing listens at a local server's address, the error says how to start it. */
export function withStartHint(error: ErrorInfo, { local, display_name }: ProviderRow): ErrorInfo {
  if (local === undefined || error.provider_code !== "ECONNREFUSED") return error;
  return { ...error, message: `${error.message} ${display_name} is started with \`${local.start}\`.` };
}

/** What is thrown inside leaves as the one error type. */
export async function guard<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof IkigaiError ? error : new IkigaiError(failureInfo(error));
  }
}

async function hinting<Result>(row: ProviderRow, work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Failure ? new Failure(withStartHint(error.info, row)) : error;
  }
}

const smallCallTimeoutMs = 60_000;
const listCharactersMax = 32 * 1024 * 1024;

/** The caller's own, else the provider's own, else the one of this machine. */
export async function fetchFor(resolved: Resolved, options: NetworkOptions): Promise<Fetch> {
  return options.fetch ?? (await resolved.row.fetch?.()) ?? ((url, init) => globalThis.fetch(url, init));
}
