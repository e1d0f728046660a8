import type { JsonObject } from "../core/index.ts";
import { thinkingLevels } from "../core/index.ts";
import { configShape } from "./keys.ts";
import type { Range, RecordShape, Shape, TextPattern } from "./shape.ts";

/** The JSON Schema of `config.json`, for editors: completion, the sentence for each key, and what is wrong as one types. */
export function configSchema(): JsonObject {
  return { $schema: "http://json-schema.org/draft-07/schema#", title: "ikigai config.json", ...schemaOf(configShape) };
}

/** The text of `config.schema.json`. */
export function configSchemaText(): string {
  return `${JSON.stringify(configSchema(), undefined, 2)}\n`;
}

function schemaOf(shape: Shape): JsonObject {
  const fallback = "default" in shape && shape.default !== undefined ? { default: shape.default } : {};
  return { description: shape.says, ...typeOf(shape), ...fallback };
}

function typeOf(shape: Shape): JsonObject {
  switch (shape.kind) {
    case "text":
      return { type: "string", minLength: 1, ...patternOf(shape.pattern) };
    case "url":
      return { type: "string", format: "uri", pattern: "^https?://" };
    case "word":
      return { type: "string", enum: shape.words };
    case "level":
      return { type: "string", enum: thinkingLevels };
    case "flag":
      return { type: "boolean" };
    case "whole":
      return numberOf("integer", shape);
    case "number":
      return numberOf("number", shape);
    case "scalar":
      return { type: ["string", "number", "boolean"] };
    case "list":
      return shape.or_one === true
        ? { anyOf: [typeOf(shape.of), { type: "array", items: schemaOf(shape.of) }] }
        : { type: "array", items: schemaOf(shape.of) };
    case "map":
      return {
        type: "object",
        ...(shape.names === undefined ? {} : { propertyNames: patternOf(shape.names) }),
        additionalProperties: schemaOf(shape.of),
      };
    case "record":
      return recordOf(shape);
    case "variants":
      return { oneOf: Object.entries(shape.of).map(([word, record]) => variantOf(shape.by, word, record)) };
    case "misplaced":
      return { not: {} };
  }
}

function recordOf({ fields, required = [] }: RecordShape): JsonObject {
  const known = Object.entries(fields).filter(([, field]) => field.kind !== "misplaced");
  return {
    type: "object",
    properties: Object.fromEntries(known.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function variantOf(by: string, word: string, record: RecordShape): JsonObject {
  const fields = { [by]: { kind: "word", words: [word], says: record.says } as const, ...record.fields };
  return recordOf({ ...record, fields, required: [by, ...(record.required ?? [])] });
}

function numberOf(type: "integer" | "number", { min, max, also }: Range): JsonObject {
  const range = {
    type,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  return also === undefined ? range : { anyOf: [range, { const: also }] };
}

function patternOf(pattern: TextPattern | undefined): JsonObject {
  return pattern === undefined ? {} : { pattern: pattern.pattern };
}
