import { watch, type FSWatcher } from "node:fs";
import type { Change, Watch } from "../engine.ts";
import { location, type Connection } from "./connection.ts";

/**
 * Other processes' commits, noticed in a fraction of a millisecond: every commit touches the `-wal` file, and SQLite counts
 * the commits of others. Where the file system does not tell, the count is looked at now and then.
 */
export function watchFile(path: string, current: () => Connection, listener: (change: Change) => void): Watch {
  const file = location(path);
  if (file === undefined) return { close: () => undefined };
  let seen = dataVersion(current());
  let again: NodeJS.Timeout | undefined;
  const look = (): boolean => {
    const version = dataVersion(current());
    if (version === seen) return false;
    seen = version;
    listener({});
    return true;
  };
  // The file is touched a moment before the commit can be seen: nothing new yet may mean that there will be.
  const lookUntilSeen = (turn: number): void => {
    clearTimeout(again);
    const wait = lookAgainMs[turn];
    if (look() || wait === undefined) return;
    again = setTimeout(() => lookUntilSeen(turn + 1), wait);
    again.unref();
  };
  const wal = current().journal === "wal";
  const watcher = wal ? watchQuietly(`${file}-wal`, () => lookUntilSeen(0)) : undefined;
  const timer = setInterval(look, watcher === undefined ? slowPollMs : safetyPollMs);
  timer.unref();
  return {
    close() {
      watcher?.close();
      clearInterval(timer);
      clearTimeout(again);
    },
  };
}

/** Where even reading has to wait, something is being written. */
function dataVersion({ statement }: Connection): unknown {
  try {
    return statement("PRAGMA data_version").get()?.["data_version"];
  } catch {
    return undefined;
  }
}

function watchQuietly(file: string, listener: () => void): FSWatcher | undefined {
  try {
    const watcher = watch(file, { persistent: false }, listener);
    watcher.on("error", () => watcher.close());
    return watcher;
  } catch {
    return undefined;
  }
}

const lookAgainMs = [1, 2, 5, 20, 100];
/** Without a watcher: where the file is on a network. */
const slowPollMs = 500;
/** With one: should an event ever be lost. */
const safetyPollMs = 10_000;
