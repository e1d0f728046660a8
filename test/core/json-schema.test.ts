import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAgainstSchema, readOutput, type JsonObject, type JsonValue } from "../../src/core/index.ts";

function problemsOf(value: unknown, schema: JsonObject): readonly string[] {
  return checkAgainstSchema(value, schema).map(({ place, message }) => `${place || "."} ${message}`);
}

/** Value, schema, and what is found. */
const cases: readonly (readonly [string, unknown, JsonObject, readonly string[]])[] = [
  ["a type", 7, { type: "string" }, [". must be string, not number"]],
  ["one of several types", null, { type: ["string", "null"] }, []],
  ["an integer", 7.5, { type: "integer" }, [". must be integer, not number"]],
  ["a whole number that is written with a point", 7.0, { type: "integer" }, []],
  ["nullable as OpenAPI says it", null, { type: "string", nullable: true }, []],
  ["types in capitals, as one provider writes them", "x", { type: "STRING" }, []],
  ["an enum", "green", { enum: ["red", "blue"] }, ['. must be one of "red", "blue"']],
  ["an enum of objects", { a: [1] }, { enum: [{ a: [1] }] }, []],
  ["a constant", 2, { const: 1 }, [". must be 1"]],
  ["a missing property", {}, { required: ["a"] }, ["a is missing"]],
  ["an unknown property", { b: 1 }, { properties: {}, additionalProperties: false }, ["b is not a known property"]],
  [
    "a schema for all other properties",
    { b: 1 },
    { additionalProperties: { type: "string" } },
    ["b must be string, not number"],
  ],
  [
    "properties by pattern",
    { x_1: 1 },
    { patternProperties: { "^x_": { type: "string" } } },
    ["x_1 must be string, not number"],
  ],
  ["how many properties", {}, { minProperties: 1 }, [". must have at least 1 properties"]],
  ["items", [1, "2"], { items: { type: "number" } }, ["[1] must be number, not string"]],
  ["a tuple", [1, 2], { prefixItems: [{ type: "number" }], items: false }, ["[1] is not allowed here"]],
  ["how many items", [1, 2, 3], { maxItems: 2 }, [". must have at most 2 items"]],
  ["items once each", [1, { a: 1 }, { a: 1 }], { uniqueItems: true }, [". must not hold the same item twice"]],
  ["a length in characters, not in halves of them", "😀", { maxLength: 1 }, []],
  ["a pattern", "abc", { pattern: "^\\d+$" }, [". must match ^\\d+$"]],
  ["a pattern that is none", "abc", { pattern: "(" }, []],
  ["a range", 11, { minimum: 1, maximum: 10 }, [". must be at most 10"]],
  ["an open range", 1, { exclusiveMinimum: 1 }, [". must be more than 1"]],
  ["a multiple, as people count", 0.3, { multipleOf: 0.1 }, []],
  ["no multiple", 0.35, { multipleOf: 0.1 }, [". must be a multiple of 0.1"]],
  ["all of", "a", { allOf: [{ type: "string" }, { minLength: 2 }] }, [". must have at least 2 characters"]],
  ["any of", true, { anyOf: [{ type: "string" }, { type: "number" }] }, [". fits none of 2 alternatives"]],
  [
    "any of, where one is nearly right",
    { kind: "a", size: "x" },
    {
      anyOf: [
        { properties: { kind: { const: "a" }, size: { type: "number" } } },
        { properties: { kind: { const: "b" }, size: { type: "boolean" } } },
      ],
    },
    ["size must be number, not string"],
  ],
  [
    "one of, where two fit",
    3,
    { oneOf: [{ type: "number" }, { type: "integer" }] },
    [". must fit one of 2 alternatives and fits 2"],
  ],
  ["not", 3, { not: { type: "number" } }, [". is of a form that is ruled out"]],
  [
    "a reference",
    { child: { child: { name: 1 } } },
    {
      $ref: "#/$defs/node",
      $defs: { node: { properties: { name: { type: "string" }, child: { $ref: "#/$defs/node" } } } },
    },
    ["child.child.name must be string, not number"],
  ],
  ["a reference that leads nowhere", 1, { $ref: "#/$defs/none" }, []],
  ["a reference to itself", 1, { $ref: "#" }, []],
  ["nothing at all", { any: ["thing"] }, {}, []],
];

describe("a value against a JSON Schema", () => {
  test.each(cases)("%s", (_name, value, schema, expected) => {
    expect(problemsOf(value, schema)).toEqual(expected);
  });

  test("no value and no schema can make it fail", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.constantFrom(...keywords), fc.jsonValue()), (value, schema) => {
        checkAgainstSchema(value, schema);
      }),
    );
  });

  test("a value fits the schema that describes exactly it", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(problemsOf(value, narrowSchema(value))).toEqual([]);
      }),
    );
  });
});

describe("an answer read as JSON", () => {
  const format = { type: "json_schema", name: "n", schema: { type: "object", required: ["a"] } } as const;

  test("gives the value, or says what is wrong", () => {
    expect(readOutput('{"a": 1}', format)).toEqual({ output: { a: 1 } });
    expect(readOutput("", format)).toMatchObject({
      output_error: { code: "not_json", message: expect.stringContaining("empty") },
    });
    expect(readOutput("{}", format)).toMatchObject({
      output_error: { code: "schema_mismatch", message: "The answer does not fit n: a is missing" },
    });
    expect(readOutput("null", { type: "json" })).toEqual({ output: null });
  });

  test("is looked over before it is judged", () => {
    expect(readOutput("{}", format, () => ({ a: 1 }))).toEqual({ output: { a: 1 } });
  });

  test("names the first few problems of many", () => {
    const schema = { required: ["a", "b", "c", "d", "e"] };
    const read = readOutput("{}", { type: "json_schema", name: "n", schema });
    expect(read).toMatchObject({ output_error: { message: expect.stringMatching(/a is missing; .* and 2 more$/) } });
  });
});

const keywords = [
  "$ref",
  "type",
  "enum",
  "const",
  "properties",
  "patternProperties",
  "additionalProperties",
  "required",
  "items",
  "prefixItems",
  "uniqueItems",
  "pattern",
  "minLength",
  "maximum",
  "multipleOf",
  "allOf",
  "anyOf",
  "oneOf",
  "not",
  "$defs",
];

/** The narrowest schema of a value. */
function narrowSchema(value: JsonValue): JsonObject {
  if (Array.isArray(value)) return { type: "array", prefixItems: value.map(narrowSchema), items: false };
  if (typeof value === "object" && value !== null) {
    const properties = Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, narrowSchema(inner ?? null)]),
    );
    return { type: "object", properties, required: Object.keys(value), additionalProperties: false };
  }
  return { const: value };
}
