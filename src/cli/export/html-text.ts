import { Marked } from "marked";
import { isSafeLink } from "./transcript.ts";

/** Markdown rendered so that nothing in it can do anything: tags are shown, pictures are links, links are pages on the web. */
export function htmlFromMarkdown(markdown: string): string {
  if (markdown.trim() === "") return "";
  if (markdown.length > charactersMax) return `<pre>${escapeHtml(markdown)}</pre>`;
  try {
    return `<div class="prose">${renderer.parse(markdown, { async: false })}</div>`;
  } catch {
    // Nesting deeper than the renderer can follow.
    return `<pre>${escapeHtml(markdown)}</pre>`;
  }
}

export function escapeHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}

const renderer = new Marked({
  gfm: true,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const shown = this.parser.parseInline(tokens);
      return isSafeLink(href) ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${shown}</a>` : shown;
    },
    image: ({ href, text }) => {
      const shown = escapeHtml(text === "" ? href : text);
      return isSafeLink(href) ? `<a href="${escapeHtml(href)}" rel="noopener noreferrer nofollow">${shown}</a>` : shown;
    },
    code: ({ text, lang }) => {
      const label = lang === undefined || lang === "" ? "" : ` data-language="${escapeHtml(lang)}"`;
      return `<pre${label}><code>${escapeHtml(text)}</code></pre>\n`;
    },
  },
});

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Longer texts are no prose, and take the renderer too long. */
const charactersMax = 500_000;
