import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import { isIP } from "node:net";
import { pipeline } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { isPrivateAddress } from "./addresses.ts";

export type Page = {
  readonly url: string;
  readonly status: number;
  readonly content_type: string;
  readonly bytes: Buffer;
  /** The page was longer. */
  readonly is_cut: boolean;
};

export type FetchOptions = {
  readonly signal: AbortSignal;
  /** Hosts on a private network that a person has allowed: `localhost`, `localhost:3000`. */
  readonly private_hosts: readonly string[];
  /** Whether a redirect may lead to another host. */
  readonly mayVisit: (host: string) => boolean;
};

/** A page that was not read, and why. */
export class NotFetched extends Error {}

/** Fetches one page: few redirects, a limited size, and no address of a private network, looked at when it is connected to. */
export async function fetchPage(start: string, options: FetchOptions): Promise<Page> {
  let url = webAddress(start);
  for (let hop = 0; hop <= redirectsMax; hop += 1) {
    const response = await answerOf(url, options);
    const { statusCode = 0, headers } = response;
    if (statusCode < 300 || statusCode > 399 || headers.location === undefined) return readBody(response, url);
    response.destroy();
    const next = webAddress(new URL(headers.location, url).href);
    if (next.host !== url.host && !options.mayVisit(next.hostname)) {
      throw new NotFetched(`${url.href} sends you to another host: ${next.href}. Fetch that address if you want it.`);
    }
    url = next;
  }
  throw new NotFetched(`${start} redirects more than ${redirectsMax} times.`);
}

export function webAddress(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new NotFetched(`"${text}" is no http(s) address.`);
  if (url.username !== "" || url.password !== "") throw new NotFetched("Addresses with a password are not fetched.");
  return url;
}

function answerOf(url: URL, { signal, private_hosts }: FetchOptions): Promise<IncomingMessage> {
  const mayBePrivate = private_hosts.includes(url.hostname) || private_hosts.includes(url.host);
  // An address written as a number is not looked up.
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (isIP(host) !== 0 && !mayBePrivate && isPrivateAddress(host)) throw privateProblem(url.hostname);
  const isSecure = url.protocol === "https:";
  const request = isSecure ? httpsRequest : httpRequest;
  const Agent = isSecure ? HttpsAgent : HttpAgent;
  return new Promise((settle, fail) => {
    const outgoing = request(url, {
      signal,
      agent: new Agent({ keepAlive: false }),
      headers: {
        "user-agent": "ikigai",
        accept: "text/html,text/*;q=0.9,*/*;q=0.5",
        "accept-encoding": "gzip, br, deflate",
      },
      ...(mayBePrivate ? {} : { lookup: publicLookup }),
    });
    outgoing.setTimeout(connectMs, () => outgoing.destroy(new NotFetched(`${url.host} does not answer.`)));
    outgoing.on("response", settle);
    outgoing.on("error", (error) =>
      fail(error instanceof NotFetched ? error : new NotFetched(`${url.host}: ${error.message}`)),
    );
    outgoing.end();
  });
}

/** A name may lead to another address each time it is looked up, so the one that is connected to is the one looked at. */
const publicLookup: NonNullable<RequestOptions["lookup"]> = (hostname, options, callback) => {
  systemLookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses: readonly LookupAddress[] = error === null ? found : [];
    const hidden = addresses.find(({ address }) => isPrivateAddress(address));
    const [first] = addresses;
    if (error !== null) callback(error, "", 4);
    else if (hidden !== undefined || first === undefined) callback(privateProblem(hostname), "", 4);
    else if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  });
};

function privateProblem(host: string): NotFetched {
  return new NotFetched(
    `${host} is an address of a private network. It is fetched only where the configuration allows it.`,
  );
}

function readBody(response: IncomingMessage, url: URL): Promise<Page> {
  const decoder = decompressor(response.headers["content-encoding"]);
  const stream = decoder === undefined ? response : pipeline(response, decoder, () => {});
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((settle, fail) => {
    const done = (is_cut: boolean): void =>
      settle({
        url: url.href,
        status: response.statusCode ?? 0,
        content_type: response.headers["content-type"] ?? "",
        bytes: Buffer.concat(chunks).subarray(0, pageBytesMax),
        is_cut,
      });
    stream.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes <= pageBytesMax) return;
      done(true);
      response.destroy();
    });
    stream.on("end", () => done(false));
    stream.on("error", fail);
  });
}

function decompressor(
  encoding: string | undefined,
): ReturnType<typeof createGunzip> | ReturnType<typeof createBrotliDecompress> | undefined {
  if (encoding === "gzip" || encoding === "x-gzip") return createGunzip();
  if (encoding === "br") return createBrotliDecompress();
  return encoding === "deflate" ? createInflate() : undefined;
}

const redirectsMax = 5;
const connectMs = 30_000;
const pageBytesMax = 5 * 1024 * 1024;
