import { describe, expect, test } from "vitest";
import { ask, listModels, modelInfo, textOf, type ModelInfo } from "../../../src/index.ts";
import { retirementNote } from "../../../src/llm/retirement.ts";
import { failureOf, world } from "./world.ts";

const day = (date: string): number => Date.parse(date);

describe("a model with a last day", () => {
  const known = (): Promise<ModelInfo> => modelInfo("claude-sonnet-4-5");

  test("says so sixty days before, and afterwards, with what comes next", async () => {
    const model = await known();
    expect(retirementNote(model, day("2026-09-01"))).toBeUndefined();
    expect(retirementNote(model, day("2026-11-15"))).toEqual({
      code: "model_retires_soon",
      message: expect.stringMatching(/retires on 2026-11-30, in 15 days; its successor is claude-sonnet-5-5/),
    });
    expect(retirementNote(model, day("2026-12-24"))).toMatchObject({
      code: "model_retired",
      message: expect.stringContaining("was retired on 2026-11-30"),
    });
    const { retires_at: _day, ...forever } = model;
    expect(retirementNote(forever, day("2030-01-01"))).toBeUndefined();
  });

  test("says so once in a process", async () => {
    const { options } = world({ retired_models: "serve" });
    // Retired on a day that is past on every machine.
    const codes = async (): Promise<readonly string[]> =>
      (await ask("claude-3-7-sonnet-20250219/none", "hi", options)).notes.map(({ code }) => code);
    expect(await codes()).toContain("model_retired");
    expect(await codes()).not.toContain("model_retired");
  });

  test("names its successor where the provider no longer serves it", async () => {
    const { options } = world();
    const failure = await failureOf(ask("claude-opus-4-1", "hi", options));
    expect(failure.category).toBe("not_found");
    expect(failure.message).toContain("its successor is claude-opus-5-5");
  });
});

describe("a model that is new", () => {
  test("can be used as soon as its provider lists it", async () => {
    const { options } = world({ models: [{ id: "claude-opus-9", like: "claude-opus-5-5" }] });
    const listed = await listModels("anthropic", options);
    expect(listed.map(({ id }) => id)).toContain("claude-opus-9");
    const answer = await ask("claude-opus-9/low", "hi", options);
    expect(textOf(answer.message)).toBe("You said: hi");
    expect(answer.message.origin.model).toBe("claude-opus-9");
  });
});

describe("what a provider has begun to refuse", () => {
  const refusals = [
    ["claude-opus-5-5/low", "anthropic-version: 2026-10-21 is not a valid version", "update ikigai"],
    ["claude-opus-5-5/low", "temperature: Extra inputs are not permitted", "does not take temperature"],
    [
      "claude-opus-5-5/low",
      '"thinking.type.disabled" is not supported for this model. Use "thinking.type.adaptive"',
      "does not take thinking.type.disabled",
    ],
    ["gpt-6.1-sol/low", "Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens"],
    ["gpt-6.1-sol/low", "Unknown parameter: 'text.verbosity'.", "text.verbosity"],
    ["gemini-4-argon/low", `Invalid JSON payload received. Unknown name "seed" at 'generation_config'`, "seed"],
  ] as const;

  test.each(refusals)("%s: %s", async (model, message, expected) => {
    const { emulator, options } = world();
    emulator.script({ error: { status: 400, message, type: "invalid_request_error" } });
    const failure = await failureOf(ask(model, "hi", options));
    expect(failure.category).toBe("invalid_request");
    expect(failure.message).toContain(message);
    expect(failure.message.slice(message.length)).toContain(expected);
    expect(failure.message).toContain("update ikigai");
  });

  test("is not confused with what is wrong with a request", async () => {
    const { emulator, options } = world();
    const message = "messages: at least one message is required";
    emulator.script({ error: { status: 400, message, type: "invalid_request_error" } });
    expect((await failureOf(ask("claude-opus-5-5/low", "hi", options))).message).toBe(message);
  });
});
