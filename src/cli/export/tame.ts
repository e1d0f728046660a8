/**
 * Markdown from a model or a person, fit to stand in the middle of a page: tags are text, and what it opens it closes.
 * An answer that was cut off inside a block of code would take the rest of the page with it.
 */
export function tame(markdown: string): string {
  const lines: string[] = [];
  let open: Fence | undefined;
  for (const line of markdown.split("\n")) {
    if (open === undefined) {
      open = fenceOf(line);
      lines.push(open === undefined ? withoutTags(line) : line);
    } else {
      if (closes(line, open)) open = undefined;
      lines.push(line);
    }
  }
  if (open !== undefined) lines.push(`${open.indent}${open.mark.repeat(open.length)}`);
  return lines.join("\n");
}

type Fence = { readonly mark: string; readonly length: number; readonly indent: string };

/** In a list or a quotation it stands further to the right. */
function fenceOf(line: string): Fence | undefined {
  const [, indent = "", run = "", info = ""] = /^((?:[ >]|[-*+] |\d+[.)] )*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  const mark = run.charAt(0);
  // Backticks further right make it a span of code, not a block.
  if (mark === "" || (mark === "`" && info.includes("`"))) return undefined;
  return { mark, length: run.length, indent: indent.replaceAll(/[^ >]/g, " ") };
}

function closes(line: string, { mark, length }: Fence): boolean {
  const text = line.replace(/^[ >]*/, "").trimEnd();
  return text.length >= length && text === mark.repeat(text.length);
}

/** Outside of code. An address in angle brackets stays one; a picture, which a reader would fetch, becomes one. */
function withoutTags(line: string): string {
  return line
    .split(/(`+[^`]*`+)/)
    .map((piece, index) => (index % 2 === 1 ? piece : piece.replaceAll(tag, "\\<").replaceAll(picture, "\\![")))
    .join("");
}

const tag = /(?<!\\)<(?!https?:\/\/)(?=[a-z/!?])/gi;
const picture = /(?<!\\)!\[/g;
