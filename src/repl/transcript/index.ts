/** The conversation of an agent: entries and events → items → blocks for the screen, words for the plain mode. */
export type { Item, TranscriptModel } from "./items.ts";
export { createTranscript } from "./model.ts";
export type { ItemContext } from "./context.ts";
export { createRich, type Rich } from "./rich.ts";
export { createBlockList, itemBlock } from "./block.ts";
export { transcriptLines, transcriptText } from "./text.ts";
export { adviceFor } from "./advice.ts";
export { exchangeLine } from "./figures.ts";
export { itemWords, type WordsContext } from "./words.ts";
export { createSpeaker, type Speaker, type Spoken } from "./speaker.ts";
export { findItem } from "./search.ts";
export { withoutFiles } from "./attached.ts";
