import { describe, expect, test } from "vitest";
import { user, type Conversation, type JsonObject } from "../../../src/core/index.ts";
import { gemini } from "../../../src/llm/protocols/gemini/index.ts";
import {
  argon,
  assistant,
  baseUrl,
  call,
  contentsOf,
  encode,
  flash25,
  flash3,
  gemma,
  pro25,
  targetFor,
  toolMessage,
} from "./support.ts";

const hello: Conversation = { messages: [user("hello")] };
const tool = { name: "f", description: "does f", parameters: { type: "object", properties: {} } };

describe("address, headers and head of the body", () => {
  test("the model stands in the address and nowhere else", () => {
    const { call: streamed, body } = encode(flash3, hello);
    expect(streamed).toMatchObject({
      method: "POST",
      url: `${baseUrl}/models/gemini-3.5-flash:streamGenerateContent?alt=sse`,
      framing: "sse",
      headers: { "content-type": "application/json" },
    });
    expect(JSON.stringify(body)).not.toContain("gemini-3.5-flash");
    expect(encode(flash3, hello, false).call).toMatchObject({
      url: `${baseUrl}/models/gemini-3.5-flash:generateContent`,
      framing: "json",
    });
  });

  test("a tuned model keeps its own collection, an odd id is escaped", () => {
    expect(encode({ ...flash3, id: "tunedModels/mine" }, hello).call.url).toBe(
      `${baseUrl}/tunedModels/mine:streamGenerateContent?alt=sse`,
    );
    expect(encode({ ...flash3, id: "a b?c" }, hello).call.url).toContain("/models/a%20b%3Fc:");
  });

  test("the key is a header of its own, never part of the call", () => {
    const key = ["AI", "za", "NotARealKey0123456789"].join("");
    expect(gemini.authorize(key)).toEqual({ "x-goog-api-key": key });
    expect(JSON.stringify(encode(flash3, hello).call)).not.toContain("goog-api-key");
  });

  test("contents come last, and nothing is sent that was not asked for", () => {
    const { body } = encode(flash3, hello);
    expect(Object.keys(body)).toEqual(["generationConfig", "contents"]);
    expect(body["generationConfig"]).toEqual({
      thinkingConfig: { thinkingLevel: "MEDIUM", includeThoughts: true },
      maxOutputTokens: 41_384,
    });
  });

  test("B16 the plan stands in the body as it is", () => {
    for (const model of [argon, flash3, pro25, flash25, gemma]) {
      const target = targetFor(model, { thinking: { level: "low" } });
      const { body } = gemini.encode({ ...hello, model: model.id }, target);
      expect(body?.["generationConfig"]).toEqual(target.plan.parameters["generationConfig"]);
    }
  });

  test("the system prompt is one part a block", () => {
    const { body } = encode(flash3, {
      ...hello,
      system: [
        { type: "text", text: "one", cache_hint: "long" },
        { type: "text", text: "" },
        { type: "text", text: "two" },
      ],
    });
    expect(body["systemInstruction"]).toEqual({ parts: [{ text: "one" }, { text: "two" }] });
  });

  test("a model without system instructions reads them before the first user text", () => {
    const system = [
      { type: "text", text: "be kind" },
      { type: "text", text: "be brief" },
    ] as const;
    const encoded = encode(gemma, { ...hello, system });
    expect(encoded.body).not.toHaveProperty("systemInstruction");
    expect(contentsOf(encoded)).toEqual([{ role: "user", parts: [{ text: "be kind\n\nbe brief\n\nhello" }] }]);
    const image = { type: "image", media_type: "image/png", data: "AAAA" } as const;
    const seen = encode(gemma, { messages: [{ role: "user", content: [image] }], system: [system[0]] });
    expect(contentsOf(seen)[0]?.parts[0]).toEqual({ text: "be kind" });
    const spoken = encode(gemma, {
      messages: [assistant(gemma, { type: "text", text: "hi" }), user("hello")],
      system: [system[0]],
    });
    expect(contentsOf(spoken).map(({ role }) => role)).toEqual(["user", "model", "user"]);
  });
});

