import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isJsonObject, type JsonObject, type JsonValue } from "../../src/core/index.ts";
import { removeNulls, strictSchema } from "../../src/llm/schema.ts";

describe("strictSchema", () => {
  test("optional properties become nullable, all are required, nothing else may come", () => {
    expect(
      strict({
        type: "object",
        properties: { path: { type: "string" }, limit: { type: "integer", minimum: 1 } },
        required: ["path"],
      }),
    ).toEqual({
      type: "object",
      properties: { path: { type: "string" }, limit: { type: ["integer", "null"], minimum: 1 } },
      required: ["path", "limit"],
      additionalProperties: false,
    });
  });

  test("at every level: arrays, unions, definitions", () => {
    const schema = {
      type: "object",
      properties: {
        list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
        either: { anyOf: [{ type: "string" }, { type: "object", properties: { b: { type: "boolean" } } }] },
        node: { $ref: "#/$defs/node", description: "where to begin" },
      },
      required: ["list", "node"],
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, next: { $ref: "#/$defs/node" } },
          required: ["name"],
        },
      },
    };
    expect(strict(schema)).toEqual({
      type: "object",
      properties: {
        list: {
          type: "array",
          items: {
            type: "object",
            properties: { a: { type: ["string", "null"] } },
            required: ["a"],
            additionalProperties: false,
          },
        },
        either: {
          anyOf: [
            { type: "string" },
            {
              type: "object",
              properties: { b: { type: ["boolean", "null"] } },
              required: ["b"],
              additionalProperties: false,
            },
            { type: "null" },
          ],
        },
        node: { description: "where to begin", anyOf: [{ $ref: "#/$defs/node" }] },
      },
      required: ["list", "either", "node"],
      additionalProperties: false,
      $defs: {
        node: {
          type: "object",
          properties: { name: { type: "string" }, next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] } },
          required: ["name", "next"],
          additionalProperties: false,
        },
      },
    });
  });

  test("listed values get their null and their type", () => {
    const schema = {
      type: "object",
      properties: { unit: { enum: ["c", "f"] }, kind: { const: "x" }, one: { type: "string", enum: ["a"] } },
    };
    expect(strict(schema)["properties"]).toEqual({
      unit: { type: ["string", "null"], enum: ["c", "f", null] },
      kind: { type: ["string", "null"], enum: ["x", null] },
      one: { type: ["string", "null"], enum: ["a", null] },
    });
  });

  test("nullable objects and arrays are unions", () => {
    const schema = { type: "object", properties: { tags: { type: "array", items: { type: "string" } } } };
    expect(strict(schema)["properties"]).toEqual({
      tags: { anyOf: [{ type: "array", items: { type: "string" } }, { type: "null" }] },
    });
  });

  test("what may be null already stays as it is", () => {
    const schema = {
      type: "object",
      properties: { a: { type: ["string", "null"] }, b: { anyOf: [{ type: "number" }, { type: "null" }] } },
    };
    const rewritten = strictSchema(schema);
    expect(rewritten).toMatchObject({ ok: true, nulls_added: false, schema: { properties: schema.properties } });
  });

  test("what strict modes refuse and a reader understands goes into the description", () => {
    const schema = {
      type: "object",
      properties: {
        name: { type: "string", description: "A name.", minLength: 2, default: "x", pattern: "^(?!no)" },
        when: { type: "string", format: "date" },
        link: { type: "string", format: "uri" },
      },
      required: ["name", "when", "link"],
    };
    expect(strict(schema)["properties"]).toEqual({
      name: { type: "string", description: 'A name. (default: "x", minLength: 2, pattern: ^(?!no))' },
      when: { type: "string", format: "date" },
      link: { type: "string", description: "(format: uri)" },
    });
  });

  test.each([
    ["no arguments", {}],
    ["an object and no more", { type: "object" }],
  ])("%s is an empty object", (_name, schema) => {
    expect(strict(schema)).toEqual({ type: "object", properties: {}, required: [], additionalProperties: false });
  });

  test.each<[string, JsonObject]>([
    ["allOf", { type: "object", properties: { a: { allOf: [{ type: "string" }] } } }],
    ["oneOf", { type: "object", properties: { a: { oneOf: [{ type: "string" }] } } }],
    ["not", { type: "object", properties: { a: { not: { type: "string" } } } }],
    ["if", { type: "object", properties: {}, if: { required: ["a"] } }],
    ["patternProperties", { type: "object", properties: {}, patternProperties: { "^x": { type: "string" } } }],
    ["propertyNames", { type: "object", properties: {}, propertyNames: { pattern: "x" } }],
    ["unevaluatedProperties", { type: "object", properties: {}, unevaluatedProperties: false }],
    ["additional properties", { type: "object", properties: {}, additionalProperties: true }],
    ["typed additional properties", { type: "object", additionalProperties: { type: "string" } }],
    ["a free object inside", { type: "object", properties: { any: { type: "object" } } }],
    ["anything inside", { type: "object", properties: { any: {} } }],
    ["arrays of anything", { type: "object", properties: { list: { type: "array" } } }],
    ["tuples", { type: "object", properties: { pair: { type: "array", prefixItems: [{ type: "string" }] } } }],
    ["a root that is no object", { type: "string" }],
    ["a union as root", { anyOf: [{ type: "object", properties: {} }] }],
    ["a union beside properties", { type: "object", properties: { a: { type: "string", anyOf: [{ minLength: 1 }] } } }],
    ["a reference that leads nowhere", { type: "object", properties: { a: { $ref: "#/$defs/none" } } }],
    ["a reference to another file", { type: "object", properties: { a: { $ref: "other.json" } } }],
    ["a required property that is not described", { type: "object", properties: {}, required: ["ghost"] }],
  ])("%s cannot be said", (_name, schema) => {
    const refused = strictSchema(schema);
    expect(refused.ok).toBe(false);
    expect(refused).toHaveProperty("reason");
  });

  test("more than ten levels cannot be said", () => {
    let schema: JsonObject = { type: "string" };
    for (let level = 0; level < 11; level++) schema = { type: "object", properties: { deeper: schema } };
    expect(strictSchema(schema)).toMatchObject({ ok: false });
  });

  test("the given schema is left as it was, and the answer is always the same", () => {
    fc.assert(
      fc.property(objectSchemas, (schema) => {
        const before = JSON.stringify(schema);
        const first = JSON.stringify(strictSchema(schema));
        expect(JSON.stringify(strictSchema(schema))).toBe(first);
        expect(JSON.stringify(schema)).toBe(before);
      }),
    );
  });

  test("every result satisfies the strict rules", () => {
    fc.assert(
      fc.property(objectSchemas, (schema) => {
        expect(violations(strict(schema), "#")).toEqual([]);
      }),
    );
  });
});

