import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import {
  configSchemaText,
  ConfigError,
  isPrivate,
  makePrivate,
  modeOf,
  problemText,
  writeFileAtomic,
  type Problem,
} from "../../config/index.ts";
import type { World } from "../world.ts";
import type { Area, Finding, Fixable } from "./finding.ts";

export function checkConfig(world: World): readonly Fixable[] {
  const { config, credentials, paths } = world;
  const problems = world.problems
    .filter(({ source }) => source !== credentials.file)
    .map((one) => fromProblem("config", one));
  if (!config.exists) {
    return [{ area: "config", severity: "ok", message: `none at ${config.file}; defaults hold` }, ...problems];
  }
  const fine: Finding = { area: "config", severity: "ok", message: config.file };
  return [...(problems.length === 0 ? [fine] : problems), ...(paths === undefined ? [] : checkSchemaFile(world))];
}

export function checkCredentials(world: World): readonly Fixable[] {
  const { credentials, paths } = world;
  // What is said of the whole file's permissions is mended below.
  const open = credentials.exists && !isPrivate(credentials.file);
  const problems = world.problems.filter(({ source, severity, path }) => {
    return source === credentials.file && !(open && severity === "warning" && path.length === 0);
  });
  const fine: Finding = {
    area: "credentials",
    severity: "ok",
    message: credentials.exists ? `${credentials.file}, only you can read it` : `none at ${credentials.file}`,
  };
  return [
    ...(problems.length === 0 && !open ? [fine] : problems.map((one) => fromProblem("credentials", one))),
    ...(open ? [tooOpen(credentials.file)] : []),
    ...(paths === undefined ? [] : folderOpen(paths.config_folder)),
  ];
}

function fromProblem(area: Area, problem: Problem): Finding {
  const mend = problem.severity === "error" ? `edit ${problem.source}` : undefined;
  return { area, severity: problem.severity, message: problemText(problem), ...(mend === undefined ? {} : { mend }) };
}

function tooOpen(file: string): Fixable {
  const message = `${file}: others may read your keys (mode ${octal(file)}, should be 0600)`;
  return { area: "credentials", severity: "error", message, fix: () => makePrivate(file) };
}

/** Who may write into the folder can put another file in the place of ours. */
function folderOpen(folder: string): readonly Fixable[] {
  if (((modeOf(folder) ?? 0) & 0o022) === 0) return [];
  const message = `${folder}: others may write into it (mode ${octal(folder)}, should be 0700)`;
  return [{ area: "credentials", severity: "error", message, fix: () => makePrivate(folder) }];
}

function octal(path: string): string {
  return (modeOf(path) ?? 0).toString(8).padStart(4, "0");
}

/** Where config.json names a schema beside it, that has to be there and be ours of today. */
function checkSchemaFile({ config }: World): readonly Fixable[] {
  const named = schemaNamed(config);
  if (named === undefined || /^[a-z]+:/i.test(named)) return [];
  const file = resolve(dirname(config.file), named);
  const current = configSchemaText();
  if (existsSync(file) && readFileSync(file, "utf8") === current) return [];
  const message = `${file}: the schema that config.json names ${existsSync(file) ? "is of another version" : "is not there"}`;
  return [{ area: "config", severity: "warning", message, fix: () => writeFileAtomic(file, current, 0o644) }];
}

function schemaNamed(config: World["config"]): string | undefined {
  try {
    return config.get("$schema");
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
