import type { Change, Engine, Watch } from "./engine.ts";
import { isStoreError } from "./errors.ts";

/** Who wants to know what has been written, by this process or any other. */
export type Changes = {
  /** Calls back within milliseconds of a write. A field that is missing may be anything. Returns how to stop. */
  readonly onChange: (listener: (change: Change) => void) => () => void;
  /** Asks again after each change until the answer is yes: true. False: the time is over, or it was aborted. */
  readonly until: (check: () => Promise<boolean>, options?: WaitOptions) => Promise<boolean>;
  readonly changed: (change: Change) => void;
  readonly close: () => void;
};

export type WaitOptions = { readonly timeout_ms?: number; readonly signal?: AbortSignal };

export function createChanges(engine: Pick<Engine, "watch">): Changes {
  const listeners = new Set<(change: Change) => void>();
  let watching: Promise<Watch | undefined> | undefined;

  const changed = (change: Change): void => {
    for (const listener of listeners) listener(change);
  };
  const onChange = (listener: (change: Change) => void): (() => void) => {
    listeners.add(listener);
    // Without a watch only this process's own writes are noticed; whoever waits also looks now and then.
    watching ??= engine.watch(changed).catch(() => {
      watching = undefined;
      return undefined;
    });
    return () => {
      listeners.delete(listener);
    };
  };

  return {
    onChange,
    async until(check, { timeout_ms, signal } = {}) {
      const bell = createBell();
      const stop = onChange(bell.ring);
      const timer = setInterval(bell.ring, lookAgainMs);
      const end = timeout_ms === undefined ? undefined : setTimeout(bell.end, timeout_ms);
      signal?.addEventListener("abort", bell.end, { once: true });
      if (signal?.aborted) bell.end();
      try {
        // Listening comes first: what is written from here on rings.
        await watching;
        for (;;) {
          if (await answer(check)) return true;
          if (!(await bell.heard())) return false;
        }
      } finally {
        stop();
        clearInterval(timer);
        clearTimeout(end);
        signal?.removeEventListener("abort", bell.end);
      }
    },
    changed,
    close() {
      listeners.clear();
      void watching?.then((watch) => watch?.close());
    },
  };
}

/** A database that cannot be asked now has not said no: whoever waits goes on waiting. */
async function answer(check: () => Promise<boolean>): Promise<boolean> {
  try {
    return await check();
  } catch (error) {
    if (isStoreError(error) && error.passing) return false;
    throw error;
  }
}

/** Rings that come while nobody listens are heard as one. */
function createBell(): {
  readonly ring: () => void;
  readonly end: () => void;
  readonly heard: () => Promise<boolean>;
} {
  let rung = false;
  let ended = false;
  let wake: (() => void) | undefined;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    end() {
      ended = true;
      wake?.();
    },
    async heard() {
      if (!rung && !ended) await new Promise<void>((resolve) => (wake = resolve));
      rung = false;
      wake = undefined;
      return !ended;
    },
  };
}

/** Should a notice ever be lost: a query every few seconds, only while somebody waits. */
const lookAgainMs = 5_000;