describe("tools", () => {
  test("declarations carry JSON Schema", () => {
    const { body } = encode(flash3, {
      ...hello,
      tools: [tool, { name: "g", parameters: { type: "object", properties: { a: { const: "x" } } } }],
    });
    expect(body["tools"]).toEqual([
      {
        functionDeclarations: [
          { name: "f", description: "does f", parametersJsonSchema: { type: "object", properties: {} } },
          { name: "g", parametersJsonSchema: { type: "object", properties: { a: { enum: ["x"] } } } },
        ],
      },
    ]);
    expect(body).not.toHaveProperty("toolConfig");
  });

  test.each([
    [{ mode: "auto" }, { mode: "AUTO" }],
    [{ mode: "none" }, { mode: "NONE" }],
    [{ mode: "required" }, { mode: "ANY" }],
    [
      { mode: "specific", name: "f" },
      { mode: "ANY", allowedFunctionNames: ["f"] },
    ],
  ] as const)("choice %o", (tool_choice, functionCallingConfig) => {
    const { body, notes } = encode(flash3, { ...hello, tools: [tool], tool_choice });
    expect(body["toolConfig"]).toEqual({ functionCallingConfig });
    expect(notes).toEqual([]);
  });

  test("a mode the model refuses becomes auto, with a note", () => {
    const shy = { ...flash3, capabilities: { ...flash3.capabilities, forced_tools: "never" as const } };
    const { body, notes } = encode(shy, { ...hello, tools: [tool], tool_choice: { mode: "required" } });
    expect(body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "AUTO" } });
    expect(notes).toHaveLength(1);
    const free = { ...shy, capabilities: { ...shy.capabilities, forced_tools: "without_thinking" as const } };
    const thinking = { level: "high" } as const;
    const forced = encode(free, { ...hello, tools: [tool], tool_choice: { mode: "required" }, thinking });
    expect(forced.body["toolConfig"]).toEqual({ functionCallingConfig: { mode: "AUTO" } });
  });

  test("one call at a time cannot be asked for here", () => {
    const tool_choice = { mode: "auto", parallel_allowed: false } as const;
    const { body, notes } = encode(flash3, { ...hello, tools: [tool], tool_choice });
    expect(JSON.stringify(body)).not.toContain("parallel");
    expect(notes.map(({ message }) => message)).toEqual([expect.stringContaining("parallel_allowed")]);
  });

  test("a model without tools gets none, with a note", () => {
    const plain = { ...flash3, capabilities: { ...flash3.capabilities, tools: false } };
    const { body, notes } = encode(plain, { ...hello, tools: [tool], tool_choice: { mode: "auto" } });
    expect(Object.keys(body)).toEqual(["generationConfig", "contents"]);
    expect(notes).toHaveLength(1);
  });

  test.each(["9lives", "a b", "mcp/x", "", "é", "a".repeat(129)])("the name %o is refused", (name) => {
    expect(() => encode(flash3, { ...hello, tools: [{ ...tool, name }] })).toThrow(/function name/);
  });

  test.each(["_x", "A.b:c-d_9", "a".repeat(128)])("the name %o is legal", (name) => {
    expect(() => encode(flash3, { ...hello, tools: [{ ...tool, name }] })).not.toThrow();
  });
});

