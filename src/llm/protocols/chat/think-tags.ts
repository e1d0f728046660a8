/**
 * Finds `<think>…</think>` in text that arrives in pieces cut anywhere. What is handed on is told apart from the tags
 * themselves; blanks right after a tag are layout of the template and are left out, so that an empty pair leaves
 * nothing behind.
 */
export type ThinkTags = {
  readonly push: (piece: string) => void;
  /** No more text: what looked like the beginning of a tag was none. */
  readonly flush: () => void;
};

export function createThinkTags(out: {
  readonly text: (text: string) => void;
  readonly thinking: (text: string) => void;
}): ThinkTags {
  let inside = false;
  let afterTag = false;
  let held = "";
  const hand = (text: string): void => {
    const shown = afterTag ? text.trimStart() : text;
    if (shown === "") return;
    afterTag = false;
    if (inside) out.thinking(shown);
    else out.text(shown);
  };
  return {
    push(piece) {
      let rest = held + piece;
      held = "";
      for (;;) {
        const tag = inside ? closing : opening;
        const found = rest.indexOf(tag);
        if (found === -1) break;
        hand(rest.slice(0, found));
        rest = rest.slice(found + tag.length);
        inside = !inside;
        afterTag = true;
      }
      const kept = beginningOf(inside ? closing : opening, rest);
      held = rest.slice(rest.length - kept);
      hand(rest.slice(0, rest.length - kept));
    },
    flush() {
      const rest = held;
      held = "";
      hand(rest);
    },
  };
}

/** How many characters at the end of a text may be the beginning of a tag. */
function beginningOf(tag: string, text: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (tag.startsWith(text.slice(text.length - length))) return length;
  }
  return 0;
}

const opening = "<think>";
const closing = "</think>";
