import { isJsonObject, type JsonObject } from "./json.ts";
import type { Problem } from "./validate.ts";

/**
 * Holds a value against a JSON Schema. Understood is what models are given: types, enum and const, objects, arrays,
 * lengths, ranges, patterns, the four combinations and references inside the schema. Other keywords are passed over,
 * `format` among them, so no problem found does not mean that a stricter reader would find none.
 */
export function checkAgainstSchema(value: unknown, schema: JsonObject): readonly Problem[] {
  return check(value, schema, { root: schema, place: "", depth: 0 });
}

type Context = { readonly root: JsonObject; readonly place: string; readonly depth: number };
type Keyword = (value: unknown, schema: JsonObject, context: Context) => readonly Problem[];

function check(value: unknown, schema: unknown, context: Context): readonly Problem[] {
  if (schema === false) return [problem(context, "is not allowed here")];
  // A schema that refers to itself without taking a step into the value would never end.
  if (!isJsonObject(schema) || context.depth > depthMax) return [];
  const deeper = { ...context, depth: context.depth + 1 };
  return keywords.flatMap((keyword) => keyword(value, schema, deeper));
}

const reference: Keyword = (value, { $ref }, context) => {
  if (typeof $ref !== "string") return [];
  const target = resolveReference($ref, context.root);
  return target === undefined ? [] : check(value, target, context);
};

