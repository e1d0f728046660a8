import {
  colorDepth,
  composeScreen,
  createStage,
  type EndSignal,
  type Frame,
  realClock,
  type Size,
  type Stage,
  withMenu,
} from "../../term/index.ts";
import { createActivities } from "../commands/activity.ts";
import { isBusy, shortId } from "../commands/figures.ts";
import { createCompleter } from "../commands/completions.ts";
import { submit } from "../commands/submit.ts";
import type { Services } from "../services.ts";
import { createRich, type ItemContext, type Rich } from "../transcript/index.ts";
import { createKeys } from "./actions.ts";
import { createHost, themeOf } from "./host.ts";
import { handleInput } from "./input.ts";
import { farewell } from "./leave.ts";
import { createPane, type Pane } from "./pane.ts";
import { questionHere } from "./questions.ts";
import { createSession } from "./session.ts";
import { type App, type ScreenWorld, type State, summaryOf } from "./state.ts";
import { screenOf } from "./view.ts";

export type Ending = { readonly reason: "quit" | "closed" | EndSignal };

export type Running = {
  /** Resolves when the screen has been given back; `close` then ends the agents. */
  readonly ended: Promise<Ending>;
  readonly close: () => Promise<void>;
  readonly app: App;
};

/** Paints at once, then opens the session. Nothing of it is awaited before the first frame. */
export function startScreen(services: Services, world: ScreenWorld): Running {
  const clock = world.clock ?? realClock;
  const { keys, problems } = createKeys(services.preferences.keys);
  const state = firstState(services);
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<Ending>();
  const opened = Promise.withResolvers<void>();
  const rich = createRich(() => app.redraw());
  let stage: Stage | undefined;
  const remembering = later(clock, rememberAfterMs, () => app.run(session.keep()));
  const estimating = later(clock, estimateAfterMs, () => app.run(estimate(app)));

  const theStage = (): Stage => {
    if (stage === undefined) throw new Error("the screen is not there yet");
    return stage;
  };
  const leave = (reason: Ending["reason"]): void => {
    remembering.cancel();
    estimating.cancel();
    theStage().stop(farewell(state, theStage().size(), contextOf(app, app.pane(), rich)));
    end({ reason });
  };

  const app: App = {
    world,
    services,
    keys,
    clock,
    state,
    activities: createActivities({ now: services.now, looking: () => state.here }),
    stage: theStage,
    redraw: () => stage?.redraw(),
    pane: () => session.paneOf(state.here),
    paneOf: (agent_uuid) => session.paneOf(agent_uuid),
    goTo(agent_uuid) {
      state.here = agent_uuid;
      state.estimate = undefined;
      app.activities.seen(agent_uuid);
      const pane = session.paneOf(agent_uuid);
      pane.editor = { ...pane.editor, history: state.typed };
      app.touched();
      app.redraw();
    },
    reopen: (which) => session.reopen(which),
    say(lines, tone = "info") {
      app.pane().model.notice(lines, tone);
      app.redraw();
    },
    run: (work) =>
      void work.catch((error: unknown) => {
        app.say([services.hide(error instanceof Error ? error.message : String(error))], "error");
      }),
    touched: () => remembering.soon(),
    edited() {
      const { text, caret } = app.pane().editor;
      state.estimate = undefined;
      estimating.soon();
      if (state.agents === undefined || text === "") completer.cancel();
      else app.run(completer.look(text, caret));
    },
    submit(text) {
      app.run(opened.promise.then(() => say(app, text)));
    },
    quit: () => leave("quit"),
  };

  const session = createSession({
    app,
    newPane: (agent_uuid) => createPane({ agent_uuid, services, context: (pane) => contextOf(app, pane, rich) }),
    showPatch: (patch, width) => rich.patch(patch, width),
  });
  const host = createHost(app);
  const completer = createCompleter(host, (menu) => {
    const pane = app.pane();
    pane.editor = withMenu(pane.editor, menu);
    app.redraw();
  });

  async function say(one: App, text: string): Promise<void> {
    await services.keepTyped(text);
    const agent = summaryOf(one.state);
    if (agent?.owner !== undefined && !text.startsWith("/") && !(await takeOver())) {
      host.draft(text);
      return;
    }
    await submit(host, text);
  }

  async function takeOver(): Promise<boolean> {
    const agent = summaryOf(state);
    if (agent?.owner === undefined || state.agents === undefined) return false;
    const yes = await host.ask({
      title: `${shortId(agent.uuid)} runs in process ${agent.owner.pid} on ${agent.owner.host}. Take it over?`,
      body: ["The other process can then only look at it."],
      options: [
        { value: true, label: "take it over", key: "y" },
        { value: false, label: "leave it there", key: "n" },
      ],
      selected: 1,
    });
    if (yes !== true) return false;
    const { taken } = await state.agents.command({ type: "take_over", agent_uuid: agent.uuid });
    state.stale = true;
    return taken;
  }

  stage = createStage({
    terminal: world.terminal,
    clock,
    env: world.env,
    depth: colorDepth(world.env, world.colour_bits),
    theme: themeOf(services.preferences.theme),
    draw: (size) => draw(app, size),
    input: (input) => handleInput(app, input),
    ended: leave,
  });
  if (state.mouse) stage.setMouse("on");
  session
    .open(world.which)
    .then(async () => {
      opened.resolve();
      if (problems.length > 0)
        app.say(
          problems.map(({ action, key, problem }) => `keys: ${action} ${key}: ${problem}`),
          "warning",
        );
      await rich.load();
    })
    .catch((error: unknown) => {
      theStage().stop();
      fail(error);
    });
  return {
    ended,
    app,
    async close() {
      await session.keep().catch(() => undefined);
      await session.close();
    },
  };
}

