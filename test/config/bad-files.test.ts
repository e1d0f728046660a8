import { mkdirSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { ConfigError, loadConfig, loadCredentials, problemText, type Config } from "../../src/config/index.ts";
import { canary, makeHome } from "./home.ts";

const home = makeHome();

/** What is thrown when something is asked for, with the path of the file left out. */
function thrown(ask: () => unknown, file: string): string {
  try {
    ask();
  } catch (error) {
    if (error instanceof ConfigError) return error.message.replaceAll(file, "FILE");
    throw error;
  }
  return "nothing";
}

function problems(loaded: Pick<Config, "problems" | "file">): readonly string[] {
  return loaded.problems.map(
    (problem) => `${problem.severity} ${problemText(problem).replaceAll(loaded.file, "FILE")}`,
  );
}

type Bad = readonly [kind: string, text: string, ask: (config: Config) => unknown, message: string];

const bad: readonly Bad[] = [
  [
    "a trailing comma",
    '{\n  "listen_port": 1984,\n}\n',
    (c) => c.get("listen_port"),
    'FILE:2:22: not JSON: a comma before "}"; remove it',
  ],
  [
    "a missing comma",
    '{\n  "listen_port": 1984\n  "history_size": 1\n}',
    (c) => c.get("history_size"),
    'FILE:2:22: not JSON: "," or "}" is missing before a text',
  ],
  ["a comment", "{\n  // mine\n}", (c) => c.get("budget"), "FILE:2:3: not JSON: JSON has no comments; remove it"],
  ["an empty file", " \n", (c) => c.get("budget"), "FILE: is empty; write {} into it or remove it"],
  ["a list instead of an object", "[]", (c) => c.get("listen_port"), "FILE:1:1: a list is not an object"],
  [
    "a word for a number",
    '{\n  "max_tool_turns": "fifty"\n}',
    (c) => c.get("max_tool_turns"),
    'FILE:2:21: max_tool_turns: "fifty" is not a whole number of at least 1',
  ],
  [
    "a port that is none",
    '{"listen_port": 99999}',
    (c) => c.get("listen_port"),
    "FILE:1:17: listen_port: 99999 is not a whole number from 0 to 65535",
  ],
  [
    "half a token",
    '{"max_output_tokens": 0.5}',
    (c) => c.get("max_output_tokens"),
    "FILE:1:23: max_output_tokens: 0.5 is not a whole number of at least 1, or -1",
  ],
  [
    "null",
    '{"default_provider": null}',
    (c) => c.get("default_provider"),
    "FILE:1:22: default_provider: null is not text",
  ],
  [
    "a mistyped level",
    '{"providers": {"openai": {"default_thinking": "hihg"}}}',
    (c) => c.provider("openai"),
    'FILE:1:47: providers.openai.default_thinking: "hihg" is not a thinking level; did you mean high?',
  ],
  [
    "an address without http",
    '{"providers": {"mine": {"base_url": "localhost:8080/v1"}}}',
    (c) => c.provider("mine"),
    'FILE:1:37: providers.mine.base_url: "localhost:8080/v1" is not an http(s) address',
  ],
  [
    "a password in a wrong address",
    '{"providers": {"mine": {"base_url": "ftp://me:secret@host"}}}',
    (c) => c.provider("mine"),
    'FILE:1:37: providers.mine.base_url: "ftp://…@host" is not an http(s) address',
  ],
  [
    "an unknown protocol",
    '{"providers": {"mine": {"protocol": "grpc"}}}',
    (c) => c.provider("mine"),
    'FILE:1:37: providers.mine.protocol: "grpc" is not one of anthropic, responses, chat, gemini',
  ],
  [
    "a provider's name with a colon",
    '{"providers": {"my:own": {}}}',
    (c) => c.provider("my:own"),
    'FILE:1:16: providers["my:own"]: "my:own" is not a provider\'s name (a to z, 0 to 9, dot, dash)',
  ],
  [
    "a price below nothing",
    '{"providers": {"x": {"models": {"m": {"prices": {"input": -1}}}}}}',
    (c) => c.provider("x"),
    "FILE:1:49: providers.x.models.m.prices: output is missing\nFILE:1:59: providers.x.models.m.prices.input: -1 is not a number of at least 0",
  ],
  [
    "thinking of no kind",
    '{"providers": {"x": {"models": {"m.1": {"thinking": {"kind": "deep"}}}}}}',
    (c) => c.provider("x"),
    'FILE:1:62: providers.x.models["m.1"].thinking.kind: "deep" is not one of none, budget, effort, adaptive, level',
  ],
  [
    "one word where a list belongs",
    '{"providers": {"x": {"prefixes": "gpt-"}}}',
    (c) => c.provider("x"),
    'FILE:1:34: providers.x.prefixes: "gpt-" is not a list of texts',
  ],
  [
    "a secret address of a database",
    '{"database_url": "mysql://me:secret@host/db"}',
    (c) => c.get("database_url"),
    "FILE:1:18: database_url: the value (not shown here) is not a path, sqlite:PATH or postgres://…",
  ],
  ["a number for a section", '{"budget": 5}', (c) => c.get("budget"), "FILE:1:12: budget: 5 is not an object"],
];

describe("a bad config.json says what, where and why", () => {
  test.each(bad)("%s", (_kind, text, ask, message) => {
    const config = loadConfig(home.write("config.json", text), {});
    expect(thrown(() => ask(config), config.file)).toBe(message);
  });

  test("a file that is not UTF-8", async () => {
    const { writeFileSync } = await import("node:fs");
    writeFileSync(home.path("latin.json"), Buffer.from('{"a": "\xe4"}', "latin1"));
    const config = loadConfig(home.path("latin.json"), {});
    expect(thrown(() => config.get("budget"), config.file)).toBe("FILE: is not UTF-8 text; save it as UTF-8");
  });

  test("a folder in its place", () => {
    mkdirSync(home.path("folder.json"));
    const config = loadConfig(home.path("folder.json"), {});
    expect(thrown(() => config.get("budget"), config.file)).toBe("FILE: cannot be read: it is a folder");
  });

  test("a byte-order mark is nothing wrong", () => {
    const config = loadConfig(home.write("config.json", '\ufeff{"listen_port": 1}'), {});
    expect(config.get("listen_port")).toBe(1);
  });
});

describe("errors are lazy", () => {
  const text = JSON.stringify({
    listen_port: "x",
    max_tool_turns: 7,
    providers: { openai: { api: 5 }, google: { default_thinking: "medium" } },
  });

  test("a mistake in one corner does not stop work in another", () => {
    const config = loadConfig(home.write("config.json", text), {});
    expect(config.get("max_tool_turns")).toBe(7);
    expect(config.get("budget")).toEqual({ session_usd: 5 });
    expect(config.provider("google")).toEqual({ default_thinking: "med" });
    expect(config.provider("anthropic")).toEqual({});
    expect(() => config.get("listen_port")).toThrow(ConfigError);
    expect(() => config.provider("openai")).toThrow(ConfigError);
  });

  test("loading an unreadable file does not throw", () => {
    const config = loadConfig(home.write("config.json", "{"), {});
    expect(config.problems).toHaveLength(1);
    expect(config.provider_names).toEqual([]);
  });

  test("all that is wrong can be had at once, in the order of the file", () => {
    const file = home.write("config.json", '{\n"listen_prot": 1,\n"listen_port": -1,\n"listen_port": 70000\n}');
    expect(problems(loadConfig(file, {}))).toEqual([
      "warning FILE:2:1: listen_prot: there is no such key; did you mean listen_port?",
      "warning FILE:4:1: listen_port: stands here a second time; only this one counts",
      "error FILE:4:16: listen_port: 70000 is not a whole number from 0 to 65535",
    ]);
  });

  test("unknown keys are warned of, also deep inside, with the nearest known name", () => {
    const file = home.write("config.json", { providers: { openai: { defaultmodel: "x" } }, zzzzzzzzzzzzzzzz: 1 });
    const [first, second] = problems(loadConfig(file, {}));
    expect(first).toBe(
      "warning FILE:4:7: providers.openai.defaultmodel: there is no such key; did you mean default_model?",
    );
    expect(second).toMatch(
      /^warning FILE:7:3: zzzzzzzzzzzzzzzz: there is no such key; known: \$schema, default_provider, /,
    );
  });

  test("a key in config.json is warned of and never shown", () => {
    const key = canary();
    const file = home.write("config.json", { api_key: key, providers: { openai: { api_key: key } } });
    const found = problems(loadConfig(file, {}));
    expect(found).toEqual([
      "warning FILE:2:3: api_key: keys do not belong here: this file may be shown to others. Run `ikigai login`, then remove it",
      "warning FILE:5:7: providers.openai.api_key: keys do not belong here: this file may be shown to others. Run `ikigai login`, then remove it",
    ]);
  });
});

describe("a bad credentials.json", () => {
  const key = canary();
  test.each([
    [
      "a bare key",
      { openai: key },
      'FILE:2:13: openai: the value (not shown here) is not an object such as {"api_key": "…"}',
    ],
    ["no key in the entry", { openai: {} }, "FILE:2:13: openai: api_key is missing"],
    [
      "a key with a blank",
      { openai: { api_key: `${key} x` } },
      "FILE:3:16: openai.api_key: the value (not shown here) is not text without blanks and without characters no key has",
    ],
    [
      "a number",
      { openai: { api_key: 5 } },
      "FILE:3:16: openai.api_key: the value (not shown here) is not text without blanks and without characters no key has",
    ],
    ["an empty key", { openai: { api_key: "" } }, "FILE:3:16: openai.api_key: is empty"],
    [
      "a key without quotes",
      `{"openai": {"api_key": ${key}}}`,
      "FILE:1:24: not JSON: this is no value; text stands in double quotes",
    ],
  ])("%s", (_kind, content, message) => {
    const credentials = loadCredentials(home.write("credentials.json", content));
    expect(thrown(() => credentials.key("openai"), credentials.file)).toBe(message);
    expect(JSON.stringify(credentials.problems)).not.toContain("canary");
  });

  test("does not stop a provider whose entry is right", () => {
    const credentials = loadCredentials(home.write("credentials.json", { openai: 5, google: { api_key: key } }));
    expect(credentials.key("google")).toBe(key);
    expect(credentials.key("xai")).toBeUndefined();
  });

  test("with a key for a name is not repeated either", () => {
    const credentials = loadCredentials(home.write("credentials.json", { [`${key}${key}`]: { api_key: "x" } }));
    expect(problems(credentials).join()).not.toContain("canary");
  });
});
