import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { complete } from "../../../src/llm/index.ts";
import { createEmulator, findSecrets, withRecording } from "../../../src/testing/index.ts";
import { filesUnder, root } from "../../../tools/files.mjs";

const folder = mkdtempSync(join(tmpdir(), "secrets-"));
afterAll(() => rmSync(folder, { recursive: true }));
let count = 0;
const newFile = (): string => join(folder, `${count++}.jsonl`);

/** Joined here, so that no file of ours holds one. */
const body = "a1B2c3D4".repeat(5);
const hex = "0a1b2c3d".repeat(4);
const keys: readonly [string, string][] = [
  ["an Anthropic key", ["sk", "ant", "api03", body].join("-")],
  ["an OpenAI key", ["sk", "proj", body].join("-")],
  ["an OpenAI key", ["sk", "svcacct", body].join("-")],
  ["an OpenAI key", ["sk", body].join("-")],
  ["an OpenRouter key", ["sk", "or", "v1", body].join("-")],
  ["a Google key", `AIza${body}`],
  ["a Google key", ["AQ", body].join(".")],
  ["an xAI key", ["xai", body].join("-")],
  ["a Groq key", ["gsk", body].join("_")],
  ["a Perplexity key", ["pplx", body].join("-")],
  ["a Cerebras key", ["csk", body].join("-")],
  ["an NVIDIA key", ["nvapi", body].join("-")],
  ["a Hugging Face token", ["hf", body].join("_")],
  ["a Databricks token", `dapi${hex}`],
  ["a Vercel key", ["vck", body].join("_")],
  ["a GitHub token", ["gho", body].join("_")],
  ["an AWS key", ["AKIA", "A1B2C3D4".repeat(2)].join("")],
  ["a signed token", [`eyJ${body}`, `eyJ${body}`, body].join(".")],
  ["a bearer token", `authorization: Bearer ${body}`],
  ["a key in a header", `{"x-api-key":"${body}"}`],
  ["a key in an address", `https://host.test/v1beta/models?key=${body}`],
];

describe("keys are found by their shapes", () => {
  test.each(keys)("%s", (what, key) => {
    expect(findSecrets(`before ${key} after`).map((found) => found.what)).toContain(what);
  });

  test("and shown only by their beginnings", () => {
    for (const [, key] of keys) {
      for (const { shown } of findSecrets(key)) expect(shown.length).toBeLessThanOrEqual(9);
    }
  });

  test.each([
    "Authorization: Bearer YOUR_KEY",
    "x-api-key header is required",
    "Incorrect API key provided: sk-p********abcd.",
    "a mask-antiquity of risk-or-reward, task-proj, 42xai-1, disk-ant-hill",
    "https://host.test/?key=…&alt=sse",
  ])("what is none is let be: %s", (text) => {
    expect(findSecrets(text)).toEqual([]);
  });
});

describe("keys are not written", () => {
  test.each(keys)("in a request: %s", async (_what, key) => {
    const file = newFile();
    const recording = withRecording(file, { mode: "record", fetch: createEmulator().fetch });
    const request = complete("claude-haiku-5-5", `My key is ${key}`, { key: "nothing", fetch: recording });
    await expect(request).rejects.toThrow(/Nothing more is written to .*: the request holds what looks like/);
    expect(() => recording.close()).toThrow("looks like");
    expect(existsSync(file)).toBe(false);
  });

  test.each(keys)("in a response, however it is cut: %s", async (_what, key) => {
    const file = newFile();
    const middle = Math.floor(key.length / 2);
    const pieces = [`{"said":"${key.slice(0, middle)}`, `${key.slice(middle)}"}`, "\u00e9"];
    const fetch = (): Promise<Response> => {
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          for (const piece of pieces) controller.enqueue(new TextEncoder().encode(piece));
          controller.close();
        },
      });
      return Promise.resolve(new Response(stream));
    };
    const recording = withRecording(file, { mode: "record", fetch });
    const response = await recording("https://host.test/x");
    await expect(response.text()).rejects.toThrow("the response holds what looks like");
    expect(() => recording.close()).toThrow("looks like");
    expect(existsSync(file)).toBe(false);
  });

  test("in an address", async () => {
    const file = newFile();
    const recording = withRecording(file, { mode: "record", fetch: createEmulator().fetch });
    const url = `https://host.test/v1beta/models?key=${body}`;
    await expect(recording(url)).rejects.toThrow("a key in an address");
    expect(existsSync(file)).toBe(false);
  });

  test("that were sent in a header and come back, whatever they look like", async () => {
    const own = "correct-horse-battery-staple";
    const file = newFile();
    const fetch = (): Promise<Response> => Promise.resolve(new Response(`No such key: ${own}`, { status: 401 }));
    for (const [name, value] of [
      ["x-api-key", own],
      ["authorization", `Bearer ${own}`],
      ["x-goog-api-key", own],
    ] as const) {
      const recording = withRecording(file, { mode: "record", fetch });
      const response = await recording("https://host.test/x", { headers: { [name]: value } });
      await expect(response.text()).rejects.toThrow("the key that was sent (correct-…)");
    }
    expect(existsSync(file)).toBe(false);
  });

  test("nor is anything after them, while what came before stays", async () => {
    const file = newFile();
    const recording = withRecording(file, { mode: "record", fetch: createEmulator().fetch });
    const options = { key: "nothing", fetch: recording };
    await complete("claude-haiku-5-5", "First", options);
    await expect(complete("claude-haiku-5-5", keys[0]?.[1] ?? "", options)).rejects.toThrow("looks like");
    await complete("claude-haiku-5-5", "Third", options);
    expect(readFileSync(file, "utf8")).toContain("First");
    expect(readFileSync(file, "utf8")).not.toContain("Third");
  });
});

test("no fixture holds a key, in its lines or across their pieces", () => {
  const files = filesUnder("test/fixtures");
  expect(files.length).toBeGreaterThan(0);
  const found = files.flatMap((path) => {
    const text = readFileSync(join(root, path), "utf8");
    return [text, joined(text)].flatMap((part) =>
      findSecrets(part).map(({ what, shown }) => `${path}: ${what} ${shown}`),
    );
  });
  expect(found).toEqual([]);
});

/** The bodies of a recording as they were on the wire. */
function joined(text: string): string {
  const chunks = text.split("\n").map((line): { type?: unknown; text?: unknown; base64?: unknown } => {
    try {
      const parsed: unknown = JSON.parse(line);
      return typeof parsed === "object" && parsed !== null ? parsed : {};
    } catch {
      return {};
    }
  });
  return chunks
    .map(({ text: piece, base64 }) =>
      typeof base64 === "string" ? Buffer.from(base64, "base64").toString("latin1") : piece,
    )
    .filter((piece) => typeof piece === "string")
    .join("");
}
