import { resolve } from "node:path";
import type { Services } from "../repl/index.ts";
import type { Store } from "../store/index.ts";
import { piecesOf } from "./export.ts";
import { writeWhole } from "./export/write.ts";
import type { Io } from "./io.ts";
import { count, money, oneLine, plural } from "./layout.ts";
import type { World } from "./world.ts";

type HistoryServices = Pick<
  Services,
  "sessions" | "page" | "entry" | "search" | "exportTo" | "usageLines" | "recall" | "remember" | "typed" | "keepTyped"
>;

type Parts = {
  readonly store: () => Promise<Store>;
  readonly world: World;
  readonly io: Io;
  readonly hide: (text: string) => string;
  readonly folder: string;
  readonly history_size: number;
};

/** What the screen needs of the history. */
export function historyServices({ store, world, io, hide, folder, history_size }: Parts): HistoryServices {
  return {
    async sessions({ everywhere, limit }) {
      const rows = await (await store()).sessions.recent({ limit, ...(everywhere ? {} : { folder }) });
      return rows.map(({ uuid, title, first_text = "", folder: at = "", updated_at, agents, cost_usd, unpriced }) => {
        return { uuid, title: oneLine(title ?? first_text), folder: at, updated_at, agents, cost_usd, unpriced };
      });
    },
    page: async (agent_uuid, range) => (await store()).history.page(agent_uuid, range),
    entry: async (uuid) => (await store()).history.entry(uuid),
    async search(text, limit) {
      const hits = await (await store()).search(text, { limit });
      return hits.map(({ session_uuid, agent_uuid, created_at, kind, excerpt }) => {
        return { session_uuid, agent_uuid, created_at, kind, excerpt: oneLine(excerpt) };
      });
    },
    async exportTo({ agent_uuid, format, path }) {
      const opened = await store();
      const { session_uuid } = await opened.agents.get(agent_uuid);
      const session = await opened.sessions.find(session_uuid);
      const warnings: string[] = [];
      const collecting: Io = { ...io, stderr: (text) => void warnings.push(text.trim()) };
      const file = resolve(folder, path ?? `ikigai-${session_uuid.slice(0, 8)}.${endings[format]}`);
      const stored = { store: opened, world, hide };
      const pieces = piecesOf(stored, { session, format: endings[format], io: collecting });
      const bytes = await writeWhole(file, pieces);
      return [`Wrote ${file} (${count(bytes)} bytes).`, ...warnings];
    },
    async usageLines(session_uuid) {
      const rows = await (await store()).usage({ by: ["provider", "model"], session_uuid });
      return rows.map(({ provider = "", model = "", requests, total_tokens, cost_usd, unpriced }) => {
        const cost = money({ cost_usd, unpriced, total: requests });
        return `${provider} ${model}: ${plural(requests, "request")}, ${count(total_tokens)} tokens, ${cost}`;
      });
    },
    async recall(session_uuid) {
      const value = await (await store()).states.get(screenKey(session_uuid));
      return typeof value === "string" ? value : undefined;
    },
    remember: async (session_uuid, state) => (await store()).states.set(screenKey(session_uuid), state),
    typed: async () => (await store()).inputs.recent({ folder, limit: history_size }),
    keepTyped: async (content) => {
      if (history_size > 0) await (await store()).inputs.add({ folder, content });
    },
  };
}

function screenKey(session_uuid: string): string {
  return `screen:${session_uuid}`;
}

const endings = { markdown: "md", html: "html", jsonl: "jsonl" } as const;
