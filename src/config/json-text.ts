import type { JsonValue } from "../core/index.ts";

/** Where in a text something stands, counted from 1. */
export type Place = { readonly line: number; readonly column: number };
export type Path = readonly (string | number)[];

export type ReadJson = {
  readonly value: JsonValue;
  /** Where the value under a path stands, or the name in front of it. */
  readonly placeOf: (path: Path, what?: "value" | "name") => Place | undefined;
  /** Names that stand twice in one object. JSON lets the last one count without a word. */
  readonly repeated: readonly Path[];
};

export type JsonProblem = Place & { readonly message: string };

/**
 * Reads JSON as `JSON.parse` does, and knows afterwards where everything stood. What is wrong is said in words a person
 * can act on, with line and column, and without repeating what stands there: it may be a key.
 */
export function readJson(text: string): ReadJson | { readonly problem: JsonProblem } {
  const reader = new Reader(text);
  try {
    const value = reader.document();
    const places = reader.places;
    return {
      value,
      placeOf(path, what = "value") {
        const offset = places.get(`${what}${pointer(path)}`);
        return offset === undefined ? undefined : placeAt(text, offset);
      },
      repeated: reader.repeated,
    };
  } catch (error) {
    if (!(error instanceof Misread)) throw error;
    return { problem: { ...placeAt(text, error.offset), message: error.message } };
  }
}

class Misread extends Error {
  readonly offset: number;
  constructor(offset: number, message: string) {
    super(message);
    this.offset = offset;
  }
}

class Reader {
  readonly places = new Map<string, number>();
  readonly repeated: Path[] = [];
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): JsonValue {
    this.#blanks();
    const value = this.#value([]);
    this.#blanks();
    if (this.#at < this.#text.length)
      throw this.#misread(`nothing may follow the end of the value, but ${this.#seen()} does`);
    return value;
  }

  #value(path: Path): JsonValue {
    if (path.length > depthMax) throw this.#misread(`nested deeper than ${depthMax} levels`);
    this.places.set(`value${pointer(path)}`, this.#at);
    const next = this.#text[this.#at];
    if (next === "{") return this.#object(path);
    if (next === "[") return this.#array(path);
    if (next === '"') return this.#string();
    if (next === "'") throw this.#misread("text stands in double quotes");
    const word = this.#match(/[^\s,:{}[\]"]+/y);
    if (literals.has(word)) return literals.get(word) ?? null;
    if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(word)) return Number(word);
    this.#at -= word.length;
    if (word === "") throw this.#misread(`a value is missing before ${this.#seen()}`);
    const meant = literals.has(word.toLowerCase()) ? `write ${word.toLowerCase()}` : "text stands in double quotes";
    throw this.#misread(`this is no value; ${meant}`);
  }

  #object(path: Path): JsonValue {
    const entries: [string, JsonValue][] = [];
    const names = new Set<string>();
    this.#items("}", () => {
      const nameAt = this.#at;
      if (this.#text[this.#at] !== '"')
        throw this.#misread(`a name in double quotes is missing before ${this.#seen()}`);
      const name = this.#string();
      const inside = [...path, name];
      if (names.has(name)) this.repeated.push(inside);
      names.add(name);
      this.places.set(`name${pointer(inside)}`, nameAt);
      this.#blanks();
      if (this.#text[this.#at] !== ":") throw this.#misread(`":" is missing after the name`);
      this.#at += 1;
      this.#blanks();
      entries.push([name, this.#value(inside)]);
    });
    return Object.fromEntries(entries);
  }

  #array(path: Path): JsonValue {
    const items: JsonValue[] = [];
    this.#items("]", () => items.push(this.#value([...path, items.length])));
    return items;
  }

  /** What stands between brackets, separated by commas. */
  #items(close: string, item: () => void): void {
    this.#at += 1;
    this.#blanks();
    if (this.#text[this.#at] === close) {
      this.#at += 1;
      return;
    }
    for (;;) {
      item();
      const end = this.#at;
      this.#blanks();
      if (this.#text[this.#at] === close) break;
      if (this.#at >= this.#text.length) throw this.#misread(`the file ends here; ${JSON.stringify(close)} is missing`);
      if (this.#text[this.#at] !== ",")
        throw new Misread(end, `"," or ${JSON.stringify(close)} is missing before ${this.#seen()}`);
      const comma = this.#at;
      this.#at += 1;
      this.#blanks();
      if (this.#text[this.#at] === close)
        throw new Misread(comma, `a comma before ${JSON.stringify(close)}; remove it`);
    }
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    for (this.#at += 1; this.#text[this.#at] !== '"'; this.#at += 1) {
      const next = this.#text[this.#at];
      if (next === undefined || next < " ") throw new Misread(start, "the closing quote of this text is missing");
      if (next === "\\") this.#escape();
    }
    this.#at += 1;
    return String(JSON.parse(this.#text.slice(start, this.#at)));
  }

  #escape(): void {
    const start = this.#at;
    const escape = this.#match(/\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y);
    if (escape === "") throw new Misread(start, "this is no escape; a backslash in a text is written \\\\");
    this.#at -= 1;
  }

  #blanks(): void {
    this.#match(/[ \t\n\r]*/y);
    if (/[#/]/.test(this.#text[this.#at] ?? "")) throw this.#misread("JSON has no comments; remove it");
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ""] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #misread(message: string): Misread {
    return new Misread(this.#at, message);
  }

  /** What stands here, for a sentence: a bracket or a comma, never the inside of a text. */
  #seen(): string {
    const next = this.#text[this.#at];
    if (next === undefined) return "the end of the file";
    return next === '"' ? "a text" : JSON.stringify(next);
  }
}

function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}

function placeAt(text: string, offset: number): Place {
  const before = text.slice(0, offset).split(/\r\n|\n|\r/);
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

const depthMax = 100;
const literals: ReadonlyMap<string, boolean | null> = new Map([
  ["true", true],
  ["false", false],
  ["null", null],
]);
