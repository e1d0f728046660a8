import type { Path, Place } from "./json-text.ts";

/** Something wrong with what a person wrote. Plain data; never holds a secret. */
export type Problem = {
  readonly severity: "error" | "warning";
  /** The file, or the environment variable. */
  readonly source: string;
  readonly place?: Place;
  /** Which key is meant; empty: the whole of it. */
  readonly path: Path;
  /** What is wrong, with the value, and what to write instead. */
  readonly message: string;
};

/** Thrown at the first use of what is wrong, not before. */
export class ConfigError extends Error {
  override readonly name = "ConfigError";
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(problemText).join("\n"));
    this.problems = problems;
  }
}

/** `config.json:4:18: max_tool_turns: "fifty" is not a whole number`: a form that editors and terminals can jump to. */
export function problemText({ source, place, path, message }: Problem): string {
  const where = place === undefined ? source : `${source}:${place.line}:${place.column}`;
  return path.length === 0 ? `${where}: ${message}` : `${where}: ${keyText(path)}: ${message}`;
}

/** `providers.local.models["my model"].prices`. A name too long for a name may be a key in the wrong place: it is cut. */
export function keyText(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === "number") return `${text}[${step}]`;
    if (!/^[\w$-]+$/.test(step)) return `${text}[${JSON.stringify(shortName(step))}]`;
    return text === "" ? shortName(step) : `${text}.${shortName(step)}`;
  }, "");
}

export function shortName(name: string): string {
  return name.length > nameCharactersMax ? `${name.slice(0, 8)}…` : name;
}

/** Ids of models are longer, keys are longer still. */
const nameCharactersMax = 48;
