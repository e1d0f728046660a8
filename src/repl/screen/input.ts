import {
  actionOf,
  continueLine,
  editorValue,
  following,
  type Input,
  type KeyInput,
  setText,
  submitted,
  typeInto,
  typeIntoChoice,
  withMenu,
} from "../../term/index.ts";
import { perform } from "./acts.ts";
import type { ScreenAction } from "./actions.ts";
import { typeIntoFind } from "./find.ts";
import { clickAt, wheel } from "./mouse.ts";
import { typeIntoOverlay } from "./overlays.ts";
import { type Answer, isArmed, type Pending, questionHere } from "./questions.ts";
import type { App } from "./state.ts";

/** What a key, a paste or the mouse does. The nearest thing on the screen has it first. */
export function handleInput(app: App, input: Input): void {
  const overlay = app.state.overlays.at(-1);
  if (overlay?.type === "find") typeIntoFind(app, overlay, input);
  else if (overlay !== undefined) typeOver(app, input);
  else if (input.type === "mouse") {
    if (input.action === "wheel_up" || input.action === "wheel_down") wheel(app, input.action === "wheel_up" ? -3 : 3);
    else if (input.action === "press" && input.button === "left") clickAt(app, input.row);
  } else if (!answerQuestion(app, input)) typeHere(app, input);
  app.redraw();
}

function typeOver(app: App, input: Input): void {
  const { state } = app;
  const overlay = state.overlays.at(-1);
  if (overlay === undefined) return;
  const { overlay: next, after } = typeIntoOverlay(overlay, input, app.stage().size());
  const below = state.overlays.slice(0, -1);
  state.overlays = next === undefined ? below : [...below, next];
  after?.();
}

/** True: it was for the question, or nothing should become of it. */
function answerQuestion(app: App, input: Input): boolean {
  const { state } = app;
  const question = questionHere(state);
  if (question === undefined) return false;
  const action = input.type === "key" ? actionOf(app.keys.screen, input.key) : undefined;
  if (action !== undefined && alsoAtQuestions.has(action)) return false;
  if (!isArmed(question, app.clock.now())) {
    // Somebody was writing when it came up: letters stay letters, and nothing is sent or answered.
    if (input.type === "paste" || (input.type === "key" && input.text !== "")) typeHere(app, input);
    return true;
  }
  if (input.type === "paste") {
    // No answer either; it was meant for the editor.
    typeHere(app, input);
    return true;
  }
  const step = typeIntoChoice(question.choice, input);
  if (step.type === "open") {
    const changed: Pending = { ...question, choice: step.state };
    state.questions = state.questions.map((one) => (one.id === question.id ? changed : one));
  } else settle(app, question, step.type === "done" ? step.result : "no");
  return true;
}

function settle(app: App, { id, agent_uuid }: Pending, answer: Answer): void {
  const { state } = app;
  state.questions = state.questions.filter((one) => one.id !== id);
  const agents = state.agents;
  if (agents === undefined) return;
  app.run(
    answer === "no"
      ? agents.command({ type: "deny", agent_uuid, approval_id: id })
      : agents.command({ type: "approve", agent_uuid, approval_id: id, scope: answer }),
  );
}

function typeHere(app: App, input: Input): void {
  const { state, keys } = app;
  const pane = app.pane();
  const { editor } = pane;
  const width = app.stage().size().columns - 2;
  const warned = state.flash;
  state.flash = undefined;
  if (editor.search === undefined && input.type === "key") {
    if (editor.menu !== undefined && input.key === "enter" && acceptsNothing(app))
      pane.editor = withMenu(editor, undefined);
    else if (editor.menu !== undefined && menuKeys.has(input.key)) {
      type(app, input, width);
      return;
    }
    const action = actionOf(keys.screen, input.key);
    if (action !== undefined && act(app, action, { warned, editing: isEditing(app, input) })) return;
  }
  type(app, input, width);
}

function type(app: App, input: Input, width: number): void {
  const pane = app.pane();
  const changed = typeInto(pane.editor, input, { keys: app.keys.editor, width });
  if (changed === undefined || changed === pane.editor) return;
  const { text } = pane.editor;
  pane.editor = changed;
  app.touched();
  if (changed.text !== text) app.edited();
}

/** The chosen item is what is written already, or nothing was chosen for a place that may stay empty: Enter means Enter. */
function acceptsNothing(app: App): boolean {
  const { text, menu } = app.pane().editor;
  const item = menu?.items[menu.selected];
  if (menu === undefined || item === undefined) return false;
  const typed = text.slice(menu.start, menu.end).trim();
  const untouched =
    typed === "" && menu.selected === 0 && /^\/\S+\s/.test(text) && /\s/.test(text.charAt(menu.start - 1));
  return untouched || typed === item.insert.trim();
}

type Situation = {
  readonly warned: string | undefined;
  /** The key would change or move something in the text that is there. */
  readonly editing: boolean;
};

function isEditing(app: App, { key, text }: KeyInput): boolean {
  return app.pane().editor.text !== "" && (text !== "" || actionOf(app.keys.editor, key) !== undefined);
}

/** False: here the key is the editor's. */
function act(app: App, action: ScreenAction, { warned, editing }: Situation): boolean {
  const pane = app.pane();
  const { editor } = pane;
  if (emptyOnly.has(action) && editing) return false;
  switch (action) {
    case "send":
      send(app);
      return true;
    case "clear":
      if (editor.text !== "") {
        pane.editor = setText(editor, "");
        app.edited();
        app.touched();
      } else if (warned === quitWarning) {
        app.quit();
        return true;
      }
      app.state.flash = quitWarning;
      return true;
    case "quit":
      app.quit();
      return true;
    default:
      return perform(app, action);
  }
}

function send(app: App): void {
  const pane = app.pane();
  const continued = continueLine(pane.editor);
  if (continued !== undefined) {
    pane.editor = continued;
    return;
  }
  const text = editorValue(pane.editor);
  if (text.trim() === "") return;
  pane.editor = submitted(pane.editor, app.services.preferences.history_size);
  pane.scroll = following;
  app.state.typed = pane.editor.history;
  app.edited();
  app.touched();
  app.submit(text);
}

const quitWarning = "Ctrl+C again quits";
const menuKeys: ReadonlySet<string> = new Set([
  "tab",
  "enter",
  "escape",
  "down",
  "up",
  "ctrl+n",
  "ctrl+p",
  "shift+tab",
]);
/** Their keys move, delete or write where there is a text. */
const emptyOnly: ReadonlySet<ScreenAction> = new Set(["top", "bottom", "help", "quit"]);
/** Whoever is asked may look around first. */
const alsoAtQuestions: ReadonlySet<ScreenAction> = new Set([
  "next_agent",
  "previous_agent",
  "parent_agent",
  "child_agent",
  "agent_1",
  "agent_2",
  "agent_3",
  "agent_4",
  "agent_5",
  "agent_6",
  "agent_7",
  "agent_8",
  "agent_9",
  "line_up",
  "line_down",
  "suspend",
  "repaint",
]);
