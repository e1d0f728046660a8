import { encodeLine, questions, titleCode } from "./ansi.ts";
import { type Clock, createFrames, realClock } from "./frames.ts";
import { createInputReader } from "./input.ts";
import type { Input } from "./keys.ts";
import type { Lines } from "./line.ts";
import { createPainter, type Frame } from "./paint.ts";
import type { EndSignal, Size, Terminal } from "./terminal.ts";
import {
  type ColorDepth,
  createPalette,
  type Palette,
  type Rgb,
  type TerminalEnvironment,
  themeFrom,
  type ThemeName,
} from "./theme.ts";

export type StageOptions = {
  readonly terminal: Terminal;
  /** The screen as it should be now. Called when something changed, at most sixty times a second. */
  readonly draw: (size: Size) => Frame;
  /** Keys, pastes and the mouse; the terminal's answers are kept. */
  readonly input: (input: Input) => void;
  readonly depth: ColorDepth;
  /** Absent: from the terminal's background. */
  readonly theme?: ThemeName | undefined;
  readonly env?: TerminalEnvironment;
  readonly clock?: Clock;
  /** The terminal is gone, or somebody ends us: the screen has been given back, the program has to end now. */
  readonly ended: (reason: EndSignal | "closed") => void;
};

/** The screen while we have it: paints what `draw` says, reads keys, owns the terminal's modes. No timer when nothing moves. */
export type Stage = {
  readonly size: () => Size;
  /** Something changed. Many calls make one frame. */
  readonly redraw: () => void;
  /** Draws again five times a second, for as long as something on the screen moves by itself. */
  readonly animate: (state: "on" | "off") => void;
  readonly setTheme: (theme: ThemeName | undefined) => void;
  readonly setMouse: (state: "on" | "off") => void;
  readonly setTitle: (title: string) => void;
  /** Bytes past the picture: the clipboard, a bell. */
  readonly send: (code: string) => void;
  /** Runs something that needs the terminal for itself, then takes the screen back. */
  readonly lend: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly suspend: () => void;
  /** Ends it, once; the lines stay on the normal screen. Also after `ended`, for the lines. */
  readonly stop: (transcript?: Lines) => void;
};

export function createStage(options: StageOptions): Stage {
  const { terminal, clock = realClock } = options;
  const painter = createPainter();
  const reader = createInputReader();
  const frames = createFrames(clock, paint);
  const colors = createColors(options);
  let state: "running" | "lent" | "stopped" = "running";
  let behind = false;
  let cancelRead: (() => void) | undefined;

  function redraw(): void {
    if (state === "running" && !behind) frames.redraw();
  }

  function paint(): void {
    if (state !== "running") return;
    const size = terminal.size();
    const bytes = painter.paint(options.draw(size), size, colors.palette());
    if (bytes !== "") behind = !terminal.write(bytes);
  }

  function accept(inputs: readonly Input[]): void {
    for (const input of inputs) {
      if (input.type === "answer") hearAnswer(input);
      else if (state === "running") options.input(input);
    }
    cancelRead?.();
    const due = reader.deadline();
    const readLate = () => accept(reader.tick(clock.now()));
    cancelRead = due === undefined ? undefined : clock.after(Math.max(0, due - clock.now()), readLate);
  }

  let kittyKeys = false;
  function hearAnswer(input: Input & { readonly type: "answer" }): void {
    if (input.about === "background") {
      colors.hear(input.rgb);
      redraw();
    } else if (input.about === "kitty_keys") {
      kittyKeys = true;
      terminal.setMode("kitty_keys", "on");
      // Every terminal answers this one, and it was asked last.
    } else if (!kittyKeys) terminal.setMode("other_keys", "on");
  }

  function repaint(): void {
    painter.forget();
    behind = false;
    redraw();
  }

  function halt(next: "lent" | "stopped"): void {
    state = next;
    frames.cancel();
    cancelRead?.();
    cancelRead = undefined;
    if (next === "stopped") frames.animate("off");
  }

  terminal.start({
    input: (bytes) => accept(reader.feed(bytes, clock.now())),
    repaint,
    drained() {
      behind = false;
      redraw();
    },
    closed() {
      halt("stopped");
      options.ended("closed");
    },
    signal(name) {
      halt("stopped");
      options.ended(name);
    },
  });
  terminal.write(questions);
  redraw();

  return {
    size: terminal.size,
    redraw,
    animate: (wanted) => frames.animate(state === "stopped" ? "off" : wanted),
    setTheme(theme) {
      colors.choose(theme);
      redraw();
    },
    setMouse: (wanted) => terminal.setMode("mouse", wanted),
    setTitle: (title) => void terminal.write(titleCode(title)),
    send: (code) => void terminal.write(code),
    async lend(work) {
      halt("lent");
      terminal.pause();
      try {
        return await work();
      } finally {
        if (state === "lent") {
          state = "running";
          terminal.resume();
        }
      }
    },
    suspend: terminal.suspend,
    stop(transcript = []) {
      halt("stopped");
      terminal.stop(transcript.map((row) => `${encodeLine(row, colors.palette())}\r\n`).join(""));
    },
  };
}

type Colors = {
  readonly palette: () => Palette;
  readonly hear: (background: Rgb) => void;
  readonly choose: (theme: ThemeName | undefined) => void;
};

/** A person's choice first, then what the terminal says about itself. */
function createColors({ theme, depth, env = {} }: StageOptions): Colors {
  let chosen = theme;
  let background: Rgb | undefined;
  let palette = createPalette(chosen ?? themeFrom(background, env), depth);
  const apply = () => {
    const next = chosen ?? themeFrom(background, env);
    if (next !== palette.theme) palette = createPalette(next, depth);
  };
  return {
    palette: () => palette,
    hear(rgb) {
      background = rgb;
      apply();
    },
    choose(next) {
      chosen = next;
      apply();
    },
  };
}
