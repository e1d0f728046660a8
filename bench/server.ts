// A process of its own that plays all four vendors with bytes made beforehand. The path says what is answered:
//
//   POST /<wire>/<answer>/<pause in ms between frames>/…    the stream
//   GET  /_ready/<wire>/<answer>                           makes the bytes, so that no measurement waits for them
//   GET  /_received                                        what the last request held

import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { framesOf, partsOf, wires, type AnswerName, type Wire } from "./traffic.ts";

/** Written at once where nothing is paced: what a proxy with TLS usually hands on. */
const burstBytes = 16 * 1024;

type Prepared = { readonly frames: readonly Buffer[]; readonly bursts: readonly Buffer[] };

const prepared = new Map<string, Prepared>();
let received: Buffer = Buffer.alloc(0);

const server = createServer((request, response) => {
  const [, first = "", second = "", third = ""] = (request.url ?? "").split("/");
  if (first === "_received") return void response.end(JSON.stringify(describe(received)));
  const [wire, answer] = first === "_ready" ? [second, third] : [first, second];
  if (!isWire(wire)) return void response.writeHead(404).end();
  if (answer.startsWith("flood-")) return void flood(request, response, wire, Number(answer.slice(6)));
  const bytes = prepare(wire, answer as AnswerName);
  if (first === "_ready") return void response.end(JSON.stringify({ frames: bytes.frames.length }));
  void receive(request).then((body) => {
    if (body.length > 0) received = body;
    const pause = Number(third);
    response.writeHead(200, { "content-type": "text/event-stream", "request-id": "req_011Ccndug7FEWi7SAGbDPaRA" });
    if (pause > 0) writePaced(response, bytes.frames, pause);
    else writeFast(response, bytes.bursts, 0);
  });
});

function prepare(wire: Wire, answer: AnswerName): Prepared {
  const name = `${wire}/${answer}`;
  const known = prepared.get(name);
  if (known !== undefined) return known;
  const frames = framesOf(wire, answer).map((frame) => Buffer.from(frame));
  const all = Buffer.concat(frames);
  const count = Math.ceil(all.length / burstBytes);
  const bursts = Array.from({ length: count }, (_, at) => all.subarray(at * burstBytes, (at + 1) * burstBytes));
  const made = { frames, bursts };
  prepared.set(name, made);
  return made;
}

/** An answer of that many MiB: the deltas of a short one over and over between its beginning and its end. */
async function flood(request: IncomingMessage, response: ServerResponse, wire: Wire, mebibytes: number): Promise<void> {
  await receive(request);
  const parts = partsOf(wire, "text-2000");
  const text = parts[0]?.deltas.join("") ?? "";
  const frames = framesOf(wire, "text-2000");
  const first = frames.findIndex((frame) => frame.includes(JSON.stringify(parts[0]?.deltas[0]).slice(1, -1)));
  const block = Buffer.from(frames.slice(first, first + 2000).join(""));
  response.writeHead(200, { "content-type": "text/event-stream" });
  response.write(frames.slice(0, first).join(""));
  for (let sent = 0; sent <= mebibytes * 1024 * 1024 && !response.destroyed; sent += text.length) {
    if (!response.write(block)) await once(response, "drain");
  }
  response.end(frames.slice(first + 2000).join(""));
}

async function receive(request: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

function writeFast(response: ServerResponse, bursts: readonly Buffer[], from: number): void {
  for (let at = from; at < bursts.length; at++) {
    if (response.destroyed) return;
    if (!response.write(bursts[at])) return void response.once("drain", () => writeFast(response, bursts, at + 1));
  }
  response.end();
}

function writePaced(response: ServerResponse, frames: readonly Buffer[], pause: number): void {
  let at = 0;
  const timer = setInterval(() => {
    if (at < frames.length && !response.destroyed) return void response.write(frames[at++]);
    clearInterval(timer);
    response.end();
  }, pause);
}

/** The long strings of a body, in order: a history is the same whatever a library wraps around it. */
function describe(body: Buffer): { readonly bytes: number; readonly digest: string } {
  const hash = createHash("sha256");
  const visit = (value: unknown): void => {
    if (typeof value === "string") {
      if (value.length >= 500) hash.update(value);
    } else if (typeof value === "object" && value !== null) Object.values(value).forEach(visit);
  };
  visit(body.length === 0 ? null : JSON.parse(body.toString("utf8")));
  return { bytes: body.length, digest: hash.digest("hex") };
}

function isWire(name: string): name is Wire {
  return wires.some((wire) => wire === name);
}

server.keepAliveTimeout = 600_000;
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => {
  const address = server.address();
  if (typeof address === "object" && address !== null) process.send?.({ port: address.port });
});
process.on("disconnect", () => process.exit());
