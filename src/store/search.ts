import type { LogEntry } from "../core/index.ts";
import type { Context } from "./context.ts";
import { StoreError } from "./errors.ts";
import { parseQuery, type SearchRow, type Term } from "./query.ts";
import { decodeText } from "./text.ts";

export type Hit = {
  readonly id: number;
  readonly uuid: string;
  readonly kind: LogEntry["kind"];
  readonly agent_uuid: string;
  readonly session_uuid: string;
  readonly folder?: string;
  readonly title?: string;
  readonly created_at: number;
  /** The text around what was found. */
  readonly excerpt: string;
};

export type SearchOptions = {
  /** "best" reads every hit and takes its time; PostgreSQL ranks the newest ten thousand. */
  readonly order?: "newest" | "best";
  readonly limit?: number;
  readonly offset?: number;
  /** The next page of the newest: the id of the last hit. */
  readonly before_id?: number;
  readonly folder?: string;
  readonly session_uuid?: string;
  readonly signal?: AbortSignal;
};

/** `words all must be there`, `"these in this order"`, `begin*`, `-without`. */
export type Search = (query: string, options?: SearchOptions) => Promise<readonly Hit[]>;

export function createSearch({ engine, seal }: Context): Search {
  return async (query, options = {}) => {
    const terms = parseQuery(query);
    if (!terms.some((term) => !term.excluded)) {
      throw new StoreError("invalid", "a search needs at least one word that has to be there");
    }
    const { order = "newest", limit = 20, offset = 0, before_id, folder, session_uuid, signal } = options;
    const plan = {
      terms,
      order,
      limit,
      offset,
      before_id,
      folder: folder === undefined ? undefined : seal(folder),
      session_uuid,
    };
    const rows = await engine.search(plan, signal);
    return rows.map((row) => hitFrom(row, terms));
  };
}

function hitFrom(row: SearchRow, terms: readonly Term[]): Hit {
  const { id, uuid, kind, agent_uuid, session_uuid, created_at, folder, title } = row;
  return {
    id,
    uuid,
    kind: kind as LogEntry["kind"],
    agent_uuid,
    session_uuid,
    ...(folder === null ? {} : { folder: decodeText(folder) }),
    ...(title === null ? {} : { title: decodeText(title) }),
    created_at,
    excerpt: excerpt(decodeText(row.content), terms),
  };
}

/** One line around the first of the words. */
function excerpt(text: string, terms: readonly Term[]): string {
  const plain = fold(text);
  const places = terms
    .filter((term) => !term.excluded)
    .map(({ words: [word = ""] }) => plain.indexOf(fold(word)))
    .filter((place) => place >= 0);
  const place = places.length === 0 ? 0 : Math.min(...places);
  const start = text.length <= excerptLength ? 0 : wordStart(text, place - excerptBefore);
  const end = Math.min(text.length, start + excerptLength);
  const line = text.slice(start, end).replaceAll(/\s+/g, " ").trim();
  return `${start > 0 ? "… " : ""}${line}${end < text.length ? " …" : ""}`;
}

function wordStart(text: string, from: number): number {
  if (from <= 0) return 0;
  const space = text.slice(from, from + excerptBefore).search(/\s/);
  return space < 0 ? from : from + space + 1;
}

/** The same length as the text, so that places in one are places in the other. */
function fold(text: string): string {
  return text.replaceAll(/\p{L}/gu, (letter) => {
    const folded = letter.normalize("NFD").charAt(0).toLowerCase();
    return folded.length === letter.length ? folded : letter;
  });
}

const excerptBefore = 40;
const excerptLength = 160;
