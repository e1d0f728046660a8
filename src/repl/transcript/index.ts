/** The conversation of an agent: entries and events → items → blocks for the screen, words for the plain mode. */
export type { FileDiff, Item, ItemBody, ToolItem, TranscriptModel } from "./items.ts";
export { createTranscript, type TranscriptOptions } from "./model.ts";
export type { ItemContext } from "./context.ts";
export { createRich, type Rich } from "./rich.ts";
export { type BlockList, createBlockList, isHidden, itemBlock } from "./block.ts";
export { transcriptLines, transcriptText } from "./text.ts";
export { type Advice, adviceFor, categoryWords } from "./advice.ts";
export { exchangeLine } from "./figures.ts";
export { itemWords, type WordsContext } from "./words.ts";
export { createSpeaker, type Speaker, type Spoken } from "./speaker.ts";
export { findItem, type FoundItem } from "./search.ts";
