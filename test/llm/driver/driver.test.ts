import { afterEach, describe, expect, test } from "vitest";
import { ask, complete, IkigaiError, type CallOptions, type StreamEvent } from "../../../src/index.ts";
import { byteServer, frames, hello, type ByteServer } from "./server.ts";

const model = "claude-opus-5-5/low";
let server: ByteServer | undefined;

afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(...answer: Parameters<typeof byteServer>): Promise<CallOptions> {
  server = await byteServer(...answer);
  return { key: "test-key", settings: { providers: { anthropic: { base_url: server.url } } } };
}

function sse(bytes: string, { close = true } = {}): Parameters<typeof byteServer>[0] {
  return (response) => {
    response.writeHead(200, {
      "content-type": "text/event-stream",
      "request-id": "req_42",
      "anthropic-ratelimit-requests-remaining": "7",
    });
    response.write(bytes);
    if (close) response.end();
  };
}

async function eventsOf(stream: AsyncIterable<StreamEvent>): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of stream) events.push(event);
  return events;
}

async function failureOf(promise: PromiseLike<unknown>): Promise<IkigaiError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("was expected to fail");
}

describe("an answer", () => {
  test("can be awaited", async () => {
    const answer = await ask(model, "hi", await serve(sse(hello)));
    expect(answer.message.content).toEqual([{ type: "text", text: "Hello, world" }]);
    expect(answer.finish_reason).toBe("stop");
    expect(answer.usage.total_tokens).toBe(15);
    expect(answer.cost_usd).toBeCloseTo((10 * 4 + 5 * 20) / 1e6, 12);
    expect(answer.response.request_id).toBe("req_42");
    expect(answer.response.rate_limits["anthropic-ratelimit-requests-remaining"]).toBe("7");
  });

  test("can be iterated, and awaited after that", async () => {
    const stream = ask(model, "hi", await serve(sse(hello)));
    const events = await eventsOf(stream);
    expect(events.map((event) => event.type)).toEqual(["start", "text_delta", "text_delta", "done"]);
    expect((await stream).message.content).toEqual([{ type: "text", text: "Hello, world" }]);
    expect(server?.requests).toHaveLength(1);
  });

  test("loses no event when it is awaited while it is iterated", async () => {
    const stream = ask(model, "hi", await serve(sse(hello)));
    const [events, answer] = await Promise.all([eventsOf(stream), stream]);
    expect(events).toHaveLength(4);
    expect(answer.finish_reason).toBe("stop");
  });

  test("comes in batches for consumers in a hurry", async () => {
    const stream = ask(model, "hi", await serve(sse(hello)));
    const types: string[] = [];
    for await (const batch of stream.batches()) types.push(...batch.map((event) => event.type));
    expect(types).toEqual(["start", "text_delta", "text_delta", "done"]);
  });

  test("is asked for only when someone wants it", async () => {
    const options = await serve(sse(hello));
    ask(model, "hi", options);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(server?.requests).toHaveLength(0);
  });

  test("keeps nothing when told to pass on only", async () => {
    const stream = ask(model, "hi", { ...(await serve(sse(hello))), accumulate: false });
    expect(await eventsOf(stream)).toHaveLength(4);
    expect((await stream).message.content).toEqual([]);
  });

  test("can come in one body", async () => {
    const body = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      model: "claude-opus-5-5",
      stop_reason: "end_turn",
      content: [{ type: "text", text: "Hello, world" }],
      usage: { input_tokens: 10, output_tokens: 5 },
    };
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify(body));
    });
    const answer = await complete(model, "hi", options);
    expect(answer.message.content).toEqual([{ type: "text", text: "Hello, world" }]);
    expect(answer.usage.total_tokens).toBe(15);
    expect(JSON.parse(server?.requests[0]?.body ?? "{}")).not.toHaveProperty("stream", true);
  });
});

