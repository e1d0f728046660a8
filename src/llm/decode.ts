import {
  createCollector,
  errorInfo,
  type AssistantMessage,
  type DoneEvent,
  type ErrorEvent,
  type ErrorInfo,
  type StreamEvent,
} from "../core/index.ts";
import type { Adapter, Quirks } from "./adapter.ts";
import { Failure } from "./failure.ts";
import { createFeed } from "./feed.ts";
import { createWriter } from "./writer.ts";

/** A response as it was once received: for recordings, tests and tools that read wires. */
export type RecordedResponse = {
  readonly provider: string;
  readonly api: string;
  /** The id that was asked for. */
  readonly model: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly framing: "sse" | "json" | "ndjson";
  readonly quirks?: Quirks;
};

export type DecodedResponse = {
  readonly events: readonly StreamEvent[];
  readonly message: AssistantMessage;
  readonly end: DoneEvent | ErrorEvent;
};

/** Decodes a whole response with the code that decodes live ones. `pieces` cuts the text anywhere, for tests. */
export function decodeResponse(
  adapter: Adapter,
  response: RecordedResponse,
  options: { readonly newId: () => string; readonly now: number; readonly pieces?: readonly string[] },
): DecodedResponse {
  const { provider, api, model, status } = response;
  const collector = createCollector({ provider, api, model });
  const events: StreamEvent[] = [];
  const out = createWriter((event) => {
    events.push(event);
    collector.add(event);
  });
  const headers = new Headers({ ...response.headers });
  if (status >= 400) {
    out.error(adapter.decodeError({ status, headers, text: response.text, now: options.now }));
  } else {
    const quirks = response.quirks ?? {};
    const decoder = adapter.decoder({
      out,
      newId: options.newId,
      provider,
      model,
      headers,
      quirks,
      now: options.now,
      keeps_text: true,
    });
    const feed = createFeed(decoder, response.framing);
    try {
      for (const piece of options.pieces ?? [response.text]) {
        if (out.ended()) break;
        feed.push(piece);
      }
      if (!out.ended()) feed.end();
    } catch (error) {
      out.error(failureInfo(error));
    }
  }
  const end = collector.end() ?? {
    type: "error",
    error: errorInfo({ category: "unknown", message: "The decoder never ended" }),
  };
  return { events, message: collector.message(), end };
}

/** What a decoder threw, as a value. Anything but a `Failure` is a bug of ours and says so. */
export function failureInfo(error: unknown): ErrorInfo {
  if (error instanceof Failure) return error.info;
  const detail = error instanceof Error ? error.message : String(error);
  return errorInfo({ category: "unknown", message: `The answer could not be read: ${detail}`, retryable: false });
}
