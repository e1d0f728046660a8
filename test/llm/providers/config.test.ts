import { describe, expect, test } from "vitest";
import {
  ask,
  defineProvider,
  explain,
  project,
  providerFromConfig,
  quirkProblems,
  type ProviderDefinition,
  type ProviderRow,
} from "../../../src/llm/index.ts";
import { answering, chunks } from "./support.ts";

const acme = {
  protocol: "chat",
  base_url: "https://models.acme.example/v1",
  api_key_env: "ACME_API_KEY",
  prefixes: ["acme-"],
  headers: { "x-team": "research" },
  quirks: { thinking_style: "enable_thinking", echo_reasoning_field: "reasoning_content" },
  models: {
    "acme-large": {
      context_tokens: 32_000,
      output_tokens_max: 8_000,
      prices: { input: 2, output: 8, cache_read: 0.5 },
      thinking: { kind: "adaptive", efforts: [], off: "disabled", omitted: "on" },
    },
    "acme-small": {},
  },
  default_model: "acme-large",
} as const;

function rowOf(config: unknown, name = "acme"): ProviderRow {
  const made = providerFromConfig(name, config);
  if ("problems" in made) throw new Error(JSON.stringify(made.problems));
  return made;
}

function problemsOf(config: unknown, name = "acme"): readonly string[] {
  const made = providerFromConfig(name, config);
  return "problems" in made ? made.problems.map(({ key, message }) => `${key}: ${message}`) : [];
}

describe("a provider in the configuration", () => {
  test("becomes a row, with models that have prices", async () => {
    const row = rowOf(acme);
    expect(row).toMatchObject({
      name: "acme",
      display_name: "acme",
      key_variables: ["ACME_API_KEY"],
      prefixes: ["acme-"],
      default_model: "acme-large",
    });
    expect(await row.models()).toMatchObject([
      {
        id: "acme-large",
        provider: "acme",
        context_tokens: 32_000,
        prices: { input: 2 },
        capabilities: { tools: true },
      },
      { id: "acme-small", provider: "acme", context_tokens: 128_000 },
    ]);
    expect((await row.models())[0]).not.toHaveProperty("unknown");
  });

  test("is asked like any other: by prefix, with its headers, its quirks and its prices", async () => {
    const stream = chunks({
      model: "acme-large",
      choices: [{ index: 0, delta: { content: "Hi" }, finish_reason: "stop" }],
      usage: { prompt_tokens: 1_000, completion_tokens: 100, total_tokens: 1_100 },
    });
    const options = { ...answering(stream), providers: [rowOf(acme)] };
    const answer = await ask("acme-large/none", "Hi", options);
    expect(answer.cost_usd).toBeCloseTo((1_000 * 2 + 100 * 8) / 1e6, 12);
    const [request] = options.requests;
    expect(request?.url).toBe("https://models.acme.example/v1/chat/completions");
    expect(request?.headers.get("x-team")).toBe("research");
    expect(request?.headers.get("authorization")).toBe("Bearer test-key");
    const { parameters } = await explain("acme-large/none", { providers: [rowOf(acme)] });
    expect(parameters).toEqual({ enable_thinking: false, max_tokens: 8_000 });
  });

  test.each([
    ["anthropic", "messages", "https://models.acme.example/v1/messages"],
    ["responses", "responses", "https://models.acme.example/responses"],
    ["chat", "chat", "https://models.acme.example/chat/completions"],
    ["gemini", "generateContent", "https://models.acme.example/models/m:streamGenerateContent?alt=sse"],
  ])("speaks %s", async (protocol, api, url) => {
    const row = rowOf({ protocol, base_url: "https://models.acme.example" });
    expect(row.apis.map(({ name }) => name)).toEqual([api]);
    expect((await project("Hi", "acme:m", { providers: [row] })).url).toBe(url);
  });

  test("can put the key into a header of its own", async () => {
    const options = { ...answering(chunks()), providers: [rowOf({ ...acme, key_header: "api-key" })] };
    await ask("acme-large", "Hi", options);
    expect(options.requests[0]?.headers.get("api-key")).toBe("test-key");
    expect(options.requests[0]?.headers.get("authorization")).toBeNull();
  });

  test("needs no key where none is named", async () => {
    const { api_key_env: _variable, ...keyless } = acme;
    const { key: _key, ...options } = answering(chunks());
    await ask("acme-large", "Hi", { ...options, providers: [rowOf(keyless)] });
    expect(options.requests[0]?.headers.get("authorization")).toBeNull();
  });

  test("takes nothing else along: settings beside it may hold a key", () => {
    expect(JSON.stringify(rowOf({ ...acme, key: "very secret", api: "chat" }))).not.toContain("secret");
  });
});

