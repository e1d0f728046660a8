import type { JsonValue } from "../core/index.ts";
import type { Environment } from "./paths.ts";
import type { RecordShape, Shape } from "./shape.ts";

/** A key that an environment variable sets. The environment beats the file. */
export type FromEnvironment = {
  readonly path: readonly string[];
  readonly variable: string;
  readonly value: JsonValue;
};

/** `IKIGAI_LISTEN_PORT` is `listen_port`, `IKIGAI_BUDGET_DAY_USD` is `budget.day_usd`: every single value has a variable. */
export function fromEnvironment(shape: RecordShape, env: Environment): readonly FromEnvironment[] {
  return environmentKeys(shape).flatMap(({ path, shape: leaf }) => {
    const variable = variableName(path);
    const text = env[variable]?.trim();
    return text === undefined || text === "" ? [] : [{ path, variable, value: valueFrom(leaf, text) }];
  });
}

export function variableName(path: readonly string[]): string {
  return `IKIGAI_${path.join("_").toUpperCase()}`;
}

/** Maps, lists and what editors read have no variable. */
export function environmentKeys(
  shape: RecordShape,
  path: readonly string[] = [],
): readonly { readonly path: readonly string[]; readonly shape: Shape }[] {
  return Object.entries(shape.fields).flatMap(([name, field]) => {
    const inside = [...path, name];
    if (field.kind === "record") return environmentKeys(field, inside);
    return singleKinds.has(field.kind) && !name.startsWith("$") ? [{ path: inside, shape: field }] : [];
  });
}

/** A text that is no number where one is wanted stays a text, and the check says so. */
function valueFrom(shape: Shape, text: string): JsonValue {
  if ((shape.kind === "whole" || shape.kind === "number") && Number.isFinite(Number(text))) return Number(text);
  if (shape.kind === "flag" && (text === "true" || text === "false")) return text === "true";
  return text;
}

const singleKinds: ReadonlySet<Shape["kind"]> = new Set(["text", "url", "word", "level", "flag", "whole", "number"]);
