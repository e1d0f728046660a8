import { following, type Scroll } from "../../term/index.ts";
import type { Pane } from "./pane.ts";
import type { State } from "./state.ts";

/** What is kept of a screen: who was looked at, where, and what was about to be said. */
export type Memory = {
  readonly here: string;
  readonly panes: { readonly [agent_uuid: string]: { readonly scroll: Scroll; readonly draft: string } | undefined };
};

export function writeMemory({ here, panes }: State, draftOf: (pane: Pane) => string): string {
  const kept = [...panes.values()]
    .filter(({ agent_uuid }) => agent_uuid !== "")
    .map((pane) => [pane.agent_uuid, { scroll: lasting(pane), draft: draftOf(pane).slice(0, draftMax) }] as const)
    .filter(([, { scroll, draft }]) => scroll.mode === "hold" || draft !== "");
  const memory: Memory = { here, panes: Object.fromEntries(kept) };
  return JSON.stringify(memory);
}

/** What cannot be read is nothing: it was only a convenience. */
export function readMemory(text: string | undefined): Memory {
  try {
    const value: unknown = text === undefined ? undefined : JSON.parse(text);
    if (!isRecord(value) || !isRecord(value["panes"])) return nothing;
    const panes = Object.entries(value["panes"]).map(([uuid, pane]) => {
      const { scroll, draft } = isRecord(pane) ? pane : {};
      return [uuid, { scroll: isScroll(scroll) ? scroll : following, draft: typeof draft === "string" ? draft : "" }];
    });
    return { here: typeof value["here"] === "string" ? value["here"] : "", panes: Object.fromEntries(panes) };
  } catch {
    return nothing;
  }
}

/** By ids that items still have after a restart. */
function lasting({ scroll, model }: Pane): Scroll {
  if (scroll.mode === "follow") return scroll;
  const { top, seen } = scroll;
  const place = (one: typeof top) => ({ ...one, block: model.lastingId(one.block) });
  return { mode: "hold", top: place(top), seen: place(seen) };
}

function isScroll(value: unknown): value is Scroll {
  if (!isRecord(value)) return false;
  return value["mode"] === "follow" || (value["mode"] === "hold" && isPlace(value["top"]) && isPlace(value["seen"]));
}

function isPlace(value: unknown): boolean {
  return (
    isRecord(value) && typeof value["block"] === "string" && numbers.every((name) => typeof value[name] === "number")
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

const nothing: Memory = { here: "", panes: {} };
const numbers = ["letters", "line", "width"];
/** Longer ones come from a paste. */
const draftMax = 20_000;
