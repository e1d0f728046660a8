import { expect, vi } from "vitest";
import { thinkingLevels } from "../../../src/core/index.ts";
import { ask, builtinProviders, countTokens, IkigaiError, listModels } from "../../../src/llm/index.ts";
import { failureOf, textIn, thinkingIn, type Scenarios } from "../lab.ts";
import { specOf } from "../providers.ts";

/** What a model says, and what is said of it. */
export const answers: Scenarios = {
  async text({ script, ask, row }) {
    script({ answer: { text: "Grüße, 🌍!\nTwo lines." } });
    const answer = await ask("Hi");
    expect(textIn(answer.message)).toBe("Grüße, 🌍!\nTwo lines.");
    expect(answer.finish_reason).toBe("stop");
    expect(answer.message.incomplete).toBeUndefined();
    expect(answer.message.origin).toMatchObject({ provider: row.name, model: row.model });
  },

  async nothing_said({ script, ask }) {
    script({ answer: { text: "" } });
    const answer = await ask("Hi");
    expect(textIn(answer.message)).toBe("");
    expect(answer.finish_reason).toBe("stop");
  },

  async thinking({ script, ask }) {
    script({ answer: { thinking: "Let me see.", text: "Done" } });
    const { message, usage } = await ask("Hi");
    expect(message.content[0]).toMatchObject({ type: "thinking", text: "Let me see." });
    expect(thinkingIn(message)).toBe("Let me see.");
    expect(textIn(message)).toBe("Done");
    if (usage.unreported?.includes("thinking_tokens") !== true) expect(usage.thinking_tokens).toBeGreaterThan(0);
  },

  async every_level({ ask, emulator }) {
    for (const level of thinkingLevels) {
      const answer = await ask("Hi", { level });
      expect(answer.finish_reason, level).toBe("stop");
    }
    expect(emulator.requests().map(({ status }) => status)).toEqual(thinkingLevels.map(() => 200));
  },

  async refusal({ script, ask }) {
    script({ answer: { refusal: "I would rather not." } });
    const answer = await ask("Hi");
    expect(answer.finish_reason).toBe("content_filter");
  },

  async length({ script, ask }) {
    script({ answer: { text: "One two three four", finish: "length" } });
    const answer = await ask("Hi");
    expect(answer.finish_reason).toBe("length");
    expect(textIn(answer.message)).toBe("One two three four");
  },

  async usage({ ask }) {
    const { usage } = await ask("Hi");
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, total_tokens } = usage;
    expect(input_tokens).toBeGreaterThan(0);
    expect(output_tokens).toBeGreaterThan(0);
    expect(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + thinking_tokens).toBe(total_tokens);
  },

  async cost({ ask }) {
    expect((await ask("Hi")).cost_usd).toBeGreaterThan(0);
  },

  /** A count of the provider's own, or a plain word that it has none: never a guess. */
  async token_count({ row, emulator, options }) {
    const counted = await countTokens(specOf(row), "Hi", options()).catch((error: unknown) => error);
    if (typeof counted === "number") {
      expect(counted).toBeGreaterThan(0);
      const { endpoint, status } = emulator.requests().at(-1) ?? {};
      expect([endpoint, status]).toEqual(["count", 200]);
    } else {
      expect(counted).toBeInstanceOf(IkigaiError);
      expect(counted).toMatchObject({ category: "invalid_argument" });
      expect(emulator.requests()).toEqual([]);
    }
  },

  async list({ row, options }) {
    const models = await listModels(row.name, options());
    expect(models.map(({ id }) => id)).toContain(row.model);
  },

  async bad_key({ fail }) {
    const { info } = await fail("Hi", { key: "bad-key" });
    expect(info).toMatchObject({ category: "auth", retryable: false });
    expect(info.message).not.toContain("bad-key");
  },

  async no_key({ row, emulator, options }) {
    const { key: _key, ...keyless } = options();
    const variables = builtinProviders.find(({ name }) => name === row.name)?.key_variables ?? [];
    try {
      for (const name of variables) vi.stubEnv(name, undefined);
      const { info } = await failureOf(ask(specOf(row), "Hi", keyless));
      expect(info).toMatchObject({ category: "auth", provider_code: "missing_key", retryable: false });
      expect(info.message).toContain(variables[0]);
      expect(emulator.requests()).toEqual([]);
    } finally {
      vi.unstubAllEnvs();
    }
  },

  async unknown_model({ fail }) {
    const { info } = await fail("Hi", { model: "no-such-model" });
    expect(info).toMatchObject({ category: "not_found", retryable: false });
  },
};
