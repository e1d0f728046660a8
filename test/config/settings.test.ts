import { expect, test } from "vitest";
import { loadConfig, loadCredentials, settingsFrom } from "../../src/config/index.ts";
import type { Settings } from "../../src/llm/index.ts";
import { makeHome } from "./home.ts";

const home = makeHome();
const rows = [
  { name: "one", key_variables: ["ONE_API_KEY"], base_url_variable: "ONE_BASE_URL" },
  { name: "two", key_variables: ["TWO_API_KEY"] },
  { name: "three", key_variables: [] },
];

function settings(config: unknown, credentials: unknown = {}, env: { readonly [name: string]: string } = {}): Settings {
  return settingsFrom(
    {
      config: loadConfig(home.write("config.json", config), env),
      credentials: loadCredentials(home.write("credentials.json", credentials)),
      env,
    },
    rows,
  );
}

test("everything the library can be told, in its own words", () => {
  const config = {
    app: { title: "mine" },
    aliases: { deep: "one-large/max" },
    routes: { summaries: "cheap" },
    fallback: ["two-mini"],
    idle_timeout_ms: 9,
    thinking: { long_context_above_tokens: 1 },
    providers: {
      one: {
        default_model: "one-large",
        default_thinking: "off",
        api: "chat",
        base_url: "https://one.example",
        headers: { "x-team": "a" },
        idle_timeout_ms: 7,
        models: { "one-new": { context_tokens: 5, capabilities: { vision: false } } },
      },
    },
  };
  expect(settings(config, { one: { api_key: "k" } })).toEqual({
    app: { title: "mine" },
    aliases: { deep: "one-large/max" },
    routes: { summaries: "cheap" },
    fallback: ["two-mini"],
    idle_timeout_ms: 9,
    long_context_above_tokens: 1,
    long_context_budget_tokens: 10_000,
    models: [{ id: "one-new", provider: "one", context_tokens: 5, capabilities: { vision: false } }],
    providers: {
      one: {
        key: "k",
        base_url: "https://one.example",
        headers: { "x-team": "a" },
        api: "chat",
        default_thinking: "none",
        idle_timeout_ms: 7,
      },
    },
  });
});

test("the environment comes before the files, for keys and for addresses", () => {
  const config = { providers: { one: { base_url: "https://file.example" } } };
  const env = { ONE_API_KEY: "from-env", ONE_BASE_URL: "https://env.example" };
  expect(settings(config, { one: { api_key: "from-file" } }, env).providers).toEqual({
    one: { key: "from-env", base_url: "https://env.example" },
  });
});

test("what is wrong at one provider is its own problem", () => {
  const { providers } = settings({ providers: { one: { api: 1 } } }, { two: "bare" });
  expect(providers?.["one"]?.problem).toMatch(/config\.json:4:14: providers\.one\.api: 1 is not text$/);
  expect(providers?.["two"]?.key_problem).toMatch(
    /credentials\.json:2:10: two: the value \(not shown here\) is not an object/,
  );
  expect(providers?.["three"]).toBeUndefined();
});

test("what is wrong for all is thrown", () => {
  expect(() => settings({ fallback: "one" })).toThrow('fallback: "one" is not a list of texts');
  expect(() => settings({ thinking: { long_context_above_tokens: -1 } })).toThrow(
    "thinking.long_context_above_tokens: -1",
  );
});

test("the address and the models of a provider of one's own are in its row already", () => {
  const three = { protocol: "chat", base_url: "https://three.example", models: { m: {} }, headers: { a: "b" } };
  expect(settings({ providers: { three } })).toMatchObject({ providers: {}, models: [] });
});
