import type { ThinkingView } from "../services.ts";
import type { Rich } from "./rich.ts";

/** What the look of an item depends on besides the item. */
export type ItemContext = {
  readonly thinking: ThinkingView;
  /** Items that a person has opened, by id. */
  readonly expanded: { readonly has: (id: string) => boolean };
  /** How an agent is called. */
  readonly nameOf: (agent_uuid: string) => string;
  readonly now: () => number;
  /** Of an agent that is dead: it can be read, and nothing will change any more. */
  readonly frozen: boolean;
  /** Absent: text as it is, without Markdown. */
  readonly rich?: Rich;
};

/** The same with the room there is. */
export type Place = ItemContext & { readonly width: number };
