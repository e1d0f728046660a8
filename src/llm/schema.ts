import { isJsonObject, type JsonObject, type JsonValue } from "../core/index.ts";
import { allowsNull, isArray, requiredOf, resolve, typesOf } from "./schema-lookup.ts";

export { removeNulls } from "./schema-nulls.ts";

/**
 * A JSON Schema as strict modes want it, or why it cannot be said there. `nulls_added`: at least one optional
 * property became nullable, so answers may hold nulls that the given schema does not know.
 */
export type StrictSchema =
  | { readonly ok: true; readonly schema: JsonObject; readonly nulls_added: boolean }
  | { readonly ok: false; readonly reason: string };

/**
 * Rewrites a schema so that every object is closed and requires all its properties; optional ones become nullable
 * instead. What strict modes refuse but a reader understands (defaults, lengths) moves into the description.
 */
export function strictSchema(schema: JsonObject): StrictSchema {
  const walk: Walk = { root: schema, properties: 0, enum_values: 0, nulls_added: false };
  try {
    return { ok: true, schema: rewriteRoot(walk), nulls_added: walk.nulls_added };
  } catch (error) {
    if (error instanceof Inexpressible) return { ok: false, reason: error.message };
    throw error;
  }
}

class Inexpressible extends Error {}

type Walk = { readonly root: JsonObject; properties: number; enum_values: number; nulls_added: boolean };
/** Where in the schema we are, for messages, and how many objects lie around it. */
type Place = { readonly path: string; readonly depth: number };

function rewriteRoot(walk: Walk): JsonObject {
  const { root } = walk;
  const place: Place = { path: "#", depth: 0 };
  const isObject = root["type"] === "object" || (root["type"] === undefined && !hasAny(root, notPlainObject));
  if (!isObject) refuse(place, "the root is not of type object");
  const { $defs, definitions, ...rest } = root;
  return {
    ...rewrite({ properties: {}, ...rest, type: "object" }, place, walk),
    ...(isJsonObject($defs) ? { $defs: rewriteEach($defs, { path: "#/$defs", depth: 0 }, walk) } : {}),
    ...(isJsonObject(definitions)
      ? { definitions: rewriteEach(definitions, { path: "#/definitions", depth: 0 }, walk) }
      : {}),
  };
}

function rewriteEach(schemas: JsonObject, place: Place, walk: Walk): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, rewrite(schema, below(place, name), walk)]),
  );
}

function rewrite(schema: JsonValue | undefined, place: Place, walk: Walk): JsonObject {
  if (!isJsonObject(schema)) return refuse(place, "it accepts anything");
  for (const key of Object.keys(schema)) {
    if (!knownKeywords.has(key) && !key.startsWith("x-")) refuse(place, `"${key}" has no strict form`);
  }
  if (schema["$ref"] !== undefined) return rewriteReference(schema, place, walk);
  if (schema["anyOf"] !== undefined) return rewriteUnion(schema, place, walk);
  const types = typesOf(schema);
  if (types.length === 0) return refuse(place, "it accepts anything");
  return {
    ...annotationsOf(schema),
    type: types.length === 1 ? types[0] : types,
    ...valuesOf(schema, place, walk),
    ...(types.includes("object") ? rewriteObject(schema, place, walk) : {}),
    ...(types.includes("array") ? { items: rewrite(schema["items"], below(place, "items"), walk) } : {}),
    ...pick(schema, keptConstraints),
    ...keptPattern(schema),
  };
}

/** A reference stands alone in strict schemas, so what is said beside it goes around it. */
function rewriteReference(schema: JsonObject, place: Place, walk: Walk): JsonObject {
  const { $ref } = schema;
  if (typeof $ref !== "string" || resolve($ref, walk.root) === undefined) {
    return refuse(place, `the reference ${JSON.stringify($ref)} does not lead to a definition of this schema`);
  }
  refuseBeside(schema, "$ref", place);
  const annotations = annotationsOf(schema);
  return Object.keys(annotations).length === 0 ? { $ref } : { ...annotations, anyOf: [{ $ref }] };
}

function rewriteUnion(schema: JsonObject, place: Place, walk: Walk): JsonObject {
  const { anyOf } = schema;
  if (!isArray(anyOf) || anyOf.length === 0) return refuse(place, "anyOf is not a list");
  refuseBeside(schema, "anyOf", place);
  const branches = anyOf.map((branch, index) => rewrite(branch, below(place, `anyOf/${index}`), walk));
  return { ...annotationsOf(schema), anyOf: branches };
}

