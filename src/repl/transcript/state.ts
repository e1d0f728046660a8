import type { JsonObject, LogEntry, ModelChoice, Usage } from "../../core/index.ts";
import type { ItemBody } from "./items.ts";
import { createItemList, type ItemList, type MutableItem, type MutableOf } from "./list.ts";

/** What is known while the entries of a log are read in their order. */
export type Log = {
  readonly list: ItemList;
  readonly folder: string | undefined;
  readonly seen: Set<string>;
  /** The last item there was after an entry; undefined: there was none before it, either. */
  readonly anchors: Map<string, MutableItem | undefined>;
  /** Calls without a result. */
  readonly calls: Map<string, OpenCall>;
  /** Results whose call is on an older page. */
  readonly orphans: Map<string, MutableOf<"tool">>;
  first?: LogEntry;
  last?: LogEntry;
  /** Who answers, as far as it has been said. */
  announced?: Maker;
  first_announcement?: MutableItem;
  choice?: ModelChoice;
  killed?: true;
  readonly noted: Set<string>;
  losses: string;
  turn?: Turn;
  /** Totals of a turn that may go on. */
  totals?: MutableOf<"exchange">;
  /** No entry came since it was said that this is the end. */
  ended?: boolean;
  /** The first turn that ended here: it may have begun on an older page. */
  first_turn?: EndedTurn;
  /** Rewinds, and the entries they went back to. */
  readonly rewinds: Map<MutableItem, string>;
};

export type OpenCall = { readonly item: MutableOf<"tool">; ran: boolean; readonly arguments?: JsonObject };
export type Maker = { readonly provider: string; readonly model: string; readonly level?: string };

export type Turn = {
  readonly started_at?: number;
  ended_at: number;
  /** The last one that was counted. */
  entry_uuid?: string;
  /** The last item of it. What comes after it in the log may belong to no turn. */
  after?: MutableItem | undefined;
  requests: number;
  usage?: Usage;
  cost_usd: number;
  unpriced: number;
};

export type EndedTurn = { readonly turn: Turn | undefined; readonly item: MutableOf<"exchange"> | undefined };

export function createLog(folder: string | undefined): Log {
  return {
    list: createItemList(),
    folder,
    seen: new Set(),
    anchors: new Map(),
    calls: new Map(),
    orphans: new Map(),
    noted: new Set(),
    rewinds: new Map(),
    losses: "",
  };
}

export function addItem(log: Log, entry: LogEntry, body: ItemBody, suffix = ""): MutableItem {
  return log.list.addLogged(`${entry.uuid}${suffix}`, body, entry.uuid);
}

export function lastLogged({ list }: Log): MutableItem | undefined {
  return list.items.findLast(({ entry_uuid }) => entry_uuid !== undefined);
}

/** Whether it is another one than before. A level that nobody named is whatever it turns out to be. */
export function announce(log: Log, maker: Maker): boolean {
  const { announced } = log;
  const level = maker.level ?? announced?.level;
  const same = announced !== undefined && announced.provider === maker.provider && announced.model === maker.model;
  log.announced = same && level !== undefined ? { ...maker, level } : maker;
  return !same || (announced.level !== undefined && level !== announced.level);
}
