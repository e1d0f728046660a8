import { existsSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { isInside, realPath } from "../permissions/real-path.ts";
import { secretFolders } from "../permissions/sensitive.ts";
import { ArgumentProblem, defineTool, readArguments, textIn, type ArgumentReader } from "./arguments.ts";
import { pathFor, shownPath } from "./files.ts";
import { permittedPath } from "./opened.ts";
import { cutHead, failure, outcomeOf, shownIn, textOutcome } from "./output.ts";
import { launch } from "./processes.ts";
import type { Tool, ToolContext, ToolOutcome } from "./types.ts";

/** `private_folders` are passed over wherever they lie. */
export function grepTool(private_folders: readonly string[] = []): Tool {
  return {
    definition,
    intent(args, context) {
      const pattern = textIn(args, "pattern");
      if (pattern === undefined) return { effect: "unknown", summary: "search for nothing" };
      const base = pathFor(textIn(args, "path") ?? ".", context);
      return { effect: "read", paths: [base], summary: `grep ${pattern} in ${shownPath(base, context)}` };
    },
    run: (args, context) =>
      outcomeOf(context.signal, () => search(readArguments(args), context, private_folders.map(realPath))),
  };
}

const definition = defineTool(
  "grep",
  "Searches in files with ripgrep. Files that .gitignore leaves out, hidden files, binaries and files with secrets are " +
    "passed over.",
  {
    pattern: { type: "string", says: "A regular expression (Rust syntax), or plain text with literal." },
    path: { type: "string", says: "A file or folder; the working folder where left out.", optional: true },
    glob: { type: "string", says: "Only files whose name matches, such as *.ts.", optional: true },
    output: {
      type: "string",
      says: "lines with their numbers (where left out), only names of files, or the count in each file.",
      words: ["lines", "files", "count"],
      optional: true,
    },
    literal: { type: "boolean", says: "The pattern is plain text.", optional: true },
    ignore_case: { type: "boolean", says: "Upper and lower case are the same.", optional: true },
    multiline: { type: "boolean", says: "A match may go over several lines.", optional: true },
    context: { type: "integer", says: "Lines to show around each match.", optional: true },
    offset: { type: "integer", says: "Leave out so many lines of the result, to read on.", optional: true },
  },
);

async function search(
  read: ArgumentReader,
  context: ToolContext,
  private_folders: readonly string[],
): Promise<ToolOutcome> {
  const base = pathFor(read.textOr("path", "."), context);
  const real = permittedPath(base, context);
  if (!existsSync(real)) return failure(`${base}: there is no such file or folder`);
  const program = await findProgram(context.env["PATH"] ?? "");
  if (program === undefined) return failure("ripgrep is not installed. Use bash with grep -rn.");
  // Below one of these its own folder could not be told from others.
  const cwd = private_folders.some((folder) => isInside(realPath(context.cwd), folder)) ? "/" : context.cwd;
  const options = [...optionsOf(read), ...withoutFolders(private_folders, cwd)];
  const running = launch({
    argv: [program, ...options, "-e", read.text("pattern"), "--", real],
    cwd,
    env: { PATH: context.env["PATH"] ?? "" },
    onOutput: () => {},
  });
  const stop = (): void => void running.stop();
  const timer = setTimeout(stop, context.timeout_ms);
  context.signal.addEventListener("abort", stop);
  try {
    const ending = await running.ended;
    context.signal.throwIfAborted();
    const { text, dropped } = running.output();
    const lines = text
      .split("\n")
      .slice(0, -1)
      .map((line) => shorten(line, real, context));
    if (ending.exit_code === 1) return textOutcome("[Nothing found.]", { lines: 0 });
    if (ending.exit_code !== 0 && lines.length === 0) return failure(ending.problem ?? "the search took too long");
    if (ending.exit_code !== 0) return failure(cutHead(lines.join("\n"), shownIn(context)));
    return page(lines, { offset: read.wholeOr("offset", 0), isCut: dropped > 0, bytes: shownIn(context) });
  } finally {
    clearTimeout(timer);
    context.signal.removeEventListener("abort", stop);
  }
}

function optionsOf(read: ArgumentReader): readonly string[] {
  const output = read.textOr("output", "lines");
  const kinds: readonly string[] | undefined = outputOptions.get(output);
  if (kinds === undefined) throw new ArgumentProblem('"output" must be lines, files or count.');
  const around = read.wholeOr("context", 0);
  return [
    ...plainOptions,
    ...kinds,
    ...(read.flag("literal") ? ["--fixed-strings"] : []),
    ...(read.flag("ignore_case") ? ["--ignore-case"] : []),
    ...(read.flag("multiline") ? ["--multiline", "--multiline-dotall"] : []),
    ...(around > 0 && output === "lines" ? [`--context=${Math.min(around, contextMax)}`] : []),
    ...(read.has("glob") && read.text("glob") !== "" ? [`--glob=${read.text("glob")}`] : []),
    // The last one wins, so nothing that a model asks for brings these back.
    ...secretGlobs.map((glob) => `--glob=!${glob}`),
  ];
}

/** Patterns are held against paths below the working folder without it, and against others as they are. */
function withoutFolders(folders: readonly string[], cwd: string): readonly string[] {
  const base = realPath(cwd);
  return folders.flatMap((folder) => {
    const plain = (path: string): string => path.replace(/[*?[\]{}!\\]/g, "\\$&");
    const below = isInside(folder, base) ? [`--glob=!/${plain(relative(base, folder))}/**`] : [];
    return [`--glob=!**${plain(folder)}/**`, ...below];
  });
}

function shorten(line: string, real: string, { root }: ToolContext): string {
  const prefix = `${root}/`;
  return real.startsWith(prefix) || real === root ? line.replace(prefix, "") : line;
}

function page(
  lines: readonly string[],
  { offset, isCut, bytes }: { readonly offset: number; readonly isCut: boolean; readonly bytes: number },
): ToolOutcome {
  if (offset >= lines.length) return failure(`There are only ${lines.length} lines.`);
  const rest = lines.slice(offset).join("\n");
  const shown = cutHead(rest, bytes).replace(/\n$/, "");
  const next = offset + shown.split("\n").length;
  const more =
    next < lines.length
      ? `\n[Lines ${offset} to ${next} of ${lines.length}. Read on with offset ${next}, or ask more narrowly.]`
      : "";
  const early = isCut ? "\n[There was more before this. Ask more narrowly.]" : "";
  return textOutcome(shown + more + early, { lines: lines.length });
}

/** The one that was installed with us, or one on the path. */
async function findProgram(path: string): Promise<string | undefined> {
  try {
    const { rgPath } = await import("@vscode/ripgrep");
    if (existsSync(rgPath)) return rgPath;
  } catch {
    // It is optional.
  }
  return path
    .split(delimiter)
    .map((folder) => join(folder, "rg"))
    .find((file) => existsSync(file));
}

const contextMax = 20;

const plainOptions = [
  "--no-config",
  "--color=never",
  "--no-heading",
  "--with-filename",
  "--sort=path",
  "--no-messages",
  "--max-columns=500",
  "--max-columns-preview",
];

const outputOptions = new Map([
  ["lines", ["--line-number"]],
  ["files", ["--files-with-matches"]],
  ["count", ["--count"]],
]);

/** As in the permissions; what is named outright is asked about there. */
const secretGlobs = [
  "credentials*",
  ".env",
  ".env.*",
  ".netrc",
  ".npmrc",
  ".pypirc",
  ".git-credentials",
  "id_rsa*",
  "id_ed25519*",
  "id_ecdsa*",
  "*.pem",
  "*.key",
  "*.p12",
  "*.pfx",
  ...[...secretFolders, ".git"].map((folder) => `**/${folder}/**`),
];
