import { describe, expect, test } from "vitest";
import {
  ask,
  cacheImpact,
  cacheState,
  estimate,
  explain,
  project,
  user,
  type Conversation,
  type Message,
  type ToolDefinition,
} from "../../../src/index.ts";
import { isJsonObject } from "../../../src/core/index.ts";
import { providers, world } from "./world.ts";

const settings = { providers };
const prose = "The quick brown fox jumps over the lazy dog, and nobody minds. ";

describe("an estimate", () => {
  test("says about how much is read and what it may cost, without a network", async () => {
    const result = await estimate("claude-opus-5-5/low", prose.repeat(100), { settings });
    expect(result).toMatchObject({ provider: "anthropic", model: "claude-opus-5-5", tokens_source: "text" });
    // 13 words and two signs, a hundred times: about 14 tokens each.
    expect(result.input_tokens).toBeGreaterThan(1_200);
    expect(result.input_tokens).toBeLessThan(1_800);
    expect(result.output_tokens_max).toBe(16_384 + 8_000);
    expect(result.context_tokens).toBe(1_000_000);
    const { min = 0, max = 0 } = result.cost_usd ?? {};
    expect(min).toBeCloseTo((result.input_tokens * 4) / 1e6, 9);
    expect(max).toBeCloseTo((result.input_tokens * 5 + 24_384 * 20) / 1e6, 9);
  });

  test("counts what a character of each script weighs", async () => {
    const count = async (text: string): Promise<number> => (await estimate("gpt-6.1-sol", text)).input_tokens;
    const [latin, chinese] = [await count("word ".repeat(400)), await count("東京都庁舎".repeat(400))];
    expect(chinese).toBeGreaterThan(latin * 1.5);
  });

  test("knows better once an exchange has told", async () => {
    const { options } = world();
    const question = prose.repeat(50);
    const first = await ask("claude-opus-5-5/low", question, options);
    const messages: Message[] = [user(question), first.message, user("And now?")];
    const result = await estimate("claude-opus-5-5/low", messages, {
      settings,
      last: { usage: first.usage, messages: 2 },
    });
    expect(result.tokens_source).toBe("usage");
    expect(result.input_tokens).toBeGreaterThan(first.usage.total_tokens);
    expect(result.input_tokens).toBeLessThan(first.usage.total_tokens + 20);
    expect(result.cost_usd?.min).toBeLessThan((await estimate("claude-opus-5-5/low", messages)).cost_usd?.min ?? 0);
  });

  test("has the limit of every wire, and no money where no price is known", async () => {
    for (const model of ["gpt-6.1-sol/low", "gemini-4-argon/low", "anthropic/claude-opus-5.5/low"]) {
      expect((await estimate(model, "hi", { settings })).output_tokens_max).toBe(24_384);
    }
    expect(await estimate("ollama:qwen3", "hi", { settings })).not.toHaveProperty("cost_usd");
  });
});

describe("the context window", () => {
  const long = (characters: number): string => prose.repeat(Math.ceil(characters / prose.length));

  test("is spoken of when it is nearly full, and when it is too small", async () => {
    const notesAt = async (characters: number): Promise<readonly string[]> => {
      const { notes } = await project(long(characters), "claude-haiku-4-5", { settings });
      return notes.filter(({ code }) => code === "context_window").map(({ message }) => message);
    };
    expect(await notesAt(400_000)).toEqual([]);
    expect(await notesAt(800_000)).toEqual([expect.stringContaining("nearly full")]);
    expect(await notesAt(1_200_000)).toEqual([expect.stringContaining("longer than")]);
  });

  test("of a model nobody knows is not guessed at", async () => {
    const { notes } = await project(long(2_000_000), "ollama:somebody", { settings });
    expect(notes.map(({ code }) => code)).not.toContain("context_window");
  });

  test("what the caller knows of its size counts, and holds the budget down", async () => {
    const { emulator, options } = world({ retired_models: "serve" });
    const answer = await ask("claude-sonnet-4-5/high", "hi", { ...options, context_tokens: 160_000 });
    expect(answer.notes.map(({ code }) => code)).toContain("long_context");
    const body = emulator.requests()[0]?.body;
    expect(isJsonObject(body) ? body["thinking"] : undefined).toEqual({ type: "enabled", budget_tokens: 10_000 });
  });

  test("a budget follows the estimate, not the number of characters: request, explanation and projection agree", async () => {
    // Of half the characters, the Chinese ones are twice the tokens: they alone are a long conversation.
    const latin = await project(long(580_000), "claude-sonnet-4-5/high", { settings });
    const chinese = await project("東京都".repeat(80_000), "claude-sonnet-4-5/high", { settings });
    expect(latin.body?.["thinking"]).toEqual({ type: "enabled", budget_tokens: 47_616 });
    expect(chinese.body?.["thinking"]).toEqual({ type: "enabled", budget_tokens: 10_000 });
    const explained = await explain("claude-sonnet-4-5/high", { context_tokens: 200_000 });
    expect(explained.parameters["thinking"]).toEqual({ type: "enabled", budget_tokens: 10_000 });
  });
});

const tools: ToolDefinition[] = [{ name: "look", parameters: { type: "object" } }];
const base: Conversation = {
  system: [{ type: "text", text: prose.repeat(20) }],
  tools,
  messages: [user(prose.repeat(200)), user("more")],
};

