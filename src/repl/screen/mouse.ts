import { blockAt, scrollBy, scrollToTop, type Size, transcriptBox, viewScroll } from "../../term/index.ts";
import type { App } from "./state.ts";
import { screenOf } from "./view.ts";

/** Moving in the conversation that is shown. */
export function scrollRows(app: App, rows: number): true {
  const pane = app.pane();
  const box = boxOf(app);
  pane.scroll = scrollBy(pane.transcript, pane.scroll, rows, box);
  app.touched();
  if (rows < 0 && viewScroll(pane.transcript, pane.scroll, box).at_top) {
    app.run(pane.loadOlder().then((more) => (more ? app.redraw() : undefined)));
  }
  return true;
}

export function pageRows(app: App): number {
  return Math.max(1, boxOf(app).rows - 1);
}

/** Older pages are read until there are none, or until it is enough for one key. */
export function scrollToBeginning(app: App): true {
  const pane = app.pane();
  const go = (): void => {
    pane.refresh();
    pane.scroll = scrollToTop(pane.transcript, pane.scroll, boxOf(app));
    app.redraw();
  };
  const load = async (): Promise<void> => {
    for (let pages = 0; pages < pagesMax && (await pane.loadOlder()); pages++) go();
  };
  go();
  app.run(load());
  return true;
}

export function wheel(app: App, rows: number): void {
  scrollRows(app, rows);
}

/** A click on something folded opens it, another one folds it. */
export function clickAt(app: App, row: number): void {
  const pane = app.pane();
  const size = app.stage().size();
  const box = boxOf(app);
  const inBox = row - headerRows(app, size);
  if (inBox < 0 || inBox >= box.rows) return;
  const id = blockAt(pane.transcript, pane.scroll, inBox, box)?.id;
  if (id === undefined) return;
  if (!pane.expanded.delete(id)) pane.expanded.add(id);
}

function headerRows(app: App, size: Size): number {
  const screen = screenOf(app, size);
  const without = transcriptBox({ ...screen, header: undefined }, size).rows;
  return without - transcriptBox(screen, size).rows;
}

export function boxOf(app: App): ReturnType<typeof transcriptBox> {
  const size = app.stage().size();
  return transcriptBox(screenOf(app, size), size);
}

const pagesMax = 50;
