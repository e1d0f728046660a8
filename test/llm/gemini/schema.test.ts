import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../../src/core/index.ts";
import { geminiSchema } from "../../../src/llm/protocols/gemini/schema.ts";

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({ type: "object", properties, ...rest });

describe("geminiSchema", () => {
  test("keeps what is read and leaves out the rest, at every depth", () => {
    const schema = object(
      {
        name: { type: "string", minLength: 1, pattern: "^a", description: "a name", default: "x" },
        when: { type: ["string", "null"], format: "date-time", examples: ["now"] },
        scores: { type: "array", items: { type: "number", minimum: 0, exclusiveMaximum: 1 }, uniqueItems: true },
        pair: { type: "array", prefixItems: [{ type: "number", multipleOf: 2 }, true], minItems: 2, maxItems: 2 },
        either: { anyOf: [{ type: "string", maxLength: 3 }, { type: "null" }], title: "Either" },
        free: { type: "object", additionalProperties: { type: "string", not: { const: "" } } },
      },
      { $schema: "https://json-schema.org/draft/2020-12/schema", required: ["name"], additionalProperties: false },
    );
    expect(geminiSchema(schema)).toEqual(
      object(
        {
          name: { type: "string", description: "a name" },
          when: { type: ["string", "null"], format: "date-time" },
          scores: { type: "array", items: { type: "number", minimum: 0 } },
          pair: { type: "array", prefixItems: [{ type: "number" }, true], minItems: 2, maxItems: 2 },
          either: { anyOf: [{ type: "string" }, { type: "null" }], title: "Either" },
          free: { type: "object", additionalProperties: { type: "string" } },
        },
        { required: ["name"], additionalProperties: false },
      ),
    );
  });

  test("a property may be called like a keyword", () => {
    const schema = object({ pattern: { type: "string" }, const: { type: "number" }, $schema: { type: "null" } });
    expect(geminiSchema(schema)).toEqual(schema);
  });

  test("const becomes a list of one", () => {
    expect(geminiSchema(object({ kind: { const: "circle" }, both: { const: 1, enum: [1, 2] } }))).toEqual(
      object({ kind: { enum: ["circle"] }, both: { enum: [1, 2] } }),
    );
  });

  test("allOf is folded into its place", () => {
    const schema = {
      allOf: [
        { $ref: "#/$defs/Named" },
        { type: "object", properties: { age: { type: "integer" } }, required: ["age"], description: "inner" },
      ],
      description: "outer",
      $defs: { Named: object({ name: { type: "string" } }, { required: ["name"] }) },
    };
    expect(geminiSchema(schema)).toEqual({
      type: "object",
      description: "outer",
      properties: { age: { type: "integer" }, name: { type: "string" } },
      required: ["name", "age"],
      $defs: { Named: object({ name: { type: "string" } }, { required: ["name"] }) },
    });
  });

  test("allOf that ties itself into a circle comes to an end", () => {
    const schema = {
      allOf: [{ $ref: "#/$defs/A" }],
      $defs: { A: { allOf: [{ $ref: "#/$defs/B" }] }, B: { type: "object", allOf: [{ $ref: "#/$defs/A" }] } },
    };
    expect(geminiSchema(schema)).toMatchObject({ type: "object" });
  });

  test("definitions are called $defs, and a reference stands alone", () => {
    const schema = object(
      { home: { $ref: "#/definitions/Address", description: "where", default: null } },
      { definitions: { Address: object({ street: { type: "string", minLength: 1 } }) } },
    );
    expect(geminiSchema(schema)).toEqual(
      object({ home: { $ref: "#/$defs/Address" } }, { $defs: { Address: object({ street: { type: "string" } }) } }),
    );
  });

  test("a property on a circle of references is not required, others stay so", () => {
    const node = object(
      { value: { type: "string" }, next: { anyOf: [{ $ref: "#/$defs/Node" }, { type: "null" }] } },
      { required: ["value", "next"] },
    );
    const written = geminiSchema(
      object({ head: { $ref: "#/$defs/Node" } }, { required: ["head"], $defs: { Node: node } }),
    );
    expect(written).toMatchObject({ required: ["head"], $defs: { Node: { required: ["value"] } } });
    const tree = object({ children: { type: "array", items: { $ref: "#" } } }, { required: ["children"] });
    expect(geminiSchema(tree)).not.toHaveProperty("required");
    const optional = object({ next: { $ref: "#" }, value: {} }, { required: ["value"] });
    expect(geminiSchema(optional)).toEqual(optional);
  });

  test("the same schema gives the same bytes, and writing twice changes nothing", () => {
    const schema = object({ b: { const: 1 }, a: { type: "string", minLength: 2 } }, { required: ["a", "b"] });
    const once = geminiSchema(schema);
    expect(JSON.stringify(geminiSchema(structuredClone(schema)))).toBe(JSON.stringify(once));
    expect(JSON.stringify(geminiSchema(once))).toBe(JSON.stringify(once));
  });
});
