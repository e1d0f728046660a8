import type { AgentSummary } from "../../agent/index.ts";
import { clean, editorValue, following, setText, wrapText } from "../../term/index.ts";
import { placeAt } from "../commands/completions.ts";
import { isBusy } from "../commands/figures.ts";
import { keyLines, type ScreenAction } from "./actions.ts";
import { openFind } from "./find.ts";
import { scrollRows, scrollToBeginning, pageRows } from "./mouse.ts";
import { pagerOverlay } from "./overlays.ts";
import { asksElsewhere } from "./questions.ts";
import { type App, summaryOf } from "./state.ts";

/** Does what an action says. False: there is nothing to do, and the key may mean something else. */
export function perform(app: App, action: Exclude<ScreenAction, "send" | "clear" | "quit">): boolean {
  return isNumbered(action)
    ? goTo(app, app.state.summaries[Number(action.slice("agent_".length)) - 1])
    : acts[action](app);
}

type Numbered = Extract<ScreenAction, `agent_${number}`>;

function isNumbered(action: ScreenAction): action is Numbered {
  return /^agent_\d$/.test(action);
}

function goTo(app: App, agent: AgentSummary | undefined): true {
  if (agent !== undefined) app.goTo(agent.uuid);
  return true;
}

function sibling(app: App, step: 1 | -1): true {
  const { summaries } = app.state;
  const here = summaryOf(app.state);
  const siblings = summaries.filter(({ parent_uuid }) => parent_uuid === here?.parent_uuid);
  const at = siblings.findIndex(({ uuid }) => uuid === here?.uuid);
  return goTo(app, siblings[(at + step + siblings.length) % Math.max(1, siblings.length)]);
}

function interrupt(app: App): boolean {
  const here = summaryOf(app.state);
  const { agents } = app.state;
  if (here !== undefined && agents !== undefined && isBusy(here) && here.owner === undefined) {
    app.run(agents.command({ type: "interrupt", agent_uuid: here.uuid }));
  } else if (app.state.query !== undefined) app.state.query = undefined;
  else app.pane().scroll = following;
  return true;
}

function showOutput(app: App): true {
  const tool = app
    .pane()
    .model.items()
    .findLast((item) => item.type === "tool");
  if (tool?.type !== "tool") {
    app.state.flash = "no tool was used here yet";
    return true;
  }
  const open = (text: string): void => {
    const title = `${tool.name} ${tool.summary}`;
    const body = (width: number) => wrapText(clean(text), width);
    const { columns } = app.stage().size();
    app.state.overlays = [...app.state.overlays, pagerOverlay(clean(title), body, columns)];
    app.redraw();
  };
  if (tool.result_uuid === undefined) open(tool.output);
  else app.run(app.services.entry(tool.result_uuid).then(({ content = "" }) => open(content)));
  return true;
}

function writeElsewhere(app: App): true {
  const pane = app.pane();
  const before = editorValue(pane.editor);
  app.run(
    app
      .stage()
      .lend(() => app.services.edit(before))
      .then((text) => {
        if (text === undefined || text === before) return;
        pane.editor = setText(pane.editor, text);
        app.edited();
        app.touched();
        app.redraw();
      }),
  );
  return true;
}

export function showKeys(app: App): true {
  const body = (width: number) => keyLines(app.keys).flatMap((row) => wrapText(row, width));
  app.state.overlays = [...app.state.overlays, pagerOverlay("Keys", body, app.stage().size().columns)];
  return true;
}

type Acts = {
  readonly [Action in Exclude<ScreenAction, "send" | "clear" | "quit" | Numbered>]: (app: App) => boolean;
};

const acts: Acts = {
  complete(app) {
    const { text, caret } = app.pane().editor;
    const asking = placeAt(text, caret) === undefined ? asksElsewhere(app.state) : undefined;
    if (asking === undefined) app.edited();
    else app.goTo(asking.agent_uuid);
    return true;
  },
  editor: writeElsewhere,
  interrupt,
  next_agent: (app) => sibling(app, 1),
  previous_agent: (app) => sibling(app, -1),
  parent_agent: (app) => {
    const parent = summaryOf(app.state)?.parent_uuid;
    return goTo(
      app,
      app.state.summaries.find(({ uuid }) => uuid === parent),
    );
  },
  child_agent: (app) =>
    goTo(
      app,
      app.state.summaries.find(({ parent_uuid }) => parent_uuid === app.state.here),
    ),
  page_up: (app) => scrollRows(app, -pageRows(app)),
  page_down: (app) => scrollRows(app, pageRows(app)),
  line_up: (app) => scrollRows(app, -1),
  line_down: (app) => scrollRows(app, 1),
  top: scrollToBeginning,
  bottom(app) {
    app.pane().scroll = following;
    app.touched();
    return true;
  },
  find: (app) => openFind(app, ""),
  thinking(app) {
    app.state.thinking = app.state.thinking === "shown" ? "collapsed" : "shown";
    app.state.flash = app.state.thinking === "shown" ? "thinking is shown" : "thinking is one line";
    return true;
  },
  output: showOutput,
  repaint(app) {
    app.world.terminal.resume();
    return true;
  },
  suspend(app) {
    app.stage().suspend();
    return true;
  },
  help: showKeys,
};