describe("generation", () => {
  const asked = { temperature: 0.2, top_p: 0.9, top_k: 40, seed: 7, stop_sequences: ["END"] } as const;

  test("sampling in this wire's words", () => {
    const { body, notes } = encode(flash3, { ...hello, ...asked, presence_penalty: 0.1, frequency_penalty: -0.1 });
    expect(body["generationConfig"]).toMatchObject({
      temperature: 0.2,
      topP: 0.9,
      topK: 40,
      seed: 7,
      presencePenalty: 0.1,
      frequencyPenalty: -0.1,
      stopSequences: ["END"],
    });
    expect(notes).toEqual([]);
  });

  test("B15 a model that takes no sampling gets none, with notes", () => {
    const { body, notes } = encode(argon, { ...hello, ...asked });
    expect(Object.keys(body["generationConfig"] as JsonObject)).toEqual([
      "seed",
      "stopSequences",
      "thinkingConfig",
      "maxOutputTokens",
    ]);
    expect(notes.map(({ message }) => message.split(" ")[0])).toEqual(["temperature", "top_p", "top_k"]);
  });

  test("older models take no penalties", () => {
    const { body, notes } = encode(flash25, { ...hello, temperature: 1, presence_penalty: 1 });
    expect(JSON.stringify(body)).not.toContain("Penalty");
    expect(body["generationConfig"]).toMatchObject({ temperature: 1 });
    expect(notes).toHaveLength(1);
  });

  test("stop sequences are left out with a note where the model takes none", () => {
    const model = { ...flash3, capabilities: { ...flash3.capabilities, stop_sequences: false } };
    const { body, notes } = encode(model, { ...hello, stop_sequences: ["x"] });
    expect(JSON.stringify(body)).not.toContain("stopSequences");
    expect(notes).toHaveLength(1);
  });

  test("JSON answers, with and without a schema, beside tools only on newer models", () => {
    const schema = { type: "object", properties: { a: { type: "string", minLength: 1 } }, required: ["a"] };
    const output_format = { type: "json_schema", name: "answer", schema } as const;
    expect(encode(flash25, { ...hello, output_format: { type: "json" } }).body["generationConfig"]).toMatchObject({
      responseMimeType: "application/json",
    });
    const wanted = {
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", properties: { a: { type: "string" } }, required: ["a"] },
    };
    expect(encode(flash25, { ...hello, output_format }).body["generationConfig"]).toMatchObject(wanted);
    expect(encode(flash3, { ...hello, output_format, tools: [tool] }).body["generationConfig"]).toMatchObject(wanted);
    const refused = encode(flash25, { ...hello, output_format, tools: [tool] });
    expect(JSON.stringify(refused.body)).not.toContain("response");
    expect(refused.notes.map(({ message }) => message)).toEqual([expect.stringContaining("output_format")]);
  });

  test("a user's own fields win, go into the generation settings and leave contents last", () => {
    const { body } = encode(flash3, {
      ...hello,
      temperature: 1,
      provider_options: {
        google: {
          safetySettings: [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }],
          generationConfig: { temperature: 0, mediaResolution: "MEDIA_RESOLUTION_LOW" },
        },
        anthropic: { top: "secret" },
      },
    });
    expect(Object.keys(body)).toEqual(["generationConfig", "safetySettings", "contents"]);
    expect(body["generationConfig"]).toMatchObject({
      temperature: 0,
      mediaResolution: "MEDIA_RESOLUTION_LOW",
      maxOutputTokens: 41_384,
    });
    expect(JSON.stringify(body)).not.toContain("secret");
  });
});

describe("what must not be sent", () => {
  test("a call without its result, a result without its call", () => {
    const target = targetFor(flash3);
    const open = [user("go"), assistant(flash3, call("a"))];
    expect(() => gemini.encode({ messages: open, model: flash3.id }, target)).toThrow(/has no result/);
    const stray = [user("go"), toolMessage("a")];
    expect(() => gemini.encode({ messages: stray, model: flash3.id }, target)).toThrow(/has no call/);
  });

  test("nothing at all", () => {
    const empty = [{ role: "user", content: [{ type: "text", text: "" }] }] as const;
    expect(() => gemini.encode({ messages: empty, model: flash3.id }, targetFor(flash3))).toThrow(/nothing is left/);
  });
});
