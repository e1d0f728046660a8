import type { AgentStatus } from "../core/index.ts";
import type { Agent, Claim } from "../store/index.ts";
import { specOf } from "./conversation.ts";
import { adopt, inBackground, spend, warn, type Engine, type Live } from "./engine.ts";
import type { AgentState } from "./events.ts";

/**
 * Agents that run in another process are looked at here: what it writes is told as if it happened here. Returns how to
 * look, to be called whenever something may have been written.
 */
export function createFollower(engine: Engine, addAgent: (row: Agent) => Promise<Live | undefined>): () => void {
  let looking = false;
  let again = false;
  const lookUntilQuiet = async (): Promise<void> => {
    while (again && !engine.closing) {
      again = false;
      // A database that cannot be asked now is asked at the next change.
      await lookOnce(engine, addAgent).catch(() => undefined);
    }
    looking = false;
  };
  return () => {
    if (![...engine.agents.values()].some(({ owner }) => owner !== undefined)) return;
    again = true;
    if (looking) return;
    looking = true;
    inBackground(engine, lookUntilQuiet());
  };
}

async function lookOnce(engine: Engine, addAgent: (row: Agent) => Promise<Live | undefined>): Promise<void> {
  for (const row of await engine.world.store.agents.list(engine.session_uuid)) {
    const known = engine.agents.get(row.uuid);
    const added = known === undefined && isNewElsewhere(engine, row) ? await addAgent(row) : undefined;
    if (added !== undefined) tellOfFork(engine, added);
    const live = known ?? added;
    if (live?.owner === undefined) continue;
    await readOn(engine, live);
    showState(engine, live, stateOf(row.status));
    if (row.owner === undefined) warn(engine, live, "free", "Nobody runs this agent any more: say something to go on");
  }
}

/** Made by another process. What this one makes is added by whoever makes it. */
function isNewElsewhere(engine: Engine, { parent_uuid = "", owner, status }: Agent): boolean {
  return owner !== undefined && status !== "reaped" && engine.agents.get(parent_uuid)?.owner !== undefined;
}

function tellOfFork(engine: Engine, { uuid, parent_uuid = "", replay }: Live): void {
  const { model } = replay.settings();
  const named = model === undefined ? {} : { model: specOf(model) };
  engine.emit({ type: "forked", agent_uuid: parent_uuid, child_uuid: uuid, ...named });
}

async function readOn(engine: Engine, live: Live): Promise<void> {
  const { history } = engine.world.store;
  for (;;) {
    const entries = await history.log(live.uuid, { after_id: live.seen_id });
    // What was adopted meanwhile is not told twice.
    const fresh = entries.filter(({ id = 0 }) => id > live.seen_id);
    adopt(engine, live, fresh);
    for (const entry of fresh) if (entry.kind === "assistant" && entry.data.usage) spend(engine, live, entry.data);
    if (fresh.length === 0) return;
  }
}

function showState(engine: Engine, live: Live, state: AgentState): void {
  if (live.state === state || live.state === "dead") return;
  live.state = state;
  engine.emit({ type: "state", agent_uuid: live.uuid, state });
}

/** Whether an agent of another process is ours now: nobody runs it any more, or it was taken. */
export async function claim(engine: Engine, live: Live, how: { readonly take_over: boolean }): Promise<boolean> {
  const { store } = engine.world;
  const claimed: Claim = await store.ownership.claim(live.uuid, how);
  if (!claimed.owned) {
    live.owner = claimed.owner;
    return false;
  }
  await readOn(engine, live);
  delete live.owner;
  live.status = "idle";
  await store.agents.update(live.uuid, { status: "idle" });
  showState(engine, live, "idle");
  return true;
}

/** Another process has taken it: from here on it is looked at. */
export async function lose(engine: Engine, live: Live): Promise<void> {
  if (live.owner !== undefined || (await claim(engine, live, { take_over: false }))) return;
  await readOn(engine, live);
  warn(engine, live, "taken_over", "Another process runs this agent now; it can be taken back");
}

function stateOf(status: AgentStatus): AgentState {
  return states[status];
}

const states: { readonly [status in AgentStatus]: AgentState } = {
  idle: "idle",
  running: "streaming",
  waiting: "waiting",
  asking: "asking",
  interrupted: "idle",
  failed: "idle",
  killed: "dead",
  reaped: "dead",
};
