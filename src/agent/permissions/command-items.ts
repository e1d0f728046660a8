import { relative } from "node:path";
import { own } from "../../core/index.ts";
import { absolutePath, isInside, realPath, walkedPath } from "./real-path.ts";
import { dangerOf } from "./dangers.ts";
import { runners } from "./proposals.ts";
import { isForbidden, powerReason, privateFoldersFor, secretReason, shapeReason } from "./sensitive.ts";
import { stepsOf, type Step } from "./steps.ts";
import { globMark, unknownMark, type Redirect, type Word } from "./shell-words.ts";
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
  const { steps, redirects, assigned, riddles } = stepsOf(command);
  const folders = foldersOf(steps, context);
  const places = (word: Word): readonly string[] => placesOf(word.text, folders.reached, context);
  const judged = steps.filter(({ is_wrapper, program }) => !is_wrapper && !neutralPrograms.has(program));
  const targets = redirects.filter(({ operator }) => !["<<", "<<-", "<<<"].includes(operator));
  const outputs = targets.filter(isOutput);
  const isSilent = steps.every(({ program }) => silentPrograms.has(program));
  // Where nothing reads, names of secrets are only names; elsewhere what is printed may be a name to read.
  const telling = steps.filter(({ program }) => !isSilent && !mutePrograms.has(program));
  const mentioned = isSilent ? [] : [...assigned, ...telling.flatMap(({ words }) => words.slice(1))];
  const named = [...assigned, ...steps.flatMap(({ words }) => words.slice(1))]
    .filter(({ fixed }) => fixed)
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
      ...mentioned.flatMap(wordReason),
      ...steps.flatMap(innerReasons),
      ...targets.flatMap(({ target }) => wordReason(target)),
      ...outputs.flatMap(({ target }) => (target.fixed ? [] : [`it writes to ${target.raw}`])),
      ...privateReasons(mentioned, places, context),
      ...steps.flatMap((step) => walkReasons(step, places, context)),
      ...steps.flatMap((step) => outsideReasons(step, places, context)),
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
  return [...new Set(folders.flatMap((folder) => [absolutePath(text, folder, home), walkedPath(text, folder, home)]))];
}

/** `--file=PATH`, `if=PATH`, `@PATH`, `host:PATH`, `-fPATH`. */
function partsOf(text: string): readonly string[] {
  const parts = text.split(/[=@:,]/).slice(1);
  return [...parts, ...(/^-[A-Za-z]./.test(text) ? [text.slice(2)] : [])].filter((part) => part !== "");
}

