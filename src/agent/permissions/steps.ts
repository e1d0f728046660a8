import { basename } from "node:path";
import { own } from "../../core/index.ts";
import { parseShell } from "./shell.ts";
import {
  anyWord,
  fixedWord,
  globMark,
  NotUnderstood,
  unknownMark,
  type Redirect,
  type SimpleCommand,
  type Word,
} from "./shell-words.ts";

/** One program that a command line starts, seen through whatever starts it (`env`, `xargs`, `sh -c`, `find -exec`). */
export type Step = {
  /** The name as written, without its folder. */
  readonly program: string;
  readonly words: readonly Word[];
  /** As rules see it: one blank between words, quotes only where needed, harmless variables left out. */
  readonly text: string;
  /** Only starts another one that is a step of its own. Needs no permission, but can be forbidden. */
  readonly is_wrapper: boolean;
};

export type Steps = {
  readonly steps: readonly Step[];
  readonly redirects: readonly Redirect[];
  /** What variables are set to: it may come back as a word that nobody knows. */
  readonly assigned: readonly Word[];
  /** Why parts of it cannot be judged. */
  readonly riddles: readonly string[];
};

/** What a command line starts. What is not understood is a riddle, and then a person has to look. */
export function stepsOf(command: string): Steps {
  const steps: Step[] = [];
  const redirects: Redirect[] = [];
  const assigned: Word[] = [];
  const riddles: string[] = [];
  const look = (text: string, depth: number): void => {
    if (depth > depthMax) throw new NotUnderstood("it is nested too deeply");
    for (const simple of parseShell(text)) {
      redirects.push(...simple.redirects);
      assigned.push(...simple.assignments.map(({ value }) => value));
      follow(simple.words, { simple, depth });
    }
  };
  const follow = (words: readonly Word[], from: { readonly simple: SimpleCommand; readonly depth: number }): void => {
    const set = [...from.simple.assignments.map(({ name }) => name), ...namesSet(words)];
    riddles.push(...set.filter(changesPrograms).map((name) => `it sets ${name}`));
    const [first] = words;
    if (first === undefined) return;
    if (!first.fixed || first.text === "") throw new NotUnderstood(`which program "${first.raw}" is`);
    const program = basename(first.text);
    const inner = unwrap(program, words);
    steps.push({ program, words, text: stepText(words, from.simple), is_wrapper: inner.only });
    for (const next of inner.commands) {
      if (next.length > 0) follow(next, { ...from, simple: { ...from.simple, assignments: [] } });
    }
    for (const script of inner.scripts) look(script, from.depth + 1);
  };
  try {
    look(command, 0);
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error;
    riddles.push(error.message);
  }
  return { steps, redirects, assigned, riddles };
}

/** Variables that a command of the shell sets. */
function namesSet([first, ...args]: readonly Word[]): readonly string[] {
  if (first === undefined || !settingPrograms.has(first.text)) return [];
  // Only `printf -v` sets one.
  const [option] = args;
  if (first.text === "printf" && option !== undefined && !mayBeOption(option)) return [];
  if (args.some(({ fixed, raw }) => !fixed && !raw.includes("=")))
    throw new NotUnderstood(`which variables "${first.text}" sets`);
  return args.flatMap(({ raw }) => /^([A-Za-z_]\w*)(?:\+?=|$)/.exec(raw)?.[1] ?? []);
}

/** It is an option, or may become one. */
export function mayBeOption({ shape }: Word): boolean {
  return shape.startsWith("-") || shape.startsWith(unknownMark) || shape.startsWith(globMark);
}

const settingPrograms = new Set([
  "export",
  "declare",
  "typeset",
  "readonly",
  "local",
  "read",
  "printf",
  "mapfile",
  "readarray",
  "unset",
  "getopts",
]);

/** A word as a rule sees it. */
export function wordText({ text, fixed, raw }: Word): string {
  if (!fixed) return raw;
  return /^[\w./:=@%+,^~-]+$/.test(text) ? text : `'${text}'`;
}

function stepText(words: readonly Word[], { assignments }: SimpleCommand): string {
  const set = assignments
    .filter(({ name }) => !harmlessVariables.test(name))
    .map(({ name, value }) => `${name}=${wordText(value)}`);
  return [...set, ...words.map(wordText)].join(" ");
}

/** Variables that decide which programs run or what runs inside of them. */
function changesPrograms(name: string): boolean {
  return !harmlessVariables.test(name) && powerfulVariables.test(name);
}

