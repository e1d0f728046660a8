import type { Clock } from "../../term/index.ts";

/** Something that is done once, when it has been quiet for a while. No timer runs when nothing has to be done. */
export type Later = { readonly soon: () => void; readonly cancel: () => void };

export function later(clock: Clock, ms: number, act: () => void): Later {
  let cancel: (() => void) | undefined;
  return {
    soon() {
      cancel?.();
      cancel = clock.after(ms, () => {
        cancel = undefined;
        act();
      });
    },
    cancel() {
      cancel?.();
      cancel = undefined;
    },
  };
}
