import { WrongUse } from "./command.ts";

/** The next word, quoted like in a shell, and what is left after it. Undefined: there is none. */
export function nextWord(text: string): { readonly word: string; readonly rest: string } | undefined {
  const from = text.search(/\S/);
  if (from === -1) return undefined;
  let word = "";
  let index = from;
  while (index < text.length && !/\s/.test(text.charAt(index))) {
    const character = text.charAt(index);
    if (character === '"' || character === "'") {
      const quoted = readQuoted(text, index);
      word += quoted.text;
      index = quoted.end;
    } else if (character === "\\" && index + 1 < text.length) {
      word += text.charAt(index + 1);
      index += 2;
    } else {
      word += character;
      index += 1;
    }
  }
  return { word, rest: text.slice(index).trimStart() };
}

function readQuoted(text: string, start: number): { readonly text: string; readonly end: number } {
  const quote = text.charAt(start);
  let inside = "";
  for (let index = start + 1; index < text.length; index++) {
    const character = text.charAt(index);
    if (character === quote) return { text: inside, end: index + 1 };
    const next = text.charAt(index + 1);
    if (quote === '"' && character === "\\" && (next === '"' || next === "\\")) {
      inside += next;
      index += 1;
    } else inside += character;
  }
  throw new WrongUse(`a ${quote} is not closed`);
}

export function allWords(text: string): readonly string[] {
  const words: string[] = [];
  for (let next = nextWord(text); next !== undefined; next = nextWord(next.rest)) words.push(next.word);
  return words;
}

/** Text for people and models: as it was typed, with all its lines; without its quotes where it stands in a pair of them. */
export function freeText(text: string): string {
  const typed = text.trim();
  if (!/^["']/.test(typed)) return typed;
  try {
    const whole = nextWord(typed);
    return whole?.rest === "" ? whole.word : typed;
  } catch {
    return typed;
  }
}

export type Parsed = {
  /** The values each option was given, in order; an option without a value is there with none. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  /** What is no option, as it was typed. */
  readonly text: string;
};

/**
 * Takes `--options` from the beginning, and from behind a quoted text: whoever quotes has said where the text ends.
 * `known` says which there are, and whether they want a value. `--` ends them.
 */
export function takeOptions(text: string, known: { readonly [option: string]: unknown }): Parsed {
  const options = new Map<string, readonly string[]>();
  const left = takeLeading(text.trim(), known, options);
  const quoted = /^["']/.test(left) ? safeWord(left) : undefined;
  if (quoted === undefined || !quoted.rest.startsWith("--")) return { options, text: left };
  const more = new Map(options);
  const after = takeLeading(quoted.rest, known, more);
  return after === ""
    ? { options: more, text: left.slice(0, left.length - quoted.rest.length).trim() }
    : { options, text: left };
}

function takeLeading(
  text: string,
  known: { readonly [option: string]: unknown },
  options: Map<string, readonly string[]>,
): string {
  let left = text;
  for (;;) {
    const found = /^--([a-z][a-z-]*)?(=|\s+|$)/.exec(left);
    if (found === null) return left;
    const [whole, name] = found;
    if (name === undefined) return left.slice(whole.length);
    if (!Object.hasOwn(known, name)) throw new WrongUse(`there is no option --${name}`);
    left = left.slice(whole.length);
    const before = options.get(name) ?? [];
    if (known[name] === null) {
      options.set(name, before);
      continue;
    }
    const value = nextWord(left);
    if (value === undefined) throw new WrongUse(`--${name} wants a value`);
    options.set(name, [...before, value.word]);
    left = value.rest;
  }
}

function safeWord(text: string): ReturnType<typeof nextWord> {
  try {
    return nextWord(text);
  } catch {
    return undefined;
  }
}