const powerfulVariables = new RegExp(
  [
    "PATH|PRELOAD|COMMAND|PAGER|EDITOR|OPTIONS|OPTS|FLAGS|PROXY|EXEC|STARTUP|WRAPPER|HOOK",
    "^(?:LD|DYLD|GIT|SSH|BASH|PYTHON|PERL5|RUBY|NODE|NPM|YARN|CARGO|RUSTC|XDG|LESS)_?",
    "^(?:ENV|IFS|PS[0-9]|SHELL|SHELLOPTS|HOME|VISUAL|BROWSER|CC|CXX|CLASSPATH|HOSTALIASES|TERMINFO|ZDOTDIR)$",
  ].join("|"),
  "i",
);

const harmlessVariables = /^(?:CI|DEBUG|NODE_ENV|NO_COLOR|FORCE_COLOR|LANG|LANGUAGE|LC_\w+|TZ|TERM|COLUMNS|VERBOSE)$/;

type Inner = {
  readonly commands: readonly (readonly Word[])[];
  readonly scripts: readonly string[];
  /** Nothing happens but what is inside. */
  readonly only: boolean;
};

const nothing: Inner = { commands: [], scripts: [], only: false };

function unwrap(program: string, words: readonly Word[]): Inner {
  const args = words.slice(1);
  if (opaquePrograms.has(program)) throw new NotUnderstood(`what "${program}" does to the commands after it`);
  if (shells.has(program)) return shellInner(program, args);
  if (program === "eval") return { ...nothing, scripts: [knownText(program, args)], only: true };
  if (program === "trap")
    return args.length < 2 ? nothing : { ...nothing, scripts: [knownText(program, args.slice(0, 1))] };
  if (program === "watch")
    return { ...nothing, scripts: [knownText(program, afterOptions(program, args, ["-n", "-d"]))] };
  if (program === "env") return { ...nothing, commands: [afterAssignments(args)], only: args.length > 0 };
  if (program === "xargs") return { ...nothing, commands: [xargsInner(args)], only: true };
  if (program === "find") return { ...nothing, commands: findInner(args) };
  if (program === "timeout")
    return { ...nothing, commands: [afterOptions(program, args, ["-s", "-k"]).slice(1)], only: true };
  if (program === "flock") return { ...nothing, commands: [afterOptions(program, args, ["-w"]).slice(1)], only: true };
  const options = own(plainWrappers, program);
  if (options === undefined) return nothing;
  return { ...nothing, commands: [afterOptions(program, args, options)], only: !privileged.has(program) };
}

/** `sh -c 'script'` is looked into, `sh file` is a program like others, and a shell that reads its input can be anything. */
function shellInner(program: string, args: readonly Word[]): Inner {
  const at = firstOperand(args);
  const options = args.slice(0, at);
  if (options.some(({ text }) => /^--(?:rcfile|init-file)/.test(text)))
    throw new NotUnderstood(`"${program}" with a start file`);
  const [script] = args.slice(args[at]?.text === "--" ? at + 1 : at);
  if (options.some(({ text }) => /^-[a-z]*c[a-z]*$/.test(text))) {
    if (script === undefined || !script.fixed) throw new NotUnderstood(`what "${program} -c" is given`);
    return { ...nothing, scripts: [script.text], only: true };
  }
  if (script === undefined || options.some(({ text }) => /^-[a-z]*s/.test(text))) {
    if (options.length > 0 && options.every(({ text }) => text === "--version" || text === "--help")) return nothing;
    throw new NotUnderstood(`what "${program}" reads`);
  }
  return nothing;
}

/** Where the options of a shell end; `-o` and `-euo` take the next word. */
function firstOperand(args: readonly Word[]): number {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined || !word.fixed || !/^[-+]./.test(word.text) || word.text === "--") return index;
    if (/^[-+][A-Za-z]*[oO]$/.test(word.text)) index += 1;
  }
  return args.length;
}

function knownText(program: string, words: readonly Word[]): string {
  if (words.some(({ fixed }) => !fixed)) throw new NotUnderstood(`what "${program}" is given`);
  return words.map(({ text }) => text).join(" ");
}