function resolveReference(pointer: string, root: JsonObject): unknown {
  if (pointer === "#") return root;
  if (!pointer.startsWith("#/")) return undefined;
  return pointer
    .slice(2)
    .split("/")
    .map((part) => decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>((found, key) => {
      if (Array.isArray(found)) return found[Number(key)];
      return isJsonObject(found) && Object.hasOwn(found, key) ? found[key] : undefined;
    }, root);
}

const type: Keyword = (value, schema, context) => {
  const wanted = schema["type"];
  const names: readonly unknown[] = Array.isArray(wanted) ? wanted : wanted === undefined ? [] : [wanted];
  if (schema["nullable"] === true && value === null) return [];
  if (names.length === 0 || names.some((name) => isOfType(value, name))) return [];
  return [problem(context, `must be ${names.join(" or ")}, not ${typeName(value)}`)];
};

function isOfType(value: unknown, name: unknown): boolean {
  if (name === "integer") return Number.isInteger(value);
  return typeName(value) === (typeof name === "string" ? name.toLowerCase() : name);
}

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

const choice: Keyword = (value, schema, context) => {
  const { enum: words } = schema;
  if (Array.isArray(words) && !words.some((word) => isSame(word, value))) {
    return [problem(context, `must be one of ${words.map((word) => JSON.stringify(word)).join(", ")}`)];
  }
  if (Object.hasOwn(schema, "const") && !isSame(schema["const"], value)) {
    return [problem(context, `must be ${JSON.stringify(schema["const"])}`)];
  }
  return [];
};

const object: Keyword = (value, schema, context) => {
  if (!isJsonObject(value)) return [];
  const { properties, patternProperties, additionalProperties, required } = schema;
  const known = isJsonObject(properties) ? properties : {};
  const patterns = isJsonObject(patternProperties) ? Object.entries(patternProperties) : [];
  const missing = (Array.isArray(required) ? required : [])
    .filter((name): name is string => typeof name === "string" && value[name] === undefined)
    .map((name) => problem(inside(context, name), "is missing"));
  const found = Object.entries(value).flatMap(([name, inner]) => {
    const within = inside(context, name);
    const schemas = [
      ...(Object.hasOwn(known, name) ? [known[name]] : []),
      ...patterns.filter(([pattern]) => matches(pattern, name)).map(([, other]) => other),
    ];
    if (schemas.length > 0) return schemas.flatMap((one) => check(inner, one, within));
    if (additionalProperties === false) return [problem(within, "is not a known property")];
    return check(inner, additionalProperties, within);
  });
  const count = Object.keys(value).length;
  return [...missing, ...found, ...range(count, schema, context, ["minProperties", "maxProperties", "properties"])];
};

const array: Keyword = (value, schema, context) => {
  if (!Array.isArray(value)) return [];
  const { items, prefixItems, uniqueItems } = schema;
  const first: readonly unknown[] = Array.isArray(prefixItems) ? prefixItems : [];
  const found = value.flatMap((item: unknown, index) => {
    const within = { ...context, place: `${context.place}[${index}]` };
    return check(item, index < first.length ? first[index] : items, within);
  });
  const repeated =
    uniqueItems === true && value.some((item, index) => value.slice(0, index).some((other) => isSame(item, other)));
  return [
    ...found,
    ...(repeated ? [problem(context, "must not hold the same item twice")] : []),
    ...range(value.length, schema, context, ["minItems", "maxItems", "items"]),
  ];
};

const text: Keyword = (value, schema, context) => {
  if (typeof value !== "string") return [];
  const { pattern } = schema;
  const wrong = typeof pattern === "string" && !matches(pattern, value);
  return [
    ...(wrong ? [problem(context, `must match ${pattern}`)] : []),
    ...range(Array.from(value).length, schema, context, ["minLength", "maxLength", "characters"]),
  ];
};

const number: Keyword = (value, schema, context) => {
  if (typeof value !== "number") return [];
  const bound = (name: string): number | undefined => (typeof schema[name] === "number" ? schema[name] : undefined);
  const [min, max] = [bound("minimum"), bound("maximum")];
  const [above, below] = [bound("exclusiveMinimum"), bound("exclusiveMaximum")];
  const step = bound("multipleOf");
  return [
    ...(min !== undefined && value < min ? [problem(context, `must be at least ${min}`)] : []),
    ...(max !== undefined && value > max ? [problem(context, `must be at most ${max}`)] : []),
    ...(above !== undefined && value <= above ? [problem(context, `must be more than ${above}`)] : []),
    ...(below !== undefined && value >= below ? [problem(context, `must be less than ${below}`)] : []),
    ...(step !== undefined && step > 0 && !isMultiple(value, step)
      ? [problem(context, `must be a multiple of ${step}`)]
      : []),
  ];
};

const combination: Keyword = (value, { allOf, anyOf, oneOf, not }, context) => {
  const fits = (schema: unknown): boolean => check(value, schema, context).length === 0;
  const problems = (Array.isArray(allOf) ? allOf : []).flatMap((schema) => check(value, schema, context));
  if (Array.isArray(anyOf) && !anyOf.some(fits)) problems.push(...closest(value, anyOf, context));
  if (Array.isArray(oneOf)) {
    const count = oneOf.filter(fits).length;
    if (count === 0) problems.push(...closest(value, oneOf, context));
    if (count > 1) problems.push(problem(context, `must fit one of ${oneOf.length} alternatives and fits ${count}`));
  }
  if (isJsonObject(not) && fits(not)) problems.push(problem(context, "is of a form that is ruled out"));
  return problems;
};

/** The alternative with the fewest problems says most about what was meant. */
function closest(value: unknown, schemas: readonly unknown[], context: Context): readonly Problem[] {
  const found = schemas.map((schema) => check(value, schema, context));
  const best = found.toSorted((left, right) => left.length - right.length)[0] ?? [];
  const only = best[0];
  if (best.length === 1 && only !== undefined && only.place !== context.place) return best;
  return [problem(context, `fits none of ${schemas.length} alternatives`)];
}

function range(
  count: number,
  schema: JsonObject,
  context: Context,
  [min, max, what]: readonly [string, string, string],
): readonly Problem[] {
  const [least, most] = [schema[min], schema[max]];
  if (typeof least === "number" && count < least) return [problem(context, `must have at least ${least} ${what}`)];
  if (typeof most === "number" && count > most) return [problem(context, `must have at most ${most} ${what}`)];
  return [];
}

function inside(context: Context, name: string): Context {
  return { ...context, place: context.place === "" ? name : `${context.place}.${name}` };
}

function problem({ place }: Context, message: string): Problem {
  return { place, message };
}

/** A pattern that is no regular expression rules nothing out. */
function matches(pattern: string, value: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

/** 0.3 is a multiple of 0.1 although the machine's numbers say otherwise. */
function isMultiple(value: number, step: number): boolean {
  const times = value / step;
  return Math.abs(times - Math.round(times)) < 1e-9 * Math.max(1, Math.abs(times));
}

function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  }
  if (!isJsonObject(left) || !isJsonObject(right)) return false;
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => isSame(left[key], right[key]));
}

const keywords: readonly Keyword[] = [reference, type, choice, object, array, text, number, combination];

const depthMax = 200;
