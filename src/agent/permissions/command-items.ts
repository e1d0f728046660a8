import { absolutePath, isInside, realPath } from "./real-path.ts";
import { dangerOf } from "./dangers.ts";
import { runners } from "./proposals.ts";
import { isForbidden, powerReason, privateFoldersFor, secretReason, shapeReason } from "./sensitive.ts";
import { stepsOf, type Step } from "./steps.ts";
import type { Redirect, Word } from "./shell-words.ts";
import type { PermissionContext } from "./decide.ts";

/** What a command line does, as far as rules have something to say about it. */
export type CommandFacts = {
  readonly steps: readonly Step[];
  /** Programs that need a permission; what only prints or moves about does not, where something else is there. */
  readonly judged: readonly Step[];
  /** Files that redirects write or read, and that words name. */
  readonly written: readonly string[];
  readonly read: readonly string[];
  readonly named: readonly string[];
  /** Why a person has to look, whatever the rules say. */
  readonly concerns: readonly string[];
  readonly forbidden: string | undefined;
};

export function commandFacts(command: string, context: PermissionContext): CommandFacts {
  const { steps, redirects, riddles } = stepsOf(command);
  const folders = foldersOf(steps, context);
  const places = (word: Word): readonly string[] => placesOf(word.text, folders.reached, context);
  const judged = steps.filter(({ is_wrapper, program }) => !is_wrapper && !neutralPrograms.has(program));
  const targets = redirects.filter(({ operator }) => !["<<", "<<-", "<<<"].includes(operator));
  const outputs = targets.filter(isOutput);
  const named = steps
    .flatMap(({ words }) => words.slice(1).filter(({ fixed }) => fixed))
    .flatMap((word) => [
      ...places(word),
      ...partsOf(word.text).flatMap((part) => placesOf(part, folders.reached, context)),
    ]);
  const written = outputs.filter(({ target }) => target.fixed).flatMap(({ target }) => places(target));
  const all = [...named, ...written];
  return {
    steps,
    judged: judged.length > 0 ? judged : steps.filter(({ is_wrapper }) => !is_wrapper),
    written: written.filter((path) => !harmlessTargets.has(path)),
    read: targets
      .filter((redirect) => !isOutput(redirect) && redirect.target.fixed)
      .flatMap(({ target }) => places(target)),
    named,
    concerns: [
      ...riddles.map((riddle) => `not understood: ${riddle}`),
      ...folders.concerns,
      ...steps.flatMap((step) => dangerOf(step) ?? []),
      ...steps.flatMap((step) => wordReasons(step)),
      ...targets.flatMap(({ target }) => wordReason(target)),
      ...outputs.flatMap(({ target }) => (target.fixed ? [] : [`it writes to ${target.raw}`])),
      ...steps.flatMap((step) => privateReasons(step, places, context)),
      ...steps.filter(({ program }) => writers.has(program)).flatMap((step) => outsideReasons(step, places, context)),
      ...written.flatMap((path) => powerReason(path) ?? []),
    ],
    forbidden: all.map((path) => realPath(path)).find((path) => isForbidden(path, context.private_folders ?? [])),
  };
}

function isOutput({ operator }: Redirect): boolean {
  return operator.includes(">");
}

/** Every folder that `cd` may lead to. Whether it is really gone to is not known, so each counts from there on. */
function foldersOf(
  steps: readonly Step[],
  context: PermissionContext,
): { readonly reached: readonly string[]; readonly concerns: readonly string[] } {
  let reached: readonly string[] = [context.cwd];
  const concerns: string[] = [];
  for (const { words, program } of steps.filter((step) => movingPrograms.has(step.program))) {
    const target = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text));
    if (target === undefined || !target.fixed || target.text === "-" || /^[+-]\d/.test(target.text)) {
      concerns.push(`not understood: where "${program}" leads`);
      continue;
    }
    reached = [...new Set([...reached, ...placesOf(target.text, reached, context)])].slice(0, foldersMax);
  }
  const outside = reached.find((folder) => !isInside(realPath(folder), realPath(context.root)));
  return {
    reached,
    concerns: [...concerns, ...(outside === undefined ? [] : [`it goes to ${outside}, outside of the project`])],
  };
}

