/** What can be given up while it goes on: questions, and commands that take their time. */
export type Stops = {
  /** `by` ends it as well. */
  readonly during: <Result>(work: (signal: AbortSignal) => Promise<Result>, by?: AbortSignal) => Promise<Result>;
  /** Ends the newest. False: there is none. */
  readonly giveUp: () => boolean;
};

export function createStops(): Stops {
  const open: AbortController[] = [];
  return {
    async during(work, by) {
      const controller = new AbortController();
      const stop = (): void => controller.abort();
      open.push(controller);
      by?.addEventListener("abort", stop, { once: true });
      try {
        return await work(controller.signal);
      } finally {
        by?.removeEventListener("abort", stop);
        open.splice(open.indexOf(controller), 1);
      }
    },
    giveUp() {
      open.at(-1)?.abort();
      return open.length > 0;
    },
  };
}
