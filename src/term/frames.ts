/** Time, given in so that tests can be the clock. */
export type Clock = {
  readonly now: () => number;
  /** Returns how to call it off. */
  readonly after: (ms: number, act: () => void) => () => void;
};

/** When to paint: at once if the last frame is long ago, at most sixty times a second, and never when nothing changed. */
export type Frames = {
  readonly redraw: () => void;
  readonly animate: (state: "on" | "off") => void;
  /** No frame until the next `redraw`. */
  readonly cancel: () => void;
};

const frameMs = 16;
/** Fast enough to be seen moving, and less than a hundredth of a core. */
const animationMs = 200;

export function createFrames(clock: Clock, paint: () => void): Frames {
  let paintedAt = Number.NEGATIVE_INFINITY;
  let cancelFrame: (() => void) | undefined;
  let cancelAnimation: (() => void) | undefined;

  function redraw(): void {
    cancelFrame ??= clock.after(Math.max(0, paintedAt + frameMs - clock.now()), () => {
      cancelFrame = undefined;
      paintedAt = clock.now();
      paint();
    });
  }

  function tick(): void {
    redraw();
    cancelAnimation = clock.after(animationMs, tick);
  }

  return {
    redraw,
    animate(state) {
      if ((state === "on") === (cancelAnimation !== undefined)) return;
      cancelAnimation?.();
      cancelAnimation = state === "on" ? clock.after(animationMs, tick) : undefined;
    },
    cancel() {
      cancelFrame?.();
      cancelFrame = undefined;
    },
  };
}

/** A frame that need not wait comes right after what is being done, together with everything that does. */
export const realClock: Clock = {
  now: () => performance.now(),
  after(ms, act) {
    if (ms <= 0) {
      const immediate = setImmediate(act);
      return () => clearImmediate(immediate);
    }
    const timer = setTimeout(act, ms);
    return () => clearTimeout(timer);
  },
};
