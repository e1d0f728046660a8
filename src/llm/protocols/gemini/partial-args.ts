import { isJsonObject, type JsonObject } from "../../../core/index.ts";

/** Arguments that arrive in pieces, each with the path it belongs to: `$.items[0].name`. */
export type PartialArguments = {
  readonly add: (pieces: unknown) => void;
  readonly value: () => JsonObject;
};

type Container = { [key: string]: unknown } | unknown[];
type Key = string | number;

export function createPartialArguments(given: JsonObject = {}): PartialArguments {
  const root: { [key: string]: unknown } = { ...given };
  return {
    add(pieces) {
      if (!Array.isArray(pieces)) return;
      for (const piece of pieces) if (isJsonObject(piece)) addPiece(root, piece);
    },
    value: () => root as JsonObject,
  };
}

function addPiece(root: Container, piece: JsonObject): void {
  const keys = typeof piece["jsonPath"] === "string" ? keysOf(piece["jsonPath"]) : [];
  const last = keys.at(-1);
  if (last === undefined) return;
  const value = valueOf(piece);
  if (value === undefined) return;
  let holder = root;
  for (const [depth, key] of keys.slice(0, -1).entries()) {
    const inner = step(holder, key, typeof keys[depth + 1] === "number");
    if (inner === undefined) return;
    holder = inner;
  }
  const before = get(holder, last);
  // A string goes on in the next piece; everything else comes whole.
  put(holder, last, typeof value === "string" && typeof before === "string" ? before + value : value);
}

/** `$.a.b[0]['c d']` as its keys; nothing for a path that selects more than one place. */
function keysOf(path: string): readonly Key[] {
  if (!path.startsWith("$")) return [];
  const keys: Key[] = [];
  let rest = path.slice(1);
  while (rest !== "") {
    const found = pathStep.exec(rest);
    if (found === null) return [];
    const [whole, dotted, index, single, double] = found;
    keys.push(index === undefined ? (dotted ?? unescaped(single ?? double ?? "")) : Number(index));
    rest = rest.slice(whole.length);
  }
  return keys;
}

function unescaped(text: string): string {
  return text.replace(/\\(.)/g, "$1");
}

function valueOf(piece: JsonObject): string | number | boolean | null | undefined {
  const { stringValue, numberValue, boolValue } = piece;
  if (typeof stringValue === "string") return stringValue;
  if (typeof numberValue === "number") return numberValue;
  if (typeof boolValue === "boolean") return boolValue;
  return "nullValue" in piece ? null : undefined;
}

/** The container at a key, made where there is none. */
function step(holder: Container, key: Key, list: boolean): Container | undefined {
  const found = get(holder, key);
  if (Array.isArray(found) || isContainer(found)) return found;
  const made: Container = list ? [] : {};
  return put(holder, key, made) ? made : undefined;
}

function get(holder: Container, key: Key): unknown {
  if (Array.isArray(holder)) return typeof key === "number" ? holder[key] : undefined;
  return Object.hasOwn(holder, key) ? holder[String(key)] : undefined;
}

function put(holder: Container, key: Key, value: unknown): boolean {
  if (!Array.isArray(holder)) {
    // Not an assignment: a key named __proto__ would set something else.
    Object.defineProperty(holder, key, { value, enumerable: true, writable: true, configurable: true });
    return true;
  }
  if (typeof key !== "number" || key > holder.length + skippedElementsMax) return false;
  while (holder.length < key) holder.push(null);
  holder[key] = value;
  return true;
}

function isContainer(value: unknown): value is { [key: string]: unknown } {
  return isJsonObject(value);
}

/** An index far beyond the end is a mistake, not an invitation to fill memory. */
const skippedElementsMax = 1_000;

const pathStep = /^(?:\.([^.[\]'"*]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\["((?:[^"\\]|\\.)*)"\])/;
