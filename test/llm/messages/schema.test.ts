import { describe, expect, test } from "vitest";
import { user, type JsonObject } from "../../../src/core/index.ts";
import { grammarSchema } from "../../../src/llm/protocols/messages/schema.ts";
import { encode, model } from "./support.ts";

const strict = (schema: JsonObject): JsonObject | undefined => grammarSchema(schema)?.schema;

describe("schemas in the subset a grammar can say", () => {
  test("limits move into the description", () => {
    expect(strict({ type: "string", description: "A name", minLength: 1, pattern: "^a" })).toEqual({
      type: "string",
      description: 'A name\n\n{minLength: 1, pattern: "^a"}',
    });
    expect(strict({ type: "array", items: { type: "integer", maximum: 3 }, minItems: 1, uniqueItems: true })).toEqual({
      type: "array",
      items: { type: "integer", description: "{maximum: 3}" },
      minItems: 1,
      description: "{uniqueItems: true}",
    });
    expect(strict({ type: "array", minItems: 2 })).toEqual({ type: "array", description: "{minItems: 2}" });
  });

  test("known formats stay, others are told", () => {
    expect(strict({ type: "string", format: "date-time" })).toEqual({ type: "string", format: "date-time" });
    expect(strict({ type: "string", format: "phone" })).toEqual({ type: "string", description: '{format: "phone"}' });
  });

  test("objects are closed at every level, oneOf is anyOf, definitions are $defs", () => {
    expect(
      strict({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        properties: {
          at: { $ref: "#/definitions/point", description: "where" },
          which: { oneOf: [{ type: "object" }, { const: 1 }] },
        },
        required: ["at"],
        additionalProperties: { type: "string" },
        definitions: { point: { type: "object", properties: { x: { type: "number" } } } },
      }),
    ).toEqual({
      type: "object",
      properties: {
        at: { $ref: "#/$defs/point" },
        which: { anyOf: [{ type: "object", properties: {}, additionalProperties: false }, { const: 1 }] },
      },
      required: ["at"],
      additionalProperties: false,
      $defs: { point: { type: "object", properties: { x: { type: "number" } }, additionalProperties: false } },
    });
  });

  test("a property that is called like a keyword is a property", () => {
    const schema = { type: "object", properties: { pattern: { type: "string" }, minimum: { type: "number" } } };
    expect(strict(schema)).toEqual({ ...schema, additionalProperties: false });
  });

  test.each<[string, JsonObject]>([
    ["the whole", { type: "object", properties: { next: { $ref: "#" } } }],
    ["a definition", { $ref: "#/$defs/a", $defs: { a: { properties: { b: { $ref: "#/$defs/a" } } } } }],
    [
      "a ring",
      {
        $ref: "#/$defs/a",
        $defs: { a: { items: { $ref: "#/$defs/b" } }, b: { anyOf: [{ $ref: "#/$defs/a" }] } },
      },
    ],
  ])("a schema that refers to itself has no grammar: %s", (_name, schema) => {
    expect(strict(schema)).toBeUndefined();
  });

  test("the same definition twice is no circle", () => {
    const twice = { a: { $ref: "#/$defs/p" }, b: { $ref: "#/$defs/p" } };
    expect(strict({ type: "object", properties: twice, $defs: { p: { type: "string" } } })).toBeDefined();
  });
});

describe("how much can be strict", () => {
  const tool = (name: string, optional: number): { name: string; parameters: JsonObject; strict: true } => ({
    name,
    strict: true,
    parameters: {
      type: "object",
      properties: Object.fromEntries(Array.from({ length: optional }, (_, index) => [`p${index}`, { type: "string" }])),
    },
  });
  const strictNames = (tools: readonly ReturnType<typeof tool>[]): unknown => {
    const { body, notes } = encode(model("adaptive"), { messages: [user("hi")], tools });
    const sent = body["tools"] as readonly JsonObject[];
    return [sent.filter((each) => each["strict"] === true).length, notes.map(({ code }) => code)];
  };

  test("24 optional parameters over all tools, 20 tools, the rest is sent without", () => {
    expect(strictNames([tool("a", 20), tool("b", 4)])).toEqual([2, []]);
    expect(strictNames([tool("a", 20), tool("b", 5), tool("c", 4)])).toEqual([2, ["not_strict"]]);
    expect(strictNames(Array.from({ length: 22 }, (_, index) => tool(`t${index}`, 0)))).toEqual([20, ["not_strict"]]);
  });
});
