import type { Agents, AgentSummary } from "../../agent/index.ts";
import { clean, type Clock, type Stage, type Terminal } from "../../term/index.ts";
import type { Activities } from "../commands/activity.ts";
import { shortId } from "../commands/figures.ts";
import type { Services, SessionChoice, ThinkingView } from "../services.ts";
import type { Keys } from "./actions.ts";
import type { Overlay } from "./overlays.ts";
import type { Pane } from "./pane.ts";
import type { Pending } from "./questions.ts";

/** What the screen is given of the terminal. */
export type ScreenWorld = {
  readonly terminal: Terminal;
  readonly env: { readonly [name: string]: string | undefined };
  readonly platform: NodeJS.Platform;
  /** How many bits of colour the terminal says it has. */
  readonly colour_bits: number;
  readonly clock?: Clock;
  readonly which: SessionChoice;
};

/** Everything the screen shows follows from this, the size of the terminal and the time. */
export type State = {
  /** Absent while the session is being opened. */
  agents?: Agents;
  /** Whose conversation is shown. */
  here: string;
  readonly panes: Map<string, Pane>;
  summaries: readonly AgentSummary[];
  /** Something happened since they were read. */
  stale: boolean;
  /** The last one has the keys. */
  overlays: readonly Overlay[];
  /** What agents want to know of the person, oldest first. */
  questions: readonly Pending[];
  /** Marked in the conversation. */
  query?: string | undefined;
  thinking: ThinkingView;
  mouse: boolean;
  /** What was typed before, in this folder. */
  typed: readonly string[];
  /** What the next request would read, with the text that is in the editor. */
  estimate?: { readonly text: string; readonly tokens: number } | undefined;
  /** Said in the rule above the editor until the next key. */
  flash?: string | undefined;
  /** When a piece of an answer last came, by agent. */
  readonly heard_at: Map<string, number>;
  /** What was sent before the session was open. */
  when_open: readonly (() => void)[];
};

export type App = {
  readonly world: ScreenWorld;
  readonly services: Services;
  readonly keys: Keys;
  readonly clock: Clock;
  readonly state: State;
  readonly activities: Activities;
  readonly stage: () => Stage;
  readonly redraw: () => void;
  /** The conversation that is shown. */
  readonly pane: () => Pane;
  readonly goTo: (agent_uuid: string) => void;
  readonly reopen: (which: SessionChoice) => Promise<void>;
  readonly say: (lines: readonly string[], tone?: "info" | "good" | "warning" | "error") => void;
  /** Something that goes on by itself; what goes wrong with it is said. */
  readonly run: (work: Promise<unknown>) => void;
  /** The drafts and positions have changed. */
  readonly touched: () => void;
  /** What the text in the editor can be completed to, and what it would cost, is looked at again. */
  readonly edited: () => void;
  readonly submit: (text: string) => void;
  readonly quit: () => void;
};

/** The agent that is shown. */
export function summaryOf({ summaries, here }: State): AgentSummary | undefined {
  return summaries.find(({ uuid }) => uuid === here);
}

/** `root a1f3`, `tests b7c2`, `c0d1` */
export function calledHow({ summaries }: State, agent_uuid: string): string {
  const agent = summaries.find(({ uuid }) => uuid === agent_uuid);
  const name = agent?.name ?? (agent !== undefined && agent.parent_uuid === undefined ? "root" : undefined);
  return name === undefined ? shortId(agent_uuid) : `${clean(name)} ${shortId(agent_uuid)}`;
}
