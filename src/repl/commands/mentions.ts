import type { UserBlock } from "../../core/index.ts";
import type { Services } from "../services.ts";

/** `@path` in a text, outside of code. */
export type Mention = {
  readonly path: string;
  /** Where it stands, with its `@`. */
  readonly start: number;
  readonly end: number;
};

/**
 * A text as what is sent: the files it mentions, then the text with the mentions as they are. Throws where something that
 * looks like a path cannot be attached; a word with an @ before it that is no file stays a word.
 */
export async function withFiles(
  text: string,
  { attach }: Pick<Services, "attach">,
): Promise<string | readonly UserBlock[]> {
  const paths = [...new Set(mentionsIn(text).map(({ path }) => path))];
  const files = await Promise.all(paths.map((path) => fileOrWord(path, attach)));
  const found = files.filter((file) => file !== undefined);
  const plain = text.replace(/(^|\s)\\@/g, "$1@");
  return found.length === 0 ? plain : [...found, { type: "text", text: plain }];
}

async function fileOrWord(path: string, attach: Services["attach"]): Promise<UserBlock | undefined> {
  try {
    return await attach(path);
  } catch (error) {
    if (!looksLikePath(path)) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new Error(`${why}. Nothing was sent; \\@ is just an @.`, { cause: error });
  }
}

function looksLikePath(path: string): boolean {
  return /^[\w./~ +-]+$/u.test(path) && /[/.]/.test(path);
}

export function mentionsIn(text: string): readonly Mention[] {
  const mentions: Mention[] = [];
  const hidden = codeIn(text);
  for (const found of text.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)) {
    const { index } = found;
    if (hidden.some(({ start, end }) => index >= start && index < end)) continue;
    // A sentence goes on or ends after it.
    const path = found[1] ?? (found[2] ?? "").replace(/[.,;:!?)\]}'"]+$/, "");
    const length = found[1] === undefined ? path.length + 1 : found[0].length;
    if (path !== "" && path !== "@") mentions.push({ path, start: index, end: index + length });
  }
  return mentions;
}

function codeIn(text: string): readonly { readonly start: number; readonly end: number }[] {
  return [...text.matchAll(/^```[^\n]*\n[\s\S]*?(?:^```|(?![\s\S]))|`[^`\n]+`/gm)].map(({ 0: code, index }) => ({
    start: index,
    end: index + code.length,
  }));
}
