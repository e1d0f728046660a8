import type { LogEntry } from "../../core/index.ts";
import { endedState } from "./calls.ts";
import type { Item } from "./items.ts";
import { change, type ItemList, type MutableItem, rewrite } from "./list.ts";
import { addEntry, endLog } from "./log.ts";
import { foldRewound, inOrderOfLog } from "./rewind.ts";
import { announce, createLog, type EndedTurn, lastLogged, type Log, type Maker, type Turn } from "./state.ts";
import { hideTotals, insertTotals, joined, showTotals, totalsBody } from "./totals.ts";

/** Puts an older page before everything there is, and joins what the border between them has cut. */
export function joinOlder(log: Log, entries: readonly LogEntry[]): void {
  const page = createLog(log.folder);
  const fresh = entries.filter(({ uuid }) => !log.seen.has(uuid));
  for (const entry of fresh) addEntry(page, entry);
  if (page.first === undefined || page.last === undefined) return;
  joinCalls(log, page);
  joinTurn(log, page);
  endLog(page);
  joinMaker(log, page);
  joinFork(log, page.last);
  const last = page.list.items.findLast(({ entry_uuid }) => entry_uuid !== undefined);
  for (const [uuid, anchor] of log.anchors) {
    if (anchor === undefined) log.anchors.set(uuid, last);
  }
  log.list.insertAt(0, page.list.items);
  takeOver(log, page);
  if (log.rewinds.size > 0) foldRewound(log);
}

/** Results that came without their call meet it. */
function joinCalls(log: Log, page: Log): void {
  for (const [id, orphan] of log.orphans) {
    const call = page.calls.get(id);
    if (call === undefined) continue;
    const { type: _type, id: _id, version: _version, entry_uuid: _entry, ...result } = orphan;
    const { name, summary, arguments_text } = call.item;
    delete call.item.started_at;
    const state = endedState(result.state !== "done", call.ran, result.output);
    change(call.item, { ...result, state, name, summary, arguments_text });
    page.calls.delete(id);
    log.orphans.delete(id);
    removeFrom(log, page, orphan);
  }
}

function removeFrom(log: Log, page: Log, item: MutableItem): void {
  const all = inOrderOfLog(log.list.items);
  const previous = all[all.lastIndexOf(item) - 1] ?? lastLogged(page);
  for (const turn of [log.turn, log.first_turn?.turn]) if (turn?.after === item) turn.after = previous;
  for (const [uuid, anchor] of log.anchors) if (anchor === item) log.anchors.set(uuid, previous);
  if (log.list.remove(item)) return;
  for (const one of log.list.items) {
    if (one.type === "rewind") change(one, { folded: without(one.folded, item) });
  }
}

function without(items: readonly Item[], item: Item): readonly Item[] {
  return items.filter((one) => one !== item);
}

/** A turn that began on the older page is counted whole. */
function joinTurn(log: Log, page: Log): void {
  const { turn } = page;
  if (turn === undefined || log.first?.agent_uuid !== page.last?.agent_uuid) return;
  delete page.turn;
  const { first_turn } = log;
  if (first_turn === undefined) {
    const shown = log.ended === true || log.totals !== undefined;
    hideTotals(log);
    log.turn = joined(turn, log.turn);
    if (shown) showTotals(log, [log.list, page.list]);
    return;
  }
  const whole = joined(turn, first_turn.turn);
  log.first_turn = { turn: whole, item: totalsOf([log.list, page.list], first_turn.item, whole) };
}

function totalsOf(lists: readonly ItemList[], item: EndedTurn["item"], whole: Turn): EndedTurn["item"] {
  const body = totalsBody(whole);
  if (body === undefined) return item;
  if (item === undefined) return insertTotals(lists, whole, body);
  rewrite(item, body, whole.entry_uuid);
  return item;
}

/** Who answers was said on the older page. */
function joinMaker(log: Log, page: Log): void {
  const { first_announcement: item } = log;
  if (page.announced === undefined || item === undefined) return;
  const probe: Log = { ...page };
  if (item.type === "maker" && !announce(probe, makerOf(item))) removeFrom(log, page, item);
  delete log.first_announcement;
}

function makerOf({ provider, model, level }: Extract<Item, { readonly type: "maker" }>): Maker {
  return { provider, model, ...(level === undefined ? {} : { level }) };
}

function joinFork(log: Log, last: LogEntry): void {
  const { first } = log;
  if (first === undefined || first.agent_uuid === last.agent_uuid) return;
  const body = { type: "forked_from", parent_uuid: last.agent_uuid } as const;
  log.list.insertAt(0, [{ id: `${first.uuid}:from`, version: 1, entry_uuid: first.uuid, ...body }]);
}

function takeOver(log: Log, page: Log): void {
  for (const uuid of page.seen) log.seen.add(uuid);
  for (const [uuid, anchor] of page.anchors) log.anchors.set(uuid, anchor);
  for (const [item, target] of page.rewinds) log.rewinds.set(item, target);
  for (const [id, orphan] of page.orphans) log.orphans.set(id, orphan);
  if (page.first !== undefined) log.first = page.first;
  if (page.first_announcement !== undefined) log.first_announcement = page.first_announcement;
  if (page.first_turn !== undefined) log.first_turn = page.first_turn;
  log.announced ??= page.announced;
  log.choice ??= page.choice;
}