describe("removeNulls", () => {
  const schema = {
    type: "object",
    properties: {
      path: { type: "string" },
      limit: { type: "integer" },
      note: { type: ["string", "null"] },
      inner: { type: "object", properties: { deep: { type: "string" } } },
      list: { type: "array", items: { type: "object", properties: { a: { type: "string" } } } },
      next: { $ref: "#/$defs/next" },
      any: {},
    },
    required: ["path"],
    $defs: { next: { type: "object", properties: { next: { $ref: "#/$defs/next" }, end: { type: "boolean" } } } },
  };

  test("takes away the nulls that the rewriting allowed, and no other", () => {
    const given = {
      path: null,
      limit: null,
      note: null,
      inner: { deep: null },
      list: [{ a: null }, { a: "x" }],
      next: { next: { next: null, end: true }, end: null },
      any: null,
      unknown: null,
    };
    expect(removeNulls(given, schema)).toEqual({
      path: null,
      note: null,
      inner: {},
      list: [{}, { a: "x" }],
      next: { next: { end: true } },
      any: null,
      unknown: null,
    });
  });

  test("in a union by the branch that fits", () => {
    const union = {
      type: "object",
      properties: {
        shape: {
          anyOf: [
            {
              type: "object",
              properties: { kind: { const: "a" }, size: { type: ["number", "null"] } },
              required: ["kind"],
            },
            { type: "object", properties: { kind: { const: "b" }, size: { type: "number" } }, required: ["kind"] },
          ],
        },
      },
      required: ["shape"],
    };
    expect(removeNulls({ shape: { kind: "a", size: null } }, union)).toEqual({ shape: { kind: "a", size: null } });
    expect(removeNulls({ shape: { kind: "b", size: null } }, union)).toEqual({ shape: { kind: "b" } });
  });

  test("names that every object has are names like others", () => {
    const odd = { type: "object", properties: { constructor: { type: "string" } } };
    expect(removeNulls({ constructor: null, toString: null }, odd)).toEqual({ toString: null });
  });

  test("a schema that bites its tail ends", () => {
    const circular = {
      type: "object",
      properties: { a: { $ref: "#/$defs/a" }, b: { $ref: "#/$defs/b" } },
      $defs: { a: { $ref: "#/$defs/a" }, b: { anyOf: [{ $ref: "#/$defs/b" }] } },
    };
    expect(removeNulls({ a: { x: null }, b: { y: null } }, circular)).toEqual({ a: { x: null }, b: { y: null } });
  });

  test("undoes what strictSchema asks for", () => {
    fc.assert(
      fc.property(
        objectSchemas.chain((made) => fc.tuple(fc.constant(made), valuesOf(made))),
        ([made, value]) => {
          const filled = withNulls(value, made);
          if (!isJsonObject(filled)) throw new Error("not an object");
          expect(conforms(filled, strict(made))).toBe(true);
          expect(removeNulls(filled, made)).toEqual(value);
        },
      ),
    );
  });
});

