import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { request as httpRequest } from "node:http";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startEmulator, type Emulator } from "../../src/testing/index.ts";
import { field, list } from "./lab.ts";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator();
});

afterAll(async () => {
  await emulator.close();
});

const key = { "x-api-key": "k", "anthropic-version": "2026-10-21", authorization: "Bearer k" };
const body = { model: "claude-opus-5-5", max_tokens: 100, messages: [{ role: "user", content: "Hello" }] };

function post(path: string, content: unknown, headers: Record<string, string> = key): Promise<Response> {
  return fetch(emulator.url + path, { method: "POST", headers, body: JSON.stringify(content) });
}

function get(path: string, headers: Record<string, string> = key): Promise<Response> {
  return fetch(emulator.url + path, { headers });
}

describe("control over HTTP", () => {
  test("script, requests and reset", async () => {
    const added = await post("/_mock/script", { entries: [{ answer: { text: "One" } }, { error: "overloaded" }] }, {});
    expect(await added.json()).toEqual({ ok: true, waiting: 2 });
    expect(field(await (await post("/anthropic/v1/messages", body)).json(), "content", 0, "text")).toBe("One");
    expect((await post("/anthropic/v1/messages", body)).status).toBe(529);
    const seen = list(field(await (await get("/_mock/requests", {})).json(), "requests"));
    expect(seen.map((entry) => field(entry, "status"))).toEqual([200, 529]);
    expect(field(seen[0], "body", "model")).toBe("claude-opus-5-5");
    expect(field(seen[0], "headers", "x-api-key")).toBe("(not kept)");
    await post("/_mock/reset", {}, {});
    expect(field(await (await get("/_mock/requests", {})).json(), "requests")).toEqual([]);
  });

  test("one entry or a list will do; a mistake is explained", async () => {
    expect((await post("/_mock/script", { answer: { text: "x" } }, {})).status).toBe(200);
    expect((await post("/_mock/script", [{ answer: { text: "x" } }], {})).status).toBe(200);
    const wrong = await post("/_mock/script", { fault: "melt" }, {});
    expect(wrong.status).toBe(400);
    expect(String(field(await wrong.json(), "error"))).toContain('no fault is called "melt"');
    await post("/_mock/reset", {}, {});
  });

  test("what there is can be asked", async () => {
    const overview: unknown = await (await get("/_mock", {})).json();
    expect(list(field(overview, "rules")).length).toBeGreaterThan(200);
    expect(list(field(overview, "faults"))).toContain("split");
    expect((await get("/_mock/nonsense", {})).status).toBe(404);
  });

  test("a web page cannot reach the controls by a name that points here", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: "evil.example" };
      const call = httpRequest(
        { port: emulator.port, host: "127.0.0.1", path: "/_mock/requests", headers },
        (answer) => {
          answer.resume();
          resolve(answer.statusCode);
        },
      );
      call.on("error", reject);
      call.end();
    });
    expect(status).toBe(403);
    expect((await get("/_mock/requests", { origin: "https://evil.example" })).status).toBe(403);
  });
});

