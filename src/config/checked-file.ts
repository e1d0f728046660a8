import { isJsonObject, type JsonObject, type JsonValue } from "../core/index.ts";
import { check, type Complaint } from "./check.ts";
import type { FromEnvironment } from "./environment.ts";
import type { ReadFile } from "./files.ts";
import type { Path } from "./json-text.ts";
import { ConfigError, type Problem } from "./problem.ts";
import type { Shape } from "./shape.ts";

/** A file held against its shape: what it says, and everything that is wrong with it. */
export type CheckedFile<Data> = {
  readonly problems: readonly Problem[];
  /** All the file says, after a look at whether what it says under this path can be used. Throws where it cannot. */
  readonly demand: (path: Path) => Data;
};

export function checkFile<Data>(
  shape: Shape,
  read: ReadFile,
  { file, overrides = [] }: { readonly file: string; readonly overrides?: readonly FromEnvironment[] },
): CheckedFile<Data> {
  const written = read.state === "read" ? read.json.value : {};
  const { value, complaints } = check(shape, overrides.reduce(override, written));
  const problems = [
    ...(read.state === "broken" ? [read.problem] : []),
    ...repeatedNames(read, file),
    ...complaints.map((complaint) => located(complaint, read, { file, overrides })),
  ];
  return {
    problems: problems.toSorted(byPlace),
    demand(path) {
      const errors = problems.filter(
        (problem) => problem.severity === "error" && touches(problem, path) && !decided(problem, path, overrides),
      );
      if (errors.length > 0) throw new ConfigError(errors);
      return value as Data;
    },
  };
}

function override(value: JsonValue, { path, value: chosen }: FromEnvironment): JsonValue {
  const [name, ...rest] = path;
  if (name === undefined) return chosen;
  // What is no object where one belongs stays, to be complained about.
  if (!isJsonObject(value)) return value;
  const inside: JsonObject = {
    ...value,
    [name]: override(value[name] ?? {}, { path: rest, variable: "", value: chosen }),
  };
  return inside;
}

function located(
  { severity, path, at, message }: Complaint,
  read: ReadFile,
  { file, overrides }: { readonly file: string; readonly overrides: readonly FromEnvironment[] },
): Problem {
  const variable = overrides.find((candidate) => startsWith(path, candidate.path))?.variable;
  if (variable !== undefined) return { severity, source: variable, path, message };
  const place = read.state === "read" ? read.json.placeOf(path, at) : undefined;
  return { severity, source: file, ...(place === undefined ? {} : { place }), path, message };
}

function repeatedNames(read: ReadFile, file: string): readonly Problem[] {
  if (read.state !== "read") return [];
  return read.json.repeated.map((path) => {
    const place = read.json.placeOf(path, "name");
    const message = "stands here a second time; only this one counts";
    return { severity: "warning", source: file, ...(place === undefined ? {} : { place }), path, message };
  });
}

/** Wrong inside what was asked for, or around it. */
function touches(problem: Problem, path: Path): boolean {
  return startsWith(problem.path, path) || startsWith(path, problem.path);
}

/** What the environment decides alone does not care about the file. */
function decided(problem: Problem, path: Path, overrides: readonly FromEnvironment[]): boolean {
  return (
    problem.path.length === 0 && overrides.some((one) => one.path.length === path.length && startsWith(one.path, path))
  );
}

function startsWith(path: Path, start: Path): boolean {
  return start.every((step, index) => path[index] === step);
}

function byPlace(left: Problem, right: Problem): number {
  return (left.place?.line ?? 0) - (right.place?.line ?? 0) || (left.place?.column ?? 0) - (right.place?.column ?? 0);
}
