/** So many may work at once; the others wait in the order they came. */
export type Gate = {
  /** True: there is a place, to be given back with `leave`. False: aborted while waiting. */
  readonly enter: (signal: AbortSignal) => Promise<boolean>;
  readonly leave: () => void;
  readonly full: () => boolean;
};

export function createGate(places: number): Gate {
  let taken = 0;
  const waiting: (() => void)[] = [];
  return {
    enter(signal) {
      if (signal.aborted) return Promise.resolve(false);
      if (taken < places) {
        taken += 1;
        return Promise.resolve(true);
      }
      return new Promise((resolve) => {
        const admit = (): void => {
          signal.removeEventListener("abort", giveUp);
          resolve(true);
        };
        const giveUp = (): void => {
          waiting.splice(waiting.indexOf(admit), 1);
          resolve(false);
        };
        waiting.push(admit);
        signal.addEventListener("abort", giveUp, { once: true });
      });
    },
    leave() {
      const next = waiting.shift();
      // The place goes from hand to hand, so that nobody who comes now can be faster.
      if (next === undefined) taken -= 1;
      else next();
    },
    full: () => taken >= places,
  };
}
