/** What a person typed into a search, ready for an engine. */
export type SearchPlan = {
  readonly terms: readonly Term[];
  readonly order: "newest" | "best";
  readonly limit: number;
  readonly offset: number;
  readonly before_id: number | undefined;
  readonly folder: string | undefined;
  readonly session_uuid: string | undefined;
};

/** Words that follow each other; a single word is the short case of it. */
export type Term = {
  readonly words: readonly string[];
  /** The last word is only the beginning of one. */
  readonly prefix: boolean;
  readonly excluded: boolean;
  /** Written without spaces between words: looked for as it stands, anywhere. */
  readonly unspaced: boolean;
};

export type SearchRow = {
  readonly id: number;
  readonly uuid: string;
  readonly kind: string;
  readonly content: string;
  readonly created_at: number;
  readonly agent_uuid: string;
  readonly session_uuid: string;
  readonly folder: string | null;
  readonly title: string | null;
};

/** `words all must be there`, `"these in this order"`, `begin*`, `-without`. Punctuation separates words. */
export function parseQuery(text: string): readonly Term[] {
  return [...text.matchAll(pieces)].flatMap(([, minus = "", quoted, star, plain = "", plainStar]) => {
    const words = wordsOf(quoted ?? plain);
    if (words.length === 0) return [];
    const unspaced = words.some((word) => unspacedScript.test(word));
    return [{ words, prefix: (star ?? plainStar) === "*", excluded: minus === "-", unspaced }];
  });
}

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{N}\p{M}\p{Co}]+/gu) ?? [];
}

const pieces = /(-?)(?:"([^"]*)"?(\*?)|([^\s"*]+)(\*?))/g;
const unspacedScript = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