describe("endpoints", () => {
  test("paths with and without the provider in front", async () => {
    for (const path of ["/anthropic/v1/messages", "/v1/messages"]) {
      expect((await post(path, body)).status).toBe(200);
    }
    const chat = { model: "gpt-5.4", messages: body.messages };
    for (const path of ["/openai/v1/chat/completions", "/v1/chat/completions"]) {
      expect((await post(path, chat)).status).toBe(200);
    }
    for (const path of ["/openai/v1/responses", "/v1/responses"]) {
      expect((await post(path, { model: "gpt-6.1-sol", input: "Hi" })).status).toBe(200);
    }
    const gemini = { contents: [{ parts: [{ text: "Hi" }] }] };
    for (const path of ["/google/v1beta", "/v1beta"]) {
      const address = `${path}/models/gemini-4-argon:generateContent`;
      expect((await post(address, gemini, { "x-goog-api-key": "k" })).status).toBe(200);
    }
    expect((await post("/v1/nothing", {})).status).toBe(404);
    expect(emulator.base_urls["anthropic"]).toBe(`${emulator.url}/anthropic`);
  });

  test("counting agrees with the usage of an answer", async () => {
    const { max_tokens: _max, ...counted } = body;
    const count: unknown = await (await post("/anthropic/v1/messages/count_tokens", counted)).json();
    const usage = field(await (await post("/anthropic/v1/messages", body)).json(), "usage", "input_tokens");
    expect(field(count, "input_tokens")).toBe(usage);
    const input = { model: "gpt-6.1-sol", input: "Hi there" };
    const other: unknown = await (await post("/openai/v1/responses/input_tokens", input)).json();
    expect(field(other, "object")).toBe("response.input_tokens");
    const answered = await (await post("/openai/v1/responses", input)).json();
    expect(field(other, "input_tokens")).toBe(field(answered, "usage", "input_tokens"));
    const contents = { contents: [{ role: "user", parts: [{ text: "Hi there" }] }] };
    const google = { "x-goog-api-key": "k" };
    const third: unknown = await (
      await post("/google/v1beta/models/gemini-4-argon:countTokens", contents, google)
    ).json();
    const nested = { generateContentRequest: { model: "models/gemini-4-argon", ...contents } };
    const fourth: unknown = await (
      await post("/google/v1beta/models/gemini-4-argon:countTokens", nested, google)
    ).json();
    expect(field(third, "totalTokens")).toBe(field(fourth, "totalTokens"));
  });

  test("models come in pages", async () => {
    const anthropic: unknown[] = [];
    for (let after = ""; ;) {
      const page: unknown = await (await get(`/anthropic/v1/models?limit=5${after}`)).json();
      anthropic.push(...list(field(page, "data")));
      if (field(page, "has_more") !== true) break;
      after = `&after_id=${String(field(page, "last_id"))}`;
    }
    expect(new Set(anthropic.map((row) => field(row, "id"))).size).toBe(anthropic.length);
    expect(anthropic.length).toBeGreaterThan(10);
    const google: unknown[] = [];
    for (let token = ""; ;) {
      const url = `/google/v1beta/models?pageSize=4${token}`;
      const page: unknown = await (await get(url, { "x-goog-api-key": "k" })).json();
      google.push(...list(field(page, "models")));
      const next = field(page, "nextPageToken");
      if (next === undefined) break;
      token = `&pageToken=${String(next)}`;
    }
    expect(google.map((row) => field(row, "name"))).toContain("models/gemini-4-argon");
    const openai: unknown = await (await get("/openai/v1/models")).json();
    expect(list(field(openai, "data")).map((row) => field(row, "id"))).toContain("gpt-6.1-sol");
    expect(field(await (await get("/anthropic/v1/models/claude-opus-5-5")).json(), "max_tokens")).toBe(128_000);
    expect((await get("/anthropic/v1/models/claude-none")).status).toBe(404);
    // Without a prefix, the version header says who is meant.
    expect(field(await (await get("/v1/models", { authorization: "Bearer k" })).json(), "object")).toBe("list");
    expect(field(await (await get("/v1/models")).json(), "has_more")).toBe(false);
  });

  test("more models by likeness", async () => {
    const other = await startEmulator({ models: [{ id: "sim-think", like: "claude-sonnet-5" }], keys: ["right"] });
    const send = (headers: Record<string, string>): Promise<Response> =>
      fetch(other.endpoints.messages, {
        method: "POST",
        headers: { ...key, ...headers },
        body: JSON.stringify({ ...body, model: "sim-think" }),
      });
    expect((await send({ "x-api-key": "right" })).status).toBe(200);
    expect((await send({ "x-api-key": "wrong" })).status).toBe(401);
    await other.close();
  });
});

describe("the emulator stands alone", () => {
  test("it imports nothing of the library it checks", () => {
    const folder = join(import.meta.dirname, "../../src/testing/emulator");
    const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
    expect(files.length).toBeGreaterThan(20);
    for (const name of files) {
      const imports = [...readFileSync(join(folder, name), "utf8").matchAll(/from "([^"]+)"/g)].map(
        (match) => match[1],
      );
      for (const path of imports) expect(path, name).not.toMatch(/llm|agent|config/);
      const node = imports.filter((path) => path?.startsWith("node:"));
      expect(node, name).toEqual(name === "server.ts" ? ["node:http"] : []);
    }
  });
});