function rewriteObject(schema: JsonObject, place: Place, walk: Walk): JsonObject {
  const { properties, additionalProperties } = schema;
  if (additionalProperties !== undefined && additionalProperties !== false) {
    return refuse(place, "it allows properties that are not listed");
  }
  if (!isJsonObject(properties)) return refuse(place, "its properties are not listed");
  const names = Object.keys(properties);
  const required = requiredOf(schema);
  const stray = required.find((name) => !names.includes(name));
  if (stray !== undefined) return refuse(place, `it requires "${stray}", which it does not describe`);
  walk.properties += names.length;
  const depth = place.depth + 1;
  if (walk.properties > limits.properties) refuse(place, `it has more than ${limits.properties} properties`);
  if (depth > limits.levels) refuse(place, `it is nested more than ${limits.levels} levels deep`);
  const rewritten = names.map((name): [string, JsonObject] => {
    const property = properties[name];
    const strict = rewrite(property, { path: `${place.path}/properties/${name}`, depth }, walk);
    if (required.includes(name) || allowsNull(property, walk.root)) return [name, strict];
    walk.nulls_added = true;
    return [name, nullable(strict)];
  });
  return { properties: Object.fromEntries(rewritten), required: names, additionalProperties: false };
}

function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf, const: only, enum: values, ...rest } = schema;
  if (isArray(anyOf)) return { ...schema, anyOf: [...anyOf, { type: "null" }] };
  // Nullable objects and arrays, and references, are unions everywhere they are documented.
  if (type === undefined || type === "object" || type === "array") return { anyOf: [schema, { type: "null" }] };
  const types = isArray(type) ? type : [type];
  const listed = isArray(values) ? values : only === undefined ? undefined : [only];
  return {
    ...rest,
    type: types.includes("null") ? types : [...types, "null"],
    ...(listed === undefined ? {} : { enum: listed.includes(null) ? listed : [...listed, null] }),
  };
}

function valuesOf(schema: JsonObject, place: Place, walk: Walk): JsonObject {
  const { enum: values, const: only } = schema;
  if (!isArray(values)) return only === undefined ? {} : { const: only };
  walk.enum_values += values.length;
  if (values.length === 0 || walk.enum_values > limits.enum_values) {
    return refuse(place, `it lists none or more than ${limits.enum_values} values`);
  }
  return { enum: values };
}

function annotationsOf(schema: JsonObject): JsonObject {
  const { title, description } = schema;
  const said = typeof description === "string" ? [description] : [];
  const told = describedKeywords
    .filter((key) => schema[key] !== undefined)
    .map((key) => `${key}: ${JSON.stringify(schema[key])}`);
  if (schema["pattern"] !== undefined && keptPattern(schema)["pattern"] === undefined) {
    told.push(`pattern: ${String(schema["pattern"])}`);
  }
  if (schema["format"] !== undefined && keptPattern(schema)["format"] === undefined) {
    told.push(`format: ${String(schema["format"])}`);
  }
  const whole = [...said, ...(told.length > 0 ? [`(${told.join(", ")})`] : [])].join(" ");
  return { ...(typeof title === "string" ? { title } : {}), ...(whole === "" ? {} : { description: whole }) };
}

/** Patterns that look around and formats off the list are refused. */
function keptPattern(schema: JsonObject): JsonObject {
  const { pattern, format } = schema;
  return {
    ...(typeof pattern === "string" && !/\(\?[=!<]/.test(pattern) ? { pattern } : {}),
    ...(typeof format === "string" && keptFormats.has(format) ? { format } : {}),
  };
}

function refuseBeside(schema: JsonObject, keyword: string, place: Place): void {
  const beside = Object.keys(schema).find((key) => key !== keyword && shapingKeywords.has(key));
  if (beside !== undefined) refuse(place, `"${beside}" stands beside "${keyword}"`);
}

function refuse(place: Place, reason: string): never {
  throw new Inexpressible(`${place.path}: ${reason}`);
}

function below(place: Place, name: string): Place {
  return { path: `${place.path}/${name}`, depth: place.depth };
}

function pick(schema: JsonObject, keys: readonly string[]): JsonObject {
  return Object.fromEntries(keys.filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]));
}

function hasAny(schema: JsonObject, keys: readonly string[]): boolean {
  return keys.some((key) => schema[key] !== undefined);
}

const limits = { properties: 5_000, levels: 10, enum_values: 1_000 } as const;

const notPlainObject = ["enum", "const", "anyOf", "oneOf", "allOf", "$ref", "items"];

const keptConstraints = [
  "multipleOf",
  "minimum",
  "maximum",
  "exclusiveMinimum",
  "exclusiveMaximum",
  "minItems",
  "maxItems",
];

const keptFormats: ReadonlySet<string> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "uuid",
]);

/** Refused in strict schemas, of use to a reader. */
const describedKeywords = [
  "default",
  "minLength",
  "maxLength",
  "minProperties",
  "maxProperties",
  "uniqueItems",
  "contentEncoding",
  "contentMediaType",
  "examples",
];

const shapingKeywords: ReadonlySet<string> = new Set([
  "type",
  "properties",
  "required",
  "additionalProperties",
  "items",
  "enum",
  "const",
  "anyOf",
  "$ref",
  "pattern",
  "format",
  ...keptConstraints,
]);

const knownKeywords: ReadonlySet<string> = new Set([
  ...shapingKeywords,
  ...describedKeywords,
  "title",
  "description",
  "$schema",
  "$id",
  "$comment",
  "deprecated",
  "readOnly",
  "writeOnly",
]);
