import type { AgentEvent, TurnEnd } from "../../agent/index.ts";
import type { LogEntry } from "../../core/index.ts";
import { withoutFiles } from "./attached.ts";
import type { TranscriptModel } from "./items.ts";
import { change, type MutableItem } from "./list.ts";
import { addEntry, endLog } from "./log.ts";
import { joinOlder } from "./older.ts";
import { createTail, type Tail } from "./pieces.ts";
import { createLog, type Log } from "./state.ts";
import { createStream, type Stream } from "./stream.ts";

export type TranscriptOptions = {
  readonly now: () => number;
  readonly agent_uuid: string;
  /** The page before an entry. */
  readonly older?: (before_uuid: string) => Promise<{ readonly entries: readonly LogEntry[]; readonly older: boolean }>;
  /** Paths below it are shown without it. */
  readonly folder?: string;
};

export function createTranscript({ now, agent_uuid, older, folder }: TranscriptOptions): TranscriptModel {
  const log = createLog(folder);
  const live: Live = {
    log,
    now,
    stream: createStream(log, now),
    outputs: new Map(),
    approvals: new Map(),
    running: false,
  };
  let moreIsOlder = older !== undefined;
  let reading: Promise<boolean> | undefined;

  async function readOlder(): Promise<boolean> {
    const before = log.first?.uuid;
    if (older === undefined || !moreIsOlder || before === undefined) return false;
    const page = await older(before);
    moreIsOlder = page.older;
    joinOlder(log, page.entries);
    return page.entries.length > 0;
  }

  return {
    items: () => log.list.items,
    changedSince: log.list.changedSince,
    add(entries, options = {}) {
      if (options.older !== undefined) moreIsOlder = options.older;
      for (const entry of entries) addToLog(live, entry);
      if (!live.running) endLog(log);
    },
    addOlder: (entries) => joinOlder(log, entries),
    loadOlder() {
      reading ??= readOlder().finally(() => {
        reading = undefined;
      });
      return reading;
    },
    hear(event) {
      if (event.agent_uuid === agent_uuid) hear(live, event);
    },
    notice(lines, tone) {
      const last = log.list.items.at(-1);
      // A command that a limit has stopped fails with the same words.
      if (last?.type === "limit" && lines.length === 1 && lines[0] === last.message) return;
      log.list.addNotice({ type: "notice", lines, tone });
    },
    dropQueued: () => log.list.dropQueued(),
    lastingId: log.list.lastingId,
    turn: () => ({ running: live.running, ...(live.last === undefined ? {} : { last: live.last }) }),
  };
}

/** What is known of a turn while it runs. */
type Live = {
  readonly log: Log;
  readonly now: () => number;
  readonly stream: Stream;
  /** What running tools wrote. */
  readonly outputs: Map<string, Tail>;
  /** Which call a question is about. */
  readonly approvals: Map<string, string>;
  retrying?: MutableItem | undefined;
  running: boolean;
  last?: TurnEnd;
};

function addToLog(live: Live, entry: LogEntry): void {
  const { log, stream, outputs } = live;
  if (entry.kind === "assistant" || entry.kind === "interrupted") {
    stream.settled();
    forgetRetry(live);
  }
  if (entry.kind === "tool_result") outputs.delete(entry.data.tool_call_id);
  addEntry(log, entry);
}

function hear(live: Live, event: AgentEvent): void {
  const { log, stream } = live;
  switch (event.type) {
    case "entry":
      addToLog(live, event.entry);
      // What is written between turns is the end of the log at once.
      if (!live.running) endLog(log);
      return;
    case "stream":
      live.running = true;
      forgetRetry(live);
      return stream.hear(event.event);
    case "retrying": {
      const { attempt, attempts_max, error, delay_ms } = event;
      stream.discard();
      forgetRetry(live);
      const until = live.now() + delay_ms;
      live.retrying = log.list.addNotice({ type: "retrying", until, attempt, attempts_max, error });
      return;
    }
    case "state":
      return hearState(live, event.state);
    case "queued":
      return log.list.addQueued(withoutFiles(event.text));
    case "tool_started":
    case "tool_output":
    case "approval_asked":
    case "approval_settled":
      return hearTool(live, event);
    case "limit_reached":
      return void log.list.addNotice({ type: "limit", message: event.message });
    case "warning":
      return hearWarning(live, event);
    case "turn_ended":
      return endTurn(live, event);
    case "killed":
      return hearKilled(live, event.by_uuid);
    // Told by entries.
    case "tool_ended":
    case "mail":
    case "forked":
      return;
  }
}

function hearState(live: Live, state: string): void {
  if (state === "streaming" || state === "tool" || state === "asking") live.running = true;
  if (state === "streaming") forgetRetry(live);
}

function hearTool(
  { log, now, outputs, approvals }: Live,
  event: Extract<AgentEvent, { type: "tool_started" | "tool_output" | "approval_asked" | "approval_settled" }>,
): void {
  const id = event.type === "approval_settled" ? approvals.get(event.approval_id) : event.tool_call_id;
  const item = log.calls.get(id ?? "")?.item;
  if (id === undefined || item === undefined) return;
  switch (event.type) {
    case "tool_started":
      return change(item, { state: "running", started_at: item.started_at ?? now() });
    case "tool_output": {
      const tail = outputs.get(id) ?? createTail();
      outputs.set(id, tail);
      tail.add(event.text);
      return change(item, { output: tail.text(), output_lines: tail.lines() });
    }
    case "approval_asked":
      approvals.set(event.approval_id, id);
      return change(item, { state: "asking" });
    case "approval_settled":
      approvals.delete(event.approval_id);
      return change(item, { state: "arriving" });
  }
}

/** What the entry of an answer says already is not said twice. */
function hearWarning({ log }: Live, { code, message }: { readonly code: string; readonly message: string }): void {
  const note = `${code} ${message}`;
  if (log.noted.has(note)) return;
  log.noted.add(note);
  log.list.addNotice({ type: "warning", message });
}

function endTurn(
  live: Live,
  { type: _type, agent_uuid: _agent, ...end }: TurnEnd & { type: string; agent_uuid: string },
): void {
  const { log, stream, outputs } = live;
  live.running = false;
  live.last = end;
  outputs.clear();
  forgetRetry(live);
  stream.settled();
  log.list.discardArriving();
  endLog(log);
  const { error } = end;
  if (error === undefined || error.category === "aborted") return;
  // An error before there was anything to write an entry about.
  const told = log.last?.kind === "assistant" && log.last.data.error?.message === error.message;
  if (!told) log.list.addNotice({ type: "error", error });
}

function hearKilled(live: Live, by_uuid: string | undefined): void {
  const { log } = live;
  live.running = false;
  if (log.killed === true) return;
  log.killed = true;
  log.list.addNotice({ type: "killed", ...(by_uuid === undefined ? {} : { by_uuid }) });
}

function forgetRetry(live: Live): void {
  if (live.retrying !== undefined) live.log.list.remove(live.retrying);
  live.retrying = undefined;
}
