import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { faultKinds, startEmulator, type Emulator, type Fault, type WireName } from "../../src/testing/index.ts";
import { dataOf, field, framesOf, makeLab } from "./lab.ts";

/** Over a real socket: what a fault does, a client must see. */
let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ seed: 5 });
});

afterAll(async () => {
  await emulator.close();
});

const answer = { thinking: "Hm, hm.", text: "One two three four five six seven eight nine ten. Grüße 🦊!" };

type Sender = (signal?: AbortSignal) => Promise<Response>;
const senders: Readonly<Record<WireName, Sender>> = {
  messages: (signal) =>
    post(
      "/anthropic/v1/messages",
      { model: "claude-opus-5-5", max_tokens: 500, stream: true, messages: hello },
      signal,
    ),
  responses: (signal) => post("/openai/v1/responses", { model: "gpt-6.1-sol", stream: true, input: "Hello" }, signal),
  chat: (signal) => post("/openai/v1/chat/completions", { model: "gpt-5.4", stream: true, messages: hello }, signal),
  gemini: (signal) =>
    post(
      "/google/v1beta/models/gemini-4-argon:streamGenerateContent?alt=sse",
      { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
      signal,
    ),
};
const hello = [{ role: "user", content: "Hello" }];
const wires = Object.keys(senders).filter((name): name is WireName => name in senders);

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(emulator.url + path, {
    method: "POST",
    headers: {
      "x-api-key": "k",
      "anthropic-version": "2026-10-21",
      authorization: "Bearer k",
      "x-goog-api-key": "k",
      "content-type": "application/json",
    },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

/** Everything that comes before the end, the break, or so many frames. */
async function listen(
  wire: WireName,
  fault: Fault,
  framesMax = Number.POSITIVE_INFINITY,
): Promise<{ text: string; chunks: Uint8Array[]; broke: boolean; response: Response }> {
  emulator.script({ match: { wire }, answer, fault });
  const abort = new AbortController();
  const response = await senders[wire](abort.signal);
  const chunks: Uint8Array[] = [];
  let broke = false;
  try {
    for await (const chunk of response.body ?? []) {
      chunks.push(chunk);
      if (framesMax < Number.POSITIVE_INFINITY && framesOf(textOf(chunks)).length >= framesMax) break;
    }
  } catch {
    broke = true;
  }
  abort.abort();
  return { text: textOf(chunks), chunks, broke, response };
}

function textOf(chunks: readonly Uint8Array[]): string {
  return new TextDecoder().decode(Buffer.concat(chunks));
}

const terminal: Readonly<Record<WireName, RegExp>> = {
  messages: /message_stop/,
  responses: /response\.completed/,
  chat: /\[DONE\]/,
  gemini: /finishReason/,
};

describe.each(wires)("%s", (wire) => {
  test("without a fault the stream ends as it should", async () => {
    const { text, broke } = await listen(wire, { kind: "slow", delay_ms: 1 });
    expect(text).toMatch(terminal[wire]);
    expect(broke).toBe(false);
  });

  test("cut after frames: a clean end without a terminal event", async () => {
    const { text, broke } = await listen(wire, { kind: "cut", after_frames: 2 });
    expect(framesOf(text)).toHaveLength(2);
    expect(text).not.toMatch(terminal[wire]);
    expect(broke).toBe(false);
  });

  test("cut after bytes: in the middle of anything", async () => {
    const { chunks } = await listen(wire, { kind: "cut", after_bytes: 123 });
    expect(Buffer.concat(chunks)).toHaveLength(123);
  });

  test("stall: headers, then silence", async () => {
    emulator.script({ match: { wire }, answer, fault: { kind: "stall", after_frames: 0 } });
    const abort = new AbortController();
    const response = await senders[wire](abort.signal);
    expect(response.status).toBe(200);
    const reader = response.body?.getReader();
    const first = reader?.read().then(
      () => "spoke",
      () => "aborted",
    );
    const silence = new Promise<string>((resolve) => setTimeout(resolve, 60, "silence"));
    expect(await Promise.race([first, silence])).toBe("silence");
    abort.abort();
    expect(await first).toBe("aborted");
  });

  test("reset: the connection breaks", async () => {
    const { broke, text } = await listen(wire, { kind: "reset", after_frames: 1 });
    expect(broke).toBe(true);
    expect(text).not.toMatch(terminal[wire]);
  });

  test("keep_alives_only: something comes, nothing is said", async () => {
    const { text } = await listen(wire, { kind: "keep_alives_only", delay_ms: 1 }, 4);
    expect(text).toMatch(/ping|keep/);
    expect(text).not.toContain("One two");
    expect(text).not.toMatch(terminal[wire]);
  });

  test("split: every byte on its own, the same text", async () => {
    const { text, chunks } = await listen(wire, { kind: "split", size: 1 });
    expect(text).toMatch(terminal[wire]);
    expect(chunks.length).toBeGreaterThan(20);
  });

  test("garbage: a frame that is none, and the rest", async () => {
    const { text } = await listen(wire, { kind: "garbage", after_frames: 2, text: "data: {oh no\n\n" });
    expect(text).toContain("{oh no");
    expect(text).toMatch(terminal[wire]);
  });

  test("late_error: an error inside a 200, then nothing", async () => {
    const { text, response } = await listen(wire, { kind: "late_error", after_frames: 3, error: "rate_limit" });
    expect(response.status).toBe(200);
    expect(text).toMatch(/rate_limit|RESOURCE_EXHAUSTED/);
    expect(text).not.toMatch(terminal[wire]);
  });

  test("wrong_content_type: the same bytes under a wrong name, or a page", async () => {
    const named = await listen(wire, { kind: "wrong_content_type" });
    expect(named.response.headers.get("content-type")).toContain("text/html");
    expect(named.text).toMatch(terminal[wire]);
    const page = await listen(wire, { kind: "wrong_content_type", text: "<h1>Sign in</h1>" });
    expect(page.text).toBe("<h1>Sign in</h1>");
  });

  test("error_in_200: status 200, the body an error", async () => {
    const { text, response } = await listen(wire, { kind: "error_in_200", error: "server" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(field(JSON.parse(text), "error", "message")).toEqual(expect.any(String));
  });

  test("never_ending: it goes on for as long as one listens", async () => {
    const { text } = await listen(wire, { kind: "never_ending" }, 60);
    expect(framesOf(text).length).toBeGreaterThanOrEqual(60);
    expect(text).not.toMatch(terminal[wire]);
  });

  test("stay_open: the terminal event, and no end", async () => {
    emulator.script({ match: { wire }, answer, fault: "stay_open" });
    const abort = new AbortController();
    const response = await senders[wire](abort.signal);
    let text = "";
    const decoder = new TextDecoder();
    let ended = true;
    try {
      for await (const chunk of response.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (terminal[wire].test(text)) setTimeout(() => abort.abort(), 30);
      }
    } catch {
      ended = false;
    }
    expect(text).toMatch(terminal[wire]);
    expect(ended).toBe(false);
  });

  test("thinking_eats_limit: the limit is reached and nothing was said", async () => {
    const { text } = await listen(wire, { kind: "thinking_eats_limit" });
    expect(text).not.toContain("One two");
    expect(text).toMatch(/max_tokens|max_output_tokens|"length"|MAX_TOKENS/);
  });
});

describe("faults without being asked", () => {
  test("by rate and seed: the same requests break the same way", async () => {
    const run = async (seed: number): Promise<(string | undefined)[]> => {
      const own = makeLab({ faults: { seed, rate: 0.5, kinds: ["cut", "garbage", "late_error"] } });
      for (let round = 0; round < 30; round++) await (await own.messages({ stream: true })).text();
      return own.emulator.requests().map((request) => request.fault);
    };
    const first = await run(11);
    expect(first).toEqual(await run(11));
    expect(first).not.toEqual(await run(12));
    expect(new Set(first)).toEqual(new Set([undefined, "cut", "garbage", "late_error"]));
  });

  test("every kind has been seen to work above", () => {
    expect([...faultKinds].sort()).toEqual(
      [
        "cut",
        "error_in_200",
        "garbage",
        "keep_alives_only",
        "late_error",
        "never_ending",
        "reset",
        "slow",
        "split",
        "stall",
        "stay_open",
        "thinking_eats_limit",
        "wrong_content_type",
      ].sort(),
    );
  });

  test("responses: the three forms of a late error", async () => {
    const say = async (form: "nested" | "flat" | "failed_only"): Promise<unknown[]> =>
      dataOf(
        (await listen("responses", { kind: "late_error", after_frames: 2, error: "rate_limit", form })).text,
      ).slice(2);
    const [nested, failed] = await say("nested");
    expect(field(nested, "error", "code")).toBe("rate_limit_exceeded");
    expect(field(failed, "response", "status")).toBe("failed");
    const [flat] = await say("flat");
    expect(field(flat, "code")).toBe("rate_limit_exceeded");
    const [only] = await say("failed_only");
    expect(field(only, "response", "error", "code")).toBe("rate_limit_exceeded");
  });

  test("a client that leaves stops the work", async () => {
    await listen("messages", { kind: "never_ending" }, 5);
    emulator.script({ answer: { text: "still here" } });
    const text = await (await senders.messages()).text();
    expect(dataOf(text).some((event) => field(event, "delta", "text") !== undefined)).toBe(true);
  });
});
