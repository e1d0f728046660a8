import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runMock } from "../../src/cli/mock.ts";
import { field, list } from "./lab.ts";

const folder = mkdtempSync(join(tmpdir(), "mock-"));
afterAll(() => rmSync(folder, { recursive: true }));

type Running = { readonly url: string; readonly out: () => string; readonly stop: () => Promise<number> };

async function start(...args: string[]): Promise<Running> {
  let out = "";
  let err = "";
  const abort = new AbortController();
  const ended = runMock(
    ["--port", "0", ...args],
    { stdout: (text) => (out += text), stderr: (text) => (err += text) },
    abort.signal,
  );
  while (!/http:\/\/[\d.]+:\d+/.test(out)) {
    if (err !== "") throw new Error(err);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  const url = /http:\/\/[\d.]+:\d+/.exec(out)?.[0] ?? "";
  const stop = async (): Promise<number> => {
    abort.abort();
    return ended;
  };
  return { url, out: () => out, stop };
}

async function refuse(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await runMock(args, { stdout: (text) => (out += text), stderr: (text) => (err += text) });
  return { code, out, err };
}

async function chat(url: string, key = "any"): Promise<Response> {
  return fetch(`${url}/openai/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: "gpt-5.4", messages: [{ role: "user", content: "Hi" }] }),
  });
}

describe("ikigai mock", () => {
  test("says where it is, answers, tells of requests, and ends with 0", async () => {
    const mock = await start();
    expect(mock.out()).toMatch(new RegExp(`anthropic +${mock.url}/anthropic\n`));
    expect(field(await (await chat(mock.url)).json(), "choices", 0, "message", "content")).toBe("You said: Hi");
    expect(mock.out()).toContain("200  POST  /openai/v1/chat/completions  gpt-5.4");
    expect(await mock.stop()).toBe(0);
    await expect(fetch(mock.url)).rejects.toThrow("fetch failed");
  });

  test("takes a script, keys and machine-readable output", async () => {
    const path = join(folder, "script.jsonl");
    writeFileSync(path, '{"answer":{"text":"One"}}\n{"error":"overloaded"}\n');
    const mock = await start("--script", path, "--key", "right", "--json");
    expect((await chat(mock.url, "wrong")).status).toBe(401);
    expect(field(await (await chat(mock.url, "right")).json(), "choices", 0, "message", "content")).toBe("One");
    expect((await chat(mock.url, "right")).status).toBe(503);
    expect(await mock.stop()).toBe(0);
    const lines = mock
      .out()
      .trim()
      .split("\n")
      .map((row): unknown => JSON.parse(row));
    expect(field(lines[0], "base_urls", "openai")).toBe(`${mock.url}/openai/v1`);
    expect(lines.slice(1).map((row) => field(row, "status"))).toEqual([401, 200, 503]);
    expect(field(lines[1], "rule")).toBe("auth.bad");
  });

  test("breaks answers on request", async () => {
    const mock = await start("--fault", "error_in_200", "--quiet");
    const response = await chat(mock.url);
    expect(response.status).toBe(200);
    expect(field(await response.json(), "error", "code")).toBe("server_is_overloaded");
    const seen: unknown = await (await fetch(`${mock.url}/_mock/requests`)).json();
    expect(list(field(seen, "requests")).map((request) => field(request, "fault"))).toEqual(["error_in_200"]);
    expect(mock.out()).not.toContain("completions");
    await mock.stop();
  });

  test.each([
    [["--port", "many"], /--port wants a number/],
    [["--fault", "melt"], /no fault is called "melt"/],
    [["--script", join(folder, "absent.json")], /cannot be read/],
    [["--colour"], /--colour/],
    [["extra"], /extra/],
  ])("wrong use %j ends with 2 and says why", async (args, words) => {
    const { code, out, err } = await refuse(...args);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toMatch(words);
  });

  test("a script with a mistake is wrong use", async () => {
    const path = join(folder, "wrong.json");
    writeFileSync(path, '[{"anser":{}}]');
    const { code, err } = await refuse("--port", "0", "--script", path);
    expect(code).toBe(2);
    expect(err).toContain('has no field "anser"');
  });

  test("a port that is taken", async () => {
    const mock = await start();
    const { code, err } = await refuse("--port", mock.url.split(":").at(-1) ?? "");
    expect(code).toBe(1);
    expect(err).toContain("--port 0");
    await mock.stop();
  });
});
