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
import { createCompleter } from "../commands/completions.ts";
import { isBusy, shortId } from "../commands/figures.ts";
import type { Host } from "../host.ts";
import type { Services } from "../services.ts";
import { createRich, type ItemContext, type Rich } from "../transcript/index.ts";
import { createKeys } from "./actions.ts";
import { createHost, themeOf } from "./host.ts";
import { handleInput } from "./input.ts";
import { later } from "./later.ts";
import { farewell } from "./leave.ts";
import { createPane, type Pane } from "./pane.ts";
import { questionHere } from "./questions.ts";
import { createSession, type Session } from "./session.ts";
import { estimate, speak } from "./speak.ts";
import type { App, ScreenWorld, State } from "./state.ts";
import { screenOf } from "./view.ts";

export type Ending = { readonly reason: "quit" | "closed" | EndSignal };

export type Running = {
  /** Resolves when the screen has been given back. Fails when the session could not be opened. */
  readonly ended: Promise<Ending>;
  /** Ends what runs. */
  readonly close: () => Promise<void>;
  readonly app: App;
};

/** Paints at once, then opens the session: nothing of it is waited for before the first picture. */
export function startScreen(services: Services, world: ScreenWorld): Running {
  const { promise: ended, resolve, reject } = Promise.withResolvers<Ending>();
  const { app, session, rich, problems } = createApp(services, world, (reason) => {
    stopWatching?.();
    app.stage().stop(farewell(app.state, app.stage().size(), contextOf(app, app.pane(), rich), services.program));
    resolve({ reason });
  });
  const stopWatching = services.onUnwritten?.(app.redraw);
  if (app.state.mouse) app.stage().setMouse("on");
  app.stage().setTitle(`ikigai ${services.folder_label}`);
  const begin = async (): Promise<void> => {
    await open(app, session);
    if (problems.length > 0) app.say(problems, "warning");
    await rich.load();
  };
  // After the first frame, which was asked for before.
  app.clock.after(0, () => {
    begin().catch((error: unknown) => {
      app.stage().stop();
      reject(error);
    });
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

async function open({ world, state }: App, session: Session): Promise<void> {
  await session.open(world.which);
  for (const act of state.when_open) act();
  state.when_open = [];
}

type Made = {
  readonly app: App;
  readonly session: Session;
  readonly rich: Rich;
  /** Of the keys in the configuration. */
  readonly problems: readonly string[];
};

/** The parts know each other through the app; each is there when the first key comes. */
function createApp(services: Services, world: ScreenWorld, leave: (reason: Ending["reason"]) => void): Made {
  const clock = world.clock ?? realClock;
  const { keys, problems } = createKeys(services.preferences.keys);
  const state = firstState(services);
  const rich = createRich(() => app.redraw());
  const remembering = later(clock, rememberAfterMs, () => app.run(session.keep()));
  const estimating = later(clock, estimateAfterMs, () => app.run(estimate(app)));
  const end = (reason: Ending["reason"]): void => {
    remembering.cancel();
    estimating.cancel();
    leave(reason);
  };
  const app: App = {
    world,
    services,
    keys,
    clock,
    state,
    activities: createActivities({ now: services.now, looking: () => state.here }),
    stage: () => stage,
    redraw: () => stage.redraw(),
    pane: () => session.paneOf(state.here),
    goTo: (agent_uuid) => goTo(app, session, agent_uuid),
    reopen: (which) => session.reopen(which),
    say(lines, tone = "info") {
      app.pane().model.notice(lines, tone);
      app.redraw();
    },
    run(work) {
      work.catch((error: unknown) => {
        app.say([services.hide(error instanceof Error ? error.message : String(error))], "error");
      });
    },
    touched: remembering.soon,
    edited() {
      const { text, caret } = app.pane().editor;
      state.estimate = undefined;
      estimating.soon();
      if (state.agents === undefined || text === "") completer.cancel();
      else app.run(completer.look(text, caret));
    },
    submit(text) {
      const act = (): void => app.run(speak(app, host, text));
      if (state.agents === undefined) state.when_open = [...state.when_open, act];
      else act();
    },
    quit: () => end("quit"),
  };
  const newPane = (agent_uuid: string): Pane =>
    createPane({ agent_uuid, services, context: (pane) => contextOf(app, pane, rich) });
  const session = createSession({ app, newPane, showPatch: rich.patch });
  const host = createHost(app);
  const completer = completerFor(app, host);
  const stage = stageFor(app, end);
  return {
    app,
    session,
    rich,
    problems: problems.map(({ action, key, problem }) => `keys: ${action} ${key}: ${problem}`),
  };
}

function stageFor(app: App, ended: (reason: Ending["reason"]) => void): Stage {
  const { world, clock, services } = app;
  return createStage({
    terminal: world.terminal,
    clock,
    env: world.env,
    depth: colorDepth(world.env, world.colour_bits),
    theme: themeOf(services.preferences.theme),
    draw: (size) => draw(app, size),
    input: (input) => handleInput(app, input),
    ended,
  });
}

function completerFor(app: App, host: Host): ReturnType<typeof createCompleter> {
  return createCompleter(host, (menu) => {
    const pane = app.pane();
    pane.editor = withMenu(pane.editor, menu);
    app.redraw();
  });
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
    when_open: [],
  };
}

function goTo(app: App, session: Session, agent_uuid: string): void {
  const { state } = app;
  state.here = agent_uuid;
  state.estimate = undefined;
  app.activities.seen(agent_uuid);
  const pane = session.paneOf(agent_uuid);
  pane.editor = { ...pane.editor, history: state.typed };
  app.touched();
  app.redraw();
}

function draw(app: App, size: Size): Frame {
  const { state } = app;
  if (state.stale && state.agents !== undefined) {
    state.summaries = state.agents.list();
    state.stale = false;
    // Put away by somebody else.
    if (!state.summaries.some(({ uuid }) => uuid === state.here)) state.here = state.agents.root_uuid;
  }
  const moving = state.summaries.some(
    (agent) => isBusy(agent) && agent.state !== "asking" && agent.owner === undefined,
  );
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

function contextOf({ state, services }: App, pane: Pane, rich: Rich): ItemContext {
  const agent = state.summaries.find(({ uuid }) => uuid === pane.agent_uuid);
  return {
    rich,
    nameOf: (wanted) => state.summaries.find(({ uuid }) => uuid === wanted)?.name ?? shortId(wanted),
    thinking: state.thinking,
    expanded: pane.expanded,
    now: services.now,
    frozen: agent?.state === "dead",
  };
}

const rememberAfterMs = 700;
const estimateAfterMs = 350;
