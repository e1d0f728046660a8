import { messagesOf, type LogEntry, type ModelChoice } from "./log.ts";
import type { Message, TextBlock } from "./messages.ts";

/**
 * What is in force for an agent, from the entries of its log in their order. Nothing is forgotten by adding: any older
 * state can be returned to (rewind) or continued elsewhere (fork) at no cost.
 */
export type Replay = {
  readonly add: (entry: LogEntry) => void;
  /** In force, oldest first. A summary stands before what it left standing. */
  readonly entries: () => readonly LogEntry[];
  readonly messages: () => readonly Message[];
  /** Not part of the conversation: clearing and rewinding leave them alone. */
  readonly settings: () => AgentSettings;
  /** The newest mark in force with this label, or the newest of all. */
  readonly mark: (label?: string) => LogEntry | undefined;
  readonly killed: () => boolean;
  /** A log that goes on from here, or from an older entry, without touching this one. */
  readonly fork: (at_uuid?: string) => Replay;
};

export type AgentSettings = {
  readonly system: readonly TextBlock[];
  readonly pins: readonly string[];
  readonly model?: ModelChoice;
  readonly tools?: readonly string[];
};

export const noSettings: AgentSettings = { system: [], pins: [] };

/** An entry and what was in force before it. Never changed once made, so that logs can share them. */
type Node = {
  readonly entry: LogEntry;
  readonly previous: Node | undefined;
  readonly settings: AgentSettings;
  /** Part of a path that has been found already: nothing of it is to be applied again. */
  readonly settled?: true;
};

/** `beginning`: what is already in force, where a log is not read from its start. */
export function createReplay(beginning: Partial<Beginning> = {}): Replay {
  const { entries = [], settings = noSettings, killed = false } = beginning;
  const known = new Map<string, Node>();
  let head: Node | undefined;
  for (const entry of entries) {
    head = { entry, previous: head, settings, settled: true };
    known.set(entry.uuid, head);
  }
  return replayFrom({ head, known, settings, killed });
}

type Beginning = {
  readonly entries: readonly LogEntry[];
  readonly settings: AgentSettings;
  readonly killed: boolean;
};

type State = Omit<Beginning, "entries"> & { readonly head: Node | undefined; readonly known: Map<string, Node> };

function replayFrom({ known, ...start }: State): Replay {
  let { head, settings, killed } = start;
  let path: readonly LogEntry[] | undefined;
  let messages: readonly Message[] | undefined;
  const entries = (): readonly LogEntry[] => (path ??= pathTo(head));
  return {
    add(entry) {
      settings = settingsAfter(settings, entry);
      killed = entry.kind === "agent_killed" || (killed && entry.agent_uuid === head?.entry.agent_uuid);
      head = { entry, previous: previousOf(entry, head, known), settings };
      known.set(entry.uuid, head);
      path = undefined;
      messages = undefined;
    },
    entries,
    messages: () => (messages ??= messagesOf(entries())),
    settings: () => settings,
    mark: (label) =>
      entries().findLast((entry) => entry.kind === "mark" && (label === undefined || entry.content === label)),
    killed: () => killed,
    fork(at_uuid) {
      const at = at_uuid === undefined ? head : (known.get(at_uuid) ?? head);
      return replayFrom({ head: at, known, settings: at?.settings ?? settings, killed: false });
    },
  };
}

function previousOf(entry: LogEntry, head: Node | undefined, known: ReadonlyMap<string, Node>): Node | undefined {
  if (entry.kind === "clear") return undefined;
  if (entry.kind === "rewind") return known.get(entry.data.target_uuid) ?? head;
  return head;
}

function pathTo(head: Node | undefined): readonly LogEntry[] {
  const newestFirst: LogEntry[] = [];
  const open: LogEntry[] = [];
  for (let node = head; node !== undefined; node = node.previous) {
    const { entry, settled = false } = node;
    if (entry.kind === "compact" && !settled) {
      open.push(entry);
      if (entry.data.target_uuid === undefined) break;
    } else {
      newestFirst.push(entry);
      const ended = open.findIndex((compact) => targetOf(compact) === entry.uuid);
      if (ended >= 0) {
        open.length = ended + 1;
        break;
      }
    }
  }
  return [...newestFirst, ...summaries(open, (compact, uuid) => targetOf(compact) === uuid)].reverse();
}

function targetOf(entry: LogEntry): string | undefined {
  return entry.kind === "compact" || entry.kind === "rewind" ? entry.data.target_uuid : undefined;
}

/**
 * The beginning of a path, newest first: the summaries whose kept part has just been walked through, innermost last in
 * `open`. A summary that kept an older summary begins with it; one that kept nothing of it leaves it out.
 */
export function summaries<Compact extends { readonly uuid: string }>(
  open: readonly Compact[],
  keepsFrom: (compact: Compact, uuid: string) => boolean,
): readonly Compact[] {
  const found: Compact[] = [];
  let level = open.length - 1;
  for (let compact = open[level]; compact !== undefined; compact = open[level]) {
    const { uuid } = compact;
    found.push(compact);
    const ended = open.slice(0, level).findIndex((outer) => keepsFrom(outer, uuid));
    level = ended >= 0 ? ended : level - 1;
  }
  return found;
}

/** Settings are folded in the order of the log, whatever else becomes of the entries around them. */
export function settingsAfter(settings: AgentSettings, entry: LogEntry): AgentSettings {
  switch (entry.kind) {
    case "system":
      return { ...settings, system: entry.data?.blocks ?? textBlocks(entry.content) };
    case "pin": {
      const others = settings.pins.filter((path) => path !== entry.content);
      return { ...settings, pins: [...others, entry.content] };
    }
    case "unpin":
      return {
        ...settings,
        pins: entry.content === undefined ? [] : settings.pins.filter((path) => path !== entry.content),
      };
    case "model":
      return { ...settings, model: entry.data };
    case "toolset":
      return { ...settings, tools: entry.data.tools };
    default:
      return settings;
  }
}

function textBlocks(text: string): readonly TextBlock[] {
  return text === "" ? [] : [{ type: "text", text }];
}
