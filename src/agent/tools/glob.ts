import { readFile } from "node:fs/promises";
import { dirname, isAbsolute, join, relative, sep } from "node:path";
import type { JsonObject } from "../../core/index.ts";
import { isInside, realPath } from "../permissions/real-path.ts";
import { ArgumentProblem, defineTool, readArguments, textIn } from "./arguments.ts";
import { pathFor, shownPath } from "./files.ts";
import { permittedPath } from "./opened.ts";
import { cutHead, outcomeOf, shownIn, textOutcome } from "./output.ts";
import type { Tool, ToolContext, ToolOutcome } from "./types.ts";

/** `private_folders` are passed over wherever they lie. */
export function globTool(private_folders: readonly string[] = []): Tool {
  const hidden = private_folders.map(realPath);
  return { ...glob, run: (args, context) => outcomeOf(context.signal, () => find(args, context, hidden)) };
}

const glob: Omit<Tool, "run"> = {
  definition: defineTool(
    "glob",
    "Finds files by name. Files that .gitignore leaves out, node_modules and .git are passed over.",
    {
      pattern: { type: "string", says: "Such as **/*.ts or src/**/index.{ts,js}." },
      path: { type: "string", says: "The folder to look in; the working folder where left out.", optional: true },
    },
  ),
  intent(args, context) {
    const pattern = textIn(args, "pattern");
    const base = pathFor(textIn(args, "path") ?? ".", context);
    if (pattern === undefined || leavesFolder(pattern)) return { effect: "unknown", summary: "look for files" };
    return { effect: "read", paths: [base], summary: `glob ${pattern} in ${shownPath(base, context)}` };
  },
};

async function find(args: JsonObject, context: ToolContext, hidden: readonly string[]): Promise<ToolOutcome> {
  const read = readArguments(args);
  const pattern = read.text("pattern");
  if (leavesFolder(pattern)) throw new ArgumentProblem('A pattern stays below "path": give the folder there.');
  const base = pathFor(read.textOr("path", "."), context);
  const real = permittedPath(base, context);
  const files = await import("tinyglobby");
  const all = await files.glob(pattern, {
    cwd: real,
    dot: pattern.includes("/.") || pattern.startsWith("."),
    ignore: ["**/node_modules/**", "**/.git/**"],
    followSymbolicLinks: false,
    expandDirectories: false,
    signal: context.signal,
  });
  const found = all.filter((name) => !hidden.some((folder) => isInside(join(real, name), folder)));
  const kept = await notIgnored(found, real, context.root);
  const shown = kept.toSorted().slice(0, filesMax);
  if (shown.length === 0) return textOutcome("[No file matches.]", { files: 0 });
  const names = shown.map((name) => shownPath(join(base, name), context));
  const text = cutHead(names.join("\n"), shownIn(context));
  const isCut = shown.length < kept.length || text.length < names.join("\n").length;
  const note = isCut ? `\n[${kept.length} files match; not all are shown. Ask more narrowly.]` : "";
  return textOutcome(text + note, { files: kept.length });
}

function leavesFolder(pattern: string): boolean {
  return isAbsolute(pattern) || pattern.startsWith("~") || pattern.split(/[/{},]/).includes("..");
}

type Rules = { readonly ignores: (path: string) => boolean };

/** Holds names against every .gitignore between the project's root and the file. */
async function notIgnored(names: readonly string[], base: string, root: string): Promise<readonly string[]> {
  const { default: ignore } = await import("ignore");
  const known = new Map<string, Promise<Rules | undefined>>();
  const rulesOf = (folder: string): Promise<Rules | undefined> => {
    const loading = known.get(folder) ?? loadRules(folder, (text) => ignore().add(text));
    known.set(folder, loading);
    return loading;
  };
  const top = isInside(base, root) ? root : base;
  const isIgnored = async (path: string): Promise<boolean> => {
    for (let folder = dirname(path); isInside(folder, top); folder = dirname(folder)) {
      const rules = await rulesOf(folder);
      if (rules?.ignores(relative(folder, path).split(sep).join("/")) === true) return true;
      if (folder === dirname(folder)) break;
    }
    return false;
  };
  const kept: string[] = [];
  for (const name of names) if (!(await isIgnored(join(base, name)))) kept.push(name);
  return kept;
}

async function loadRules(folder: string, parse: (text: string) => Rules): Promise<Rules | undefined> {
  try {
    return parse(await readFile(join(folder, ".gitignore"), "utf8"));
  } catch {
    return undefined;
  }
}

const filesMax = 1000;
