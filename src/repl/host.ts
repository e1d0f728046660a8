import type { Agents } from "../agent/index.ts";
import type { Lines, PickerItem } from "../term/index.ts";
import type { Services, SessionChoice, ThinkingView } from "./services.ts";

export type Tone = "info" | "good" | "warning" | "error";

/** What a slash command sees: the screen is one of these, the plain mode another. */
export type Host = {
  readonly mode: "screen" | "plain";
  readonly services: Services;
  /** Of the session that is open now. */
  readonly agents: () => Agents;
  /** The agent that is looked at. */
  readonly here: () => string;
  readonly goTo: (agent_uuid: string) => void;
  /** Another session instead of this one. */
  readonly reopen: (which: SessionChoice) => Promise<void>;

  /** Lines below the conversation that is looked at. They are no part of it. */
  readonly say: (lines: readonly string[], tone?: Tone) => void;
  /** Something longer to read: a pager on the screen, printed in plain mode. `width` is the room it has. */
  readonly show: (title: string, body: (width: number) => Lines) => void;
  /** One of many, with a filter. Undefined: none. A host without room for `actions` leaves them out. */
  readonly pick: <Value>(
    title: string,
    items: readonly PickerItem<Value>[],
    actions?: readonly PickAction<Value>[],
  ) => Promise<Value | undefined>;
  /** One of few, each with a letter. Undefined: Escape. */
  readonly ask: <Value>(question: Question<Value>) => Promise<Value | undefined>;
  /** Lines that change while the work goes on; Escape aborts its signal. */
  readonly during: <Result>(
    lines: () => readonly string[],
    work: (signal: AbortSignal) => Promise<Result>,
  ) => Promise<Result>;

  /** Output as it comes, where there is a better place for it than the lines of `during`. */
  readonly stream?: (text: string) => void;

  /** What an agent is doing right now, as far as it was heard. */
  readonly activity?: (agent_uuid: string) => Activity | undefined;
  /** The keys of the screen. */
  readonly showKeys?: () => void;

  /** Puts a text where a person types. */
  readonly draft: (text: string) => void;
  /** The conversation that is looked at as it is shown, as text; or the last answer alone. */
  readonly shownText: (what: "all" | "answer") => string;
  /** Into the clipboard; says which way worked. */
  readonly copy: (text: string) => Promise<string>;
  readonly thinking: () => ThinkingView;
  readonly setThinking: (view: ThinkingView) => void;
  /** False where there is no mouse. */
  readonly setMouse: (state: "on" | "off") => boolean;
  readonly setTheme: (theme: "dark" | "light" | "auto") => void;
  /** Looks for a text in the conversation on the screen. */
  readonly find: (text: string) => void;
  readonly exit: () => void;
};

export type Question<Value> = {
  readonly title: string;
  readonly body?: readonly string[];
  readonly options: readonly { readonly value: Value; readonly label: string; readonly key: string }[];
  /** What Enter answers. */
  readonly selected?: number;
};

/** Another key than Enter, for the item that is selected: the list closes, then it runs. */
export type PickAction<Value> = {
  /** As in a key map: `ctrl+k`. */
  readonly key: string;
  readonly label: string;
  readonly run: (value: Value) => void;
};

/** Kept by whoever hears the events of the agents; see `createActivities`. */
export type Activity = {
  /** The tool that runs: what it is about to do, in a line. */
  readonly tool?: string;
  /** When the turn began; absent: none is running. */
  readonly since?: number;
  /** Letters that arrived while another agent was looked at. */
  readonly unread: number;
};