describe("what is wrong with one", () => {
  test.each([
    ["acme", "nothing", [': must be an object, not "nothing"']],
    ["acme", {}, ["protocol: is missing", "base_url: is missing"]],
    [
      "Acme Inc",
      { ...acme },
      [': "Acme Inc" is not a name for a provider; use small letters, digits, ".", "_" and "-"'],
    ],
    [
      "acme",
      { ...acme, protocol: "grpc" },
      ['protocol: must be one of anthropic, responses, chat, gemini, not "grpc"'],
    ],
    ["acme", { ...acme, protocol: "constructor" }, [expect.stringContaining("protocol: must be one of")]],
    [
      "acme",
      { ...acme, base_url: "models.acme.example" },
      ['base_url: must be an http(s) address, not "models.acme.example"'],
    ],
    [
      "acme",
      { ...acme, api_key_env: "MY KEY" },
      ['api_key_env: must be the name of an environment variable, not "MY KEY"'],
    ],
    ["acme", { ...acme, prefixes: "acme-" }, ['prefixes: must be a list of texts, not "acme-"']],
    ["acme", { ...acme, headers: { "x team": "a" } }, ["headers: must be an object of texts by header, not an object"]],
    [
      "acme",
      { ...acme, quirks: { store: {} } },
      ["quirks: must be an object of texts, numbers and flags, not an object"],
    ],
    ["acme", { ...acme, idle_timeout_ms: 0 }, ["idle_timeout_ms: must be a number above 0, not 0"]],
    ["acme", { ...acme, models: [] }, ["models: must be an object of models by id, not a list"]],
    [
      "acme",
      { ...acme, models: { m: { context_tokens: 1.5 } } },
      ["models.m.context_tokens: must be a whole number above 0, not 1.5"],
    ],
    [
      "acme",
      { ...acme, models: { m: { prices: { input: "2" } } } },
      [
        "models.m.prices.output: is missing: US dollars per million tokens",
        'models.m.prices.input: must be US dollars per million tokens, not "2"',
      ],
    ],
  ])("%s %j", (name, config, expected) => {
    expect(problemsOf(config, name)).toEqual(expected);
  });

  test("quirks are checked against the protocol's own list", async () => {
    const say = async (...args: Parameters<typeof quirkProblems>): Promise<readonly string[]> =>
      (await quirkProblems(...args)).map(({ message }) => message);
    expect(await say("chat", acme.quirks)).toEqual([]);
    expect(await say("chat", { thinking: true })).toEqual(['"thinking" is not a quirk of Chat Completions']);
    expect(await say("chat", { tool_choice: "some" })).toEqual(['"tool_choice" must be one of all, modes, none']);
    expect(await say("responses", { store: false, top_k: true })).toEqual([]);
    expect(await say("responses", { store: "no" })).toEqual(['"store" cannot be "no"; usual: true']);
    expect(await say("responses", { max_tokens_field: "x" })).toEqual([
      '"max_tokens_field" is not a quirk of the Responses API',
    ]);
    expect(await say("gemini", { store: true })).toEqual(['"store" is not a quirk of gemini, which has none']);
  });
});

test("a protocol nobody speaks is refused where it is named", () => {
  const definition = {
    name: "mine",
    protocol: "soap",
    base_url: "https://example.com",
  } as unknown as ProviderDefinition;
  expect(() => defineProvider(definition)).toThrow(/"soap" is not a protocol; use one of/);
});
