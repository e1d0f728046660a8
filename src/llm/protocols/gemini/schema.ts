import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/index.ts";
import { isArray, requiredOf, resolve } from "../../schema-lookup.ts";

/**
 * A JSON Schema in the keywords this wire reads. What it ignores is left out, `const` becomes a list of one,
 * `allOf` is folded into its place, a reference stands alone, and a property that leads back to itself is not required.
 * The same schema always gives the same bytes.
 */
export function geminiSchema(schema: JsonObject): JsonObject {
  return rewrite(schema, schema);
}

function rewrite(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref } = schema;
  // Beside a reference only other $-keywords are legal.
  if (typeof $ref === "string") return { $ref: renamed($ref), ...definitionsOf(schema, root) };
  const folded = folding(schema, root);
  const written: { [key: string]: JsonValue | undefined } = {};
  for (const [key, value] of Object.entries(folded)) {
    const rewritten = rewriteKeyword(key, value, { schema, folded, root });
    if (rewritten !== undefined) written[key === "const" ? "enum" : key] = rewritten;
  }
  return { ...written, ...definitionsOf(schema, root) };
}

/** A schema as given and with its `allOf` folded in. */
type Place = { readonly schema: JsonObject; readonly folded: JsonObject; readonly root: JsonObject };

function rewriteKeyword(key: string, value: JsonValue | undefined, place: Place): JsonValue | undefined {
  const { folded, root } = place;
  if (value === undefined) return undefined;
  if (plainKeywords.has(key)) return value;
  if (key === "const") return folded["enum"] === undefined ? [value] : undefined;
  if (key === "required") return requiredIn(place);
  if (key === "properties") return isJsonObject(value) ? rewriteEach(value, root) : undefined;
  if (schemaKeywords.has(key)) return rewriteValue(value, root);
  return listKeywords.has(key) && isArray(value) ? value.map((item) => rewriteValue(item, root)) : undefined;
}

function rewriteEach(schemas: JsonObject, root: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, rewriteValue(schema, root)]));
}

/** `true` as a schema accepts anything, which an empty one says as well; `additionalProperties` may stay a boolean. */
function rewriteValue(schema: JsonValue | undefined, root: JsonObject): JsonValue {
  if (isJsonObject(schema)) return rewrite(schema, root);
  return typeof schema === "boolean" ? schema : {};
}

function definitionsOf({ $defs, definitions }: JsonObject, root: JsonObject): JsonObject {
  const all = { ...(isJsonObject(definitions) ? definitions : {}), ...(isJsonObject($defs) ? $defs : {}) };
  return Object.keys(all).length === 0 ? {} : { $defs: rewriteEach(all, root) };
}

function renamed(reference: string): string {
  return reference.replace(/^#\/definitions\//, "#/$defs/");
}

/** Folds the members of `allOf` into the schema that holds them; what the schema itself says comes first. */
function folding(schema: JsonObject, root: JsonObject, holders: readonly JsonObject[] = []): JsonObject {
  const { allOf, ...rest } = schema;
  if (!isArray(allOf)) return schema;
  return allOf.filter(isJsonObject).reduce<JsonObject>((folded, member) => {
    const named = typeof member["$ref"] === "string" ? resolve(member["$ref"], root) : member;
    // A member that refers to one of its own holders adds nothing.
    if (named === undefined || named === schema || holders.includes(named)) return folded;
    return both(folding(named, root, [...holders, schema]), folded);
  }, rest);
}

function both(inner: JsonObject, outer: JsonObject): JsonObject {
  const properties = { ...objectIn(inner, "properties"), ...objectIn(outer, "properties") };
  const required = [...new Set([...requiredOf(outer), ...requiredOf(inner)])];
  return {
    ...inner,
    ...outer,
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

function objectIn(schema: JsonObject, key: string): JsonObject {
  const value = schema[key];
  return isJsonObject(value) ? value : {};
}

/** Circles are unrolled a few times and then end, which they can only where a property may be missing. */
function requiredIn(place: Place): JsonValue | undefined {
  const { folded, root, schema } = place;
  const properties = objectIn(folded, "properties");
  const names = requiredOf(folded).filter((name) => !leadsTo(schema, properties[name], { root, visited: new Set() }));
  return names.length > 0 ? names : undefined;
}

type Search = { readonly root: JsonObject; readonly visited: Set<JsonObject> };

/** Whether what must be present below a schema leads to the goal. */
function leadsTo(goal: JsonObject, schema: JsonValue | undefined, search: Search): boolean {
  if (isArray(schema)) return schema.some((item) => leadsTo(goal, item, search));
  if (!isJsonObject(schema) || search.visited.has(schema)) return false;
  if (schema === goal) return true;
  search.visited.add(schema);
  const { $ref } = schema;
  if (typeof $ref === "string") return leadsTo(goal, resolve($ref, search.root), search);
  const properties = objectIn(schema, "properties");
  return (
    requiredOf(schema).some((name) => leadsTo(goal, properties[name], search)) ||
    [...schemaKeywords, ...listKeywords, "allOf"].some((key) => leadsTo(goal, schema[key], search))
  );
}

const plainKeywords: ReadonlySet<string> = new Set([
  "$id",
  "$anchor",
  "type",
  "format",
  "title",
  "description",
  "enum",
  "minItems",
  "maxItems",
  "minimum",
  "maximum",
  "propertyOrdering",
]);

const schemaKeywords: ReadonlySet<string> = new Set(["items", "additionalProperties"]);
const listKeywords: ReadonlySet<string> = new Set(["anyOf", "oneOf", "prefixItems"]);
