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
  let done: { readonly token: Token; lines: Lines }[] = [];
  let doneText = "";
  let laidOut = { width: 0, version: 0 };

  return {
    render(source, width, state = "complete") {
      const text = clean(source);
      if (!text.startsWith(doneText)) {
        done = [];
        doneText = "";
      }
      const context: Context = { width, highlighter, growing: false };
      const version = highlighter?.version() ?? 0;
      if (laidOut.width !== width || laidOut.version !== version) {
        for (const entry of done) entry.lines = renderBlock(entry.token, context);
        laidOut = { width, version };
      }
      const tokens = lexer(text.slice(doneText.length));
      // The last block may go on; blank lines after it change nothing about that.
      const lastAt = tokens.findLastIndex(({ type }) => type !== "space");
      for (const token of tokens.slice(0, Math.max(0, lastAt))) {
        doneText += token.raw;
        if (token.type !== "space") done.push({ token, lines: renderBlock(token, context) });
      }
      const last = tokens[lastAt];
      const growing = last === undefined ? [] : [renderBlock(last, { ...context, growing: state === "growing" })];
      return joined([...done.map(({ lines }) => lines), ...growing]);
    },
  };
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
