import { describe, expect, test } from "vitest";
import { ask, type Conversation, type JsonObject } from "../../../src/index.ts";
import { world } from "./world.ts";

const schema: JsonObject = {
  type: "object",
  properties: {
    city: { type: "string" },
    degrees: { type: "number" },
    comment: { type: "string" },
  },
  required: ["city", "degrees"],
  additionalProperties: false,
};
const question: Conversation = {
  messages: [{ role: "user", content: [{ type: "text", text: "How warm is it in Paris?" }] }],
  output_format: { type: "json_schema", name: "weather", schema },
};
const models = ["claude-opus-5-5/low", "gpt-6.1-sol/low", "gemini-4-argon/low", "anthropic/claude-opus-5.5/low"];

describe("an answer in a given form", () => {
  test.each(models)("%s: is parsed and fits", async (model) => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: '{"city": "Paris", "degrees": 18}' } });
    const answer = await ask(model, question, options);
    expect(answer.output).toEqual({ city: "Paris", degrees: 18 });
    expect(answer.output_error).toBeUndefined();
    expect(answer.notes.map(({ code }) => code)).not.toContain("output_invalid");
  });

  test("loses the nulls that a strict schema made the model write", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: '{"city": "Paris", "degrees": 18, "comment": null}' } });
    expect((await ask("gpt-6.1-sol/low", question, options)).output).toEqual({ city: "Paris", degrees: 18 });
  });

  test("that does not fit says where and why, beside the answer itself", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: '{"city": 7, "mood": "fine"}' } });
    const answer = await ask("gemini-4-argon/low", question, options);
    expect(answer.output).toBeUndefined();
    expect(answer.output_error).toMatchObject({
      code: "schema_mismatch",
      problems: [
        { place: "degrees", message: "is missing" },
        { place: "city", message: "must be string, not number" },
        { place: "mood", message: "is not a known property" },
      ],
    });
    expect(answer.notes.find(({ code }) => code === "output_invalid")?.message).toContain("degrees is missing");
    expect(answer.message.content.at(-1)).toMatchObject({ type: "text" });
  });

  test("that is no JSON says so, a cut one too", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: "It is warm." } }, { answer: { text: '{"city": "Par', finish: "length" } });
    for (let count = 0; count < 2; count++) {
      const answer = await ask("gemini-4-argon/low", question, options);
      expect(answer.output_error?.code).toBe("not_json");
    }
  });

  test("is also found between backticks, where a model was only asked in words", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: 'Here:\n```json\n{"city": "Paris", "degrees": 18}\n```\n' } });
    expect((await ask("gemini-4-argon/low", question, options)).output).toEqual({ city: "Paris", degrees: 18 });
  });

  test("without a schema is any JSON", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: "[1, 2]" } });
    const answer = await ask("gpt-6.1-sol/low", { ...question, output_format: { type: "json" } }, options);
    expect(answer.output).toEqual([1, 2]);
  });

  test("is not expected of a turn that calls tools first", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { tool_calls: [{ name: "look", arguments: {} }] } });
    const tools = [{ name: "look", parameters: { type: "object" } }];
    const answer = await ask("gpt-6.1-sol/low", { ...question, tools }, options);
    expect(answer.finish_reason).toBe("tool_use");
    expect(answer.output_error).toBeUndefined();
    expect(answer.output).toBeUndefined();
  });

  test("is not read where nothing is kept", async () => {
    const { emulator, options } = world();
    emulator.script({ answer: { text: '{"city": "Paris", "degrees": 18}' } });
    const answer = await ask("gpt-6.1-sol/low", question, { ...options, accumulate: false });
    expect(answer.output).toBeUndefined();
    expect(answer.output_error).toBeUndefined();
  });
});
