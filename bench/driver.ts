import type { Turn } from "./history.ts";
import type { Understood, Wire } from "./traffic.ts";

/** One way to read an answer: plain code, ikigai, or a library people use. */
export type Driver = {
  /** What it has no word for on a wire; left out when its answer is compared. */
  readonly unread?: { readonly [wire in Wire]?: readonly (keyof Understood)[] };
  /** Clients, schemas and the like are made here, before anything is measured. */
  readonly open: (wire: Wire, base_url: string) => Exchange;
};

export type Exchange = {
  /** A short question with the one tool declared. Resolves when the message is whole. */
  readonly ask: () => Promise<Ended>;
  /** The same with a history before it, which is put into the library's own words beforehand. */
  readonly continue?: (turns: readonly Turn[]) => () => Promise<Understood>;
};

/** With the library's own word for how the answer ended, where it has one. */
export type Ended = Understood & { readonly finish?: string };

export const question = "Write the file, then tell me what is in it.";
export const key = "bench";
