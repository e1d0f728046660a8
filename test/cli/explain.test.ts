import { describe, expect, test } from "vitest";
import { runExplain } from "../../src/cli/explain.ts";
import { runModels } from "../../src/cli/models.ts";
import { runWire } from "../../src/cli/wire/command.ts";
import { run } from "../config/home.ts";

type Json = { readonly [field: string]: unknown };

async function explained(...args: readonly string[]): Promise<Json> {
  const { code, out } = await run(runExplain, [...args, "--json"]);
  expect(code).toBe(0);
  expect(out.trimEnd()).not.toContain("\n");
  return JSON.parse(out) as Json;
}

describe("explain --json", () => {
  test("is one object with these fields and no others", async () => {
    expect(Object.keys(await explained("gpt-6.1-sol/none"))).toEqual([
      "provider",
      "api",
      "model",
      "level_asked",
      "level_applied",
      "parameters",
      "calculated_budget",
      "warnings",
    ]);
    expect(await explained("gpt-6.1-sol/none")).toMatchObject({
      level_asked: "none",
      level_applied: "low",
      calculated_budget: null,
      warnings: [{ code: "cannot_disable", message: expect.stringContaining("low") }],
    });
  });

  test("the flags reach the parameters", async () => {
    const asked = await explained("gemini-2.5-pro", "--thinking-budget", "4000", "--max-output", "500");
    expect(asked["parameters"]).toMatchObject({
      generationConfig: { thinkingConfig: { thinkingBudget: 4000 }, maxOutputTokens: 4500 },
    });
    expect(asked["warnings"]).toEqual([]);
    expect(await explained("gemini-2.5-pro", "--thinking-budget", "999999")).toMatchObject({
      parameters: { generationConfig: { thinkingConfig: { thinkingBudget: 32_768 } } },
      warnings: [expect.anything()],
    });
  });

  test("what is explained is what is sent", async () => {
    const input = '{"messages": [{"role": "user", "content": [{"type": "text", "text": "Hi"}]}]}';
    for (const name of ["claude-opus-5-5", "claude-sonnet-4-5", "gpt-6.1-sol", "openai/gpt-5", "gemini-3.8-flash"]) {
      for (const level of ["none", "low", "med", "high", "max"]) {
        const { parameters } = await explained(`${name}/${level}`);
        const { out } = await run(runWire, ["encode", "--model", `${name}/${level}`], { input });
        const { body } = JSON.parse(out) as { body: Json };
        const fields = Object.keys(parameters as Json);
        expect(Object.fromEntries(fields.map((field) => [field, body[field]]))).toEqual(parameters);
      }
    }
  });

  test.each([
    ["a level that is none", ["claude-opus-5-5/hgh"], 2, /Did you mean "high"/],
    ["a budget that is no number", ["gemini-2.5-pro", "--thinking-budget", "abc"], 2, /abc/],
    ["a budget where there are none", ["gpt-6.1-sol", "--thinking-budget", "100"], 2, /no thinking budgets/],
    ["no model", [""], 2, /names no model/],
    ["a model nobody has", ["foo"], 8, /PROVIDER:foo/],
  ])("%s: nothing on standard output", async (_what, args, code, message) => {
    const ran = await run(runExplain, [...args, "--json"]);
    expect([ran.code, ran.out]).toEqual([code, ""]);
    expect(ran.err).toMatch(message);
  });
});

describe("models", () => {
  test("--json is a list of what the registry knows, filtered by the word", async () => {
    const { code, out } = await run(runModels, ["opus-5-5", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(out)).toContainEqual(
      expect.objectContaining({ id: "claude-opus-5-5", provider: "anthropic", context_tokens: 1_000_000 }),
    );
    for (const { id } of JSON.parse(out) as { id: string }[]) expect(id).toMatch(/opus.5.5/);
  });

  test("a word that fits nothing is an empty list", async () => {
    expect((await run(runModels, ["no-such-thing", "--json"])).out).toBe("[]\n");
  });
});
