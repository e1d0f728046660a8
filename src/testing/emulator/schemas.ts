/** The parts of JSON Schema each provider refuses, and a sample value for answers that must follow a schema. */
import type { JsonObject, JsonValue } from "../../core/json.ts";
import { has, listOf, objectOf, objectsOf, textOf } from "./json.ts";

const depthMax = 40;

/** Every schema inside a schema, with the way to it. */
export function* subschemas(schema: JsonObject, path: readonly string[] = []): Iterable<[JsonObject, string[]]> {
  yield [schema, [...path]];
  if (path.length > depthMax) return;
  for (const [name, value] of Object.entries(objectOf(schema["properties"]))) {
    yield* subschemas(objectOf(value), [...path, "properties", name]);
  }
  for (const key of ["$defs", "definitions"]) {
    for (const [name, value] of Object.entries(objectOf(schema[key]))) {
      yield* subschemas(objectOf(value), [...path, key, name]);
    }
  }
  for (const key of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
    for (const [index, value] of objectsOf(schema[key]).entries()) {
      yield* subschemas(value, [...path, key, String(index)]);
    }
  }
  for (const key of ["items", "additionalProperties", "not", "if", "then", "else"]) {
    const value = schema[key];
    if (typeof value === "object" && value !== null && !Array.isArray(value)) {
      yield* subschemas(objectOf(value), [...path, key]);
    }
  }
}

/** OpenAI's strict mode: the sentence after "Invalid schema for function 'f': ", or nothing. */
export function strictProblem(root: JsonObject): string | undefined {
  if (has(root, "anyOf") || has(root, "oneOf")) {
    const banned = "'oneOf'/'anyOf'/'allOf'/'enum'/'not'";
    return `In context=(), schema must have type 'object' and not have ${banned} at the top level.`;
  }
  if (root["type"] !== "object")
    return `schema must be a JSON Schema of 'type: "object"', got 'type: "${typeWord(root)}"'.`;
  for (const [schema, path] of subschemas(root)) {
    const context = `In context=(${path.map((part) => `'${part}'`).join(", ")}${path.length === 1 ? "," : ""})`;
    const banned = strictUnsupported.find((key) => schema[key] !== undefined);
    if (banned !== undefined) return `${context}, '${banned}' is not permitted.`;
    if (!isObjectSchema(schema)) continue;
    if (schema["additionalProperties"] !== false) {
      return `${context}, 'additionalProperties' is required to be supplied and to be false.`;
    }
    const required = listOf(schema["required"]);
    const missing = Object.keys(objectOf(schema["properties"])).find((name) => !required.includes(name));
    if (missing !== undefined) {
      const rule = "'required' is required to be supplied and to be an array including every key in properties.";
      return `${context}, ${rule} Missing '${missing}'.`;
    }
  }
  return undefined;
}

/** Anthropic's structured output and strict tools. */
export function grammarProblem(root: JsonObject): string | undefined {
  for (const [schema, path] of subschemas(root)) {
    const type = typeWord(schema);
    const banned = grammarUnsupported.find((key) => schema[key] !== undefined);
    if (banned === "oneOf" || banned === "not") return `Schema type '${banned}' is not supported`;
    if (banned !== undefined) return `For '${type}' type, property '${banned}' is not supported`;
    const items = schema["minItems"];
    if (items !== undefined && items !== 0 && items !== 1) {
      return `For 'array' type, 'minItems' values other than 0 or 1 are not supported`;
    }
    const format = schema["format"];
    if (typeof format === "string" && !grammarFormats.includes(format)) {
      return `String format '${format}' is not supported`;
    }
    if (isObjectSchema(schema) && schema["additionalProperties"] !== false) {
      return `For 'object' type, 'additionalProperties' must be explicitly set to false`;
    }
    if (refersToAncestor(schema, root, path)) return "Recursive schemas are not supported";
  }
  return undefined;
}

export function isRecursive(root: JsonObject): boolean {
  for (const [schema, path] of subschemas(root)) if (refersToAncestor(schema, root, path)) return true;
  return false;
}

/** Properties that may be left out, over every object of the schema. */
export function optionalCount(root: JsonObject): number {
  let count = 0;
  for (const [schema] of subschemas(root)) {
    const required = listOf(schema["required"]);
    count += Object.keys(objectOf(schema["properties"])).filter((name) => !required.includes(name)).length;
  }
  return count;
}

