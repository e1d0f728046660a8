import type { AgentEvent } from "../../agent/index.ts";
import { editorValue, following, type Scroll, setText } from "../../term/index.ts";
import { modelText } from "../commands/figures.ts";
import type { Opened, SessionChoice } from "../services.ts";
import { greeting } from "./greeting.ts";
import { type Memory, readMemory, writeMemory } from "./memory.ts";
import type { Pane } from "./pane.ts";
import { approvalQuestion, limitQuestion, type Pending, type ShowPatch } from "./questions.ts";
import { type App, calledHow, type State, summaryOf } from "./state.ts";

/** The session that is open: how it comes onto the screen, what is heard of it, what is kept of it. */
export type Session = {
  readonly open: (which: SessionChoice) => Promise<void>;
  /** Another one; what was there stays until that is open. */
  readonly reopen: (which: SessionChoice) => Promise<void>;
  readonly paneOf: (agent_uuid: string) => Pane;
  /** Drafts and positions are written down. */
  readonly keep: () => Promise<void>;
  /** Ends what runs. */
  readonly close: () => Promise<void>;
};

type Parts = {
  readonly app: App;
  readonly newPane: (agent_uuid: string) => Pane;
  readonly showPatch: ShowPatch;
};

export function createSession({ app, newPane, showPatch }: Parts): Session {
  const { state, services, activities } = app;
  let memory: Memory = readMemory(undefined);
  let stopHearing = (): void => undefined;

  function paneOf(agent_uuid: string): Pane {
    const known = state.panes.get(agent_uuid);
    if (known !== undefined) return known;
    const pane = newPane(agent_uuid);
    pane.editor = { ...pane.editor, history: state.typed };
    state.panes.set(agent_uuid, pane);
    const kept = memory.panes[agent_uuid];
    if (kept?.draft !== undefined && kept.draft !== "") pane.editor = setText(pane.editor, kept.draft);
    app.run(pane.ready.then(() => returnTo(pane, kept?.scroll ?? following)).then(app.redraw));
    return pane;
  }

  function hear(told: AgentEvent): void {
    const event = withoutKeys(told, services.hide);
    const { agent_uuid, type } = event;
    paneOf(agent_uuid).hear(event);
    activities.hear(event);
    if (type === "stream" || type === "state") state.heard_at.set(agent_uuid, services.now());
    state.questions = questionsAfter(state, event, showPatch);
    if (type === "stream" || type === "tool_output") {
      if (agent_uuid === state.here) app.redraw();
    } else {
      state.stale = true;
      app.redraw();
    }
  }

  async function take({ agents, resumed, notes, later }: Opened): Promise<void> {
    const begun = state.panes.get("");
    stopHearing = agents.subscribe(hear);
    state.agents = agents;
    state.summaries = agents.list();
    const [kept, typed] = await Promise.all([services.recall(agents.session_uuid), services.typed()]);
    memory = readMemory(kept);
    state.typed = typed;
    const known = state.summaries.some(({ uuid }) => uuid === memory.here);
    state.here = known ? memory.here : agents.root_uuid;
    state.panes.delete("");
    const pane = paneOf(state.here);
    const draft = begun === undefined ? "" : editorValue(begun.editor);
    if (draft !== "") pane.editor = setText(pane.editor, draft);
    await pane.ready;
    await sayHello(app, pane, { resumed, notes });
    if (later !== undefined) app.run(later.then((lines) => (lines.length > 0 ? app.say(lines, "warning") : undefined)));
  }

  async function keep(): Promise<void> {
    if (state.agents === undefined) return;
    const text = writeMemory(state, (pane) => editorValue(pane.editor));
    await services.remember(state.agents.session_uuid, text);
  }

  return {
    open: async (which) => take(await services.open(which)),
    async reopen(which) {
      const before = state.agents;
      if (which.which === "id" && before?.session_uuid.startsWith(which.id) === true && which.take_over !== true)
        return;
      const opened = await services.open(which);
      await keep();
      stopHearing();
      await before?.close();
      state.panes.clear();
      state.questions = [];
      state.heard_at.clear();
      await take(opened);
      app.redraw();
    },
    paneOf,
    keep,
    async close() {
      await state.agents?.close();
      stopHearing();
    },
  };
}

/** A key that a tool has printed is shown nowhere. Pieces of an answer are too small to hold one. */
function withoutKeys(event: AgentEvent, hide: (text: string) => string): AgentEvent {
  if (event.type === "stream" || event.type === "state") return event;
  const json = JSON.stringify(event);
  const hidden = hide(json);
  return hidden === json ? event : (JSON.parse(hidden) as AgentEvent);
}

function questionsAfter(state: State, event: AgentEvent, showPatch: ShowPatch): readonly Pending[] {
  const { questions } = state;
  if (event.type === "approval_settled") return questions.filter(({ id }) => id !== event.approval_id);
  if (event.type !== "approval_asked" && event.type !== "limit_reached") return questions;
  const who = calledHow(state, event.agent_uuid);
  const question =
    event.type === "approval_asked" ? approvalQuestion(event, who, showPatch) : limitQuestion(event, who);
  return question === undefined ? questions : [...questions, question];
}

/** Back to the row that was read; older pages are read until it is there. */
async function returnTo(pane: Pane, scroll: Scroll): Promise<void> {
  if (scroll.mode === "follow") return;
  for (let pages = 0; pages < pagesMax; pages++) {
    pane.refresh();
    if (pane.transcript.blocks.some(({ id }) => id === scroll.top.block)) {
      pane.scroll = scroll;
      return;
    }
    if (!(await pane.loadOlder())) return;
  }
}

async function sayHello(app: App, pane: Pane, { resumed, notes }: Pick<Opened, "resumed" | "notes">): Promise<void> {
  const { services, state } = app;
  const spoken = pane.model.items().length > 0;
  if (!resumed || !spoken) {
    const first = state.typed.length === 0 && (await services.sessions({ everywhere: true, limit: 1 })).length === 0;
    const model = modelText(summaryOf(state)?.model);
    pane.model.notice(greeting(services, { first, model }), "info");
  }
  if (notes.length > 0) pane.model.notice(notes.map(services.hide), "info");
  if (services.problems.length > 0) pane.model.notice(services.problems, "warning");
  app.redraw();
}

const pagesMax = 20;
