import { line, type Lines, type Size, span } from "../../term/index.ts";
import { type ItemContext, transcriptLines } from "../transcript/index.ts";
import type { State } from "./state.ts";

/** What stays on the normal screen: the end of the conversation that was looked at, and how to come back. */
export function farewell(state: State, { columns, rows }: Size, context: ItemContext, program = "ikigai"): Lines {
  const { agents, here, panes } = state;
  const items = panes.get(here)?.model.items() ?? [];
  const spoken = items.some(({ type }) => type === "user" || type === "text");
  if (agents === undefined || !spoken) return [];
  const id = agents.session_uuid.slice(0, idLength);
  const shown = items.slice(-itemsMax).filter(({ type }) => type !== "notice" && type !== "queued");
  const all = transcriptLines(shown, columns, context);
  const linesMax = rows * screensMax;
  const cut = all.length > linesMax || items.length > itemsMax;
  const muted = { color: "muted" } as const;
  return [
    ...(cut ? [line(span(`… more before this: ${program} --resume ${id}, or ${program} export ${id}`, muted))] : []),
    ...all.slice(-linesMax),
    line(),
    line(span(`To go on: ${program} --resume ${id}`, muted)),
  ];
}

const idLength = 8;
const screensMax = 10;
/** More than fill the screens, however short they are. */
const itemsMax = 400;
