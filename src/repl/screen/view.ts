import { type Screen, type Size } from "../../term/index.ts";
import { footerLine, headerLine, ruleColor, ruleLabel, stripLine } from "./bars.ts";
import { type Overlay, viewOverlay } from "./overlays.ts";
import { questionHere } from "./questions.ts";
import { type App, summaryOf } from "./state.ts";

/** The screen as it should be now. Changes nothing. */
export function screenOf(app: App, size: Size): Screen {
  const { state, services, activities } = app;
  const pane = app.pane();
  const view = { now: services.now(), activity: activities.of };
  const overlay = shownOverlay(app);
  return {
    header: headerLine(services, size.columns),
    transcript: pane.transcript,
    scroll: pane.scroll,
    query: state.query,
    strip: stripLine(state, view, size.columns),
    rule: { color: ruleColor(state), label: ruleLabel(app) },
    editor: pane.editor,
    hint: hintOf(app),
    footer: (shape, width) =>
      footerLine(state, view, { folded: shape === "folded", width, unwritten: services.unwritten }),
    overlay: overlay === undefined ? undefined : (width, rows) => viewOverlay(overlay, width, rows),
  };
}

/** Questions are drawn like overlays, but belong to their agent: whoever goes elsewhere leaves them there. */
function shownOverlay({ state }: App): Overlay | undefined {
  const question = questionHere(state);
  return (
    state.overlays.at(-1) ??
    (question === undefined ? undefined : { type: "choice", choice: question.choice, done: () => undefined })
  );
}

function hintOf({ state }: App): string {
  const agent = summaryOf(state);
  if (agent?.owner !== undefined) return "Enter takes the agent over";
  if (agent?.state === "dead") return "/fork goes on from here";
  return state.summaries.length > 1
    ? "say something, or / for commands"
    : "ask anything · / commands · @ files · ? keys";
}
