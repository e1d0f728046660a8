import type { SqliteOptions } from "./sqlite/index.ts";
import { createStore, type Store, type StoreOptions } from "./store.ts";

export type { Agent, Agents, Fork, NewAgent } from "./agents.ts";
export type { NewEntry } from "./append.ts";
export { checkHistory, remarksOn } from "./check.ts";
export { copyHistory, type CopyOptions, type CopyProgress } from "./copy.ts";
export type { Change } from "./engine.ts";
export type { Draft, DraftHead } from "./drafts.ts";
export { StoreError, isStoreError, type StoreErrorKind } from "./errors.ts";
export { addressOf } from "./postgres/errors.ts";
export type { History, Page, PageOptions, View } from "./history.ts";
export type { Inputs } from "./inputs.ts";
export type { Letter, Mail } from "./mail.ts";
export type { OutboxState } from "./outbox.ts";
export type { Claim } from "./ownership.ts";
export type { Hit, SearchOptions } from "./search.ts";
export type { RecentSession, Session, SessionSummary, SessionTotals } from "./sessions.ts";
export type { States } from "./states.ts";
export type { Store } from "./store.ts";
export type { Comparison } from "./compare.ts";
export type { HistoryLine } from "./lines.ts";
export type { ImportCounts } from "./transfer.ts";
export type { UsageBy, UsageOptions, UsageRow } from "./usage.ts";

/** A file of SQLite, or the address of a PostgreSQL database. */
export type Place = { readonly path: string } | { readonly url: string };

export type OpenOptions = StoreOptions &
  (Pick<SqliteOptions, "path" | "synchronous" | "unwritable"> | { readonly url: string });

/** Opens a history, makes it where there is none, brings it up to date. Only the engine that is asked for is loaded. */
export async function openStore(options: OpenOptions): Promise<Store> {
  if ("url" in options) {
    const { openPostgres } = await import("./postgres/index.ts");
    return createStore(await openPostgres(options), options);
  }
  const { openSqlite } = await import("./sqlite/index.ts");
  return createStore(await openSqlite(options), options);
}

/** Whether there is something to open. Makes nothing, neither a file nor a table. */
export async function historyExists(place: Place): Promise<boolean> {
  if ("url" in place) return (await import("./postgres/probe.ts")).hasHistory(place.url);
  const { statSync } = await import("node:fs");
  return (statSync(place.path, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
