import type { Item, TranscriptModel } from "./items.ts";
import { itemWords, thoughtWords, toolEndWords, toolStateWords, type WordsContext } from "./words.ts";

/** Something to write down that will never be taken back. */
export type Spoken =
  | { readonly type: "line"; readonly text: string }
  /** A piece of a text that is still coming. */
  | { readonly type: "stream"; readonly text: string }
  | { readonly type: "end" };

export type Speaker = {
  /** What is new since it was last asked. Looks at the running turn only, however long the conversation is. */
  readonly news: () => readonly Spoken[];
  /** What is there now needs not to be said. */
  readonly skip: () => void;
};

/** What has been said of an item. */
type Said = { letters: number; state: string; over: boolean };

/** Says items in their order, each piece once; none of those that are not wanted at the moment they come up. */
export function createSpeaker(
  model: TranscriptModel,
  context: () => WordsContext,
  wanted: (item: Item) => boolean = () => true,
): Speaker {
  const said = new WeakMap<Item, Said>();
  let revision = 0;
  /** Everything before is said. */
  let next = 0;
  let streaming: Item | undefined;

  const saidOf = (item: Item): Said => {
    const known = said.get(item) ?? { letters: 0, state: "", over: false };
    said.set(item, known);
    return known;
  };

  return {
    news() {
      const items = model.items();
      const changed = model.changedSince(revision);
      revision = changed.revision;
      next = Math.min(next, changed.from);
      // Older pages are for reading, not news.
      const older = changed.from === 0 ? items.findIndex((item) => said.has(item)) : 0;
      for (const item of items.slice(0, Math.max(0, older))) saidOf(item).over = true;
      const spoken: Spoken[] = [];
      if (streaming !== undefined && items.lastIndexOf(streaming) === -1) {
        spoken.push({ type: "end" }, lineOf("what has arrived of the answer is thrown away"));
        streaming = undefined;
      }
      let allOver = true;
      for (let index = next; index < items.length; index++) {
        const item = items[index];
        if (item === undefined) break;
        const known = saidOf(item);
        if (!known.over && !wanted(item)) known.over = true;
        // Who answers is known before, or it is too late.
        const follower = items[index + 1];
        if (item.type === "maker" && follower !== undefined && said.has(follower)) known.over = true;
        if (!known.over) spoken.push(...newsOf(item, known, context()));
        allOver &&= known.over;
        if (allOver) next = index + 1;
        streaming = !known.over && isText(item) && known.letters > 0 ? item : undefined;
        // What comes after a text that is still coming waits for its end.
        if (!known.over && isText(item)) break;
      }
      return spoken;
    },
    skip() {
      const items = model.items();
      for (const item of items) if (!isGrowing(item)) saidOf(item).over = true;
      revision = model.changedSince(revision).revision;
      next = items.findIndex(isGrowing);
      if (next === -1) next = items.length;
    },
  };
}

function newsOf(item: Item, said: Said, context: WordsContext): readonly Spoken[] {
  if (item.type === "text") return textNews(item.text, item, said, () => (item.incomplete ? ["(not finished)"] : []));
  if (item.type === "thinking") return thinkingNews(item, said, context);
  if (item.type === "tool") return toolNews(item, said, context);
  said.over = true;
  return itemWords(item, context).map(lineOf);
}

function textNews(
  text: string,
  { growing }: { readonly growing: boolean },
  said: Said,
  after: () => readonly string[],
): readonly Spoken[] {
  const piece = text.slice(said.letters);
  said.letters = Math.max(said.letters, text.length);
  said.over = !growing;
  return [
    ...(piece === "" ? [] : [{ type: "stream", text: piece } as const]),
    ...(growing ? [] : [{ type: "end" } as const, ...after().map(lineOf)]),
  ];
}

function thinkingNews(item: Item & { type: "thinking" }, said: Said, context: WordsContext): readonly Spoken[] {
  const { thinking } = context;
  if (thinking === "hidden") {
    said.over = !item.growing;
    return [];
  }
  const begins = said.state === "" && item.growing ? [lineOf("thinking")] : [];
  said.state ||= item.growing ? "thinking" : "";
  if (thinking === "shown") {
    return [...begins, ...textNews(item.text, item, said, () => [thoughtWords(item)])];
  }
  said.over = !item.growing;
  return [...begins, ...(item.growing ? [] : [lineOf(thoughtWords(item))])];
}

function toolNews(item: Item & { type: "tool" }, said: Said, context: WordsContext): readonly Spoken[] {
  if (isGrowing(item)) {
    const state = toolStateWords(item);
    if (state === undefined || state === said.state) return [];
    said.state = state;
    return [lineOf(state)];
  }
  said.over = true;
  return (said.state === "" ? itemWords(item, context) : toolEndWords(item)).map(lineOf);
}

function isText(item: Item): boolean {
  return item.type === "text" || item.type === "thinking";
}

function isGrowing(item: Item): boolean {
  if (item.type === "text" || item.type === "thinking") return item.growing;
  return item.type === "tool" && (item.state === "arriving" || item.state === "asking" || item.state === "running");
}

function lineOf(text: string): Spoken {
  return { type: "line", text };
}