function strict(schema: JsonObject): JsonObject {
  const rewritten = strictSchema(schema);
  if (!rewritten.ok) throw new Error(rewritten.reason);
  return rewritten.schema;
}

const names = fc.constantFrom("a", "b", "c", "path", "constructor", "__proto__", "x-y", "ü");

/** Schemas that strict modes can say, with objects, arrays, unions told apart by a tag, and listed values. */
const { schemas } = fc.letrec<{ schemas: JsonObject; objects: JsonObject }>((tie) => ({
  schemas: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constantFrom<JsonObject>(
      { type: "string" },
      { type: "integer", minimum: 0 },
      { type: "boolean" },
      { type: ["string", "null"] },
      { enum: ["red", "green"] },
      { const: 7 },
      { type: "string", default: "x", minLength: 1 },
    ),
    tie("objects"),
    tie("schemas").map((items) => ({ type: "array", items })),
    fc.tuple(tie("objects"), tie("objects")).map(([left, right]) => ({
      anyOf: [tagged(left, "left"), tagged(right, "right"), { type: "string" }],
    })),
  ),
  objects: fc
    .uniqueArray(fc.tuple(names, tie("schemas"), fc.boolean()), { maxLength: 4, selector: ([name]) => name })
    .map((entries) => ({
      type: "object",
      properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema])),
      required: entries.filter(([, , required]) => required).map(([name]) => name),
    })),
}));

const objectSchemas = fc
  .uniqueArray(fc.tuple(names, schemas, fc.boolean()), { maxLength: 4, selector: ([name]) => name })
  .map((entries): JsonObject => ({
    type: "object",
    properties: Object.fromEntries(entries.map(([name, schema]) => [name, schema])),
    required: entries.filter(([, , required]) => required).map(([name]) => name),
  }));

function tagged(schema: JsonObject, tag: string): JsonObject {
  return {
    ...schema,
    properties: { ...propertiesOf(schema), tag: { const: tag } },
    required: [...requiredOf(schema), "tag"],
  };
}

/** Values that a schema of `objectSchemas` describes. */
function valuesOf(schema: JsonObject): fc.Arbitrary<JsonValue> {
  const { type, anyOf, items, enum: values, const: only } = schema;
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.filter(isJsonObject).map(valuesOf));
  if (only !== undefined) return fc.constant(only);
  if (Array.isArray(values)) return fc.constantFrom<JsonValue>(...values);
  if (Array.isArray(type)) return fc.oneof(fc.string(), fc.constant(null));
  if (type === "array" && isJsonObject(items)) return fc.array(valuesOf(items), { maxLength: 3 });
  if (type === "object") {
    const required = requiredOf(schema);
    const fields = Object.entries(propertiesOf(schema)).map(([name, property]) => {
      const value = isJsonObject(property) ? valuesOf(property) : fc.constant(null);
      // Left out and null are one and the same to a strict model where the property may be null anyway.
      const nullable = isJsonObject(property) && Array.isArray(property["type"]);
      const present = required.includes(name) || nullable ? fc.constant(true) : fc.boolean();
      return fc.tuple(fc.constant(name), value, present);
    });
    return fc
      .tuple(...fields)
      .map((made) => Object.fromEntries(made.filter(([, , present]) => present).map(([name, value]) => [name, value])));
  }
  return type === "string" ? fc.string() : type === "integer" ? fc.nat() : fc.boolean();
}

