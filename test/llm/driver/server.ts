import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A server that says exactly the bytes a test gives it. */
export type ByteServer = {
  readonly url: string;
  /** What clients sent, newest last. */
  readonly requests: { readonly headers: IncomingMessage["headers"]; readonly body: string }[];
  /** Resolves when the client has closed the connection of a request that was still being answered. */
  readonly closedByClient: () => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function byteServer(
  answer: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>,
): Promise<ByteServer> {
  const requests: ByteServer["requests"] = [];
  const closed = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on("data", (piece: Buffer) => pieces.push(piece));
    request.on("end", () => {
      requests.push({ headers: request.headers, body: Buffer.concat(pieces).toString() });
      response.on("close", () => {
        if (!response.writableFinished) closed.resolve();
      });
      void answer(response, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    closedByClient: () => closed.promise,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** One named frame, as this wire sends them. */
export function frame(type: string, fields: object = {}): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

export const frames = {
  start: frame("message_start", {
    message: {
      id: "msg_1",
      role: "assistant",
      model: "claude-opus-5-5",
      content: [],
      usage: { input_tokens: 10, output_tokens: 1 },
    },
  }),
  textStart: frame("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
  text: (text: string) => frame("content_block_delta", { index: 0, delta: { type: "text_delta", text } }),
  stop: frame("content_block_stop", { index: 0 }),
  ping: frame("ping"),
  end: (stop_reason = "end_turn", output_tokens = 5) =>
    frame("message_delta", { delta: { stop_reason, stop_sequence: null }, usage: { output_tokens } }) +
    frame("message_stop"),
};

export const hello =
  frames.start + frames.textStart + frames.text("Hello") + frames.text(", world") + frames.stop + frames.end();
