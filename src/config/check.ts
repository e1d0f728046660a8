import {
  isJsonObject,
  nearestWord,
  parseThinkingLevel,
  thinkingLevels,
  type JsonObject,
  type JsonValue,
} from "../core/index.ts";
import type { Path } from "./json-text.ts";
import { shortName } from "./problem.ts";
import { shapeWords, type Range, type RecordShape, type Shape, type TextPattern } from "./shape.ts";

/** What is wrong under a path. `at` says whether the value or the name in front of it is meant. */
export type Complaint = {
  readonly severity: "error" | "warning";
  readonly path: Path;
  readonly at: "value" | "name";
  readonly message: string;
};

export type Checked = { readonly value: unknown; readonly complaints: readonly Complaint[] };

/** Holds a value against its shape. What comes back has defaults filled in and holds nothing that is wrong or unknown. */
export function check(shape: Shape, value: JsonValue | undefined): Checked {
  const complaints: Complaint[] = [];
  const complain: Complain = (path, message, { severity = "error", at = "value" } = {}) => {
    complaints.push({ severity, path, at, message });
    return undefined;
  };
  return { value: checkValue(shape, value, { path: [], complain }), complaints };
}

type Complain = (path: Path, message: string, how?: Partial<Pick<Complaint, "severity" | "at">>) => undefined;
type Context = { readonly path: Path; readonly complain: Complain };

function checkValue(shape: Shape, value: JsonValue | undefined, context: Context): unknown {
  if (value === undefined) return defaultOf(shape, context);
  const wrong = (message: string): undefined => context.complain(context.path, message);
  const isNot = (more = ""): undefined => wrong(`${shown(shape, value)} is not ${shapeWords(shape)}${more}`);
  switch (shape.kind) {
    case "text":
      if (typeof value !== "string") return isNot();
      if (value.trim() === "") return wrong("is empty");
      return fits(value, shape.pattern) ? value : isNot();
    case "url":
      return typeof value === "string" && isHttpUrl(value) ? value : isNot();
    case "word":
      return typeof value === "string" && shape.words.includes(value) ? value : isNot(meant(value, shape.words));
    case "level":
      return (typeof value === "string" ? parseThinkingLevel(value) : undefined) ?? isNot(levelAdvice(value));
    case "flag":
      return typeof value === "boolean" ? value : isNot();
    case "whole":
      return Number.isSafeInteger(value) && inRange(Number(value), shape) ? value : isNot();
    case "number":
      return typeof value === "number" && Number.isFinite(value) && inRange(value, shape) ? value : isNot();
    case "scalar":
      return isScalar(value) ? value : isNot();
    case "list":
      if (isList(value)) return value.map((item, index) => checkValue(shape.of, item, inside(context, index)));
      return shape.or_one === true ? [checkValue(shape.of, value, context)] : isNot();
    case "map":
      return isJsonObject(value) ? checkMap(shape, value, context) : isNot();
    case "record":
      return isJsonObject(value) ? checkRecord(shape, value, context) : isNot();
    case "variants":
      return isJsonObject(value) ? checkVariant(shape, value, context) : isNot();
    case "misplaced":
      return context.complain(context.path, shape.says, { severity: "warning", at: "name" });
  }
}

function checkMap(shape: Extract<Shape, { kind: "map" }>, value: JsonObject, context: Context): unknown {
  const entries = Object.entries(value).flatMap(([name, item]) => {
    const place = inside(context, name);
    if (!fits(name, shape.names)) {
      context.complain(place.path, `${JSON.stringify(shortName(name))} is not ${shape.names?.says ?? "a name"}`, {
        at: "name",
      });
      return [];
    }
    return [[name, checkValue(shape.of, item, place)] as const];
  });
  return Object.fromEntries(entries);
}

function checkRecord(shape: RecordShape, value: JsonObject, context: Context): unknown {
  const names = Object.keys(shape.fields);
  for (const name of Object.keys(value).filter((key) => !Object.hasOwn(shape.fields, key))) {
    const known = names.filter((key) => shape.fields[key]?.kind !== "misplaced");
    const message = `there is no such key${meant(name, known) || `; known: ${known.join(", ")}`}`;
    context.complain([...context.path, name], message, { severity: "warning", at: "name" });
  }
  for (const name of (shape.required ?? []).filter((key) => !Object.hasOwn(value, key))) {
    context.complain(context.path, `${name} is missing`);
  }
  const entries = Object.entries(shape.fields).map(([name, field]) => {
    const given = Object.hasOwn(value, name) ? value[name] : undefined;
    return [name, checkValue(field, given, inside(context, name))] as const;
  });
  return Object.fromEntries(entries.filter(([, found]) => found !== undefined));
}

function checkVariant(shape: Extract<Shape, { kind: "variants" }>, value: JsonObject, context: Context): unknown {
  const words = Object.keys(shape.of);
  const word = value[shape.by];
  const found = typeof word === "string" && Object.hasOwn(shape.of, word) ? shape.of[word] : undefined;
  if (found === undefined) {
    const by: Shape = { kind: "word", words, says: shape.says };
    if (word === undefined) return context.complain(context.path, `${shape.by} is missing; it is ${shapeWords(by)}`);
    return checkValue(by, word, inside(context, shape.by));
  }
  const { [shape.by]: _word, ...rest } = value;
  const checked = checkRecord(found, rest, context);
  return isRecord(checked) ? { [shape.by]: word, ...checked } : checked;
}

function defaultOf(shape: Shape, context: Context): unknown {
  if (shape.kind === "record" && shape.present === true) return checkRecord(shape, {}, context);
  return "default" in shape ? shape.default : undefined;
}

function inside({ path, complain }: Context, step: string | number): Context {
  return { path: [...path, step], complain };
}

/** The value as it stands, unless it is a secret or might be one. */
function shown(shape: Shape, value: JsonValue): string {
  if (shape.secret === true) return "the value (not shown here)";
  if (typeof value === "object" && value !== null) return Array.isArray(value) ? "a list" : "an object";
  // An address may hold a password.
  const text = JSON.stringify(value).replace(/\/\/[^/@]*@/, "//…@");
  return text.length > shownCharactersMax ? `${text.slice(0, shownCharactersMax)}…` : text;
}

function meant(value: JsonValue | string, words: readonly string[]): string {
  const nearest = typeof value === "string" ? nearestWord(value, words) : undefined;
  return nearest === undefined ? "" : `; did you mean ${nearest}?`;
}

function levelAdvice(value: JsonValue): string {
  return meant(value, thinkingLevels) || `; use one of ${thinkingLevels.join(", ")}`;
}

function fits(text: string, pattern: TextPattern | undefined): boolean {
  return pattern === undefined || new RegExp(pattern.pattern).test(text);
}

function inRange(value: number, { min = -Infinity, max = Infinity, also }: Range): boolean {
  return (value >= min && value <= max) || value === also;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}

function isScalar(value: JsonValue): boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function isRecord(value: unknown): value is { readonly [name: string]: unknown } {
  return typeof value === "object" && value !== null;
}

const shownCharactersMax = 60;