/** A value as a strict model writes it: null where an optional property is left out. */
function withNulls(value: JsonValue, schema: JsonObject): JsonValue {
  const { anyOf, items } = schema;
  if (Array.isArray(anyOf)) {
    const branch = anyOf.filter(isJsonObject).find((candidate) => {
      const tag = propertiesOf(candidate)["tag"];
      return isJsonObject(tag) ? isJsonObject(value) && value["tag"] === tag["const"] : typeof value === "string";
    });
    return branch === undefined ? value : withNulls(value, branch);
  }
  if (Array.isArray(value)) return value.map((item) => (isJsonObject(items) ? withNulls(item, items) : item));
  if (!isJsonObject(value)) return value;
  const entries = Object.entries(propertiesOf(schema)).map(([name, property]): [string, JsonValue] => {
    const inner = Object.hasOwn(value, name) ? value[name] : undefined;
    return [name, inner === undefined || !isJsonObject(property) ? null : withNulls(inner, property)];
  });
  return Object.fromEntries(entries);
}

function conforms(value: JsonValue, schema: JsonObject): boolean {
  const { type, anyOf, items, enum: values, const: only } = schema;
  if (Array.isArray(anyOf)) return anyOf.filter(isJsonObject).some((branch) => conforms(value, branch));
  if (only !== undefined && only !== value) return false;
  if (Array.isArray(values) && !values.includes(value)) return false;
  const types: readonly unknown[] = Array.isArray(type) ? type : [type];
  const name =
    value === null ? "null" : Array.isArray(value) ? "array" : typeof value === "number" ? "integer" : typeof value;
  if (!types.includes(name)) return false;
  if (Array.isArray(value)) return isJsonObject(items) && value.every((item) => conforms(item, items));
  if (!isJsonObject(value)) return true;
  const properties = propertiesOf(schema);
  return (
    Object.keys(value).length === Object.keys(properties).length &&
    Object.entries(properties).every(([key, property]) => {
      const inner = Object.hasOwn(value, key) ? value[key] : undefined;
      return inner !== undefined && isJsonObject(property) && conforms(inner, property);
    })
  );
}

function violations(schema: JsonValue | undefined, path: string): readonly string[] {
  if (!isJsonObject(schema)) return [`${path} is no schema`];
  const { type, anyOf, items, properties } = schema;
  const unknown = Object.keys(schema).filter((key) => !strictKeywords.has(key));
  const found = unknown.map((key) => `${path} says ${key}`);
  if (Array.isArray(anyOf))
    return [...found, ...anyOf.flatMap((branch, index) => violations(branch, `${path}|${index}`))];
  if (type === undefined && schema["$ref"] === undefined) found.push(`${path} has no type`);
  if (type === "array") found.push(...violations(items, `${path}[]`));
  if (type !== "object") return found;
  if (schema["additionalProperties"] !== false) found.push(`${path} is open`);
  const wanted = isJsonObject(properties) ? Object.keys(properties) : [];
  if (JSON.stringify(schema["required"]) !== JSON.stringify(wanted)) found.push(`${path} does not require all`);
  return [...found, ...wanted.flatMap((name) => violations(propertiesOf(schema)[name], `${path}.${name}`))];
}

function propertiesOf(schema: JsonObject): JsonObject {
  const { properties } = schema;
  return isJsonObject(properties) ? properties : {};
}

function requiredOf(schema: JsonObject): readonly string[] {
  const { required } = schema;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

const strictKeywords = new Set(
  "type description title enum const properties required additionalProperties items anyOf $ref $defs minimum".split(
    " ",
  ),
);