function placesOf(text: string, folders: readonly string[], { home }: PermissionContext): readonly string[] {
  if (text === "" || text.length > pathCharactersMax || text.includes("\0")) return [];
  return [...new Set(folders.map((folder) => absolutePath(text, folder, home)))];
}

/** `--file=PATH`, `if=PATH`, `@PATH`, `host:PATH`, `-fPATH`. */
function partsOf(text: string): readonly string[] {
  const parts = text.split(/[=@:,]/).slice(1);
  return [...parts, ...(/^-[A-Za-z]./.test(text) ? [text.slice(2)] : [])].filter((part) => part !== "");
}

function wordReasons({ program, words }: Step): readonly string[] {
  if (silentPrograms.has(program)) return [];
  const args = words.slice(1);
  const reasons = args.flatMap(wordReason);
  // A program in a word names files as well: `python -c "open('.env')"`.
  const inner = runners.has(program) ? args.flatMap(({ raw }) => raw.split(/[\s'"()`,;]+/)) : [];
  return [...reasons, ...inner.flatMap((part) => secretReason(part) ?? [])].slice(0, 1);
}

function wordReason({ shape }: Word): readonly string[] {
  return [shape, ...partsOf(shape)].flatMap((part) => shapeReason(part) ?? []).slice(0, 1);
}

/** The folder of our keys or one above it, given to something that reads what is in it: `grep -r`, `find`, `tar`. */
function privateReasons(
  { program, words }: Step,
  places: (word: Word) => readonly string[],
  context: PermissionContext,
): readonly string[] {
  if (silentPrograms.has(program)) return [];
  const folders = privateFoldersFor(context);
  const named = words
    .slice(1)
    .filter(({ fixed }) => fixed)
    .flatMap(places)
    .map((path) => realPath(path));
  const inside = named.find((path) => folders.some((folder) => isInside(path, folder)));
  if (inside !== undefined) return [`your keys are in ${inside}`];
  const above = walkers.has(program)
    ? named.find((path) => folders.some((folder) => isInside(folder, path)))
    : undefined;
  return above === undefined ? [] : [`your keys are below ${above}`];
}

/** Writing outside of the project is asked about each time. */
function outsideReasons(
  { program, words }: Step,
  places: (word: Word) => readonly string[],
  { root }: PermissionContext,
): readonly string[] {
  const realRoot = realPath(root);
  return words.slice(1).flatMap((word) => {
    if (word.text.startsWith("-")) return [];
    if (!word.fixed)
      return /^[~/]|\.\./.test(word.shape) ? [`${program} with ${word.raw}, which may be outside of the project`] : [];
    const outside = places(word).find((path) => !isInside(realPath(path), realRoot));
    if (outside !== undefined) return [`${program} may write ${outside}, outside of the project`];
    const power = places(word).flatMap((path) => powerReason(path) ?? []);
    return power.slice(0, 1);
  });
}

const foldersMax = 16;
const pathCharactersMax = 4096;

const harmlessTargets = new Set(["/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);
const movingPrograms = new Set(["cd", "pushd"]);

/** They print or look, and touch nothing by themselves. */
const neutralPrograms = new Set(
  "cd pushd popd echo printf true false : pwd test [ exit return break continue set wait sleep read shift export".split(
    " ",
  ),
);

/** They show names and sizes but nothing of what is in a file. */
const silentPrograms = new Set(["ls", "stat", "du", "wc", "echo", "printf", "test", "["]);

/** They look into whole trees. */
const walkers = new Set("grep egrep fgrep rg ag ack find fd tar zip 7z cp rsync scp mv".split(" "));

const writers = new Set(
  "cp mv tee ln touch mkdir rm rmdir install rsync truncate chmod chown chgrp sed patch unzip tar gzip gunzip".split(
    " ",
  ),
);
