import { setTimeout as sleep } from "node:timers/promises";
import { isStoreError, type StoreError } from "../errors.ts";

/**
 * SQLite waits for a lock by stopping the thread, and with it everything else this program does. So it may wait only for
 * a moment, and the rest of the waiting is done here, where others can go on.
 */
export const busyTimeoutMs = 50;

/** Short transactions make waiting rare; nobody has to hear of it unless somebody holds the file for a minute. */
export async function patiently<Result>(
  run: () => Result | Promise<Result>,
  storeError: (error: unknown) => StoreError,
): Promise<Result> {
  const until = Date.now() + patienceMs;
  for (;;) {
    try {
      return await run();
    } catch (error) {
      const failure = storeError(error);
      if (!isStoreError(failure, "locked") || Date.now() > until) throw failure;
      await sleep(1 + Math.random() * 20);
    }
  }
}

const patienceMs = 60_000;