export function unionCount(root: JsonObject): number {
  let count = 0;
  for (const [schema] of subschemas(root)) {
    for (const property of Object.values(objectOf(schema["properties"]))) {
      const inner = objectOf(property);
      if (Array.isArray(inner["type"]) || inner["anyOf"] !== undefined) count++;
    }
  }
  return count;
}

/** Gemini's own `Schema`: the first keyword it does not have, with the way to it. */
export function openApiProblem(root: JsonObject): { readonly keyword: string; readonly path: string } | undefined {
  for (const [schema, path] of subschemas(root)) {
    const keyword = Object.keys(schema).find((key) => !openApiKeywords.has(key));
    if (keyword === undefined) continue;
    const where = path.map((part, index) => geminiPathPart(part, path[index - 1])).join("");
    return { keyword, path: where };
  }
  return undefined;
}

function geminiPathPart(part: string, before: string | undefined): string {
  if (part === "properties") return ".properties";
  if (before === "properties") return "[0].value";
  return /^\d+$/.test(part) ? `[${part}]` : `.${part}`;
}

/** A value that fits: the first of every choice. Enough for a stand-in, not a generator. */
export function sampleOf(schema: JsonObject, root: JsonObject = schema, depth = 0): JsonValue {
  const choices = listOf(schema["enum"]);
  if (choices[0] !== undefined) return choices[0];
  if (schema["const"] !== undefined) return schema["const"];
  if (depth > depthMax) return null;
  const target = schema["$ref"];
  if (typeof target === "string") return sampleOf(resolve(root, target), root, depth + 1);
  const union = objectsOf(schema["anyOf"])[0] ?? objectsOf(schema["oneOf"])[0] ?? objectsOf(schema["allOf"])[0];
  if (union !== undefined) return sampleOf(union, root, depth + 1);
  switch (typeWord(schema).toLowerCase()) {
    case "object":
      return sampleObject(schema, root, depth);
    case "array":
      return [sampleOf(objectOf(schema["items"]), root, depth + 1)];
    case "integer":
    case "number":
      return typeof schema["minimum"] === "number" ? schema["minimum"] : 1;
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return "text";
  }
}

function sampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const required = listOf(schema["required"]);
  const entries = Object.entries(objectOf(schema["properties"])).filter(([name]) => required.includes(name));
  return Object.fromEntries(entries.map(([name, inner]) => [name, sampleOf(objectOf(inner), root, depth + 1)]));
}

function resolve(root: JsonObject, reference: string): JsonObject {
  let value: JsonValue | undefined = root;
  for (const part of reference.replace(/^#\/?/, "").split("/")) if (part !== "") value = objectOf(value)[part];
  return objectOf(value);
}

function refersToAncestor(schema: JsonObject, root: JsonObject, path: readonly string[]): boolean {
  const reference = textOf(schema["$ref"]);
  if (reference === "") return false;
  const target = reference.replace(/^#\/?/, "");
  if (target === "" || path.join("/").startsWith(`${target}/`)) return true;
  for (const [inner] of subschemas(resolve(root, reference))) if (inner["$ref"] === reference) return true;
  return false;
}

function isObjectSchema(schema: JsonObject): boolean {
  const type = schema["type"];
  return type === "object" || (Array.isArray(type) && type.includes("object"));
}

function typeWord(schema: JsonObject): string {
  const type = schema["type"];
  if (Array.isArray(type)) return textOf(type.find((word) => word !== "null"));
  return type === undefined ? "None" : textOf(type);
}

const strictUnsupported = [
  "allOf",
  "oneOf",
  "not",
  "if",
  "then",
  "else",
  "dependentSchemas",
  "dependentRequired",
  "patternProperties",
  "propertyNames",
  "unevaluatedProperties",
  "unevaluatedItems",
];

const grammarUnsupported = [
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "multipleOf",
  "minLength",
  "maxLength",
  "pattern",
  "maxItems",
  "uniqueItems",
  "minProperties",
  "maxProperties",
  "not",
  "oneOf",
];

const grammarFormats = ["date-time", "time", "date", "duration", "email", "hostname", "uri", "ipv4", "ipv6", "uuid"];

const openApiKeywords = new Set([
  "type",
  "format",
  "title",
  "description",
  "nullable",
  "enum",
  "items",
  "minItems",
  "maxItems",
  "properties",
  "required",
  "minProperties",
  "maxProperties",
  "minLength",
  "maxLength",
  "minimum",
  "maximum",
  "pattern",
  "anyOf",
  "default",
  "example",
  "propertyOrdering",
  "property_ordering",
]);
