import type { JsonObject, ThinkingLevel } from "../core/index.ts";

/**
 * What a value in a file may be, as data. Checking, defaults, the JSON Schema, the reference and the TypeScript types are
 * all made from it. `says` is the one sentence for the reader.
 */
export type Shape = {
  readonly says: string;
  /** What the default is where no constant can say it. */
  readonly default_says?: string;
  /** What stands there is never repeated in an error. */
  readonly secret?: true;
} & (
  | { readonly kind: "text"; readonly default?: string; readonly pattern?: TextPattern }
  | { readonly kind: "url" }
  | { readonly kind: "word"; readonly words: readonly string[]; readonly default?: string }
  | { readonly kind: "level" }
  | { readonly kind: "flag"; readonly default?: boolean }
  | ({ readonly kind: "whole"; readonly default?: number } & Range)
  | ({ readonly kind: "number"; readonly default?: number } & Range)
  /** `or_one`: a single item may stand for a list of one. */
  | { readonly kind: "list"; readonly of: Shape; readonly or_one?: true }
  | { readonly kind: "map"; readonly of: Shape; readonly names?: TextPattern }
  | RecordShape
  /** Which record it is, is said by one of its fields. */
  | { readonly kind: "variants"; readonly by: string; readonly of: { readonly [word: string]: RecordShape } }
  /** One of the scalars of JSON. */
  | { readonly kind: "scalar" }
  /** Not a key of ours, but one that people write; `says` tells where it belongs. Its value is never shown. */
  | { readonly kind: "misplaced" }
);

export type RecordShape = {
  readonly kind: "record";
  readonly says: string;
  readonly default_says?: string;
  readonly secret?: true;
  /** What it looks like, where people tend to write something else. */
  readonly example?: string;
  readonly fields: Fields;
  readonly required?: readonly string[];
  /** Its fields have their defaults even where the file does not name it. */
  readonly present?: true;
};

export type Fields = { readonly [name: string]: Shape };

/** Both ends are legal. `also` is one more number, such as −1 for "no limit". */
export type Range = { readonly min?: number; readonly max?: number; readonly also?: number };

/** A regular expression and how to say in words what it wants. */
export type TextPattern = { readonly pattern: string; readonly says: string };

/** The type of a value of a shape, after checking and with defaults filled in. */
export type ValueOf<S> = S extends { readonly kind: "text" | "url" }
  ? string
  : S extends { readonly kind: "word"; readonly words: readonly (infer Word)[] }
    ? Word
    : S extends { readonly kind: "level" }
      ? ThinkingLevel
      : S extends { readonly kind: "flag" }
        ? boolean
        : S extends { readonly kind: "whole" | "number" }
          ? number
          : S extends { readonly kind: "list"; readonly of: infer Item }
            ? readonly ValueOf<Item>[]
            : S extends { readonly kind: "map"; readonly of: infer Item }
              ? { readonly [name: string]: ValueOf<Item> | undefined }
              : S extends { readonly kind: "record"; readonly fields: infer F }
                ? RecordOf<F, S extends { readonly required: readonly (infer Name)[] } ? Name : never>
                : S extends { readonly kind: "variants"; readonly by: infer By; readonly of: infer Of }
                  ? VariantOf<By, Of>
                  : S extends { readonly kind: "scalar" }
                    ? string | number | boolean
                    : JsonObject;

type RecordOf<F, Needed> = {
  readonly [Name in keyof F as F[Name] extends Present ? Name : Name extends Needed ? Name : never]: ValueOf<F[Name]>;
} & {
  readonly [Name in keyof F as F[Name] extends Present ? never : Name extends Needed ? never : Name]?: ValueOf<F[Name]>;
};

/** A field that is there even where the file does not name it. */
type Present = { readonly default: unknown } | { readonly present: true };

type VariantOf<By, Of> = {
  [Word in keyof Of]: { readonly [Key in By & string]: Word } & ValueOf<Of[Word]>;
}[keyof Of];

/** What a shape is called in errors, in the reference and in front of a person who has to write it. */
export function shapeWords(shape: Shape): string {
  switch (shape.kind) {
    case "text":
    case "url":
      return shape.kind === "url" ? "an http(s) address" : (shape.pattern?.says ?? "text");
    case "word":
      return `one of ${shape.words.join(", ")}`;
    case "level":
      return "a thinking level";
    case "flag":
      return "true or false";
    case "whole":
      return `a whole number${rangeWords(shape)}`;
    case "number":
      return `a number${rangeWords(shape)}`;
    case "list":
      return shape.or_one === true ? `${shapeWords(shape.of)}, or a list of them` : `a list of ${plural(shape.of)}`;
    case "map":
      return `an object of ${plural(shape.of)} by name`;
    case "scalar":
      return "text, a number, true or false";
    case "record":
      return shape.example === undefined ? "an object" : `an object such as ${shape.example}`;
    case "variants":
    case "misplaced":
      return "an object";
  }
}

function rangeWords({ min, max, also }: Range): string {
  const extra = also === undefined ? "" : `, or ${also}`;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}${extra}`;
  if (min !== undefined) return ` of at least ${min}${extra}`;
  return max === undefined ? extra : ` of at most ${max}${extra}`;
}

function plural(shape: Shape): string {
  switch (shape.kind) {
    case "text":
      return "texts";
    case "word":
      return shape.words.join(", ");
    case "scalar":
      return "texts, numbers, true or false";
    case "url":
    case "level":
    case "flag":
    case "whole":
    case "number":
    case "list":
    case "map":
    case "record":
    case "variants":
    case "misplaced":
      return "objects";
  }
}
