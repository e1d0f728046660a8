import { environmentKeys, variableName } from "./environment.ts";
import { configShape } from "./keys.ts";
import { shapeWords, type Shape } from "./shape.ts";

/** One line of the reference. */
export type KeyRow = {
  readonly key: string;
  readonly type: string;
  readonly default: string;
  readonly says: string;
  /** The environment variable that sets it. */
  readonly variable?: string;
};

/** Every key of `config.json`, in the order of the table. */
export function keyRows(): readonly KeyRow[] {
  const variables = new Map(environmentKeys(configShape).map(({ path }) => [path.join("."), variableName(path)]));
  return rowsOf(configShape, "").map((row) => {
    const variable = variables.get(row.key);
    return variable === undefined ? row : { ...row, variable };
  });
}

/** The table of keys as Markdown. */
export function keyTable(): string {
  const lines = keyRows().map((row) => {
    const cells = [
      `\`${row.key}\``,
      row.type,
      row.default,
      row.says,
      row.variable === undefined ? "" : `\`${row.variable}\``,
    ];
    return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  });
  return ["| Key | Type | Default | | Variable |", "|---|---|---|---|---|", ...lines, ""].join("\n");
}

function rowsOf(shape: Shape, key: string): readonly KeyRow[] {
  const below = (name: string): string => (key === "" ? name : `${key}.${name}`);
  switch (shape.kind) {
    case "record":
      return [
        ...(key === "" || key.endsWith("*") || key.endsWith("[]") ? [] : [rowOf(shape, key)]),
        ...Object.entries(shape.fields).flatMap(([name, field]) => rowsOf(field, below(name))),
      ];
    case "map":
      return [rowOf(shape, key), ...(shape.of.kind === "record" ? rowsOf(shape.of, below("*")) : [])];
    case "list":
      return [rowOf(shape, key), ...(shape.of.kind === "record" ? rowsOf(shape.of, `${key}[]`) : [])];
    case "misplaced":
      return [];
    case "variants":
    case "text":
    case "url":
    case "word":
    case "level":
    case "flag":
    case "whole":
    case "number":
    case "scalar":
      return [rowOf(shape, key)];
  }
}

function rowOf(shape: Shape, key: string): KeyRow {
  const constant = "default" in shape ? JSON.stringify(shape.default) : undefined;
  return {
    key,
    type: shape.kind === "variants" ? variantWords(shape) : shapeWords(shape),
    default: shape.default_says ?? (constant === undefined ? "" : `\`${constant}\``),
    says: shape.says,
  };
}

function variantWords({ by, of }: Extract<Shape, { kind: "variants" }>): string {
  const variants = Object.entries(of).map(([word, { fields, required = [] }]) => {
    const names = Object.keys(fields).map((name) => (required.includes(name) ? name : `${name}?`));
    return names.length === 0 ? word : `${word} (${names.join(", ")})`;
  });
  return `an object with \`${by}\`: ${variants.join(", ")}`;
}
