import { type Input, scrollToFound, searchTranscript } from "../../term/index.ts";
import { boxOf } from "./mouse.ts";
import type { Overlay } from "./overlays.ts";
import type { App } from "./state.ts";

type Find = Overlay & { readonly type: "find" };

export function openFind(app: App, query: string): true {
  const { state } = app;
  state.overlays = [...state.overlays, { type: "find", query, note: "" }];
  state.query = query === "" ? undefined : query;
  if (query !== "") app.run(search(app, "older"));
  return true;
}

/** What is typed is marked at once where it can be seen; Enter and the arrows go to it, wherever it is. */
export function typeIntoFind(app: App, find: Find, input: Input): void {
  const { state } = app;
  if (input.type === "paste") change(app, find, find.query + input.text.replaceAll("\n", " "));
  if (input.type !== "key") return;
  if (input.key === "escape" || input.key === "ctrl+c") {
    state.overlays = state.overlays.slice(0, -1);
    state.query = undefined;
  } else if (older.has(input.key)) app.run(search(app, "older"));
  else if (newer.has(input.key)) app.run(search(app, "newer"));
  else if (input.key === "backspace") change(app, find, find.query.slice(0, -1));
  else if (input.text !== "") change(app, find, find.query + input.text);
}

function change(app: App, find: Find, query: string): void {
  replaceTop(app, { type: "find", query, note: "", found: find.found });
  app.state.query = query === "" ? undefined : query;
}

/** Pages that are not loaded yet are searched, too, from the newest to the oldest. */
async function search(app: App, direction: "older" | "newer"): Promise<void> {
  const pane = app.pane();
  for (let pages = 0; pages < pagesMax; pages++) {
    const find = app.state.overlays.at(-1);
    if (find?.type !== "find" || find.query === "") return;
    pane.refresh();
    const found = searchTranscript(pane.transcript, find.query, { from: find.found, direction });
    if (found !== undefined) {
      pane.scroll = scrollToFound(pane.transcript, pane.scroll, found, boxOf(app));
      replaceTop(app, { ...find, found, note: "" });
      app.redraw();
      return;
    }
    if (direction === "newer" || !(await pane.loadOlder())) {
      replaceTop(app, { ...find, note: direction === "older" ? "nothing older" : "nothing newer" });
      app.redraw();
      return;
    }
  }
}

function replaceTop(app: App, find: Find): void {
  app.state.overlays = [...app.state.overlays.slice(0, -1), find];
}

const pagesMax = 500;
const older: ReadonlySet<string> = new Set(["enter", "up", "ctrl+f", "ctrl+p"]);
const newer: ReadonlySet<string> = new Set(["down", "shift+enter", "ctrl+n"]);
