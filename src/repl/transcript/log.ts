import type { LogEntry } from "../../core/index.ts";
import { answerParts, hopText, lossesText } from "./answer.ts";
import { saidWith, withoutFiles } from "./attached.ts";
import { resultFields } from "./calls.ts";
import { change, type Part } from "./list.ts";
import { addRewind } from "./rewind.ts";
import { settingText } from "./settings.ts";
import { addItem, announce, lastLogged, type Log } from "./state.ts";
import { closeTurn, count, hideTotals, newTurn, reach, showTotals } from "./totals.ts";

/** An entry that has been added before changes nothing. */
export function addEntry(log: Log, entry: LogEntry): void {
  if (log.seen.has(entry.uuid)) return;
  log.seen.add(entry.uuid);
  log.ended = false;
  hideTotals(log);
  if (log.last !== undefined && log.last.agent_uuid !== entry.agent_uuid) {
    closeTurn(log);
    addItem(log, entry, { type: "forked_from", parent_uuid: log.last.agent_uuid }, ":from");
  }
  log.first ??= entry;
  log.last = entry;
  const handler: (log: Log, entry: never) => void = handlers[entry.kind];
  handler(log, entry as never);
  log.anchors.set(entry.uuid, lastLogged(log));
}

/** What the end of the log says of a turn: what it used, and calls nobody runs any more. A later entry takes it back. */
export function endLog(log: Log): void {
  log.ended = true;
  showTotals(log);
  for (const { item } of log.calls.values()) {
    if (item.state !== "interrupted") change(item, { state: "interrupted" });
  }
}

type Entry<Kind extends LogEntry["kind"]> = Extract<LogEntry, { readonly kind: Kind }>;

function addUser(log: Log, entry: Entry<"user">): void {
  closeTurn(log);
  dropCalls(log);
  log.turn = newTurn(entry);
  log.list.dropQueued(withoutFiles(entry.content));
  addItem(log, entry, { type: "user", ...saidWith(entry.content, entry.data?.blocks ?? []) });
}

function addAnswer(log: Log, entry: Entry<"assistant">): void {
  const { data } = entry;
  const { blocks, hops = [], notes = [], losses = [], error, incomplete = false, usage, cost_usd } = data;
  const parts: readonly Part[] = [
    ...hops.map((hop, index) => warningPart(`h${index}`, hopText(hop))),
    ...makerPart(log, entry),
    ...lossPart(log, lossesText(losses)),
    ...answerParts(data, log.folder),
    ...endPart(data),
    ...notes.flatMap(({ code, message }, index) =>
      notePart(log, `${code} ${message}`, warningPart(`n${index}`, message)),
    ),
    ...(error === undefined || error.category === "aborted"
      ? []
      : [{ key: "error", body: { type: "error", error, provider: data.provider } as const }]),
  ];
  // First: the calls of this answer are among them while they arrive.
  dropCalls(log);
  const items = log.list.settleArriving(entry.uuid, parts);
  log.first_announcement ??= items.find(({ type }) => type === "maker");
  for (const block of blocks) {
    if (block.type !== "tool_call") continue;
    const item = items.find((one) => one.type === "tool" && one.tool_call_id === block.id);
    if (item?.type === "tool") log.calls.set(block.id, { item, ran: false, arguments: block.arguments });
  }
  if (incomplete) dropCalls(log);
  count(log, entry, { usage, cost_usd });
  const interrupted = incomplete && (error === undefined || error.category === "aborted");
  if (!interrupted && (incomplete || log.calls.size === 0)) closeTurn(log);
}

function warningPart(key: string, message: string): Part {
  return { key, body: { type: "warning", message } };
}

/** An answer that ended otherwise than by being whole. */
function endPart({ finish_reason = "stop", error, incomplete }: Entry<"assistant">["data"]): readonly Part[] {
  const text = error === undefined && incomplete !== true ? endTexts[finish_reason] : undefined;
  return text === undefined ? [] : [warningPart("end", text)];
}

function notePart(log: Log, note: string, part: Part): readonly Part[] {
  if (log.noted.has(note)) return [];
  log.noted.add(note);
  return [part];
}

function lossPart(log: Log, text: string): readonly Part[] {
  const changed = text !== log.losses;
  log.losses = text;
  return changed && text !== "" ? [warningPart("losses", text)] : [];
}

function makerPart(log: Log, { data }: Entry<"assistant">): readonly Part[] {
  const { provider, model, thinking_level: level } = data;
  const maker = { provider, model, ...(level === undefined ? {} : { level }) };
  return announce(log, maker) ? [{ key: "maker", body: { type: "maker", ...maker } }] : [];
}

function addToolCall(log: Log, { data, created_at }: Entry<"tool_call">): void {
  const call = log.calls.get(data.tool_call_id);
  if (call === undefined) return;
  call.ran = true;
  change(call.item, { state: "running", started_at: created_at });
}