describe("what a change makes the provider read again", () => {
  const impact = async (from: [string, Conversation], to: [string, Conversation], tokens?: number) => {
    const size = tokens === undefined ? {} : { tokens };
    return cacheImpact(
      await cacheState(...from, { settings, ...size }),
      await cacheState(...to, { settings, ...size }),
    );
  };

  test("is nothing where the model that is left has no cache", async () => {
    expect(await impact(["gpt-5.5-pro", base], ["claude-opus-5-5/low", base])).toMatchObject({
      reason: "none",
      message: "",
    });
    expect(await impact(["gpt-5.5", base], ["claude-opus-5-5/low", base])).toMatchObject({ reason: "model" });
  });

  test("is nothing while messages are only added", async () => {
    const longer = { ...base, messages: [...base.messages, user("and more")] };
    expect(await impact(["claude-opus-5-5/low", base], ["claude-opus-5-5/low", longer])).toEqual({
      reason: "none",
      tokens: 0,
      message: "",
    });
  });

  test("is everything when the model changes, in tokens and money", async () => {
    const result = await impact(["claude-opus-5-5/low", base], ["claude-sonnet-5-5/low", base], 10_000);
    expect(result).toMatchObject({ reason: "model", tokens: 10_000 });
    expect(result.cost_usd).toBeCloseTo((10_000 * 2.5) / 1e6, 9);
    expect(result.cached_cost_usd).toBeCloseTo((10_000 * 0.1) / 1e6, 9);
    expect(result.message).toBe(
      "Changing the model makes ~10,000 cached tokens be read again uncached ($0.0250 instead of $0.0010)",
    );
  });

  test("by a change of level differs: all, all but what stands first, or nothing", async () => {
    const effort = await impact(["gpt-6.1-sol/low", base], ["gpt-6.1-sol/high", base], 10_000);
    expect(effort).toMatchObject({ reason: "level", tokens: 10_000 });
    const budget = await impact(["claude-haiku-4-5/low", base], ["claude-haiku-4-5/high", base], 10_000);
    expect(budget.reason).toBe("level");
    expect(budget.tokens).toBeGreaterThan(8_000);
    expect(budget.tokens).toBeLessThan(10_000);
    const level = await impact(["gemini-4-argon/low", base], ["gemini-4-argon/high", base], 10_000);
    expect(level).toMatchObject({ reason: "none", tokens: 0 });
  });

  test("by levels that are sent alike is nothing", async () => {
    expect(await impact(["gemini-3-pro-preview/none", base], ["gemini-3-pro-preview/low", base])).toMatchObject({
      reason: "none",
    });
  });

  test("by tools is everything, by the system all that follows it, by history what follows the change", async () => {
    const model = "claude-opus-5-5/low";
    expect(await impact([model, base], [model, { ...base, tools: [] }], 10_000)).toMatchObject({ reason: "tools" });
    const system = await impact([model, base], [model, { ...base, system: [{ type: "text", text: "x" }] }]);
    expect(system.reason).toBe("system");
    const edited = { ...base, messages: [user(prose.repeat(200)), user("something else")] };
    const history = await impact([model, base], [model, edited], 10_000);
    expect(history.reason).toBe("history");
    expect(history.tokens).toBeLessThan(50);
  });

  test("is nothing where nothing was cached", async () => {
    const off: Conversation = { ...base, cache: "off" };
    expect(await impact(["claude-opus-5-5/low", off], ["gpt-6.1-sol/low", off])).toMatchObject({ reason: "none" });
  });
});

describe("the name a conversation has for caches", () => {
  const keyOf = async (conversation: Conversation): Promise<unknown> =>
    (await project(conversation, "gpt-6.1-sol", { settings })).body?.["prompt_cache_key"];

  test("is the same for all turns of it, and another for others", async () => {
    const first = await keyOf(base);
    expect(first).toMatch(/^ikigai-[0-9a-f]{14}$/);
    expect(await keyOf({ ...base, messages: [...base.messages, user("and more")] })).toBe(first);
    expect(await keyOf({ ...base, messages: [user("another")] })).not.toBe(first);
  });

  test("can be given, and is left out where nothing is to be cached", async () => {
    expect(await keyOf({ ...base, cache_key: "mine" })).toBe("mine");
    expect(await keyOf({ ...base, cache: "off" })).toBeUndefined();
  });
});

describe("a cache that was made beforehand", () => {
  const name = "cachedContents/abc";

  test("stands for system and tools on the wire that has such", async () => {
    const provider_options = { google: { cachedContent: name } };
    const { body, notes } = await project({ ...base, provider_options }, "gemini-4-argon", { settings });
    expect(body?.["cachedContent"]).toBe(name);
    expect(body).not.toHaveProperty("systemInstruction");
    expect(body).not.toHaveProperty("tools");
    expect(notes.map(({ message }) => message)).toEqual([expect.stringContaining("cached content")]);
  });

  test("is the only way to keep a prompt for long there", async () => {
    const { notes } = await project({ ...base, cache: "long" }, "gemini-4-argon", { settings });
    expect(notes.map(({ message }) => message)).toEqual([expect.stringContaining("cache was left out")]);
  });
});
