import type { LogEntry } from "../core/index.ts";
import type { Engine, WriteTransaction } from "./engine.ts";
import { StoreError } from "./errors.ts";

/**
 * Everything that is written goes through here, one after the other. When the database cannot take it, it waits in memory
 * in its order and is written when it can be. Work may be done twice (a connection lost in the middle of a commit), so it
 * must be the same done twice: rows are known by their uuid.
 */
export type Outbox = {
  readonly write: <Result>(work: Work<Result>) => Promise<Result>;
  readonly state: () => OutboxState;
  readonly onState: (listener: (state: OutboxState) => void) => () => void;
  /** Tries again now. */
  readonly flush: () => Promise<OutboxState>;
  /** Entries that were never written: those that still wait, and those the database refused after they had waited. */
  readonly unsaved: () => readonly LogEntry[];
  readonly close: () => Promise<void>;
};

export type OutboxState = {
  /** Why nothing can be written at the moment. */
  readonly failure?: StoreError;
  /** How many pieces of work wait. */
  readonly waiting: number;
};

export type Work<Result> = {
  readonly run: (db: WriteTransaction) => Promise<Result>;
  /** What the caller gets when the work has to wait. */
  readonly unwritten: Result;
  readonly entries?: readonly LogEntry[];
};

type Job = {
  /** Writes. What comes back gives the caller the result. */
  readonly perform: () => Promise<() => void>;
  readonly entries: readonly LogEntry[];
  /** Lets the caller go on; he is told only once. */
  readonly letGo: () => void;
  readonly reject: (error: StoreError) => void;
  waited: boolean;
};

export function createOutbox(engine: Pick<Engine, "write" | "storeError">): Outbox {
  const queue: Job[] = [];
  const refused: LogEntry[] = [];
  const listeners = new Set<(state: OutboxState) => void>();
  let failure: StoreError | undefined;
  let working = false;
  let pumping = Promise.resolve();
  let retry: NodeJS.Timeout | undefined;
  let attempts = 0;
  /** Writing what had to wait. */
  let behind = false;
  let closed = false;

  const state = (): OutboxState => ({ ...(failure === undefined ? {} : { failure }), waiting: queue.length });
  /** Told when something goes wrong, when it goes on, and when nothing waits any more. */
  const tell = (next: StoreError | undefined, drained: boolean): void => {
    const news = failure?.message !== next?.message || drained;
    failure = next;
    if (news) for (const listener of listeners) listener(state());
  };
  const pump = (): Promise<void> => {
    if (!working) pumping = work();
    return pumping;
  };
  const work = async (): Promise<void> => {
    working = true;
    clearTimeout(retry);
    try {
      for (let job = queue[0]; job !== undefined; job = queue[0]) if (!(await take(job))) return;
    } finally {
      // At once: whoever was just served may already be back with more.
      working = false;
    }
  };
  const take = async (job: Job): Promise<boolean> => {
    try {
      const served = await withPatience(job);
      queue.shift();
      attempts = 0;
      behind ||= failure !== undefined;
      tell(undefined, behind && queue.length === 0);
      behind &&= queue.length > 0;
      served();
    } catch (error) {
      const failed = engine.storeError(error);
      if (failed.passing) {
        waitForBetterTimes(failed);
        return false;
      }
      queue.shift();
      if (job.waited) refused.push(...job.entries);
      else job.reject(failed);
    }
    return true;
  };
  const waitForBetterTimes = (failed: StoreError): void => {
    for (const job of queue) job.letGo();
    tell(failed, false);
    if (closed) return;
    retry = setTimeout(() => void pump(), Math.min(retryMaxMs, retryMinMs * 2 ** attempts++));
    retry.unref();
  };

  return {
    write: (work) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new StoreError("unknown", "the store has been closed"));
        if (queue.length >= waitingMax)
          return reject(failure ?? new StoreError("locked", "too much waits to be written"));
        const job: Job = {
          perform: async () => {
            const result = await engine.write(work.run);
            return () => resolve(result);
          },
          entries: work.entries ?? [],
          letGo: () => {
            job.waited = true;
            resolve(work.unwritten);
          },
          reject,
          waited: false,
        };
        queue.push(job);
        if (failure === undefined) void pump();
        else job.letGo();
      }),
    state,
    onState(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async flush() {
      await pumping;
      await pump();
      return state();
    },
    unsaved: () => [...refused, ...queue.flatMap((job) => job.entries)],
    async close() {
      closed = true;
      await pumping;
      await pump();
      clearTimeout(retry);
    },
  };
}

/** Work that takes long goes on, but nobody has to wait for it. */
async function withPatience(job: Job): Promise<() => void> {
  const timer = setTimeout(job.letGo, patienceMs);
  timer.unref();
  try {
    return await job.perform();
  } finally {
    clearTimeout(timer);
  }
}

const patienceMs = 5_000;
const retryMinMs = 250;
const retryMaxMs = 5_000;
const waitingMax = 100_000;