function addToolResult(log: Log, entry: Entry<"tool_result">): void {
  const { tool_call_id, name = "tool" } = entry.data;
  const call = log.calls.get(tool_call_id);
  if (call !== undefined) {
    log.calls.delete(tool_call_id);
    const { item, ran, arguments: args } = call;
    delete item.started_at;
    change(item, resultFields(entry, { ran, name: item.name, ...(args === undefined ? {} : { arguments: args }) }));
    reach(log);
    return;
  }
  const fields = resultFields(entry, { ran: true, name });
  const body = { type: "tool", tool_call_id, name, summary: name, arguments_text: "", ...fields } as const;
  const item = addItem(log, entry, body);
  reach(log);
  if (item.type === "tool" && !log.orphans.has(tool_call_id)) log.orphans.set(tool_call_id, item);
}

function addInterrupted(log: Log, entry: Entry<"interrupted">): void {
  log.list.discardArriving();
  for (const { item } of log.calls.values()) change(item, { state: "interrupted" });
  dropCalls(log);
  addItem(log, entry, { type: "interrupted", reason: entry.data.reason });
  reach(log);
  closeTurn(log);
}

/** Whoever switched was told; the first answer of another model says whose it is. */
function addModel(log: Log, entry: Entry<"model">): void {
  log.choice = entry.data;
}

function addMail(log: Log, entry: Entry<"mail">): void {
  log.turn ??= newTurn(entry);
  const { from_uuid } = entry.data;
  addItem(log, entry, { type: "mail", text: entry.content, ...(from_uuid === undefined ? {} : { from_uuid }) });
}

function addCompact(log: Log, entry: Entry<"compact">): void {
  addItem(log, entry, { type: "compact", text: entry.content.replace(/^\[[^\]]*\]\n\n/, "") });
  const isAlone = log.turn === undefined;
  count(log, entry, entry.data);
  if (isAlone) closeTurn(log);
}

function addFork(log: Log, entry: Entry<"fork">): void {
  const { child_uuid, provider, model, thinking_level } = entry.data;
  const level = thinking_level === undefined ? "" : `/${thinking_level}`;
  const named = provider === undefined || model === undefined ? {} : { model: `${provider}:${model}${level}` };
  addItem(log, entry, {
    type: "fork",
    child_uuid,
    ...named,
    ...(entry.content === undefined ? {} : { prompt: entry.content }),
  });
}

function addCommand(log: Log, entry: Entry<"command">): void {
  const { output, exit_code } = entry.data ?? {};
  addItem(log, entry, {
    type: "command",
    text: entry.content,
    ...(typeof output === "string" ? { output } : {}),
    ...(typeof exit_code === "number" ? { exit_code } : {}),
  });
}

function addKilled(log: Log, entry: Entry<"agent_killed">): void {
  log.killed = true;
  const by_uuid = entry.data?.by_uuid;
  addItem(log, entry, { type: "killed", ...(by_uuid === undefined ? {} : { by_uuid }) });
}

function addSetting(log: Log, entry: Entry<"system" | "pin" | "unpin" | "toolset" | "capture">): void {
  addItem(log, entry, { type: "setting", text: settingText(entry) });
}

function dropCalls({ calls }: Log): void {
  for (const { item } of calls.values()) if (item.state !== "interrupted") change(item, { state: "interrupted" });
  calls.clear();
}

const endTexts: { readonly [reason: string]: string | undefined } = {
  length: "cut off: the answer has as many tokens as it may have; say “go on” for the rest",
  content_filter: "cut off by a filter of the provider",
  error: "cut off: the provider ended the answer badly; /retry asks again",
};

const nothing = (): void => undefined;

const handlers: { readonly [Kind in LogEntry["kind"]]: (log: Log, entry: Entry<Kind>) => void } = {
  user: addUser,
  assistant: addAnswer,
  tool_call: addToolCall,
  tool_result: addToolResult,
  interrupted: addInterrupted,
  model: addModel,
  rewind(log, entry) {
    closeTurn(log);
    dropCalls(log);
    addRewind(log, entry);
  },
  mail: addMail,
  compact: addCompact,
  fork: addFork,
  command: addCommand,
  agent_killed: addKilled,
  system: addSetting,
  pin: addSetting,
  unpin: addSetting,
  toolset: addSetting,
  capture: addSetting,
  mark(log, entry) {
    addItem(log, entry, { type: "mark", ...(entry.content === undefined ? {} : { label: entry.content }) });
  },
  clear(log, entry) {
    closeTurn(log);
    dropCalls(log);
    addItem(log, entry, { type: "clear" });
  },
  // Tools' results tell what became of files.
  file_change: nothing,
};
