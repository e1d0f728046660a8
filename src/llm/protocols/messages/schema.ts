import { isJsonObject, type JsonObject, type JsonValue } from "../../../core/index.ts";

/** What a grammar costs: the API counts these over all strict tools of a request. */
export type GrammarCost = { readonly tools: number; readonly optional: number; readonly unions: number };

/** 16 unions are what the API names as its limit, and what it refuses to compile in one schema (recorded). */
const grammarLimits: GrammarCost = { tools: 20, optional: 24, unions: 15 };

/**
 * A JSON Schema in the subset that the API compiles into a grammar. What it cannot enforce moves into the description,
 * where the model still reads it. Undefined: it is too large, or refers to itself, which no grammar here can say.
 */
export function grammarSchema(given: JsonObject): { schema: JsonObject; cost: GrammarCost } | undefined {
  if (isRecursive(given)) return undefined;
  const schema = strictSchema(given);
  const cost = costOf(schema);
  return fits(cost) ? { schema, cost } : undefined;
}

export function fits(cost: GrammarCost): boolean {
  return (
    cost.tools <= grammarLimits.tools && cost.optional <= grammarLimits.optional && cost.unions <= grammarLimits.unions
  );
}

export function addCost(left: GrammarCost, right: GrammarCost): GrammarCost {
  return {
    tools: left.tools + right.tools,
    optional: left.optional + right.optional,
    unions: left.unions + right.unions,
  };
}

function costOf(schema: JsonObject): GrammarCost {
  let optional = 0;
  let unions = 0;
  const visit = (value: JsonValue | undefined): void => {
    if (Array.isArray(value)) return value.forEach(visit);
    if (!isJsonObject(value)) return;
    const { properties, required, type, anyOf } = value;
    if (Array.isArray(type) || Array.isArray(anyOf)) unions += 1;
    const names = isJsonObject(properties) ? Object.keys(properties) : [];
    optional += names.filter((name) => !(Array.isArray(required) && required.includes(name))).length;
    Object.values(value).forEach(visit);
  };
  visit(schema);
  return { tools: 1, optional, unions };
}

function strictSchema(schema: JsonObject): JsonObject {
  const kept: Record<string, JsonValue | undefined> = {};
  const dropped: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (value === undefined || ignored.has(keyword)) continue;
    if (schema["$ref"] !== undefined && !besideReference.has(keyword)) continue;
    const strict = keywords[keyword]?.(value);
    if (strict === undefined) dropped.push(`${keyword}: ${JSON.stringify(value)}`);
    else kept[keyword === "oneOf" ? "anyOf" : keyword === "definitions" ? "$defs" : keyword] = strict;
  }
  if (schema["type"] === "object" || schema["properties"] !== undefined) {
    kept["properties"] ??= {};
    kept["additionalProperties"] = false;
  }
  if (dropped.length > 0) {
    const said = typeof kept["description"] === "string" ? `${kept["description"]}\n\n` : "";
    kept["description"] = `${said}{${dropped.join(", ")}}`;
  }
  return kept;
}

function schemasIn(value: JsonValue): JsonValue | undefined {
  if (!isJsonObject(value)) return undefined;
  return Object.fromEntries(
    Object.entries(value).map(([name, schema]) => [name, isJsonObject(schema) ? strictSchema(schema) : schema]),
  );
}

function schemaList(value: JsonValue): JsonValue | undefined {
  return Array.isArray(value)
    ? value.map((schema) => (isJsonObject(schema) ? strictSchema(schema) : schema))
    : undefined;
}

function isRecursive(root: JsonObject): boolean {
  const open = new Set<string>();
  const closed = new Set<string>();
  const visit = (value: JsonValue | undefined): boolean => {
    if (Array.isArray(value)) return value.some(visit);
    if (!isJsonObject(value)) return false;
    const { $ref, $defs: _defs, definitions: _definitions, ...rest } = value;
    if (typeof $ref === "string") return follow($ref);
    return Object.values(rest).some(visit);
  };
  const follow = (reference: string): boolean => {
    if (open.has(reference) || reference === "#") return true;
    if (closed.has(reference)) return false;
    open.add(reference);
    const found = visit(resolve(root, reference));
    open.delete(reference);
    closed.add(reference);
    return found;
  };
  return visit(root);
}

function resolve(root: JsonObject, reference: string): JsonValue | undefined {
  let at: JsonValue | undefined = root;
  for (const step of reference.replace(/^#\//, "").split("/")) {
    at = isJsonObject(at) ? at[step.replaceAll("~1", "/").replaceAll("~0", "~")] : undefined;
  }
  return at;
}

const asIs = (value: JsonValue): JsonValue => value;

/** What the API accepts, and in which form. Undefined means: not like this. */
const keywords: { readonly [keyword: string]: ((value: JsonValue) => JsonValue | undefined) | undefined } = {
  type: asIs,
  title: asIs,
  description: asIs,
  enum: asIs,
  const: asIs,
  required: asIs,
  $ref: (value) => (typeof value === "string" ? value.replace(/^#\/definitions\//, "#/$defs/") : undefined),
  $defs: schemasIn,
  definitions: schemasIn,
  properties: schemasIn,
  items: (value) => (isJsonObject(value) ? strictSchema(value) : undefined),
  anyOf: schemaList,
  oneOf: schemaList,
  allOf: schemaList,
  format: (value) => (typeof value === "string" && formats.has(value) ? value : undefined),
  minItems: (value) => (value === 0 || value === 1 ? value : undefined),
};

/** Says nothing about the value, or is said again for every object. */
const ignored: ReadonlySet<string> = new Set(["$schema", "$id", "$comment", "additionalProperties"]);

/** A reference stands alone. */
const besideReference: ReadonlySet<string> = new Set(["$ref", "$defs", "definitions"]);

const formats: ReadonlySet<string> = new Set([
  "date-time",
  "time",
  "date",
  "duration",
  "email",
  "hostname",
  "uri",
  "ipv4",
  "ipv6",
  "uuid",
]);