describe("what a network does", () => {
  test("B21 an end before the provider's end is one retryable network error with the partial answer and its usage", async () => {
    const options = await serve(sse(frames.start + frames.textStart + frames.text("Hel")));
    const stream = ask(model, "hi", options);
    const events = await eventsOf(stream);
    expect(events.filter((event) => event.type === "done" || event.type === "error")).toHaveLength(1);
    const failure = await failureOf(stream);
    expect(failure.info).toMatchObject({ category: "network", retryable: true });
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hel" }]);
    expect(failure.partial?.incomplete).toBe(true);
    expect(failure.usage?.input_tokens).toBe(10);
  });

  test("B21 a connection that breaks in the middle is the same", async () => {
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frames.start + frames.textStart + frames.text("Hel"), () =>
        setTimeout(() => response.destroy(), 20),
      );
    });
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.info).toMatchObject({ category: "network", retryable: true });
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hel" }]);
  });

  test("B22 keep-alives are silence: the watchdog ends it as a retryable timeout with the partial answer", async () => {
    let pings: ReturnType<typeof setInterval> | undefined;
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frames.start + frames.textStart + frames.text("Hel"));
      pings = setInterval(() => response.write(frames.ping), 10);
      response.on("close", () => clearInterval(pings));
    });
    const failure = await failureOf(
      ask(model, "hi", { ...options, settings: { ...options.settings, idle_timeout_ms: 150 } }),
    );
    expect(failure.info).toMatchObject({ category: "timeout", retryable: true, provider_code: "idle_timeout" });
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hel" }]);
    await server?.closedByClient();
  });

  test("B22 silence before the first header counts too", async () => {
    const options = await serve(() => {});
    const failure = await failureOf(
      ask(model, "hi", { ...options, settings: { ...options.settings, idle_timeout_ms: 100 } }),
    );
    expect(failure.category).toBe("timeout");
  });

  test("B22 time the consumer takes is not the server's silence", async () => {
    const options = await serve(sse(hello));
    const stream = ask(model, "hi", { ...options, settings: { ...options.settings, idle_timeout_ms: 60 } });
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === "start") await new Promise((resolve) => setTimeout(resolve, 200));
    }
    expect(types.at(-1)).toBe("done");
  });

  test("B23 the terminal event is the end although the socket stays open", async () => {
    const options = await serve(sse(hello, { close: false }));
    const answer = await ask(model, "hi", options);
    expect(answer.finish_reason).toBe("stop");
    await server?.closedByClient();
  });

  test("B24 an error inside a 200 is the error it would be by status; the partial answer stays", async () => {
    const error = { error: { type: "overloaded_error", message: "Overloaded" } };
    const inside = `event: error\ndata: ${JSON.stringify({ type: "error", ...error })}\n\n`;
    const first = await failureOf(
      ask(model, "hi", await serve(sse(frames.start + frames.textStart + frames.text("Hel") + inside))),
    );
    await server?.close();
    const options = await serve((response) => {
      response.writeHead(529, { "content-type": "application/json" });
      response.end(JSON.stringify({ type: "error", ...error }));
    });
    const second = await failureOf(ask(model, "hi", options));
    expect(first.info.category).toBe("overloaded");
    expect(first.info.category).toBe(second.info.category);
    expect(first.info.retryable).toBe(second.info.retryable);
    expect(first.partial?.content).toEqual([{ type: "text", text: "Hel" }]);
  });

  test("B24 a 200 with a JSON error body shows that error, whatever its content type", async () => {
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(JSON.stringify({ type: "error", error: { type: "rate_limit_error", message: "slow down" } }));
    });
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.info).toMatchObject({ category: "rate_limit", message: expect.stringContaining("slow down") });
  });

  test("B27 leaving the loop closes the socket and keeps what had arrived", async () => {
    const stream = ask(
      model,
      "hi",
      await serve(sse(frames.start + frames.textStart + frames.text("Hel"), { close: false })),
    );
    for await (const event of stream) if (event.type === "text_delta") break;
    await server?.closedByClient();
    const failure = await failureOf(stream);
    expect(failure.category).toBe("aborted");
    expect(failure.partial?.content).toEqual([{ type: "text", text: "Hel" }]);
  });

  test("B27 abort ends it at once, keeps the partial answer and says aborted", async () => {
    const controller = new AbortController();
    const stream = ask(model, "hi", {
      ...(await serve(sse(frames.start + frames.textStart + frames.text("Hel"), { close: false }))),
      signal: controller.signal,
    });
    const events: StreamEvent[] = [];
    for await (const event of stream) {
      events.push(event);
      if (event.type === "text_delta") controller.abort();
    }
    expect(events.at(-1)).toMatchObject({
      type: "error",
      error: { category: "aborted", retryable: false },
      usage: { input_tokens: 10 },
    });
    await server?.closedByClient();
  });

  test.each(["by its signal", "by itself"])(
    "B27 nothing of what arrived together is handed out after an abort %s",
    async (how) => {
      const controller = new AbortController();
      const piece = frames.start + frames.textStart + frames.text("Hel") + frames.text("lo") + frames.text("!");
      const options = await serve(sse(piece, { close: false }));
      const stream = ask(model, "hi", { ...options, signal: controller.signal });
      const events: StreamEvent[] = [];
      for await (const event of stream) {
        events.push(event);
        if (event.type !== "text_delta") continue;
        if (how === "by itself") stream.abort();
        else controller.abort();
      }
      expect(events.map(({ type }) => type)).toEqual(["start", "text_delta", "error"]);
      expect(events.at(-1)).toMatchObject({ error: { category: "aborted" } });
      // What had arrived is kept all the same.
      expect(stream.partial()?.content).toEqual([{ type: "text", text: "Hello!" }]);
    },
  );

  test("B27 an answer that had ended before the abort says how it ended", async () => {
    const stream = ask(model, "hi", await serve(sse(hello)));
    const types: string[] = [];
    for await (const event of stream) {
      types.push(event.type);
      stream.abort();
    }
    expect(types).toEqual(["start", "done"]);
  });

  test("B23 a whole body is an answer although its connection stays open", async () => {
    const body = { type: "message", id: "m", model, content: [{ type: "text", text: "Hi" }], stop_reason: "end_turn" };
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.write(`${JSON.stringify(body)}\n`);
    });
    const settings = { ...options.settings, idle_timeout_ms: 300 };
    const answer = await complete(model, "hi", { ...options, settings });
    expect(answer.message.content).toEqual([{ type: "text", text: "Hi" }]);
  });

  test("a body whose length is given ends with it", async () => {
    const text = JSON.stringify({ type: "message", model, content: [], stop_reason: "end_turn" });
    const options = await serve((response) => {
      response.writeHead(200, { "content-type": "application/json", "content-length": String(text.length) });
      // The connection is left open.
      response.write(text);
    });
    expect((await complete(model, "hi", options)).finish_reason).toBe("stop");
  });

  test("B27 a signal that was aborted before sends nothing", async () => {
    const options = await serve(sse(hello));
    const failure = await failureOf(ask(model, "hi", { ...options, signal: AbortSignal.abort() }));
    expect(failure.category).toBe("aborted");
    expect(server?.requests).toHaveLength(0);
  });

  test("B27 abort works on a fetch that does not listen", async () => {
    const controller = new AbortController();
    const stream = ask(model, "hi", { key: "k", fetch: () => new Promise(() => {}), signal: controller.signal });
    setTimeout(() => controller.abort(), 10);
    expect((await failureOf(stream)).category).toBe("aborted");
  });

  test("B28 ignoring the stream and awaiting it still delivers the error", async () => {
    const options = await serve((response) => {
      response.writeHead(401, { "content-type": "application/json", "request-id": "req_9" });
      response.end(
        JSON.stringify({ type: "error", error: { type: "authentication_error", message: "invalid x-api-key" } }),
      );
    });
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.info).toMatchObject({ category: "auth", http_status: 401, request_id: "req_9", retryable: false });
  });

  test("nobody listening is a network error that is not worth repeating", async () => {
    const options = await serve(sse(hello));
    const { url } = server ?? { url: "" };
    await server?.close();
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.info).toMatchObject({ category: "network", retryable: false, provider_code: "ECONNREFUSED" });
    expect(failure.message).toContain(new URL(url).host);
  });

  test("a redirect is not followed: keys stay where they were sent", async () => {
    const options = await serve((response) => {
      response.writeHead(302, { location: "http://127.0.0.1:1/elsewhere" });
      response.end();
    });
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.info).toMatchObject({ category: "not_found", provider_code: "redirect" });
  });
});

