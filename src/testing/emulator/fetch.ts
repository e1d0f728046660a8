/** `fetch` without a network: the same replies as over a socket, as a `Response`. */
import type { Incoming, Reply, Step } from "./types.ts";

export function replyFetch(handle: (incoming: Incoming) => Reply): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    request.signal.throwIfAborted();
    const url = new URL(request.url);
    const body = new Uint8Array(await request.arrayBuffer());
    const headers = Object.fromEntries([...request.headers].map(([name, value]) => [name.toLowerCase(), value]));
    const reply = handle({ method: request.method, path: url.pathname, query: url.searchParams, headers, body });
    const stream = streamSteps(reply.steps, request.signal);
    return new Response(stream, { status: reply.status, headers: { ...reply.headers } });
  };
}

function streamSteps(steps: Iterable<Step>, signal: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = steps[Symbol.iterator]();
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        signal.addEventListener("abort", () => controller.error(signal.reason), { once: true });
      },
      async pull(controller) {
        for (;;) {
          const next = iterator.next();
          if (next.done === true) return controller.close();
          const step = next.value;
          if (step.do === "reset") return controller.error(new TypeError("terminated"));
          if (step.do === "send") return controller.enqueue(step.bytes);
          await (step.do === "hang" ? aborted(signal) : sleep(step.ms, signal));
          if (signal.aborted) return;
        }
      },
      cancel() {
        iterator.return?.();
      },
    },
    { highWaterMark: 0 },
  );
}

export async function sleep(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, ms);
    function done(): void {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    }
    signal.addEventListener("abort", done, { once: true });
  });
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  await new Promise<void>((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
