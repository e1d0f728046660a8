import {
  createCollector,
  type AssistantMessage,
  type DoneEvent,
  type ErrorEvent,
  type StreamEvent,
} from "../../src/core/index.ts";
import { adapterFor, quirksFor } from "../../src/cli/wire/decode.ts";
import { readExchange } from "../../src/cli/wire/exchange.ts";
import { wireApi, providerFor } from "../../src/cli/wire/labels.ts";
import { startRun } from "../../src/llm/run.ts";
import type { Recording } from "./load.ts";

export type Heard = {
  readonly events: readonly StreamEvent[];
  readonly message: AssistantMessage;
  readonly end: DoneEvent | ErrorEvent | undefined;
};

/** A recorded answer through the whole live path: a socket that hands out these chunks, the transport, the decoder. */
export async function hear(recording: Recording, chunks: readonly Uint8Array[]): Promise<Heard> {
  const exchange = readExchange(recording);
  const api = wireApi(recording.api);
  if ("problem" in exchange || api === undefined) throw new Error(`${recording.id} is not of a wire we speak`);
  const provider = providerFor(exchange.provider, api);
  const { model, framing } = exchange;
  let ids = 0;
  const run = startRun({
    adapter: await adapterFor(api),
    call: { method: "POST", url: "https://replay.test/", headers: {}, body: {}, framing, notes: [] },
    context: { newId: () => `id-${ids++}`, provider, model, quirks: quirksFor(provider, api) },
    secrets: {},
    fetch: () => Promise.resolve(new Response(streamOf(chunks), { headers: exchange.headers })),
    idle_timeout_ms: 10_000,
  });
  const collector = createCollector({ provider, api, model });
  const events: StreamEvent[] = [];
  for (let batch = await run.next(); batch !== undefined; batch = await run.next()) {
    events.push(...batch);
    batch.forEach(collector.add);
  }
  return { events, message: collector.message(), end: collector.end() };
}

export function bytesOf(recording: Recording): Uint8Array {
  const exchange = readExchange(recording);
  if ("problem" in exchange) throw new Error(exchange.problem);
  return new TextEncoder().encode(exchange.text);
}

/** Pulled, like a socket: a reader that stops early leaves the rest unread. */
function streamOf(chunks: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = chunks.values();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = rest.next();
      if (done) controller.close();
      else controller.enqueue(value);
    },
  });
}