describe("before anything is sent", () => {
  test("a missing key names the provider, the variable, the command and the page", async () => {
    const saved = process.env["ANTHROPIC_API_KEY"];
    delete process.env["ANTHROPIC_API_KEY"];
    try {
      const failure = await failureOf(ask(model, "hi"));
      expect(failure.category).toBe("auth");
      for (const part of ["Anthropic", "ANTHROPIC_API_KEY", "ikigai login anthropic", "credentials.json", "sim-echo"]) {
        expect(failure.message).toContain(part);
      }
    } finally {
      if (saved !== undefined) process.env["ANTHROPIC_API_KEY"] = saved;
    }
  });

  test("an illegal request names the place", async () => {
    const failure = await failureOf(ask(model, { messages: [] }, { key: "k" }));
    expect(failure.category).toBe("invalid_argument");
    expect(failure.message).toContain("messages");
  });

  test("the iterated form of such an error is one error event", async () => {
    const events = await eventsOf(ask(model, { messages: [] }, { key: "k" }));
    expect(events).toMatchObject([{ type: "error", error: { category: "invalid_argument" } }]);
  });

  test("B44 the key is in one header and nowhere else", async () => {
    const options = await serve(sse(hello));
    await ask(model, "hi", options);
    const request = server?.requests[0];
    expect(request?.headers["x-api-key"]).toBe("test-key");
    expect(request?.body).not.toContain("test-key");
  });
});

describe("endings", () => {
  test("B18 thinking that used up the output limit is reported as such", async () => {
    const answer = await ask(model, "hi", await serve(sse(frames.start + frames.end("max_tokens"))));
    expect(answer.finish_reason).toBe("length");
    expect(answer.notes.map((note) => note.code)).toContain("thinking_used_output_limit");
  });

  test("an answer cut by the limit after some text is an ordinary length", async () => {
    const bytes = frames.start + frames.textStart + frames.text("Hel") + frames.stop + frames.end("max_tokens");
    const answer = await ask(model, "hi", await serve(sse(bytes)));
    expect(answer.notes.map((note) => note.code)).not.toContain("thinking_used_output_limit");
  });
});
