import { lexer, type Token, type Tokens } from "marked";
import type { Highlighter } from "./highlight.ts";
import { type Line, type Lines, lineWidth, span, type Span, type Style } from "./line.ts";
import { renderTable } from "./table.ts";
import { clean } from "./width.ts";
import { wrap } from "./wrap.ts";

/** One text that may still be growing. Of what is finished, nothing is read or laid out again. */
export type MarkdownText = {
  readonly render: (text: string, width: number, state?: "growing" | "complete") => Lines;
};

export function createMarkdown(highlighter?: Highlighter): MarkdownText {
  let last: Reading | undefined;
  return {
    render(source, width, state = "complete") {
      const growing = state === "growing";
      const context: Context = { width, highlighter, growing };
      // What was cut into pieces while it grew is laid out in one piece when it is whole.
      const goesOn = last !== undefined && last.growing === growing && source.startsWith(last.taken);
      const reading = goesOn && last !== undefined ? last : startReading(growing);
      last = reading;
      layOutAgain(reading, context);
      readOn(reading, source, context);
      return [...reading.lines, ...reading.tail];
    },
  };
}

type Reading = {
  readonly growing: boolean;
  /** What has been read for good. */
  taken: string;
  /** Read and cleaned, but its last block may go on. */
  open: string;
  readonly done: { readonly token: Token; readonly joins: boolean }[];
  lines: Line[];
  tail: Lines;
  laid_out: string;
  /** The last finished block is the beginning of what follows; for code, how that began. */
  piece: { readonly opening: string } | undefined;
};

function startReading(growing: boolean): Reading {
  return { growing, taken: "", open: "", done: [], lines: [], tail: [], laid_out: "", piece: undefined };
}

function layOutAgain(reading: Reading, context: Context): void {
  const laid_out = `${context.width} ${context.highlighter?.version() ?? 0}`;
  if (reading.laid_out === laid_out) return;
  reading.laid_out = laid_out;
  reading.lines = [];
  for (const { token, joins } of reading.done)
    addBlock(reading.lines, renderBlock(token, { ...context, growing: false }), joins);
}

/** Whole lines are cleaned once; an escape code may still be cut off in the last one. */
function readOn(reading: Reading, source: string, context: Context): void {
  const wholeTo = source.lastIndexOf("\n") + 1;
  if (wholeTo > reading.taken.length) {
    reading.open += clean(source.slice(reading.taken.length, wholeTo));
    reading.taken = source.slice(0, wholeTo);
  }
  const opening = reading.piece?.opening ?? "";
  const tokens = lexer(opening + reading.open + clean(source.slice(reading.taken.length)));
  // The last block may go on; blank lines after it change nothing about that.
  const lastAt = tokens.findLastIndex(({ type }) => type !== "space");
  for (const token of tokens.slice(0, Math.max(0, lastAt))) finish(reading, token, token.raw, context);
  const growing = tokens[lastAt];
  const rest = growing === undefined ? undefined : withoutFinished(reading, growing, context);
  const tail = rest === undefined ? [] : renderBlock(rest, context);
  const apart = tail.length > 0 && reading.lines.length > 0 && reading.piece === undefined;
  reading.tail = apart ? [[], ...tail] : tail;
}

function finish(reading: Reading, token: Token, raw: string, context: Context): void {
  reading.open = reading.open.slice(raw.length - (reading.piece?.opening.length ?? 0));
  const joins = reading.piece !== undefined;
  if (token.type === "space") return;
  reading.piece = undefined;
  reading.done.push({ token, joins });
  addBlock(reading.lines, renderBlock(token, { ...context, growing: false }), joins);
}

/** Of a long list or a long piece of code that grows, all but its end is finished. */
function withoutFinished(reading: Reading, token: Token, context: Context): Token {
  if (!reading.growing || token.raw.length < pieceMin) return token;
  if (token.type === "list") return listEnd(reading, token as Tokens.List, context);
  return token.type === "code" ? codeEnd(reading, token as Tokens.Code, context) : token;
}

