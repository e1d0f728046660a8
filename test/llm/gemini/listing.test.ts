import { describe, expect, test } from "vitest";
import { user } from "../../../src/core/index.ts";
import { countTokens, listModels } from "../../../src/llm/protocols/gemini/listing.ts";
import { google } from "../../../src/llm/providers/google.ts";
import { baseUrl, flash3, targetFor } from "./support.ts";

describe("listModels", () => {
  test("pages", () => {
    expect(listModels.encode(baseUrl).url).toBe(`${baseUrl}/models?pageSize=1000`);
    expect(listModels.encode(`${baseUrl}/`, "a=b").url).toBe(`${baseUrl}/models?pageSize=1000&pageToken=a%3Db`);
  });

  test("names without their collection, only models that answer", () => {
    const body = {
      models: [
        {
          name: "models/gemini-4-argon",
          displayName: "Gemini 4 Argon",
          inputTokenLimit: 1_048_576,
          outputTokenLimit: 65_536,
          supportedGenerationMethods: ["generateContent", "countTokens"],
        },
        { name: "models/embedding-1", supportedGenerationMethods: ["embedContent"] },
        { name: "models/bare" },
        { displayName: "nameless" },
      ],
      nextPageToken: "next",
    };
    expect(listModels.decode(body)).toEqual({
      models: [
        {
          id: "gemini-4-argon",
          display_name: "Gemini 4 Argon",
          context_tokens: 1_048_576,
          output_tokens_max: 65_536,
        },
        { id: "bare" },
      ],
      next_page: "next",
    });
    expect(listModels.decode("nonsense")).toEqual({ models: [] });
  });
});

describe("countTokens", () => {
  const target = targetFor(flash3);

  test("the plain form, or the whole request where there is more than contents", () => {
    const plain = countTokens.encode({ messages: [user("hi")], model: flash3.id }, target);
    const contents = [{ role: "user", parts: [{ text: "hi" }] }];
    expect(plain).toMatchObject({ url: `${baseUrl}/models/gemini-3.5-flash:countTokens`, framing: "json" });
    expect(plain.body).toEqual({ contents });
    const system = [{ type: "text", text: "be kind" }] as const;
    expect(countTokens.encode({ messages: [user("hi")], model: flash3.id, system }, target).body).toEqual({
      generateContentRequest: {
        model: "models/gemini-3.5-flash",
        systemInstruction: { parts: [{ text: "be kind" }] },
        contents,
      },
    });
  });

  test("the count, or what is wrong", () => {
    expect(countTokens.decode({ totalTokens: 31, cachedContentTokenCount: 3 })).toBe(31);
    const error = { code: 404, message: "no such model", status: "NOT_FOUND" };
    expect(() => countTokens.decode({ error })).toThrow(/no such model/);
    expect(() => countTokens.decode({})).toThrow(/not what this API sends/);
  });
});

test("the row: keys in the order the vendor's client takes them, models and adapter on demand", async () => {
  expect(google.key_variables).toEqual(["GOOGLE_API_KEY", "GEMINI_API_KEY"]);
  expect(google.apis.map(({ name }) => name)).toEqual(["generateContent"]);
  const models = await google.models();
  expect(models.map(({ id }) => id)).toContain(google.default_model);
  for (const model of models) expect(google.prefixes.some((prefix) => model.id.startsWith(prefix))).toBe(true);
  expect(await google.apis[0]?.load()).toHaveProperty("encode");
});
