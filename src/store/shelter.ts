import type { Engine } from "./engine.ts";
import type { Outbox, OutboxState } from "./outbox.ts";

/** The outbox as callers see it: what is in a shelter waits as well, and is brought home when that is possible. */
export function withShelter(engine: Engine, outbox: Outbox): Outbox {
  const { shelter } = engine;
  if (shelter === undefined) return outbox;
  const listeners = new Set<(state: OutboxState) => void>();
  let attempts = 0;
  let retry: NodeJS.Timeout | undefined;

  const state = (): OutboxState => {
    const failure = shelter.failure();
    return failure === undefined ? outbox.state() : { failure, waiting: Math.max(1, shelter.entries().length) };
  };
  const leave = async (): Promise<void> => {
    clearTimeout(retry);
    if (shelter.failure() === undefined) return;
    try {
      await shelter.leave();
      for (const listener of listeners) listener(state());
    } catch {
      // As before: the reason it began with is the one that was told.
      schedule();
    }
  };
  const schedule = (): void => {
    retry = setTimeout(() => void leave(), Math.min(retryMaxMs, retryMinMs * 2 ** attempts++));
    retry.unref();
  };
  schedule();

  return {
    ...outbox,
    state,
    onState(listener) {
      const stop = outbox.onState(listener);
      listeners.add(listener);
      return () => {
        stop();
        listeners.delete(listener);
      };
    },
    async flush() {
      await outbox.flush();
      await leave();
      return state();
    },
    unsaved: () => [...shelter.entries(), ...outbox.unsaved()],
    async close() {
      await outbox.close();
      await leave();
      clearTimeout(retry);
    },
  };
}

const retryMinMs = 1_000;
const retryMaxMs = 30_000;
