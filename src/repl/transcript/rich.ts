import {
  loadDiff,
  loadHighlighter,
  loadMarkdown,
  type Highlighter,
  type Lines,
  type MarkdownText,
} from "../../term/index.ts";

/** Markdown, colours of code and diffs, once they are there: a screen is painted before they are loaded. */
export type Rich = {
  readonly load: () => Promise<void>;
  /** Another one whenever the same text would look different. */
  readonly version: () => number;
  /** `owner`: whoever the text belongs to; what is laid out of a growing text is kept for it. */
  readonly markdown: (
    text: string,
    how: { readonly width: number; readonly owner: object; readonly growing: boolean },
  ) => Lines | undefined;
  readonly patch: (patch: string, width: number) => Lines | undefined;
};

/** `changed` is called when something has arrived. */
export function createRich(changed: () => void = () => undefined): Rich {
  const growing = new WeakMap<object, MarkdownText>();
  let markdown: Awaited<ReturnType<typeof loadMarkdown>> | undefined;
  let diff: Awaited<ReturnType<typeof loadDiff>> | undefined;
  let highlighter: Highlighter | undefined;
  let loading: Promise<void> | undefined;
  let loads = 0;

  async function load(): Promise<void> {
    const [text, code, patch] = await Promise.all([loadMarkdown(), loadHighlighter(), loadDiff()]);
    markdown = text;
    diff = patch;
    highlighter = code.createHighlighter(changed);
    loads += 1;
    changed();
  }

  return {
    load: () => (loading ??= load()),
    version: () => loads + (highlighter?.version() ?? 0),
    markdown(text, how) {
      if (markdown === undefined) return undefined;
      if (!how.growing) {
        growing.delete(how.owner);
        return markdown.renderMarkdown(text, how.width, highlighter);
      }
      const known = growing.get(how.owner) ?? markdown.createMarkdown(highlighter);
      growing.set(how.owner, known);
      return known.render(text, how.width, "growing");
    },
    patch: (patch, width) => diff?.viewPatch(patch, width).lines,
  };
}
