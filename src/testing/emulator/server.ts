/** The emulator on a socket: real HTTP on the loopback address. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { control, isControl, isLocal } from "./control.ts";
import { dialects } from "./dialects.ts";
import { createEmulator, type LocalEmulator } from "./emulator.ts";
import { sleep } from "./fetch.ts";
import { jsonReply } from "./respond.ts";
import type { EmulatorOptions, Incoming, Reply, WireName } from "./types.ts";

const bodyBytesMax = 160 * 1_048_576;

export type ServerOptions = EmulatorOptions & {
  /** 0 or nothing: any free one. */
  readonly port?: number;
  readonly host?: string;
};

export type Emulator = LocalEmulator & {
  readonly url: string;
  readonly port: number;
  /** What goes in the place of a provider's base URL, by provider. */
  readonly base_urls: Readonly<Record<string, string>>;
  /** The whole address of a wire's create endpoint (Gemini: of its models). */
  readonly endpoints: Readonly<Record<WireName, string>>;
  readonly close: () => Promise<void>;
};

export async function startEmulator(options: ServerOptions = {}): Promise<Emulator> {
  // Loaded late, so that a browser can import this module for the emulator without a socket.
  const { createServer } = await import("node:http");
  const local = createEmulator(options);
  const host = options.host ?? "127.0.0.1";
  const server = createServer((request, response) => {
    serve(local, request, response).catch(() => response.destroy());
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, host, resolve);
  });
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
  return {
    ...local,
    url,
    port,
    base_urls: Object.fromEntries(dialects.map((dialect) => [dialect.name, url + dialect.prefix + dialect.base_path])),
    endpoints: {
      messages: `${url}/anthropic/v1/messages`,
      responses: `${url}/openai/v1/responses`,
      chat: `${url}/openai/v1/chat/completions`,
      gemini: `${url}/google/v1beta/models`,
    },
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}

async function serve(local: LocalEmulator, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await readBody(request);
  if (body === undefined) {
    request.destroy();
    return;
  }
  const url = new URL(request.url ?? "/", "http://emulator");
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(", ") : (value ?? ""),
    ]),
  );
  const path = url.pathname.replace(/\/{2,}/g, "/");
  const incoming: Incoming = { method: request.method ?? "GET", path, query: url.searchParams, headers, body };
  await send(replyTo(local, incoming, request.socket.remoteAddress), response);
}

function replyTo(local: LocalEmulator, incoming: Incoming, address: string | undefined): Reply {
  if (!isControl(incoming.path)) return local.handle(incoming);
  if (isLocal(address, incoming.headers["host"], incoming.headers["origin"])) return control(local, incoming);
  return jsonReply(403, {}, { error: "the controls answer only to this machine" });
}

async function readBody(request: IncomingMessage): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    size += chunk.length;
    if (size > bodyBytesMax) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function send(reply: Reply, response: ServerResponse): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  response.writeHead(reply.status, { ...reply.headers });
  response.flushHeaders();
  for (const step of reply.steps) {
    if (gone.signal.aborted) return;
    if (step.do === "reset") {
      response.socket?.resetAndDestroy();
      return;
    }
    if (step.do === "hang") {
      await closed(gone.signal);
      return;
    }
    if (step.do === "wait") await sleep(step.ms, gone.signal);
    else await write(response, step.bytes, reply.apart === true, gone.signal);
  }
  if (!gone.signal.aborted) response.end();
}

async function write(response: ServerResponse, bytes: Uint8Array, apart: boolean, gone: AbortSignal): Promise<void> {
  if (bytes.length === 0) return;
  const room = response.write(bytes);
  // One turn of the event loop is what keeps two writes from leaving as one.
  if (apart) await new Promise<void>((resolve) => setImmediate(resolve));
  if (room || gone.aborted) return;
  await new Promise<void>((resolve) => {
    response.once("drain", resolve);
    gone.addEventListener("abort", () => resolve(), { once: true });
  });
}

async function closed(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
