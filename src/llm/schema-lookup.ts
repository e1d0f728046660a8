import { isJsonObject, type JsonObject, type JsonValue } from "../core/index.ts";

/** `unions` counts the unions gone through, which a schema can tie into a circle. */
export function allowsNull(schema: JsonValue | undefined, root: JsonObject, unions = 0): boolean {
  const followed = follow(schema, root);
  if (followed === undefined || unions > hopsMax) return schema !== false;
  const { anyOf, oneOf, allOf, enum: values, const: only } = followed;
  const allows = (branch: JsonValue): boolean => allowsNull(branch, root, unions + 1);
  if (isArray(anyOf)) return anyOf.some(allows);
  if (isArray(oneOf)) return oneOf.some(allows);
  if (isArray(allOf)) return allOf.every(allows);
  if (isArray(values) && !values.includes(null)) return false;
  if (only !== undefined && only !== null) return false;
  const types = typesOf(followed);
  return types.length === 0 || types.includes("null");
}

/** Follows references; undefined where they lead nowhere or in a circle. */
export function follow(schema: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  let current = schema;
  for (let hops = 0; hops < hopsMax; hops++) {
    if (!isJsonObject(current)) return undefined;
    const { $ref } = current;
    if ($ref === undefined) return current;
    current = typeof $ref === "string" ? resolve($ref, root) : undefined;
  }
  return undefined;
}

export function resolve(reference: string, root: JsonObject): JsonObject | undefined {
  if (reference === "#") return root;
  const [, container, name, ...deeper] = reference.split("/");
  if (!reference.startsWith("#/") || name === undefined || deeper.length > 0) return undefined;
  if (container !== "$defs" && container !== "definitions") return undefined;
  const definitions = root[container];
  const key = unescapePointer(name);
  if (!isJsonObject(definitions) || !Object.hasOwn(definitions, key)) return undefined;
  const found = definitions[key];
  return isJsonObject(found) ? found : undefined;
}

function unescapePointer(name: string): string {
  const plain = /%[0-9a-f]{2}/i.test(name) ? safelyDecoded(name) : name;
  return plain.replaceAll("~1", "/").replaceAll("~0", "~");
}

function safelyDecoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

export function requiredOf(schema: JsonObject): readonly string[] {
  const { required } = schema;
  return isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

export function propertyOf(schema: JsonObject, name: string): JsonValue | undefined {
  const { properties } = schema;
  return isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
}

export function typesOf(schema: JsonObject): readonly JsonValue[] {
  const { type, enum: values, const: only, properties, items } = schema;
  if (isArray(type)) return type;
  if (type !== undefined) return [type];
  if (isArray(values)) return [...new Set(values.map(typeName))];
  if (only !== undefined) return [typeName(only)];
  if (properties !== undefined) return ["object"];
  return items === undefined ? [] : ["array"];
}

export function typeName(value: JsonValue): string {
  if (value === null) return "null";
  if (isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

export function isArray(value: unknown): value is readonly JsonValue[] {
  return Array.isArray(value);
}

/** Longer chains of references or unions are circles. */
export const hopsMax = 32;
