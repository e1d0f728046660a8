import { NotUnderstood, unknownMark, type SimpleCommand, type Word } from "./shell-words.ts";

/**
 * What the shell reads as arithmetic can run anything: a name stands for the text its variable holds, that text is read as
 * arithmetic again, and an index in it may hold a substitution. Only names that hold numbers for certain are understood.
 */
export function refuseUnknownNumbers(read: {
  readonly commands: readonly SimpleCommand[];
  readonly evaluated: readonly string[];
}): void {
  const numbers = numberNames(read.commands);
  for (const text of read.evaluated) {
    const rest = text.replace(/\$\{#\w+\}|\$[?#$!]|0[xX][\da-fA-F]+|\d+#[\w@]+/g, " ");
    if (/\$\(|`|\$\{?[\d@*]/.test(rest)) throw new NotUnderstood("arithmetic with something unknown in it");
    const stranger = rest.match(/[A-Za-z_]\w*/g)?.find((name) => !numbers.has(name));
    if (stranger !== undefined) throw new NotUnderstood(`which number "${stranger}" is`);
  }
  for (const { words } of read.commands) refuseUnknownTest(words, numbers);
}

/** Variables that are set here, and to nothing but numbers. */
function numberNames(commands: readonly SimpleCommand[]): ReadonlySet<string> {
  const all = commands.flatMap(({ assignments }) => assignments);
  const others = new Set(all.filter(({ value }) => !isNumber(value)).map(({ name }) => name));
  // `read x`, `declare x=…`: the words of any program may name a variable that it sets.
  for (const { raw } of commands.flatMap(({ words }) => words.slice(1))) {
    const [name] = /^[A-Za-z_]\w*/.exec(raw) ?? [];
    if (name !== undefined) others.add(name);
  }
  return new Set(all.map(({ name }) => name).filter((name) => !others.has(name)));
}

function isNumber({ fixed, text, raw }: Word): boolean {
  if (fixed) return /^[-+]?\d*$/.test(text);
  return /^"?\$\(\([^$`()]*\)\)"?$|^\$\(seq [\d ]+\)$/.test(raw);
}

/** `test -v NAME` evaluates an index in the name; what is unknown may be both of these words. */
function refuseUnknownTest([first, ...args]: readonly Word[], numbers: ReadonlySet<string>): void {
  if (first?.text !== "test" && first?.text !== "[") return;
  const words = first.text === "[" ? args.slice(0, -1) : args;
  const isRisky = words.some((word, at) => {
    if (word.text === "-v") return words[at + 1]?.fixed !== true || words[at + 1]?.text.includes("[") === true;
    const [, name = ""] = /^\$\{?(\w+|[?#$!])\}?$/.exec(word.raw) ?? [];
    const isKnown = numbers.has(name) || /^[?#$!]$/.test(name);
    return !isKnown && word.shape.startsWith(unknownMark) && (word.splits || (at === 0 && words.length === 2));
  });
  if (isRisky) throw new NotUnderstood(`what "${first.text}" is given`);
}
