import { mkdtempSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { runWire } from "../../src/cli/wire/command.ts";
import { parseConversation } from "../../src/cli/wire/conversation.ts";

const folder = mkdtempSync(join(tmpdir(), "wire-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** The lines printed, parsed, with what went to standard error and the exit code. */
async function wire(args: readonly string[], stdin = ""): Promise<{ code: number; out: string; err: string }> {
  let out = "";
  let err = "";
  const code = await runWire(args, {
    stdin: (async function* () {
      yield new TextEncoder().encode(stdin);
    })(),
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
  });
  return { code, out, err };
}

function lines(out: string): readonly { readonly [field: string]: unknown }[] {
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as { [field: string]: unknown });
}

function save(name: string, value: unknown): string {
  const path = join(folder, name);
  writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
  return path;
}

const answer = {
  provider: "anthropic",
  api: "messages",
  model: "a label",
  request: { method: "POST", url: "https://api.test/v1/messages", headers: {}, body: { model: "claude-sonnet-4-5" } },
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    body: {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "claude-sonnet-4-5-20250929",
      content: [{ type: "text", text: "Hello" }],
      stop_reason: "end_turn",
      usage: { input_tokens: 3, output_tokens: 2 },
    },
  },
};
const refusal = {
  ...answer,
  response: {
    status: 529,
    headers: { "retry-after": "7" },
    body: { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  },
};

describe("wire decode", () => {
  test("prints a line of exactly these fields for an answer", async () => {
    const file = save("answer.json", answer);
    const { code, out } = await wire(["decode", "--json", file]);
    expect(code).toBe(0);
    expect(lines(out)).toEqual([
      {
        file,
        provider: "anthropic",
        api: "messages",
        ok: true,
        events: expect.any(Number),
        message: {
          role: "assistant",
          content: [{ type: "text", text: "Hello" }],
          origin: { provider: "anthropic", api: "messages", model: "claude-sonnet-4-5" },
        },
        finish_reason: "stop",
        raw_finish_reason: "end_turn",
        usage: {
          input_tokens: 3,
          cache_read_tokens: 0,
          cache_write_tokens: 0,
          output_tokens: 2,
          thinking_tokens: 0,
          total_tokens: 5,
        },
        error: null,
      },
    ]);
  });

  test("prints the error of a refusal", async () => {
    const { code, out } = await wire(["decode", "--json", save("refusal.json", refusal)]);
    expect(code).toBe(0);
    expect(lines(out)).toMatchObject([
      {
        ok: false,
        message: null,
        finish_reason: null,
        usage: null,
        error: {
          category: "overloaded",
          http_status: 529,
          provider_code: "overloaded_error",
          retry_after_ms: 7000,
          retryable: true,
        },
      },
    ]);
  });

  test("names the API that it does not speak", async () => {
    const { code, out } = await wire(["decode", "--json", save("other.json", { ...answer, api: "embeddings" })]);
    expect(code).toBe(0);
    expect(lines(out)).toMatchObject([{ ok: false, api: "embeddings", error: { provider_code: "unsupported_api" } }]);
  });

  test("reads an array of exchanges, and folders with other things in them", async () => {
    mkdirSync(join(folder, "many", "deep"), { recursive: true });
    save("many/array.json", [answer, refusal]);
    save("many/deep/answer.json", answer);
    save("many/manifest.json", [{ path: "deep/answer.json" }]);
    save("many/notes.txt", "nothing");
    const { code, out, err } = await wire(["decode", "--json", join(folder, "many")]);
    expect(code).toBe(0);
    expect(lines(out).map(({ file, ok }) => [String(file).slice(folder.length + 1), ok])).toEqual([
      ["many/array.json#0", true],
      ["many/array.json#1", false],
      ["many/deep/answer.json", true],
    ]);
    expect(err).toContain("manifest.json");
  });

  test("a file that is no exchange, or cannot be read, is a line and not a crash", async () => {
    const strange = save("strange.json", { hello: "world" });
    expect(lines((await wire(["decode", "--json", strange])).out)).toMatchObject([
      { file: strange, ok: false, error: { provider_code: "not_an_exchange" } },
    ]);
    for (const value of [
      [],
      7,
      "text",
      null,
      { response: {} },
      { provider: "x", api: "chat", response: { status: 200 } },
    ]) {
      const { code, out } = await wire(["decode", "--json", save("strange.json", JSON.stringify(value))]);
      expect(code).toBe(0);
      expect(lines(out)).toMatchObject([{ ok: false, error: { category: "invalid_argument" } }]);
    }
    for (const path of [save("broken.json", "{"), join(folder, "nowhere.json")]) {
      const { code, out } = await wire(["decode", "--json", path, save("answer.json", answer)]);
      expect(code).toBe(1);
      expect(lines(out)).toMatchObject([{ ok: false, error: { provider_code: "unreadable_file" } }, { ok: true }]);
    }
  });

  test("headers that no response can have do no harm", async () => {
    const headers = { "bad name": "x", fine: ["a", "b"], other: "…", number: 7 };
    const file = save("headers.json", { ...answer, response: { ...answer.response, headers } });
    expect(lines((await wire(["decode", "--json", file])).out)).toMatchObject([{ ok: true }]);
  });

  test("without --json each exchange is a readable line, and the last one counts them", async () => {
    const { code, out } = await wire(["decode", save("answer.json", answer), save("refusal.json", refusal)]);
    expect(code).toBe(0);
    const [first, second, last] = out.trimEnd().split("\n");
    expect(first).toMatch(/answer\.json: anthropic messages stop · 5 characters · 5 tokens$/);
    expect(second).toMatch(/refusal\.json: anthropic messages overloaded 529 · .*Overloaded/);
    expect(last).toBe("2 read: 1 answers, 1 errors, 0 unreadable");
  });

  test("wrong use is exit code 2", async () => {
    for (const args of [
      [],
      ["decode"],
      ["decode", "--yaml", "x"],
      ["sing"],
      ["encode"],
      ["encode", "--model", "m", "x"],
    ]) {
      const { code, out, err } = await wire(args);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toContain("ikigai wire encode --model");
    }
  });
});

describe("wire encode", () => {
  const example =
    /```json\n([^]*?)```/.exec(readFileSync(join(import.meta.dirname, "../../docs/format.md"), "utf8"))?.[1] ?? "";

  test("the example of docs/format.md is a conversation", () => {
    expect(parseConversation(example)).toMatchObject({ conversation: { max_output_tokens: 2000 }, warnings: [] });
  });

  test("B03 the example goes to its own model with everything, and to others without what is not theirs", async () => {
    const own = await wire(["encode", "--model", "claude-sonnet-4-5/med"], example);
    expect(own.err).toBe("");
    expect(own.code).toBe(0);
    const request = JSON.parse(own.out) as { url: string; body: { messages: unknown[] } };
    expect(Object.keys(request)).toEqual(["method", "url", "headers", "body", "notes", "losses"]);
    expect(request).toMatchObject({ method: "POST", losses: [], body: { model: "claude-sonnet-4-5" } });
    expect(JSON.stringify(request.body.messages)).toContain("c2lnbmF0dXJl");
    for (const model of ["gpt-6.1-sol", "gemini-4-argon"]) {
      const foreign = await wire(["encode", "--model", model], example);
      expect(foreign.code).toBe(0);
      expect(foreign.out).not.toContain("c2lnbmF0dXJl");
      expect(JSON.parse(foreign.out)).toMatchObject({ losses: expect.arrayContaining([expect.anything()]) });
    }
  });

  test("--stream asks for a stream", async () => {
    const streamed = await wire(["encode", "--stream", "--model", "claude-sonnet-4-5"], example);
    expect(JSON.parse(streamed.out)).toMatchObject({ body: { stream: true } });
    const whole = await wire(["encode", "--model", "claude-sonnet-4-5"], example);
    expect(JSON.parse(whole.out)).not.toMatchObject({ body: { stream: true } });
  });

  test("nothing on standard input is said in so many words", async () => {
    for (const nothing of ["", " \n"]) {
      const { code, out, err } = await wire(["encode", "--model", "claude-sonnet-4-5"], nothing);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/nothing came on standard input/);
    }
  });

  test("messages that say nothing are the same mistake on every wire", async () => {
    for (const model of ["claude-sonnet-4-5", "gpt-6.1-sol", "openai/gpt-5", "gemini-4-argon"]) {
      const { code, out, err } = await wire(
        ["encode", "--model", model],
        '{"messages": [{"role": "user", "content": []}]}',
      );
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(/nothing (to|is left to) send/);
    }
  });

  test("what is wrong is named with its place, and nothing is printed", async () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ["{", /^ikigai wire: the conversation is not JSON: [^\n]*\n$/],
      ["[]", /JSON object/],
      ['{"version": 2, "messages": []}', /version: must be 1, not 2/],
      ['{"version": 1, "messages": []}', /messages: must hold at least one message/],
      [
        '{"version": 1, "messages": [{"role": "user", "content": [{"type": "text"}]}]}',
        /messages\[0\]\.content\[0\]\.text/,
      ],
      [
        '{"version": 1, "messages": [{"role": "user", "content": []}], "thinking": {"level": "huge"}}',
        /thinking\.level/,
      ],
    ];
    for (const [text, message] of cases) {
      const { code, out, err } = await wire(["encode", "--model", "claude-sonnet-4-5"], text);
      expect([code, out]).toEqual([2, ""]);
      expect(err).toMatch(message);
    }
  });

  test("a level may be called as people call it, and an unknown field is warned about", async () => {
    const text =
      '{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}], "thinking": {"level": "medium"}, "max_tokens": 5}';
    const { code, err, out } = await wire(["encode", "--model", "claude-sonnet-4-5"], text);
    expect(code).toBe(0);
    expect(err).toContain("max_tokens");
    expect(JSON.parse(out)).toMatchObject({ body: { thinking: { budget_tokens: 43_008 } } });
  });

  test("a model nobody knows is wrong use", async () => {
    const { code, out } = await wire(["encode", "--model", "nobody-knows-this"], example);
    expect(code).not.toBe(0);
    expect(out).toBe("");
  });
});
