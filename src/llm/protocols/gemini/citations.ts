import { isJsonObject, type Citation, type JsonObject, type JsonValue } from "../../../core/index.ts";

/** A text block of the answer. Its text is there only where places were asked for. */
export type WrittenText = { readonly block: number; readonly text?: string };

/** Remembers which text blocks there are and, where that is wanted, what they say. */
export function createWrittenTexts(keeps: boolean): {
  readonly add: (block: number, piece: string) => void;
  readonly all: () => readonly WrittenText[];
} {
  const written = new Map<number, string[]>();
  return {
    add(block, piece) {
      // A block that holds nothing but a signature leans on nothing.
      if (piece === "") return;
      const pieces = written.get(block);
      if (pieces === undefined) written.set(block, keeps ? [piece] : []);
      else if (keeps) pieces.push(piece);
    },
    all: () => [...written].map(([block, pieces]) => (keeps ? { block, text: pieces.join("") } : { block })),
  };
}

export type PlacedCitation = { readonly block: number; readonly citation: Citation };

/** What `groundingMetadata` says the answer leans on, as citations of its text blocks. */
export function groundedCitations(metadata: JsonValue | undefined, texts: readonly WrittenText[]): PlacedCitation[] {
  const last = texts.at(-1);
  if (!isJsonObject(metadata) || last === undefined) return [];
  const { groundingChunks, groundingSupports } = metadata;
  const sources = objectsIn(groundingChunks).map(sourceOf);
  const locate = locator(texts);
  const supported = objectsIn(groundingSupports).flatMap((support) => {
    const place = locate(support["segment"]);
    const indices = support["groundingChunkIndices"];
    return (Array.isArray(indices) ? indices : []).flatMap((index) => {
      const source = typeof index === "number" ? sources[index] : undefined;
      return source === undefined ? [] : [{ block: place.block, citation: { ...source, ...place.range } }];
    });
  });
  if (supported.length > 0) return supported;
  return sources.flatMap((source) => (source === undefined ? [] : [{ block: last.block, citation: source }]));
}

/** The web, or a document that came with an address. */
function sourceOf({ web, retrievedContext }: JsonObject): Citation | undefined {
  const source = isJsonObject(web) ? web : isJsonObject(retrievedContext) ? retrievedContext : {};
  const { uri, title, text } = source;
  if (!isText(uri)) return undefined;
  return { url: uri, ...(isText(title) ? { title } : {}), ...(isText(text) ? { cited_text: text } : {}) };
}

type Place = { readonly block: number; readonly range: { readonly start?: number; readonly end?: number } };

/** Places are counted in bytes over all text of the answer; ours are counted in characters of one block. */
function locator(texts: readonly WrittenText[]): (segment: JsonValue | undefined) => Place {
  const nowhere: Place = { block: texts.at(-1)?.block ?? 0, range: {} };
  if (texts.some(({ text }) => text === undefined)) return () => nowhere;
  const whole = texts.map(({ text }) => text ?? "").join("");
  const bytes = new TextEncoder().encode(whole);
  const decoder = new TextDecoder();
  return (segment) => {
    if (!isJsonObject(segment)) return nowhere;
    const { startIndex, text } = segment;
    if (!isText(text)) return nowhere;
    const counted = decoder.decode(bytes.subarray(0, typeof startIndex === "number" ? startIndex : 0)).length;
    // Some answers are counted otherwise than they are sent; then the words themselves say where they stand.
    const start = whole.startsWith(text, counted) ? counted : whole.indexOf(text);
    return start === -1 ? nowhere : (placeIn(texts, start, text.length) ?? nowhere);
  };
}

function placeIn(texts: readonly WrittenText[], start: number, length: number): Place | undefined {
  let before = 0;
  for (const { block, text = "" } of texts) {
    const from = start - before;
    if (from < text.length) return { block, range: { start: from, end: Math.min(from + length, text.length) } };
    before += text.length;
  }
  return undefined;
}

function objectsIn(list: JsonValue | undefined): readonly JsonObject[] {
  return Array.isArray(list) ? list.map((item) => (isJsonObject(item) ? item : {})) : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
