import { describe, expect, test } from "vitest";
import { ask, countTokens, explain, IkigaiError, type CallOptions, type Input } from "../../../src/index.ts";
import { createEmulator } from "../../../src/testing/index.ts";

/** How asking ends, and whether anything went out. The real `fetch` decides what a header or an address may be. */
async function asking(input: unknown, options: CallOptions, model: unknown = "claude-opus-5-5"): Promise<IkigaiError> {
  try {
    await ask(model as string, input as Input, options);
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("it was answered");
}

describe("what can never be sent", () => {
  const at = (base_url: string): CallOptions["settings"] => ({ providers: { anthropic: { base_url } } });

  test.each(["line\nbreak-of-a-key", "ключ-of-somebody"])(
    "a key no header can carry is not repeated: %j",
    async (key) => {
      const error = await asking("Hi", { key, settings: at("http://127.0.0.1:1") });
      expect(error.info).toMatchObject({ category: "auth", provider_code: "unsendable_key", retryable: false });
      expect(JSON.stringify(error.info) + String(error.stack)).not.toContain("-of-");
      const counted = countTokens("claude-opus-5-5", "Hi", { key, settings: at("http://127.0.0.1:1") });
      await expect(counted).rejects.toMatchObject({ category: "auth" });
    },
  );

  test("blanks around a key are no part of it", async () => {
    const { fetch } = createEmulator();
    expect((await ask("claude-opus-5-5", "Hi", { key: "any-key\n", fetch })).finish_reason).toBe("stop");
  });

  test("an address that is none names base_url", async () => {
    const error = await asking("Hi", { key: "k", settings: at("nowhere") });
    expect(error.info).toMatchObject({ category: "invalid_argument", retryable: false });
    expect(error.message).toContain("base_url");
  });

  test("a body that goes round in circles is the caller's", async () => {
    const circle: Record<string, unknown> = {};
    circle["again"] = circle;
    const input = { messages: [{ role: "user", content: [{ type: "text", text: "Hi" }] }] };
    const error = await asking({ ...input, provider_options: { anthropic: circle } }, { key: "k" });
    expect(error.info).toMatchObject({ category: "invalid_argument", retryable: false });
  });

  test.each([undefined, null, 7])("%s is nothing to ask, and no model", async (nothing) => {
    const { fetch } = createEmulator();
    expect((await asking(nothing, { key: "k", fetch })).category).toBe("invalid_argument");
    const noModel = await asking("Hi", { key: "k", fetch }, nothing ?? null);
    expect(noModel.info).toMatchObject({ category: "invalid_argument" });
    await expect(explain(nothing as unknown as string)).rejects.toMatchObject({ category: "invalid_argument" });
  });
});
