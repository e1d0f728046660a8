import { globMark, NotUnderstood, unknownMark, type SimpleCommand, type Word } from "./shell-words.ts";

/** Reads words, and the commands inside of them wherever the shell would run some. */
export abstract class WordReader {
  readonly commands: SimpleCommand[] = [];
  /** Texts that the shell will read as arithmetic. */
  readonly evaluated: string[] = [];
  protected position = 0;
  private nesting = 0;
  protected readonly text: string;
  private readonly depth: number;

  constructor(text: string, depth: number) {
    if (depth > depthMax) throw new NotUnderstood("it is nested too deeply");
    this.text = text;
    this.depth = depth;
  }

  /** Commands up to `end` (a closing parenthesis, consumed) or the end of the text. */
  abstract list(end: ")" | undefined): void;
  /** Whether a here-document has begun whose text has not been read. */
  protected abstract isWaiting(): boolean;
  protected abstract another(text: string, depth: number): WordReader;

  protected word(): Word {
    const start = this.position;
    const builder = new WordBuilder();
    for (;;) {
      const next = this.text[this.position];
      if (next === undefined || " \t\n;&|".includes(next)) break;
      if (next === "(" || next === ")") {
        if (next === "(" && this.position > start) throw new NotUnderstood("a function, an array or a pattern");
        break;
      }
      if ((next === "<" || next === ">") && !this.isProcessSubstitution()) break;
      this.piece(next, builder, start);
    }
    if (this.position === start) throw new NotUnderstood(`"${this.text[start] ?? ""}"`);
    return builder.word(this.text.slice(start, this.position));
  }

  private piece(next: string, builder: WordBuilder, start: number): void {
    if (next === "\\") {
      const escaped = this.text[this.position + 1];
      if (escaped === undefined) throw new NotUnderstood("a backslash at the end");
      this.position += 2;
      if (escaped !== "\n") builder.literal(escaped);
    } else if (next === "'") {
      builder.literal(this.singleQuoted());
    } else if (next === '"') {
      this.position += 1;
      this.quotedText('"', builder);
    } else if (next === "$") {
      this.dollar(builder, "unquoted");
    } else if (next === "`") {
      this.backticks();
      builder.unknown("unquoted");
    } else if (next === "<" || next === ">") {
      this.position += 2;
      this.nested(() => this.list(")"));
      builder.unknown("quoted");
    } else if (next === "*" || next === "?") {
      this.position += 1;
      builder.glob();
    } else if (next === "[") {
      this.bracket(builder);
    } else if (next === "{") {
      this.brace(builder);
    } else if (next === "~" && this.position === start) {
      this.tilde(builder);
    } else {
      this.position += 1;
      builder.literal(next);
    }
  }

  private singleQuoted(): string {
    const end = this.text.indexOf("'", this.position + 1);
    if (end === -1) throw new NotUnderstood("a quote that does not end");
    const text = this.text.slice(this.position + 1, end);
    this.position = end + 1;
    return text;
  }

  /** Text in double quotes, or a here-document (`end` undefined). */
  quotedText(end: '"' | undefined, builder: WordBuilder = new WordBuilder()): void {
    builder.literal("");
    for (;;) {
      const next = this.text[this.position];
      if (next === undefined) {
        if (end === undefined) return;
        throw new NotUnderstood("a quote that does not end");
      }
      if (next === end) {
        this.position += 1;
        return;
      }
      if (next === "\\") {
        const escaped = this.text[this.position + 1] ?? "";
        this.position += 2;
        if (escaped !== "\n") builder.literal('$`"\\'.includes(escaped) ? escaped : `\\${escaped}`);
      } else if (next === "$") {
        this.dollar(builder, "quoted");
      } else if (next === "`") {
        this.backticks();
        builder.unknown("quoted");
      } else {
        this.position += 1;
        builder.literal(next);
      }
    }
  }

