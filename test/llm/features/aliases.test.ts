import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  builtinProviders,
  explain,
  modelForPurpose,
  validateConfig,
  type ModelInfo,
  type Settings,
} from "../../../src/index.ts";
import { aliasModel } from "../../../src/llm/aliases.ts";
import { failureOf, providers } from "./world.ts";

/** The keys of this machine must not decide. */
beforeEach(() => {
  for (const { key_variables } of builtinProviders) key_variables.forEach((name) => vi.stubEnv(name, ""));
});
afterEach(() => vi.unstubAllEnvs());

function withKey(name: keyof typeof providers, more: Settings = {}): Settings {
  return { ...more, providers: { [name]: providers[name] } };
}

describe("aliases", () => {
  test("of one's own stand for a model, with a level or without", async () => {
    const settings: Settings = { aliases: { writer: "claude-opus-5-5/high", "quick-one": "gpt-6-luna" } };
    expect(await explain("writer", { settings })).toMatchObject({ model: "claude-opus-5-5", level_asked: "high" });
    expect(await explain("quick-one/low", { settings })).toMatchObject({ model: "gpt-6-luna", level_asked: "low" });
  });

  test("a level beside the name wins over the alias's own", async () => {
    const settings: Settings = { aliases: { writer: "claude-opus-5-5/high" } };
    expect((await explain("writer/low", { settings })).level_asked).toBe("low");
  });

  test("may stand for other aliases, but not in a circle", async () => {
    const aliases = { review: "writer/max", writer: "claude-opus-5-5/high", a: "b", b: "c", c: "a" };
    expect(await explain("review", { settings: { aliases } })).toMatchObject({
      model: "claude-opus-5-5",
      level_asked: "max",
    });
    const failure = await failureOf(explain("a", { settings: { aliases } }));
    expect(failure.category).toBe("invalid_argument");
    expect(failure.message).toContain("a → b → c");
  });

  test("may raise the level of the model they are called after", async () => {
    const settings: Settings = { aliases: { "claude-opus-5-5": "claude-opus-5-5/high" } };
    expect((await explain("claude-opus-5-5", { settings })).level_asked).toBe("high");
  });

  test("a level that is none is still noticed", async () => {
    const settings: Settings = { aliases: { writer: "claude-opus-5-5" } };
    expect((await failureOf(explain("writer/hihg", { settings }))).message).toContain("not a thinking level");
  });

  test("names of JavaScript's own are no aliases", async () => {
    expect((await failureOf(explain("constructor", { settings: { aliases: {} } }))).category).toBe("not_found");
  });
});

describe("fast, smart and cheap", () => {
  test("are chosen from the models of a provider that has a key", async () => {
    const expected = {
      anthropic: ["claude-opus-5-5", "claude-haiku-5-5"],
      openai: ["gpt-6.1-sol", "gpt-6-luna"],
      openrouter: ["anthropic/claude-opus-5.5", "anthropic/claude-haiku-5.5"],
    } as const;
    for (const name of ["anthropic", "openai", "openrouter"] as const) {
      const settings = withKey(name);
      const [smart, cheap, fast] = await Promise.all(
        ["smart", "cheap", "fast"].map((alias) => explain(alias, { settings })),
      );
      const [best, least] = expected[name];
      expect(smart).toMatchObject({ provider: name, model: best, level_asked: "high" });
      expect(cheap).toMatchObject({ provider: name, model: least });
      expect(fast).toMatchObject({ provider: name, model: least, level_asked: "none" });
    }
  });

  test("mean what the settings say they mean", async () => {
    const settings: Settings = { aliases: { fast: "gemini-3.8-flash/low" } };
    expect(await explain("fast", { settings })).toMatchObject({ model: "gemini-3.8-flash", level_asked: "low" });
  });

  test("without any key name the ways out", async () => {
    const failure = await failureOf(explain("smart"));
    expect(failure.category).toBe("auth");
    expect(failure.message).toContain("aliases.smart");
  });

  test("pass over models without a price, without tools, or with a last day", () => {
    const model = (id: string, more: Partial<ModelInfo>): ModelInfo => ({
      id,
      provider: "somebody",
      display_name: id,
      aliases: [],
      context_tokens: 1,
      output_tokens_max: 1,
      thinking: { kind: "none" },
      capabilities: {
        tools: true,
        vision: true,
        streaming: true,
        sampling: "always",
        forced_tools: "always",
        stop_sequences: true,
      },
      prices: { input: 1, output: 1 },
      ...more,
    });
    const { capabilities } = model("any", {});
    const models = [
      model("usual", { prices: { input: 9, output: 9 } }),
      model("leaving", { prices: { input: 0.1, output: 0.1 }, retires_at: "2027-01-01" }),
      model("mute", { prices: { input: 0.1, output: 0.1 }, capabilities: { ...capabilities, tools: false } }),
      model("gift", { prices: { input: 0, output: 0 } }),
      model("sensible", { prices: { input: 0.5, output: 0.5 } }),
    ];
    expect(aliasModel("cheap", { default_model: "usual" }, models)).toBe("sensible");
    expect(aliasModel("fast", { default_model: "usual" }, models)).toBe("sensible");
    expect(aliasModel("smart", { default_model: "usual" }, models)).toBe("usual");
    expect(aliasModel("cheap", { default_model: "usual" }, [])).toBe("usual");
  });
});

describe("routes", () => {
  test("say which model does what, and leave the rest alone", () => {
    const settings: Settings = { routes: { summaries: "cheap" } };
    expect(modelForPurpose("summaries", settings, "claude-opus-5-5")).toBe("cheap");
    expect(modelForPurpose("titles", settings, "claude-opus-5-5")).toBe("claude-opus-5-5");
    expect(modelForPurpose("toString", settings, "claude-opus-5-5")).toBe("claude-opus-5-5");
    expect(modelForPurpose("summaries", undefined, "claude-opus-5-5")).toBe("claude-opus-5-5");
  });
});

describe("settings are looked over", () => {
  test("for names and lists that mean nothing", () => {
    // As a file may say it.
    const settings: Settings = JSON.parse(
      '{"aliases": {"": "x", "a": "b", "b": "a", "c": 3}, "routes": {"summaries": ""}, "fallback": "gpt-6.1-sol"}',
    );
    const messages = validateConfig(settings)
      .filter(({ severity }) => severity === "error")
      .map(({ message }) => message)
      .join("\n");
    expect(messages).toContain('aliases: ""');
    expect(messages).toContain("aliases.a");
    expect(messages).toContain("aliases.c");
    expect(messages).toContain("routes.summaries");
    expect(messages).toContain("fallback");
  });
});
