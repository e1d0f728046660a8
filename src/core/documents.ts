import type { DocumentBlock } from "./messages.ts";

/** Whether a document is plain text, which any model can be shown. */
export function isTextDocument(block: DocumentBlock): block is DocumentBlock & { data: string; media_type: string } {
  return "data" in block && textTypes.test(block.media_type);
}

/** What a text document says; undefined for a PDF, an address, or data that is no base64. */
export function documentText(block: DocumentBlock): string | undefined {
  if (!isTextDocument(block)) return undefined;
  try {
    const bytes = Uint8Array.from(atob(block.data), (character) => character.charCodeAt(0));
    return new TextDecoder().decode(bytes);
  } catch {
    return undefined;
  }
}

/** A text document as part of a prompt, for wires that have no place for documents. */
export function documentAsText(block: DocumentBlock): string | undefined {
  const text = documentText(block);
  if (text === undefined) return undefined;
  const title = block.title === undefined ? "" : ` title=${JSON.stringify(block.title)}`;
  return `<document${title}>\n${text}\n</document>`;
}

/** What a document is called, for wires that want a file name. */
export function documentName(block: DocumentBlock): string {
  if (block.title !== undefined && block.title !== "") return block.title;
  const ending = block.media_type === undefined ? undefined : endings[block.media_type];
  return `document${ending ?? ""}`;
}

const textTypes =
  /^text\/|^application\/(?:json|xml|yaml|x-yaml|toml|javascript|typescript|sql|csv|x-sh)\b|\+(?:json|xml)$/i;

const endings: { readonly [media_type: string]: string | undefined } = {
  "application/pdf": ".pdf",
  "text/plain": ".txt",
  "text/markdown": ".md",
  "text/csv": ".csv",
  "text/html": ".html",
  "application/json": ".json",
};
