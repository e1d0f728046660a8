import type { AgentEvent } from "../../agent/index.ts";
import {
  createBlockCache,
  createEditor,
  type Editor,
  following,
  type Scroll,
  type Transcript,
} from "../../term/index.ts";
import type { Services } from "../services.ts";
import { createBlockList, createTranscript, type ItemContext, type TranscriptModel } from "../transcript/index.ts";

/** The conversation of one agent as it is shown, with everything that stays when another one is looked at. */
export type Pane = {
  readonly agent_uuid: string;
  readonly model: TranscriptModel;
  readonly transcript: Transcript;
  scroll: Scroll;
  editor: Editor;
  /** Items that a person has opened. */
  readonly expanded: Set<string>;
  /** The newest page is there. */
  readonly ready: Promise<void>;
  readonly hear: (event: AgentEvent) => void;
  /** The blocks are brought in step with the items; only what has changed is looked at. */
  readonly refresh: () => void;
  /** Reads an older page. False: there is none, or one is being read. */
  readonly loadOlder: () => Promise<boolean>;
};

export type PaneParts = {
  readonly agent_uuid: string;
  readonly services: Pick<Services, "now" | "page" | "folder">;
  readonly context: (pane: Pane) => ItemContext;
};

export function createPane({ agent_uuid, services, context }: PaneParts): Pane {
  const model = createTranscript({
    now: services.now,
    agent_uuid,
    folder: services.folder,
    older: (before) => services.page(agent_uuid, { before, limit: pageEntries }),
  });
  const { blocks, refresh } = createBlockList(model, () => context(pane));
  let loading = false;
  /** What happens while the newest page is being read comes after it. */
  let waiting: AgentEvent[] | undefined = [];

  async function readNewest(): Promise<void> {
    const { entries, older } = await services.page(agent_uuid, { limit: pageEntries });
    model.add(entries, { older });
    const known = new Set(entries.map(({ uuid }) => uuid));
    for (const event of waiting ?? []) if (event.type !== "entry" || !known.has(event.entry.uuid)) model.hear(event);
    waiting = undefined;
  }

  const pane: Pane = {
    agent_uuid,
    model,
    transcript: { blocks, cache: createBlockCache() },
    scroll: following,
    editor: createEditor(),
    expanded: new Set(),
    ready: agent_uuid === "" ? Promise.resolve() : readNewest(),
    hear(event) {
      if (waiting === undefined) model.hear(event);
      else waiting.push(event);
    },
    refresh,
    async loadOlder() {
      if (loading) return false;
      loading = true;
      try {
        return await model.loadOlder();
      } finally {
        loading = false;
      }
    },
  };
  if (agent_uuid === "") waiting = undefined;
  return pane;
}

const pageEntries = 200;