/** What stands after the options. Those in `withValue` take the next word; what is not known is not guessed. */
function afterOptions(program: string, args: readonly Word[], withValue: readonly string[]): readonly Word[] {
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index];
    if (word === undefined) break;
    if (!word.fixed) throw new NotUnderstood(`which program "${program}" starts`);
    if (word.text === "--") return args.slice(index + 1);
    if (!word.text.startsWith("-")) return args.slice(index);
    if (withValue.includes(word.text)) index += 1;
    else if (!/^-(?:-[a-z-]+=.*|-[a-z-]+|[A-Za-z0-9]+)$/.test(word.text))
      throw new NotUnderstood(`options of "${program}"`);
    // `--signal KILL` and `--signal=KILL` cannot be told apart from outside.
    else if (/^--[a-z-]+$/.test(word.text) && !longFlags.has(word.text))
      throw new NotUnderstood(`options of "${program}"`);
  }
  return [];
}

const longFlags = new Set(["--null", "--no-run-if-empty", "--verbose", "--preserve-status", "--foreground", "--help"]);

/** `env A=b cmd`: variables that change programs are riddles wherever they stand. */
function afterAssignments(args: readonly Word[]): readonly Word[] {
  if (args.some(({ text }) => /^(?:-S|--split-string)/.test(text))) throw new NotUnderstood('"env -S"');
  const rest = afterOptions("env", args, ["-u", "-C"]);
  const at = rest.findIndex(({ raw }) => !/^[A-Za-z_]\w*=/.test(raw));
  for (const { raw } of at === -1 ? rest : rest.slice(0, at)) {
    const name = raw.slice(0, raw.indexOf("="));
    if (changesPrograms(name)) throw new NotUnderstood(`it sets ${name}`);
  }
  return at === -1 ? [] : rest.slice(at);
}

function xargsInner(args: readonly Word[]): readonly Word[] {
  const attached = args.find(({ text }) => /^-[Ii]./.test(text));
  const replaced = attached?.text.slice(2) ?? valueAfter("-I", args) ?? "{}";
  const rest = afterOptions(
    "xargs",
    args.filter((word) => word !== attached),
    ["-n", "-P", "-I", "-L", "-d", "-s", "-a", "-E"],
  );
  // Without a program it is echo.
  const words = rest.length === 0 ? [fixedWord("echo")] : rest;
  return [...words.map((word) => (word.text.includes(replaced) ? { ...anyWord, raw: word.raw } : word)), anyWord];
}

function valueAfter(option: string, args: readonly Word[]): string | undefined {
  const at = args.findIndex(({ text }) => text === option);
  return at === -1 ? undefined : args[at + 1]?.text;
}

function findInner(args: readonly Word[]): readonly (readonly Word[])[] {
  const found: Word[][] = [];
  for (let index = 0; index < args.length; index += 1) {
    if (!/^-(?:exec|execdir|ok|okdir)$/.test(args[index]?.text ?? "")) continue;
    const end = args.findIndex((word, at) => at > index && (word.text === ";" || word.text === "+"));
    if (end === -1) throw new NotUnderstood('a "find -exec" that does not end');
    const inner = args.slice(index + 1, end);
    found.push(inner.map((word) => (word.text.includes("{}") ? { ...anyWord, raw: word.raw, text: word.text } : word)));
    index = end;
  }
  if (args.some(({ splits, raw }) => splits && /\$|`/.test(raw)))
    throw new NotUnderstood('which words "find" is given');
  return found;
}

const depthMax = 8;

export const shells: ReadonlySet<string> = new Set(["sh", "bash", "dash", "zsh", "ksh", "ash", "fish", "rbash"]);

/** Their inner commands are found; they themselves are judged as well. */
const privileged = new Set(["sudo", "doas"]);

/** Programs that start the one named after their options, with the options that take a value. */
const plainWrappers: { readonly [program: string]: readonly string[] } = {
  command: [],
  builtin: [],
  exec: ["-a"],
  nohup: [],
  time: ["-f", "-o"],
  nice: ["-n"],
  ionice: ["-c", "-n"],
  stdbuf: ["-i", "-o", "-e"],
  setsid: [],
  busybox: [],
  sudo: ["-u", "-g", "-h", "-p", "-C", "-r", "-t"],
  doas: ["-u", "-C"],
};

/** They give other meanings to what follows, or run what cannot be seen from here. */
const opaquePrograms = new Set([
  "alias",
  "unalias",
  "shopt",
  "enable",
  "hash",
  "bind",
  "complete",
  "parallel",
  "script",
  "chroot",
  "unshare",
  "nsenter",
  "su",
  "pkexec",
  "expect",
  "let",
]);
