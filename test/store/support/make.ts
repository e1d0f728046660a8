import type { EntryBody } from "../../../src/core/index.ts";
import type { Agent, Session, Store } from "../../../src/store/index.ts";

/** A session with one agent in it. */
export async function withAgent(
  store: Store,
  folder = "/home/somebody/project",
): Promise<{ readonly session: Session; readonly agent: Agent }> {
  const session = await store.sessions.create({ folder });
  return { session, agent: await store.agents.create(session.uuid, { name: "root" }) };
}

export function says(content: string): EntryBody {
  return { kind: "user", content };
}

export function answers(
  content: string,
  spent: {
    readonly provider?: string;
    readonly model?: string;
    readonly tokens?: number;
    readonly cost_usd?: number;
  } = {},
): EntryBody & { readonly kind: "assistant" } {
  const { provider = "somebody", model = "model-1", tokens = 10, cost_usd } = spent;
  return {
    kind: "assistant",
    content,
    data: {
      provider,
      api: "wire",
      model,
      blocks: [{ type: "text", text: content }],
      finish_reason: "stop",
      usage: {
        input_tokens: tokens,
        cache_read_tokens: 2 * tokens,
        cache_write_tokens: 3 * tokens,
        output_tokens: 4 * tokens,
        thinking_tokens: 5 * tokens,
        total_tokens: 15 * tokens,
      },
      ...(cost_usd === undefined ? {} : { cost_usd }),
    },
  };
}

/** Everything in force, read in pages of an odd size. */
export async function readAll(store: Store, agent_uuid: string, at_uuid?: string, pageSize = 3) {
  const view = await store.history.view(agent_uuid, at_uuid);
  const pages = [];
  for (let page = await view.older(pageSize); page.length > 0; page = await view.older(pageSize)) pages.push(page);
  return pages.reverse().flat();
}

/** Texts of what is in force. */
export async function contents(store: Store, agent_uuid: string, at_uuid?: string): Promise<readonly string[]> {
  const entries = await readAll(store, agent_uuid, at_uuid);
  return entries.flatMap(({ kind, content }) => (kind === "user" || kind === "assistant" ? [content ?? ""] : []));
}

/** New entries get ids behind this one, as if so many had been written before. */
export async function skipIds({ engine }: Store, session_uuid: string, id: number): Promise<void> {
  const place = await engine.db
    .selectFrom("agents")
    .innerJoin("sessions", "sessions.id", "agents.session_id")
    .select(["agents.session_id", "agents.uuid as agent_uuid"])
    .where("sessions.uuid", "=", session_uuid)
    .executeTakeFirstOrThrow();
  const row = { ...place, id, uuid: `skipped-${id}`, kind: "mark", version: 1, created_at: 1 };
  await engine.db.insertInto("messages").values(row).execute();
  await engine.advanceIds(engine.db);
}