/** A program in a word names files as well: `python -c "open('.env')"`. */
function innerReasons({ program, words }: Step): readonly string[] {
  const inner = runners.has(program) ? words.slice(1).flatMap(({ raw }) => raw.split(/[\s'"()`,;]+/)) : [];
  return inner.flatMap((part) => secretReason(part) ?? []).slice(0, 1);
}

function wordReason({ shape }: Word): readonly string[] {
  return [shape, ...partsOf(shape)].flatMap((part) => shapeReason(part) ?? []).slice(0, 1);
}

/** Something in the folder of our keys, or in it as far as that can be told: `~/.config/ikigai/$X`. */
function privateReasons(
  words: readonly Word[],
  places: (word: Word) => readonly string[],
  context: PermissionContext,
): readonly string[] {
  const { home } = context;
  const folders = privateFoldersFor(context);
  const tails = folders.flatMap((folder) => {
    const isBelow = home !== undefined && isInside(folder, realPath(home)) && folder !== realPath(home);
    return isBelow ? [`/${relative(realPath(home), folder)}/`] : [];
  });
  const inside = words.find((word) => {
    const head = word.shape.slice(0, Math.max(0, word.shape.search(marks)));
    const known = word.fixed ? places(word) : head.includes("/") ? places({ ...word, text: head }) : [];
    if (known.some((path) => folders.some((folder) => isInside(realPath(path), folder)))) return true;
    return !word.fixed && tails.some((tail) => `${word.shape}/`.includes(tail));
  });
  return inside === undefined ? [] : [`your keys are in ${inside.fixed ? (places(inside)[0] ?? "") : inside.raw}`];
}

/** A folder above that of our keys, given to something that reads what is in it: `grep -r`, `find`, `tar`. */
function walkReasons(
  { program, words }: Step,
  places: (word: Word) => readonly string[],
  context: PermissionContext,
): readonly string[] {
  if (!walkers.has(program)) return [];
  const folders = privateFoldersFor(context);
  const named = words.slice(1).filter(({ fixed }) => fixed);
  const above = named
    .flatMap(places)
    .map((path) => realPath(path))
    .find((path) => folders.some((folder) => isInside(folder, path)));
  return above === undefined ? [] : [`your keys are below ${above}`];
}

/** Writing outside of the project is asked about each time. */
function outsideReasons(
  step: Step,
  places: (word: Word) => readonly string[],
  { root }: PermissionContext,
): readonly string[] {
  const { program } = step;
  const realRoot = realPath(root);
  return writtenBy(step).flatMap((word) => {
    if (!word.fixed)
      return /^[~/]|\.\./.test(word.shape) ? [`${program} with ${word.raw}, which may be outside of the project`] : [];
    if (harmlessTargets.has(word.text)) return [];
    const outside = places(word).find((path) => !isInside(realPath(path), realRoot));
    if (outside !== undefined) return [`${program} may write ${outside}, outside of the project`];
    const power = places(word).flatMap((path) => powerReason(path) ?? []);
    return power.slice(0, 1);
  });
}

/** Words that may be files which a program writes: all it is given, or those after options that say so. */
function writtenBy({ program, words }: Step): readonly Word[] {
  const args = words.slice(1);
  if (writers.has(program)) return args.filter(({ text }) => !text.startsWith("-"));
  const option = own(outputOptions, program);
  if (option === undefined) return [];
  return args.flatMap((word, at) => {
    const [start] = option.exec(word.text) ?? [];
    if (start === undefined) return [];
    const cut = (text: string): string => text.slice(start.length);
    if (start === word.text) return args.slice(at + 1, at + 2);
    return [{ ...word, text: cut(word.text), shape: cut(word.shape), raw: cut(word.raw) }];
  });
}

const foldersMax = 16;
const pathCharactersMax = 4096;

const marks = new RegExp(`[${globMark}${unknownMark}]`);
const harmlessTargets = new Set(["-", "/dev/null", "/dev/stdout", "/dev/stderr", "/dev/tty"]);
const movingPrograms = new Set(["cd", "pushd"]);

/** They print or look, and touch nothing by themselves. */
const neutralPrograms = new Set(
  "cd pushd popd echo printf true false : pwd test [ exit return break continue set wait sleep read shift export".split(
    " ",
  ),
);

/** They show names and sizes but nothing of what is in a file. */
const silentPrograms = new Set(["ls", "stat", "du", "wc", "echo", "printf", "test", "["]);

/** They print nothing at all. */
const mutePrograms = new Set(["test", "["]);

/** They look into whole trees. */
const walkers = new Set("grep egrep fgrep rg ag ack find fd tar zip 7z cp rsync scp mv".split(" "));

const writers = new Set(
  "cp mv tee ln touch mkdir rm rmdir install rsync truncate chmod chown chgrp sed patch unzip tar gzip gunzip".split(
    " ",
  ),
);

/** The option up to where its value begins. */
const outputOptions: { readonly [program: string]: RegExp } = {
  curl: /^(?:-[A-Za-z#0-9]*?[oDc]|--(?:output|output-dir|dump-header|cookie-jar|trace|trace-ascii|stderr|libcurl|etag-save)(?:=|$))/,
  wget: /^(?:-(?:[A-Za-z]*?[OPoa])|--(?:output-document|output-file|append-output|directory-prefix)(?:=|$))/,
  sort: /^(?:-[a-zA-Z]*?o|--output(?:=|$))/,
  git: /^--output(?:=|$)/,
};
