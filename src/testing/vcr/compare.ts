/** Whether a request is the one that was recorded, and where it differs. */
import { isJsonObject, type JsonValue } from "../../core/json.ts";
import type { RequestLine } from "./lines.ts";

/** One line for every difference; none: the same method, path, query and body. */
export function differences(recorded: RequestLine, made: RequestLine): readonly string[] {
  return [
    ...valueDifferences("method", recorded.method, made.method),
    ...valueDifferences("path", pathOf(recorded.url), pathOf(made.url)),
    ...valueDifferences("body", bodyOf(recorded), bodyOf(made)),
  ];
}

/** Two requests side by side, for a person: `-` as recorded, `+` as made now. */
export function shownDifferences(found: readonly string[]): string {
  const more = found.length > shownMax ? [`and ${found.length - shownMax} more differences`] : [];
  return [...found.slice(0, shownMax), ...more].join("\n");
}

/** Hosts differ from one machine to the next; the order of a query says nothing. */
export function pathOf(url: string): string {
  const { pathname, searchParams } = new URL(url);
  searchParams.sort();
  const query = searchParams.toString();
  return query === "" ? pathname : `${pathname}?${query}`;
}

function bodyOf({ body, body_text, body_base64 }: RequestLine): JsonValue | undefined {
  return body ?? body_text ?? body_base64;
}

function valueDifferences(
  place: string,
  recorded: JsonValue | undefined,
  made: JsonValue | undefined,
): readonly string[] {
  if (isJsonObject(recorded) && isJsonObject(made)) {
    const names = [...new Set([...Object.keys(recorded), ...Object.keys(made)])];
    return names.flatMap((name) => valueDifferences(`${place}.${name}`, recorded[name], made[name]));
  }
  if (isList(recorded) && isList(made)) {
    const length = Math.max(recorded.length, made.length);
    return Array.from({ length }, (_item, index) => index).flatMap((index) =>
      valueDifferences(`${place}[${index}]`, recorded[index], made[index]),
    );
  }
  if (recorded === made) return [];
  const lines = [
    ...(recorded === undefined ? [] : [`  - ${shown(recorded)}`]),
    ...(made === undefined ? [] : [`  + ${shown(made)}`]),
  ];
  return [[place, ...lines].join("\n")];
}

function isList(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function shown(value: JsonValue): string {
  const text = JSON.stringify(value);
  return text.length > valueMax ? `${text.slice(0, valueMax)}…` : text;
}

const shownMax = 20;
const valueMax = 300;
