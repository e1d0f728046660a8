import { refuseUnknownNumbers } from "./shell-numbers.ts";
import { WordReader } from "./shell-read.ts";
import { anyWord, fixedWord, NotUnderstood, type Redirect, type SimpleCommand, type Word } from "./shell-words.ts";

/**
 * Every simple command of a shell command line: of pipelines, lists, groups, subshells, loops, conditions and of all
 * substitutions inside words and here-documents. For deciding, not for running: what is rare or clever (functions, case,
 * arrays, brace expansion, arithmetic commands) is `NotUnderstood`, and then a person is asked.
 */
export function parseShell(text: string): readonly SimpleCommand[] {
  if (text.length > charactersMax) throw new NotUnderstood("it is too long");
  const parser = new Parser(text, 0);
  parser.list(undefined);
  // The index of an array is evaluated wherever a name is expected, and what is substituted in it is run, quoted or not.
  if (/\w\[[^\]]*(?:\$\(|`)/.test(text)) throw new NotUnderstood("a substitution in an index");
  refuseUnknownNumbers(parser);
  return parser.commands;
}

class Parser extends WordReader {
  private readonly hereDocuments: { readonly end: string; readonly expands: boolean; readonly indented: boolean }[] =
    [];

  protected isWaiting(): boolean {
    return this.hereDocuments.length > 0;
  }

  protected another(text: string, depth: number): Parser {
    return new Parser(text, depth);
  }

  /** Commands up to `end` (a closing parenthesis, consumed) or the end of the text. */
  list(end: ")" | undefined): void {
    for (;;) {
      this.blanks();
      const next = this.text[this.position];
      if (next === undefined) {
        if (end !== undefined) throw new NotUnderstood(`a "${end}" is missing`);
        if (this.hereDocuments.length > 0) throw new NotUnderstood("a here-document is missing");
        return;
      }
      if (next === "\n") {
        this.position += 1;
        this.readHereDocuments();
      } else if (next === ")") {
        if (end === undefined) throw new NotUnderstood('there is a ")" too many');
        this.position += 1;
        return;
      } else if (next === "(") {
        this.subshell();
      } else if (";&|".includes(next) && !this.text.startsWith("&>", this.position)) {
        this.operator();
      } else {
        this.command();
      }
    }
  }

  private subshell(): void {
    if (this.text.startsWith("((", this.position)) throw new NotUnderstood("an arithmetic command");
    this.position += 1;
    this.nested(() => this.list(")"));
    this.afterCompound();
  }

  private operator(): void {
    const found = operators.find((operator) => this.text.startsWith(operator, this.position)) ?? ";";
    if (found.startsWith(";;") || found === ";&") throw new NotUnderstood("a case statement");
    this.position += found.length;
  }

  /** A simple command, or a word of the language with what belongs to it. */
  private command(): void {
    const start = this.position;
    const first = this.isRedirect() ? undefined : this.word();
    const keyword = first !== undefined && first.raw === first.text ? first.text : "";
    if (refusedKeywords.has(keyword)) throw new NotUnderstood(`"${keyword}"`);
    if (openingKeywords.has(keyword)) return;
    if (closingKeywords.has(keyword)) return this.afterCompound();
    if (keyword === "for") return this.loopHead();
    if (keyword === "[[") return this.condition();
    this.position = start;
    this.simple();
  }

  private simple(): void {
    const assignments: { name: string; value: Word }[] = [];
    const words: Word[] = [];
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      if (this.isRedirect()) {
        redirects.push(...this.redirect());
        continue;
      }
      const next = this.text[this.position];
      if (next === undefined || "\n;&|)".includes(next)) break;
      if (next === "(") throw new NotUnderstood("a function or an array");
      const word = this.word();
      const assignment = words.length === 0 ? assignmentOf(word) : undefined;
      if (assignment !== undefined && this.text[this.position] === "(") throw new NotUnderstood("an array");
      if (assignment === undefined) words.push(word);
      else assignments.push(assignment);
    }
    this.commands.push({ assignments, words, redirects });
  }

  /** After `fi`, `done`, `}` and `)` only redirects may follow. */
  private afterCompound(): void {
    const redirects: Redirect[] = [];
    for (;;) {
      this.blanks();
      if (!this.isRedirect()) break;
      redirects.push(...this.redirect());
    }
    const next = this.text[this.position];
    if (next !== undefined && !"\n;&|)".includes(next)) throw new NotUnderstood("a word after a group of commands");
    if (redirects.length > 0) this.commands.push({ assignments: [], words: [], redirects });
  }

  /** `for NAME in words`: the commands inside the words are found, the name is any text. */
  private loopHead(): void {
    this.blanks();
    const name = this.word();
    this.blanks();
    // Without `in` it goes over the arguments, which nobody knows.
    if (this.isAtEndOfHead()) return this.set(name.raw, anyWord);
    if (this.word().raw !== "in") throw new NotUnderstood("an unusual loop");
    this.set(name.raw, fixedWord(""));
    for (;;) {
      this.blanks();
      if (this.isAtEndOfHead()) return;
      this.set(name.raw, this.word());
    }
  }

  private set(name: string, value: Word): void {
    this.commands.push({ assignments: [{ name, value }], words: [], redirects: [] });
  }

  private isAtEndOfHead(): boolean {
    const next = this.text[this.position];
    if (next !== undefined && "&|()<>".includes(next)) throw new NotUnderstood("an unusual loop");
    return next === undefined || next === "\n" || next === ";";
  }

  /** `[[ … ]]` changes nothing, but words in it may run something. */
  private condition(): void {
    const words: Word[] = [];
    for (;;) {
      this.blanks();
      const next = this.text[this.position];
      if (next === undefined) throw new NotUnderstood('a "]]" is missing');
      if ("\n;&|()<>".includes(next)) {
        this.position += 1;
      } else {
        const word = this.word();
        if (word.raw === "]]") return this.compared(words);
        words.push(word);
      }
    }
  }

  /** Numbers are compared by what they evaluate to, and `-v` evaluates an index. */
  private compared(words: readonly Word[]): void {
    words.forEach(({ raw }, at) => {
      const next = words[at + 1];
      if (raw === "-v" && next !== undefined && (!next.fixed || next.text.includes("["))) {
        throw new NotUnderstood("which variable is looked at");
      }
      if (/^-(?:eq|ne|lt|le|gt|ge)$/.test(raw)) this.evaluated.push(words[at - 1]?.raw ?? "", next?.raw ?? "");
    });
  }

  private isRedirect(): boolean {
    return redirectStart.test(this.text.slice(this.position, this.position + 12)) && !this.isProcessSubstitution();
  }

  private redirect(): readonly Redirect[] {
    const [whole = "", operator = ""] = redirectStart.exec(this.text.slice(this.position)) ?? [];
    this.position += whole.length;
    this.blanks();
    const next = this.text[this.position];
    if (next === undefined || ("\n;&|()<>".includes(next) && !this.isProcessSubstitution())) {
      throw new NotUnderstood("a redirect without a target");
    }
    const target = this.word();
    if (operator === "<<" || operator === "<<-") {
      const expands = target.raw === target.text;
      this.hereDocuments.push({ end: target.text, expands, indented: operator === "<<-" });
    }
    // `2>&1`, `>&-`
    if (operator.endsWith("&") && target.fixed && /^(?:\d+-?|-)$/.test(target.text)) return [];
    return [{ operator, target }];
  }

  private readHereDocuments(): void {
    for (const { end, expands, indented } of this.hereDocuments.splice(0)) {
      const start = this.position;
      let bodyEnd: number | undefined;
      while (bodyEnd === undefined) {
        if (this.position >= this.text.length) throw new NotUnderstood("a here-document that does not end");
        const lineStart = this.position;
        const lineEnd = this.endOfLine();
        const line = this.text.slice(lineStart, lineEnd);
        this.position = Math.min(lineEnd + 1, this.text.length);
        if ((indented ? line.replace(/^\t+/, "") : line) === end) bodyEnd = lineStart;
      }
      // A backslash before the end of a line would hide the end of the document from us.
      if (expands && this.text.slice(start, this.position).includes("\\\n")) {
        throw new NotUnderstood("a long line in a here-document");
      }
      if (expands) this.inside(this.text.slice(start, bodyEnd), (parser) => parser.quotedText(undefined));
    }
  }
}

function assignmentOf(word: Word): { readonly name: string; readonly value: Word } | undefined {
  const [whole = "", name] = /^([A-Za-z_]\w*)\+?=/.exec(word.raw) ?? [];
  if (name === undefined) {
    if (/^[A-Za-z_]\w*\[/.test(word.raw) && word.raw.includes("=")) throw new NotUnderstood("an array");
    return undefined;
  }
  const cut = (text: string): string => text.slice(whole.length);
  return { name, value: { ...word, text: cut(word.text), shape: cut(word.shape), raw: cut(word.raw) } };
}

const charactersMax = 65_536;

/** Longest first. */
const operators = [";;&", ";;", ";&", ";", "&&", "&", "||", "|&", "|"];
const redirectStart = /^(?:\d+)?(&>>|&>|<<<|<<-|<<|<>|<&|<|>>|>&|>\||>)/;

const openingKeywords = new Set(["{", "!", "time", "if", "then", "else", "elif", "while", "until", "do"]);
const closingKeywords = new Set(["}", "fi", "done"]);
const refusedKeywords = new Set(["case", "esac", "select", "function", "coproc", "in"]);
