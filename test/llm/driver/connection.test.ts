import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, describe, expect, test } from "vitest";
import { ask } from "../../../src/index.ts";
import { frames, hello } from "./server.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** A server that ends its answers that long after their last frame, or never, and counts who comes and goes. */
async function lateEnding(endsAfterMs: number | undefined): Promise<{ url: string; opened: number; closed: number }> {
  const seen = { url: "", opened: 0, closed: 0 };
  const made = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write(hello);
    if (endsAfterMs !== undefined) void sleep(endsAfterMs).then(() => response.end());
  });
  made.on("connection", (socket) => {
    seen.opened += 1;
    socket.on("close", () => (seen.closed += 1));
  });
  server = made;
  await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
  seen.url = `http://127.0.0.1:${(made.address() as AddressInfo).port}`;
  return seen;
}

function options(base_url: string): Parameters<typeof ask>[2] {
  return { key: "k", settings: { providers: { anthropic: { base_url } } } };
}

describe("connections", () => {
  test("are used again when the server ends a moment after the last frame", async () => {
    const seen = await lateEnding(20);
    for (let turn = 0; turn < 4; turn++) {
      const answer = await ask("claude-opus-5-5", "Hi", options(seen.url));
      expect(answer.finish_reason).toBe("stop");
      await sleep(60);
    }
    expect(seen).toMatchObject({ opened: 1, closed: 0 });
  });

  test("are used again by whoever takes batches, too", async () => {
    const seen = await lateEnding(20);
    for (let turn = 0; turn < 3; turn++) {
      for await (const batch of ask("claude-opus-5-5", "Hi", options(seen.url)).batches()) void batch;
      await sleep(60);
    }
    expect(seen.opened).toBe(1);
  });

  test("B23 are left, in the end, when the server never ends", async () => {
    const seen = await lateEnding(undefined);
    const answer = await ask("claude-opus-5-5", "Hi", options(seen.url));
    expect(answer.finish_reason).toBe("stop");
    await expect.poll(() => seen.closed, { timeout: 5_000 }).toBeGreaterThan(0);
  });

  test("are left when the server goes on and on after its last frame", async () => {
    const made = createServer((request, response) => {
      request.resume();
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(hello);
      const timer = setInterval(() => response.write(frames.ping.repeat(500)), 5);
      response.on("close", () => clearInterval(timer));
    });
    server = made;
    await new Promise<void>((resolve) => made.listen(0, "127.0.0.1", resolve));
    await ask("claude-opus-5-5", "Hi", options(`http://127.0.0.1:${(made.address() as AddressInfo).port}`));
    const connections = (): Promise<number> =>
      new Promise((resolve) => made.getConnections((_error, count) => resolve(count)));
    await expect.poll(connections, { timeout: 5_000 }).toBe(0);
  });
});
