import { createServer } from "node:http";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import OpenAI from "openai";
import { afterAll, describe, expect, test, vi } from "vitest";
import { textOf } from "../../../src/core/index.ts";
import { ask, complete, IkigaiError } from "../../../src/llm/index.ts";
import { createEmulator, RecordingError, startEmulator, withRecording } from "../../../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "recordings-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const newFile = (): string => join(folder, "deep", `${count++}.jsonl`);
const key = "nothing";
const linesOf = (file: string): Record<string, unknown>[] =>
  readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Pieces of bytes under any status, in place of a provider. */
function answering(pieces: readonly Uint8Array[], init: ResponseInit = {}): typeof fetch {
  return () => {
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        for (const piece of pieces) controller.enqueue(piece);
        controller.close();
      },
    });
    return Promise.resolve(new Response(body, init));
  };
}

async function pieces(response: Response): Promise<number[][]> {
  const read: number[][] = [];
  for await (const piece of response.body ?? []) read.push([...piece]);
  return read;
}

describe("what was recorded is replayed", () => {
  test("through the library, streamed and not, event for event", async () => {
    const file = newFile();
    const emulator = createEmulator({ script: [{ answer: { thinking: "Hm, ŝ.", text: "Ĝis! 🌍" }, times: 2 }] });
    const run = async (fetch: typeof globalThis.fetch): Promise<unknown[]> => {
      const events: unknown[] = [];
      for await (const event of ask("claude-opus-5-5/low", "Hello", { key, fetch })) events.push(event);
      const whole = await complete("gpt-6.1-sol/low", "Hello", { key, fetch });
      return [events, whole];
    };
    const recording = withRecording(file, { mode: "record", fetch: emulator.fetch });
    const first = await run(recording);
    recording.close();
    const replay = withRecording(file, { mode: "replay" });
    expect(await run(replay)).toEqual(first);
    replay.close();
    expect(emulator.requests().length).toBe(2);
    expect(JSON.stringify(first)).toContain("🌍");
  });

  test("over a socket, by one who reads in bites", async () => {
    const file = newFile();
    const emulator = await startEmulator();
    const settings = { providers: { openai: { base_url: emulator.base_urls["openai"] ?? "" } } };
    const recording = withRecording(file, { mode: "record", recorded_against: "emulator" });
    const first = await ask("gpt-6.1-sol/low", "Hello", { key, fetch: recording, settings });
    recording.close();
    await emulator.close();
    const replay = withRecording(file);
    const again = await ask("gpt-6.1-sol/low", "Hello", { key, fetch: replay, settings });
    expect(again).toEqual(first);
    expect(linesOf(file)[0]).toMatchObject({ type: "recording", version: 1, recorded_against: "emulator" });
  });

  test("through a vendor's own client", async () => {
    const file = newFile();
    const talk = async (fetch: typeof globalThis.fetch): Promise<string> => {
      const client = new OpenAI({ apiKey: key, fetch, maxRetries: 0 });
      const messages = [{ role: "user" as const, content: "Hello" }];
      const chunks = await client.chat.completions.create({ model: "gpt-5.4", messages, stream: true });
      let said = "";
      for await (const chunk of chunks) said += chunk.choices[0]?.delta.content ?? "";
      return said;
    };
    expect(await talk(withRecording(file, { mode: "record", fetch: createEmulator().fetch }))).toBe("You said: Hello");
    expect(await talk(withRecording(file))).toBe("You said: Hello");
  });

  test("in the same bytes and the same pieces, text or not", async () => {
    const file = newFile();
    const euro = new TextEncoder().encode("1 €");
    const given = [
      euro.slice(0, 3),
      euro.slice(3),
      new Uint8Array([0xef, 0xbb, 0xbf, 0x41]),
      new Uint8Array([0xff, 0]),
    ];
    const recording = withRecording(file, { mode: "record", fetch: answering(given) });
    expect(await pieces(await recording("https://host.test/x"))).toEqual(given.map((piece) => [...piece]));
    expect(linesOf(file).filter(({ type }) => type === "chunk")).toEqual([
      { type: "chunk", base64: expect.any(String) },
      { type: "chunk", base64: expect.any(String) },
      { type: "chunk", text: "\ufeffA" },
      { type: "chunk", base64: expect.any(String) },
    ]);
    expect(await pieces(await withRecording(file)("https://other.test/x"))).toEqual(given.map((piece) => [...piece]));
  });

  test("with its status and the headers a program acts upon, and no others", async () => {
    const file = newFile();
    const headers = {
      "retry-after": "3",
      "x-ratelimit-remaining-requests": "0",
      "set-cookie": "session=1",
      "anthropic-organization-id": "somebody",
      "content-type": "text/plain",
    };
    const recording = withRecording(file, { mode: "record", fetch: answering([], { status: 429, headers }) });
    await (await recording("https://host.test/x", { headers: { authorization: "Bearer abc", accept: "*/*" } })).text();
    const response = await withRecording(file)("https://host.test/x");
    expect(response.status).toBe(429);
    expect(Object.fromEntries(response.headers)).toEqual({
      "content-type": "text/plain",
      "retry-after": "3",
      "x-ratelimit-remaining-requests": "0",
    });
    expect(linesOf(file)[1]).toMatchObject({ type: "request", headers: { accept: "*/*" } });
    expect(readFileSync(file, "utf8")).not.toMatch(/abc|session|somebody/);
  });

  test("with nothing in it where there was no body", async () => {
    const file = newFile();
    const fetch = (): Promise<Response> => Promise.resolve(new Response(null, { status: 204 }));
    const recording = withRecording(file, { mode: "record", fetch });
    expect((await recording("https://host.test/x", { method: "DELETE" })).status).toBe(204);
    expect((await withRecording(file)("https://host.test/x", { method: "DELETE" })).status).toBe(204);
  });

  test("when the connection broke, or never came about", async () => {
    const server = createServer((_request, response) => {
      response.write("half");
      setImmediate(() => response.destroy());
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/x`;
    const file = newFile();
    const recording = withRecording(file, { mode: "record" });
    await expect(recording(url).then((response) => response.text())).rejects.toThrow("terminated");
    await new Promise((resolve) => server.close(resolve));
    await expect(recording(url)).rejects.toThrow("fetch failed");
    recording.close();
    expect(linesOf(file)).toMatchObject([
      { type: "recording" },
      { type: "request" },
      { type: "response", status: 200 },
      { type: "chunk", text: "half" },
      { type: "end", how: "broken" },
      { type: "request" },
      { type: "failure", code: "ECONNREFUSED" },
    ]);
    const replay = withRecording(file);
    await expect(replay(url).then((response) => response.text())).rejects.toThrow("fetch failed");
    await expect(replay(url)).rejects.toMatchObject({ cause: { code: "ECONNREFUSED" } });
    replay.close();
  });

  test("when its reader left: as far as it was read, and no further", async () => {
    const file = newFile();
    const emulator = createEmulator({ script: [{ fault: "never_ending" }] });
    const recording = withRecording(file, { mode: "record", fetch: emulator.fetch });
    const request = { key, fetch: recording };
    let seen = 0;
    for await (const event of ask("claude-haiku-5-5", "Hello", request)) {
      if (event.type === "text_delta" && ++seen === 3) break;
    }
    expect(linesOf(file).at(-1)).toEqual({ type: "end", how: "left" });
    const replay = await ask("claude-haiku-5-5", "Hello", { key, fetch: withRecording(file) }).then(
      () => undefined,
      (error: unknown) => error,
    );
    expect(replay).toBeInstanceOf(IkigaiError);
    expect(String(replay)).toContain("its reader had left");
  });

  test("in an order of its own, whatever comes first", async () => {
    const file = newFile();
    const waits = new Map<string, () => void>();
    const fetch = async (url: string): Promise<Response> => {
      await new Promise<void>((resolve) => waits.set(url, resolve));
      return new Response(url);
    };
    const recording = withRecording(file, { mode: "record", fetch });
    const slow = recording("https://host.test/slow").then((response) => response.text());
    const quick = recording("https://host.test/quick").then((response) => response.text());
    await vi.waitUntil(() => waits.size === 2);
    waits.get("https://host.test/quick")?.();
    await quick;
    waits.get("https://host.test/slow")?.();
    await slow;
    const urls = linesOf(file).flatMap(({ type, url }) => (type === "request" ? [url] : []));
    expect(urls).toEqual(["https://host.test/slow", "https://host.test/quick"]);
  });
});

describe("replay is strict", () => {
  const recorded = async (...bodies: readonly (string | undefined)[]): Promise<string> => {
    const file = newFile();
    const fetch = (): Promise<Response> => Promise.resolve(new Response("answer"));
    const recording = withRecording(file, { mode: "record", fetch });
    for (const body of bodies)
      await (await recording("https://host.test/v1/x?b=1&a=2", { method: "POST", body })).text();
    recording.close();
    return file;
  };
  const post = (body: string): RequestInit => ({ method: "POST", body });
  const messageOf = async (work: PromiseLike<unknown>): Promise<string> =>
    work.then(
      () => "it went through",
      (error: unknown) => (error instanceof Error ? `${error.name}: ${error.message}` : String(error)),
    );

  test("a file that is not there says how to make it", () => {
    expect(() => withRecording(join(folder, "absent.jsonl"))).toThrow(/no recording.*absent\.jsonl.*VCR_RECORD=1/s);
  });

  test("fields in another order and another host are the same request", async () => {
    const file = await recorded('{"a":1,"b":{"c":[1,2],"d":null}}');
    const replay = withRecording(file);
    const response = await replay("http://localhost:1/v1/x?a=2&b=1", post('{ "b": {"d": null, "c": [1, 2]}, "a": 1 }'));
    expect(await response.text()).toBe("answer");
    replay.close();
  });

  test("another body is a failure that shows where it differs", async () => {
    const file = await recorded('{"model":"a","messages":[{"role":"user","content":"hello"}],"old":true}');
    const replay = withRecording(file);
    const made = post('{"model":"a","messages":[{"role":"user","content":"hullo"}],"new":[1]}');
    const message = await messageOf(replay("https://host.test/v1/x?a=2&b=1", made));
    expect(message).toContain("RecordingError: request 1 is not the one in");
    expect(message).toContain('body.messages[0].content\n  - "hello"\n  + "hullo"');
    expect(message).toContain("body.old\n  - true");
    expect(message).toContain("body.new\n  + [1]");
    expect(message).not.toContain("body.model");
    expect(() => replay.close()).toThrow(RecordingError);
  });

  test("the failure reaches whoever asked through the library", async () => {
    const file = newFile();
    const recording = withRecording(file, { mode: "record", fetch: createEmulator().fetch });
    await ask("claude-haiku-5-5", "Hello", { key, fetch: recording });
    const message = await messageOf(ask("claude-haiku-5-5", "Hullo", { key, fetch: withRecording(file) }));
    expect(message).toContain('- "Hello"');
    expect(message).toContain('+ "Hullo"');
  });

  test.each([
    ["path", "https://host.test/v1/y?a=2&b=1", "POST"],
    ["path", "https://host.test/v1/x?a=2", "POST"],
    ["method", "https://host.test/v1/x?a=2&b=1", "PUT"],
  ])("another %s is a failure (%s)", async (what, url, method) => {
    const file = await recorded('{"a":1}');
    expect(await messageOf(withRecording(file)(url, { method, body: '{"a":1}' }))).toContain(`${what}\n  - `);
  });

  test("another order, one too many and one too few are failures", async () => {
    const url = "https://host.test/v1/x?b=1&a=2";
    const file = await recorded('{"n":1}', '{"n":2}');
    expect(await messageOf(withRecording(file)(url, post('{"n":2}')))).toContain("body.n\n  - 1\n  + 2");
    const long = withRecording(file);
    await long(url, post('{"n":1}'));
    await long(url, post('{"n":2}'));
    expect(await messageOf(long(url, post('{"n":3}')))).toContain("request 3 (POST /v1/x?a=2&b=1) was never recorded");
    const short = withRecording(file);
    await short(url, post('{"n":1}'));
    expect(() => short.close()).toThrow("1 of 2 recorded requests were not made: POST /v1/x?a=2&b=1");
  });

  test("after one failure nothing is answered", async () => {
    const file = await recorded('{"n":1}', '{"n":2}');
    const replay = withRecording(file);
    const url = "https://host.test/v1/x?b=1&a=2";
    await messageOf(replay(url, post("{}")));
    expect(await messageOf(replay(url, post('{"n":2}')))).toContain("request 1 is not the one");
  });

  test("a body that is not JSON is compared as it is", async () => {
    const file = await recorded("plain text");
    const url = "https://host.test/v1/x?b=1&a=2";
    expect(await messageOf(withRecording(file)(url, post("plain text")))).toBe("it went through");
    expect(await messageOf(withRecording(file)(url, post("other text")))).toContain('- "plain text"');
  });

  test("a caller who has left hears so", async () => {
    const file = await recorded('{"n":1}');
    const replay = withRecording(file)("https://host.test/v1/x?b=1&a=2", {
      ...post('{"n":1}'),
      signal: AbortSignal.abort(new Error("gone")),
    });
    await expect(replay).rejects.toThrow("gone");
  });
});

describe("a file that is not a recording", () => {
  const head = '{"type":"recording","version":1,"recorded_against":"x","recorded_at":"x"}';
  const request = '{"type":"request","method":"GET","url":"https://host.test/","headers":{}}';
  const response = '{"type":"response","status":200,"headers":{}}';
  test.each([
    ["nothing", "", ":1 is not the first line"],
    ["no JSON", "{oh", ":1 is not a JSON object"],
    [
      "a newer version",
      head.replace('"version":1', '"version":2'),
      ":1 is not the first line of a recording of version 1",
    ],
    ["no response", `${head}\n${request}`, "ends with a request and no response"],
    ["half a response", `${head}\n${request}\n${response}`, "ends inside a response"],
    ["a response first", `${head}\n${response}`, ":2: a line of type request belongs here, not response"],
    ["no status", `${head}\n${request}\n{"type":"response","headers":{}}`, ":3: status must be a number"],
    ["a chunk of nothing", `${head}\n${request}\n${response}\n{"type":"chunk"}`, ":4: text must be a text"],
    ["a strange end", `${head}\n${request}\n${response}\n{"type":"end","how":"well"}`, ":4: how must be one of whole"],
  ])("%s: the place is named", (_name, text, message) => {
    const file = join(folder, "bad.jsonl");
    writeFileSync(file, text);
    expect(() => withRecording(file)).toThrow(message);
  });
});

describe("modes", () => {
  test("VCR_RECORD decides where nobody else does", () => {
    const file = newFile();
    try {
      vi.stubEnv("VCR_RECORD", "1");
      expect(withRecording(file).mode).toBe("record");
      vi.stubEnv("VCR_RECORD", "0");
      expect(() => withRecording(file)).toThrow("no recording");
    } finally {
      vi.unstubAllEnvs();
    }
  });

  test("a recording without requests is a file without requests", () => {
    const file = newFile();
    withRecording(file, { mode: "record", now: () => 0 }).close();
    expect(linesOf(file)).toEqual([
      { type: "recording", version: 1, recorded_against: "nobody", recorded_at: "1970-01-01T00:00:00.000Z" },
    ]);
    withRecording(file).close();
  });

  test("`using` closes", async () => {
    const file = newFile();
    {
      using recording = withRecording(file, { mode: "record", fetch: answering([]) });
      await recording("https://host.test/x");
    }
    expect(existsSync(file)).toBe(true);
    expect(linesOf(file).at(-1)).toEqual({ type: "end", how: "left" });
  });

  test("who answers while replaying is never asked", async () => {
    const file = newFile();
    const recording = withRecording(file, { mode: "record", fetch: createEmulator().fetch });
    const options = { key, fetch: recording };
    expect(textOf((await ask("gemini-4-argon/low", "Hello", options)).message)).toContain("Hello");
    const fetch = (): Promise<Response> => Promise.reject(new Error("the network was asked"));
    const replay = withRecording(file, { mode: "replay", fetch });
    expect(textOf((await ask("gemini-4-argon/low", "Hello", { key, fetch: replay })).message)).toContain("Hello");
  });
});