function listEnd(reading: Reading, list: Tokens.List, context: Context): Token {
  const items = list.items.slice(0, -1);
  const end = list.items.at(-1);
  const raw = items.map((item) => item.raw).join("");
  if (end === undefined || items.length === 0 || !list.raw.startsWith(raw)) return list;
  finish(reading, { ...list, items }, raw, context);
  reading.piece = { opening: "" };
  const start = list.start === "" ? "" : list.start + items.length;
  return { ...list, items: [end], start };
}

function codeEnd(reading: Reading, code: Tokens.Code, context: Context): Token {
  const opening = /^ {0,3}(?:`{3,}|~{3,})[^\n]*\n/.exec(code.raw)?.[0];
  const lines = code.text.split("\n");
  const text = lines.slice(0, -1).join("\n");
  if (opening === undefined || !code.raw.startsWith(`${opening}${text}\n`)) return code;
  finish(reading, { ...code, text }, `${opening}${text}\n`, context);
  reading.piece = { opening };
  return { ...code, text: lines.at(-1) ?? "" };
}

function addBlock(lines: Line[], block: Lines, joins: boolean): void {
  if (block.length > 0 && lines.length > 0 && !joins) lines.push([]);
  for (const row of block) lines.push(row);
}

/** A whole text at once. */
export function renderMarkdown(text: string, width: number, highlighter?: Highlighter): Lines {
  return createMarkdown(highlighter).render(text, width);
}

type Context = {
  readonly width: number;
  readonly highlighter: Highlighter | undefined;
  /** Long code is coloured when it is complete. */
  readonly growing: boolean;
};

function joined(blocks: readonly Lines[]): Lines {
  return blocks.filter(({ length }) => length > 0).flatMap((lines, index) => (index === 0 ? lines : [[], ...lines]));
}

function renderBlocks(tokens: readonly Token[], context: Context): Lines {
  return joined(tokens.filter(({ type }) => type !== "space").map((token) => renderBlock(token, context)));
}

function renderBlock(token: Token, context: Context): Lines {
  const render = blocks[token.type];
  return render === undefined ? wrapInline([token], context.width) : render(token, context);
}

type BlockRenderer = (token: Token, context: Context) => Lines;

function renderHeading(token: Token, { width }: Context): Lines {
  const { depth, tokens } = token as Tokens.Heading;
  const style: Style = { color: "heading", bold: true, ...(depth === 1 ? { underline: true } : {}) };
  return wrapInline(tokens, width, style);
}

function renderCode(token: Token, { width, highlighter, growing }: Context): Lines {
  const { text, lang = "" } = token as Tokens.Code;
  const plain = text.split("\n");
  const language = lang.split(/[\s,{]/)[0] ?? "";
  const colored = growing && plain.length > growingCodeMax ? undefined : highlighter?.highlight(text, language);
  const lines = colored ?? plain.map((row): Line => (row === "" ? [] : [span(row, codeStyle)]));
  return lines.flatMap((row) => wrap([margin, ...row], width, [margin]));
}

function renderQuote(token: Token, context: Context): Lines {
  const { tokens } = token as Tokens.Blockquote;
  const inner = renderBlocks(tokens, { ...context, width: Math.max(1, context.width - 2) });
  return inner.map((row): Line => [quoteMark, ...row]);
}

function renderList(token: Token, context: Context): Lines {
  const { items, ordered, start, loose } = token as Tokens.List;
  const rendered = items.map((item, index) => {
    const bullet = ordered ? `${(start === "" ? 1 : start) + index}. ` : "• ";
    return renderItem(item, bullet, context);
  });
  return loose ? joined(rendered) : rendered.flat();
}

function renderItem(item: Tokens.ListItem, bullet: string, context: Context): Lines {
  const task = item.task ? (item.checked === true ? "☑ " : "☐ ") : "";
  const mark = span(task === "" ? bullet : task, { color: "accent" });
  const indent = lineWidth([mark]);
  const inner = { ...context, width: Math.max(1, context.width - indent) };
  const parts = item.tokens.filter(({ type }) => type !== "space" && type !== "checkbox");
  const lines = item.loose
    ? joined(parts.map((part) => renderBlock(part, inner)))
    : parts.flatMap((part) => renderBlock(part, inner));
  if (lines.length === 0) return [[mark]];
  return lines.map((row, index): Line =>
    index === 0 ? [mark, ...row] : row.length === 0 ? [] : [span(" ".repeat(indent)), ...row],
  );
}

function renderTableToken(token: Token, { width }: Context): Lines {
  const { header, rows, align } = token as Tokens.Table;
  const cell = ({ tokens }: Tokens.TableCell): Line => inline(tokens).flat();
  const table = { header: header.map(cell), rows: rows.map((row) => row.map(cell)) };
  return renderTable({ ...table, align: align.map((side) => side ?? undefined) }, width);
}

function wrapInline(tokens: readonly Token[], width: number, style?: Style): Lines {
  return inline(tokens, style).flatMap((row) => wrap(row, width));
}

/** The spans of a text, one list for each of its lines. */
function inline(tokens: readonly Token[], style?: Style): readonly Line[] {
  const lines: Span[][] = [[]];
  addInline(tokens, style, lines);
  return lines;
}

function addInline(tokens: readonly Token[], style: Style | undefined, lines: Span[][]): void {
  for (const token of tokens) {
    const own = inlineStyles[token.type];
    const merged = own === undefined ? style : { ...style, ...own };
    if (token.type === "br") lines.push([]);
    else if (token.type === "link") addLink(token as Tokens.Link, style, lines);
    else if (token.type === "image") addText(`[image: ${(token as Tokens.Image).text}]`, style, lines);
    else if ("tokens" in token && token.tokens !== undefined) addInline(token.tokens, merged, lines);
    else
      addText(
        "text" in token && typeof token.text === "string" ? decode(token.text, token.type) : token.raw,
        merged,
        lines,
      );
  }
}

/** The address stands beside the words: not every terminal can open what it does not show. */
function addLink({ href, text, tokens }: Tokens.Link, style: Style | undefined, lines: Span[][]): void {
  addInline(tokens, { ...style, color: "link", underline: true, link: href }, lines);
  if (href !== text && href !== `mailto:${text}` && href !== `http://${text}`)
    addText(` (${href})`, { ...style, color: "muted" }, lines);
}

function addText(text: string, style: Style | undefined, lines: Span[][]): void {
  text.split("\n").forEach((part, index) => {
    if (index > 0) lines.push([]);
    if (part !== "") lines.at(-1)?.push(style === undefined ? span(part) : span(part, style));
  });
}

/** In code everything stands for itself. */
function decode(text: string, type: string): string {
  if (type === "codespan") return text;
  return text.replace(/&(amp|lt|gt|quot|#39|nbsp);/g, (_, name: string) => entities[name] ?? "");
}

const growingCodeMax = 200;
/** A block of so many letters is read anew with each word it gets; longer ones in pieces. */
const pieceMin = 2000;
const margin = span("  ");
const codeStyle: Style = { color: "code" };
const quoteMark = span("│ ", { color: "muted" });
const entities: { readonly [name: string]: string } = { amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'", nbsp: " " };

const inlineStyles: { readonly [type: string]: Style } = {
  strong: { bold: true },
  em: { italic: true },
  del: { strike: true },
  codespan: { color: "code" },
};

const blocks: { readonly [type: string]: BlockRenderer } = {
  heading: renderHeading,
  paragraph: (token, { width }) => wrapInline((token as Tokens.Paragraph).tokens, width),
  text: (token, { width }) => wrapInline((token as Tokens.Text).tokens ?? [token], width),
  code: renderCode,
  blockquote: renderQuote,
  list: renderList,
  table: renderTableToken,
  def: () => [],
  hr: (_, { width }) => [[span("─".repeat(width), { color: "muted" })]],
  html: (token, { width }) =>
    wrapInline([{ type: "text", raw: token.raw.trimEnd(), text: token.raw.trimEnd() }], width),
};
