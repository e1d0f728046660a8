import type { Agent } from "../store/index.ts";
import { noTotals, type Engine, type Live, type Totals } from "./engine.ts";
import { lastExchange, lastOutcome, openReplay } from "./load.ts";
import { recallQueue } from "./queue.ts";
import { liveFrom, restrictAgent } from "./tree.ts";

/** Agents of an earlier run: those whose process died get what it left written down as interrupted. */
export async function reopen(
  engine: Engine,
  rows: readonly Agent[],
  { take_over = false }: { readonly take_over?: boolean },
): Promise<void> {
  const spent = await spentBy(engine);
  for (const row of rows.filter(({ status }) => status !== "reaped")) {
    await addReopened(engine, row, { take_over, totals: spent.get(row.uuid) ?? noTotals });
  }
}

export async function addReopened(
  engine: Engine,
  row: Agent,
  { take_over, totals }: { readonly take_over: boolean; readonly totals: Totals },
): Promise<Live | undefined> {
  const { store } = engine.world;
  const dead = row.status === "killed";
  const claim = dead ? undefined : await store.ownership.claim(row.uuid, { take_over });
  const parent = engine.agents.get(row.parent_uuid ?? "");
  const depth = parent === undefined ? 0 : parent.depth + 1;
  const live = liveFrom(row, { ...(await openReplay(engine, row)), depth, totals });
  const last = await lastExchange(engine, live.replay.entries());
  if (last !== undefined) live.last = last;
  const outcome = lastOutcome(live.replay.entries(), live.uuid);
  if (outcome !== undefined) live.outcome = outcome;
  // Made here meanwhile.
  if (engine.agents.has(row.uuid)) return undefined;
  engine.agents.set(live.uuid, live);
  restrictAgent(engine, row);
  if (claim?.owned === true) await recallQueue(engine, live);
  if (claim?.owned === false) live.owner = claim.owner;
  else if (!dead && live.status !== "idle") {
    live.status = "idle";
    await store.agents.update(row.uuid, { status: "idle" });
  }
  return live;
}

async function spentBy({ world, session_uuid }: Engine): Promise<ReadonlyMap<string, Totals>> {
  const rows = await world.store.usage({ by: ["agent"], session_uuid });
  return new Map(
    rows.map(({ agent_uuid = "", requests, cost_usd, unpriced, ...usage }) => {
      const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, total_tokens } =
        usage;
      const sums = {
        input_tokens,
        cache_read_tokens,
        cache_write_tokens,
        output_tokens,
        thinking_tokens,
        total_tokens,
      };
      return [agent_uuid, { requests, cost_usd, unpriced, usage: sums }];
    }),
  );
}