  private dollar(builder: WordBuilder, place: Place): void {
    const rest = this.text.slice(this.position + 1, this.position + 3);
    if (rest.startsWith("((")) {
      this.arithmetic();
    } else if (rest.startsWith("(")) {
      this.position += 2;
      this.nested(() => this.list(")"));
    } else if (rest.startsWith("{")) {
      this.parameter();
    } else if (rest.startsWith("[")) {
      throw new NotUnderstood("old arithmetic");
    } else if (place === "unquoted" && rest.startsWith("'")) {
      return this.ansiQuoted(builder);
    } else if (place === "unquoted" && rest.startsWith('"')) {
      this.position += 2;
      return this.quotedText('"', builder);
    } else {
      const [name] = /^(?:[A-Za-z_]\w*|[0-9@*#?$!-])/.exec(this.text.slice(this.position + 1)) ?? [];
      this.position += 1 + (name?.length ?? 0);
      if (name === undefined) return builder.literal("$");
    }
    builder.unknown(place);
  }

  /** `$(( … ))`: nothing runs in it but substitutions, and what variables hold. */
  private arithmetic(): void {
    this.position += 3;
    const start = this.position;
    let open = 0;
    for (;;) {
      const next = this.text[this.position];
      if (next === undefined) throw new NotUnderstood("arithmetic that does not end");
      if (next === "$") this.dollar(new WordBuilder(), "quoted");
      else if (next === "`") this.backticks();
      else if (next === ")" && open === 0) {
        if (this.text[this.position + 1] !== ")") throw new NotUnderstood("a substitution that looks like arithmetic");
        this.evaluated.push(this.text.slice(start, this.position));
        this.position += 2;
        return;
      } else {
        if (next === "(") open += 1;
        if (next === ")") open -= 1;
        this.position += 1;
      }
    }
  }

  /** `${ … }`, with whatever stands in it. */
  private parameter(): void {
    const start = this.position;
    this.position += 2;
    for (;;) {
      const next = this.text[this.position];
      if (next === undefined) throw new NotUnderstood('a "${" that does not end');
      if (next === "}") break;
      if (next === "\\") this.position += 2;
      // Between double quotes it is a plain character, elsewhere it quotes.
      else if (next === "'") throw new NotUnderstood("a quote inside of an expansion");
      else if (next === '"') {
        this.position += 1;
        this.quotedText('"');
      } else if (next === "$") this.dollar(new WordBuilder(), "quoted");
      else if (next === "`") this.backticks();
      else this.position += 1;
    }
    this.position += 1;
    const whole = this.text.slice(start, this.position);
    // `${x@P}` runs what is in x, `${!x}` reads what x names, `${ cmd; }` is a substitution of newer shells.
    if (/^\$\{[!\s|]|@[A-Za-z]\}$/.test(whole)) throw new NotUnderstood("an unusual expansion");
    // `${x:a:b}` and `${x[a]}`
    const [, index, part] = /^\$\{#?\w+(?:\[([^\]]*)\])?(?::([^-=?+][\s\S]*))?/.exec(whole) ?? [];
    for (const text of [index, part]) if (text !== undefined && !/^[@*]$/.test(text)) this.evaluated.push(text);
  }

  private backticks(): void {
    const rest = this.text.slice(this.position + 1);
    const end = /(?<!\\)(?:\\\\)*`/.exec(rest);
    if (end === null) throw new NotUnderstood("a backtick that does not end");
    const length = end.index + end[0].length - 1;
    this.position += length + 2;
    if (rest.slice(0, length).includes('\\"')) throw new NotUnderstood("escaped quotes between backticks");
    const script = rest.slice(0, length).replace(/\\([`\\$])/g, "$1");
    this.inside(script, (parser) => parser.list(undefined));
  }

  /** `$'…'`: known where it has no escapes. */
  private ansiQuoted(builder: WordBuilder): void {
    const [whole, text = ""] = /^\$'((?:[^'\\]|\\[\s\S])*)'/.exec(this.text.slice(this.position)) ?? [];
    if (whole === undefined) throw new NotUnderstood("a quote that does not end");
    this.position += whole.length;
    if (text.includes("\\")) builder.unknown("quoted");
    else builder.literal(text);
  }

  private bracket(builder: WordBuilder): void {
    const [whole] = /^\[[!^]?\]?[^\]\s'"`$\\;&|<>()]*\]/.exec(this.text.slice(this.position)) ?? [];
    this.position += whole?.length ?? 1;
    if (whole === undefined) builder.literal("[");
    else builder.glob();
  }

  /** `{}` and `{x}` are themselves; what expands into several words is not guessed. */
  private brace(builder: WordBuilder): void {
    const rest = this.text.slice(this.position + 1);
    if (/^[^}\s]/.test(rest) && /(?:,|\.\.)[\s\S]*\}/.test(rest)) throw new NotUnderstood("a brace expansion");
    if (/^\{\w+\}[<>]/.test(this.text.slice(this.position))) throw new NotUnderstood("an unusual redirect");
    this.position += 1;
    builder.literal("{");
  }

  private tilde(builder: WordBuilder): void {
    this.position += 1;
    const next = this.text[this.position];
    if (next === undefined || "/ \t\n;&|".includes(next)) builder.literal("~");
    else builder.unknown("quoted");
  }

  protected blanks(): void {
    for (;;) {
      const next = this.text[this.position];
      if (next === " " || next === "\t") this.position += 1;
      else if (this.text.startsWith("\\\n", this.position)) this.position += 2;
      else if (next === "#") this.position = this.endOfLine();
      else return;
    }
  }

  protected endOfLine(): number {
    const found = this.text.indexOf("\n", this.position);
    return found === -1 ? this.text.length : found;
  }

  protected isProcessSubstitution(): boolean {
    return this.text.startsWith("<(", this.position) || this.text.startsWith(">(", this.position);
  }

  /** Reads a text of its own (a here-document, what stands between backticks); its commands are ours. */
  protected inside(text: string, read: (parser: WordReader) => void): void {
    const parser = this.another(text, this.depth + 1);
    read(parser);
    this.commands.push(...parser.commands);
    this.evaluated.push(...parser.evaluated);
  }

  protected nested(read: () => void): void {
    this.nesting += 1;
    if (this.isWaiting()) throw new NotUnderstood("a substitution after the start of a here-document");
    if (this.nesting + this.depth > depthMax) throw new NotUnderstood("it is nested too deeply");
    read();
    this.nesting -= 1;
  }
}

type Place = "quoted" | "unquoted";

class WordBuilder {
  private text = "";
  private shape = "";
  private fixed = true;
  private splits = false;

  literal(text: string): void {
    this.text += text;
    this.shape += text;
  }

  glob(): void {
    this.fixed = false;
    this.splits = true;
    this.shape += globMark;
  }

  unknown(place: Place): void {
    this.fixed = false;
    this.splits ||= place === "unquoted";
    this.shape += unknownMark;
  }

  word(raw: string): Word {
    return { text: this.fixed ? this.text : raw, fixed: this.fixed, splits: this.splits, shape: this.shape, raw };
  }
}

const depthMax = 16;