function firstState({ preferences }: Services): State {
  return {
    here: "",
    panes: new Map(),
    summaries: [],
    stale: false,
    overlays: [],
    questions: [],
    thinking: preferences.thinking,
    mouse: preferences.mouse,
    typed: [],
    heard_at: new Map(),
  };
}

function draw(app: App, size: Size): Frame {
  const { state } = app;
  if (state.stale && state.agents !== undefined) {
    state.summaries = state.agents.list();
    state.stale = false;
  }
  const moving = state.summaries.some((agent) => isBusy(agent) && agent.state !== "asking");
  app.stage().animate(moving || state.overlays.at(-1)?.type === "during" ? "on" : "off");
  app.pane().refresh();
  const frame = composeScreen(screenOf(app, size), size);
  notePainted(app);
  return frame;
}

/** From now on keys can be an answer to it. */
function notePainted({ state, clock }: App): void {
  const question = state.overlays.length > 0 ? undefined : questionHere(state);
  if (question === undefined || question.painted_at !== undefined) return;
  const painted = { ...question, painted_at: clock.now() };
  state.questions = state.questions.map((one) => (one === question ? painted : one));
}

async function estimate(app: App): Promise<void> {
  const { state } = app;
  const { text } = app.pane().editor;
  const agent = summaryOf(state);
  if (state.agents === undefined || agent?.model === undefined || /^\s*([/!]|$)/.test(text)) return;
  // A figure beside the text, and nothing more: where there is none, none is shown.
  const found = await state.agents.estimate(state.here, text).catch(() => undefined);
  if (found === undefined || app.pane().editor.text !== text) return;
  state.estimate = { text, tokens: found.input_tokens, window_tokens: found.context_tokens };
  app.redraw();
}

function contextOf({ state, services }: App, pane: Pane, rich: Rich): ItemContext {
  const agent = state.summaries.find(({ uuid }) => uuid === pane.agent_uuid);
  const nameOf = (wanted: string): string =>
    state.summaries.find(({ uuid }) => uuid === wanted)?.name ?? shortId(wanted);
  return {
    rich,
    nameOf,
    thinking: state.thinking,
    expanded: pane.expanded,
    now: services.now,
    frozen: agent?.state === "dead",
  };
}

type Later = { readonly soon: () => void; readonly cancel: () => void };

/** Once, when it has been quiet for so long. */
function later(clock: ScreenWorld["clock"] & object, ms: number, act: () => void): Later {
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

const rememberAfterMs = 700;
const estimateAfterMs = 350;
