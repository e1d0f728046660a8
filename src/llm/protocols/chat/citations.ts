import { isJsonObject, type Citation } from "../../../core/index.ts";
import type { BlockWriter } from "../../writer.ts";

/** Gathers what an answer leans on: annotations of its message, or a list of sources beside it. */
export type Citations = {
  readonly annotations: (list: unknown) => void;
  /** Lists at the top of a chunk, each of them whole. */
  readonly sources: (chunk: { readonly citations?: unknown; readonly search_results?: unknown }) => void;
  /** The answer is over; `texts` are its text blocks. */
  readonly handOut: (out: BlockWriter, texts: ReadonlySet<number>) => void;
};

export function createCitations(): Citations {
  const annotated = new Map<string, Citation>();
  let listed: readonly Citation[] = [];
  return {
    annotations(list) {
      if (!Array.isArray(list)) return;
      for (const citation of list.flatMap(readAnnotation)) {
        annotated.set(`${citation.start ?? ""} ${citation.end ?? ""} ${citation.url}`, citation);
      }
    },
    sources({ citations, search_results }) {
      const found = [search_results, citations].find((list) => Array.isArray(list) && list.length > 0);
      if (Array.isArray(found)) listed = found.flatMap(readSource);
    },
    handOut(out, texts) {
      const last = [...texts].at(-1);
      if (last === undefined) return;
      for (const { start, end, ...source } of annotated.size > 0 ? annotated.values() : listed) {
        // Places are counted over the whole answer, which is one block or cannot be told apart.
        const place = start === undefined || end === undefined || texts.size > 1 ? {} : { start, end };
        out.citation(last, { ...source, ...place });
      }
    },
  };
}

function readAnnotation(annotation: unknown): readonly Citation[] {
  if (!isJsonObject(annotation) || annotation["type"] !== "url_citation") return [];
  // Nested by the author of this wire, flat on some servers.
  const cited = isJsonObject(annotation["url_citation"]) ? annotation["url_citation"] : annotation;
  const { url, title, content, start_index: start, end_index: end } = cited;
  if (!isText(url)) return [];
  const hasPlace = typeof start === "number" && typeof end === "number" && end > start;
  return [
    {
      url,
      ...(isText(title) ? { title } : {}),
      ...(isText(content) ? { cited_text: content } : {}),
      ...(hasPlace ? { start, end } : {}),
    },
  ];
}

/** An address by itself, or a result of the search. */
function readSource(source: unknown): readonly Citation[] {
  if (isText(source)) return [{ url: source }];
  if (!isJsonObject(source)) return [];
  const { url, title, snippet } = source;
  if (!isText(url)) return [];
  return [{ url, ...(isText(title) ? { title } : {}), ...(isText(snippet) ? { cited_text: snippet } : {}) }];
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}
