import { isJsonObject, type JsonObject, type JsonValue } from "../core/index.ts";
import { allowsNull, follow, hopsMax, isArray, propertyOf, requiredOf, typeName, typesOf } from "./schema-lookup.ts";

/**
 * Undoes in arguments what `strictSchema` did to their schema: takes away null where the given schema has an
 * optional property that may not be null, at every level. Everything else stays.
 */
export function removeNulls(given: JsonObject, schema: JsonObject): JsonObject {
  const cleaned = withoutNulls(given, schema, schema);
  return isJsonObject(cleaned) ? cleaned : given;
}

function withoutNulls(value: JsonValue, schema: JsonValue | undefined, root: JsonObject): JsonValue {
  const shape = shapeFor(value, schema, root);
  if (shape === undefined) return value;
  if (isArray(value)) return value.map((item) => withoutNulls(item, shape["items"], root));
  if (!isJsonObject(value)) return value;
  const required = requiredOf(shape);
  const kept = Object.entries(value).flatMap(([name, entry]): [string, JsonValue][] => {
    if (entry === undefined) return [];
    const property = propertyOf(shape, name);
    if (property === undefined) return [[name, entry]];
    if (entry === null && !required.includes(name) && !allowsNull(property, root)) return [];
    return [[name, withoutNulls(entry, property, root)]];
  });
  return Object.fromEntries(kept);
}

/** The schema that describes this value: references followed, and of a union the branch that fits. */
function shapeFor(value: JsonValue, schema: JsonValue | undefined, root: JsonObject): JsonObject | undefined {
  let shape = follow(schema, root);
  for (let unions = 0; unions < hopsMax; unions++) {
    const anyOf = shape?.["anyOf"];
    if (!isArray(anyOf)) return shape;
    shape = follow(
      anyOf.find((branch) => fits(value, branch, root)),
      root,
    );
  }
  return undefined;
}

/** Whether a value is what the strict form of this schema describes, as far as telling branches apart needs it. */
function fits(value: JsonValue, schema: JsonValue | undefined, root: JsonObject, unions = 0): boolean {
  const followed = follow(schema, root);
  if (followed === undefined || unions > hopsMax) return schema === true;
  const { anyOf, enum: values, const: only } = followed;
  if (isArray(anyOf)) return anyOf.some((branch) => fits(value, branch, root, unions + 1));
  if (isArray(values) && !values.some((listed) => same(listed, value))) return false;
  if (only !== undefined && !same(only, value)) return false;
  const types = typesOf(followed);
  if (types.length > 0 && !types.some((type) => type === typeName(value) || (type === "number" && isNumber(value)))) {
    return false;
  }
  if (isArray(value)) {
    const { items } = followed;
    return items === undefined || value.every((item) => fits(item, items, root));
  }
  return !isJsonObject(value) || objectFits(value, followed, root);
}

function objectFits(value: JsonObject, schema: JsonObject, root: JsonObject): boolean {
  const required = requiredOf(schema);
  if (!required.every((name) => Object.hasOwn(value, name))) return false;
  const open = schema["additionalProperties"] !== undefined && schema["additionalProperties"] !== false;
  return Object.entries(value).every(([name, entry]) => {
    const property = propertyOf(schema, name);
    if (property === undefined) return open;
    if (entry === undefined || (entry === null && !required.includes(name))) return true;
    return fits(entry, property, root);
  });
}

function same(left: JsonValue, right: JsonValue): boolean {
  return left === right || JSON.stringify(left) === JSON.stringify(right);
}

function isNumber(value: JsonValue): boolean {
  return typeof value === "number";
}
