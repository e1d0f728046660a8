import {
  clean,
  copyText,
  createChoice,
  createPicker,
  line,
  setText,
  span,
  type ThemeName,
  wrapText,
} from "../../term/index.ts";
import type { Agents } from "../../agent/index.ts";
import type { Host, PickAction, Question } from "../host.ts";
import { transcriptText } from "../transcript/index.ts";
import { showKeys } from "./acts.ts";
import { openFind } from "./find.ts";
import { type Overlay, pagerOverlay } from "./overlays.ts";
import type { App } from "./state.ts";

/** What commands see of the screen. */
export function createHost(app: App): Host {
  const { state, services, world } = app;
  const put = (overlay: Overlay): void => {
    state.overlays = [...state.overlays, overlay];
    app.redraw();
  };
  return {
    mode: "screen",
    services,
    agents: () => agentsOf(app),
    here: () => state.here,
    goTo: app.goTo,
    reopen: app.reopen,
    say: app.say,
    show: (title, body) => put(pagerOverlay(title, body, app.stage().size().columns)),
    pick: (title, items, actions = []) =>
      new Promise((resolve) => {
        const picker = createPicker<unknown>(title, items);
        put({
          type: "picker",
          picker,
          // Whatever comes out of the list was put in above.
          actions: actions as readonly PickAction<unknown>[],
          done: resolve as (value: unknown) => void,
        });
      }),
    ask: (question) =>
      new Promise((resolve) => {
        put({ type: "choice", choice: choiceOf(question), done: resolve as (value: unknown) => void });
      }),
    during: (lines, work) => during(app, lines, work),
    activity: app.activities.of,
    showKeys() {
      showKeys(app);
      app.redraw();
    },
    draft(text) {
      const pane = app.pane();
      pane.editor = setText(pane.editor, text);
      app.touched();
      app.edited();
      app.redraw();
    },
    shownText: (what) => transcriptText(app.pane().model.items(), what),
    async copy(text) {
      const { env, platform } = world;
      const { copied, way } = await copyText(text, { env, platform, send: app.stage().send });
      return copied ? `Copied by ${way}.` : `Not copied: ${way}.`;
    },
    thinking: () => state.thinking,
    setThinking(view) {
      state.thinking = view;
      app.redraw();
    },
    setMouse(wanted) {
      state.mouse = wanted === "on";
      app.stage().setMouse(wanted);
      return true;
    },
    setTheme: (theme) => app.stage().setTheme(themeOf(theme)),
    find(text) {
      openFind(app, text);
      app.redraw();
    },
    exit: app.quit,
  };
}

export function themeOf(theme: "dark" | "light" | "auto"): ThemeName | undefined {
  return theme === "auto" ? undefined : theme;
}

function agentsOf({ state }: App): Agents {
  if (state.agents === undefined) throw new Error("the conversation is still being opened");
  return state.agents;
}

function choiceOf<Value>({ title, body = [], options, selected = 0 }: Question<Value>) {
  return createChoice<unknown>(
    {
      title: line(span(clean(title), { bold: true })),
      body: (width) => body.flatMap((text) => wrapText(clean(text), width)),
      options,
    },
    selected,
  );
}

async function during<Result>(
  app: App,
  lines: () => readonly string[],
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const overlay: Overlay = { type: "during", lines, abort: () => controller.abort() };
  app.state.overlays = [...app.state.overlays, overlay];
  app.redraw();
  try {
    return await work(controller.signal);
  } finally {
    app.state.overlays = app.state.overlays.filter((one) => one !== overlay);
    app.redraw();
  }
}
