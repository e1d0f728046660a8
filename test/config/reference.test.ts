import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { configSchema, configSchemaText, keyRows, loadConfig } from "../../src/config/index.ts";
import { checkAgainstSchema } from "../../src/core/index.ts";
import { referenceFile, referenceText, schemaFile } from "../../tools/config-reference.mjs";
import { makeHome } from "./home.ts";

const home = makeHome();
const schema = configSchema();

describe("what is made from the table of keys", () => {
  test("is up to date: node tools/config-reference.mjs", () => {
    expect(readFileSync(schemaFile, "utf8")).toBe(configSchemaText());
    expect(readFileSync(referenceFile, "utf8")).toBe(referenceText());
  });

  test("has a sentence and a type for every key", () => {
    const rows = keyRows();
    expect(rows.length).toBeGreaterThan(60);
    expect(new Set(rows.map(({ key }) => key)).size).toBe(rows.length);
    for (const { key, type, says } of rows) {
      expect(type, key).not.toBe("");
      expect(says, key).toMatch(/^[A-Z`].*\.`?$/);
    }
    expect(rows.find(({ key }) => key === "budget.session_usd")).toEqual({
      key: "budget.session_usd",
      type: "a number of at least 0",
      default: "`5`",
      says: "US dollars of one session.",
      variable: "IKIGAI_BUDGET_SESSION_USD",
    });
  });

  test("the example of the reference is right", () => {
    const text = readFileSync(referenceFile, "utf8");
    const [, example = ""] = /An example:\s+```json\n([\s\S]*?)```/.exec(text) ?? [];
    expect(loadConfig(home.write("config.json", example), {}).problems).toEqual([]);
    expect(checkAgainstSchema(JSON.parse(example), schema)).toEqual([]);
  });
});

describe("the schema and the checks agree", () => {
  const good: readonly unknown[] = [
    {},
    { $schema: "x", default_provider: "openai", max_output_tokens: -1, listen_port: 0 },
    {
      providers: {
        mine: { protocol: "gemini", base_url: "https://x.example", api_key_env: "A", quirks: { a: 1, b: true } },
      },
    },
    {
      providers: { mine: { api_key_env: ["A", "B"], models: { m: { thinking: { kind: "level", levels: ["low"] } } } } },
    },
    { aliases: { a: "b" }, fallback: ["a/high"], budget: { day_usd: 0.1 } },
  ];
  const bad: readonly unknown[] = [
    [],
    { listen_port: 65_536 },
    { max_output_tokens: 0 },
    { max_tool_turns: 1.5 },
    { budget: { session_usd: "5" } },
    { providers: { mine: { protocol: "grpc" } } },
    { providers: { mine: { default_thinking: "deep" } } },
    { providers: { mine: { prefixes: "x" } } },
    { providers: { mine: { models: { m: { thinking: { kind: "budget", min: 1 } } } } } },
    { providers: { mine: { models: { m: { prices: { input: 1 } } } } } },
    { fallback: [5] },
    // Unknown keys are warned of here and marked there.
    { no_such_key: 1 },
    { providers: { mine: { api_key: "x" } } },
  ];
  const problems = (content: unknown): number => loadConfig(home.write("config.json", content), {}).problems.length;

  test.each(good)("on %j, which is right", (content) => {
    expect(problems(content)).toBe(0);
    expect(checkAgainstSchema(content, schema)).toEqual([]);
  });

  test.each(bad.map((content) => [content]))("on %j, which is not", (content) => {
    expect(problems(content)).toBeGreaterThan(0);
    expect(checkAgainstSchema(content, schema)).not.toEqual([]);
  });
});
