import type { UserBlock } from "../../core/index.ts";

/** What a person typed, and the files that went with it: files of text are blocks of text as well. */
export function saidWith(
  content: string,
  blocks: readonly UserBlock[],
): { readonly text: string; readonly files: readonly string[] } {
  const texts: string[] = [];
  const files: string[] = [];
  for (const block of blocks) {
    const path = block.type === "text" ? fileText.exec(block.text)?.[1] : nameOf(block);
    if (path !== undefined) files.push(path);
    else if (block.type === "text") texts.push(block.text);
  }
  return { text: texts.length === 0 ? withoutFiles(content) : texts.join("\n"), files };
}

/** The same of a text that waits, whose blocks nobody has kept. */
export function withoutFiles(text: string): string {
  let left = text;
  for (let found = fileText.exec(left); found !== null; found = fileText.exec(left)) {
    const end = left.indexOf(fileEnd);
    if (end === -1) break;
    left = left.slice(end + fileEnd.length);
  }
  return left;
}

function nameOf(block: Exclude<UserBlock, { readonly type: "text" }>): string {
  if ("title" in block && block.title !== undefined) return block.title;
  const kind = `${block.type}${block.media_type === undefined ? "" : ` (${block.media_type})`}`;
  return "url" in block && block.url !== undefined ? block.url : kind;
}

const fileText = /^<file path="([^"\n]*)">\n/;
const fileEnd = "\n</file>";
