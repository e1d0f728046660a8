import { editorValue } from "../../term/index.ts";
import { shortId } from "../commands/figures.ts";
import { submit } from "../commands/submit.ts";
import type { Host } from "../host.ts";
import { type App, summaryOf } from "./state.ts";

/** What Enter does with a line, once the session is open. */
export async function speak(app: App, host: Host, text: string): Promise<void> {
  await app.services.keepTyped(text);
  if (summaryOf(app.state)?.owner !== undefined && !text.startsWith("/") && !(await takeOver(app, host))) {
    host.draft(text);
    return;
  }
  await submit(host, text);
  // Not everything a command does is an event: who was put away is gone without a word.
  app.state.stale = true;
  app.redraw();
}

/** An agent that runs in another process can only be read, until somebody says that it should run here. */
async function takeOver({ state }: App, host: Host): Promise<boolean> {
  const agent = summaryOf(state);
  if (agent?.owner === undefined) return true;
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
  const { taken } = await host.agents().command({ type: "take_over", agent_uuid: agent.uuid });
  state.stale = true;
  return taken;
}

/** About how much the next request would read, with what is in the editor. */
export async function estimate(app: App): Promise<void> {
  const { state } = app;
  const { editor } = app.pane();
  const text = editorValue(editor);
  if (state.agents === undefined || summaryOf(state)?.model === undefined || /^\s*([/!]|$)/.test(text)) return;
  // A figure beside the text, and nothing more: where there is none, none is shown.
  const found = await state.agents.estimate(state.here, text).catch(() => undefined);
  if (found === undefined || app.pane().editor.text !== editor.text) return;
  state.estimate = { text, tokens: found.input_tokens };
  app.redraw();
}
