import type { Letter } from "../store/index.ts";
import { CommandError, findAgent, setState, type Engine, type Live } from "./engine.ts";
import { isBusy, outside, takeMail } from "./work.ts";

export async function send(
  engine: Engine,
  letter: { readonly to: string; readonly text: string; readonly from?: Live },
): Promise<Letter> {
  const { from } = letter;
  const to = findAgent(engine, letter.to);
  if (to.state === "dead") throw new CommandError(`agent ${to.uuid} is dead`);
  const sent = await engine.world.store.mail.send({
    to_uuid: to.uuid,
    content: letter.text,
    ...(from === undefined ? {} : { from_uuid: from.uuid }),
  });
  if (from?.turn !== undefined && to.uuid === from.parent_uuid) from.turn.wrote = true;
  return sent;
}

/** How it stands with an agent somebody waits for. */
export type WaitStatus = "running" | "received" | "idle" | "dead";

export type Waited = {
  /** What arrived meanwhile, oldest first; it is in the log by now. */
  readonly letters: readonly { readonly from_uuid?: string; readonly text: string }[];
  readonly statuses: { readonly [agent_uuid: string]: WaitStatus };
  readonly timed_out: boolean;
};

export type WaitWish = {
  /** Wait for each of these; none: for the next letter of anybody. */
  readonly from?: readonly string[];
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
  readonly onStatus?: (statuses: Waited["statuses"]) => void;
};

/** Waits for the next letter, or until each of several agents has written, has nothing to do, or is dead. */
export async function waitFor(engine: Engine, live: Live, wish: WaitWish): Promise<Waited> {
  const from = (wish.from ?? []).map((uuid) => findAgent(engine, uuid).uuid);
  const letters: { readonly from_uuid?: string; readonly text: string }[] = [];
  const stop = engine.listen((event) => {
    if (event.type !== "mail" || event.agent_uuid !== live.uuid) return;
    letters.push({ text: event.text, ...(event.from_uuid === undefined ? {} : { from_uuid: event.from_uuid }) });
  });
  let statuses: Waited["statuses"] = {};
  const check = async (): Promise<boolean> => {
    // First how they are, then the mail: who has become idle has written before.
    const states = from.map((uuid) => stateOf(engine, uuid));
    await takeMail(engine, live);
    const entries = from.map((uuid, index) => {
      const received = letters.some((letter) => letter.from_uuid === uuid);
      return [uuid, received ? "received" : (states[index] ?? "dead")] as const;
    });
    statuses = Object.fromEntries(entries);
    wish.onStatus?.(statuses);
    if (from.length === 0) return letters.length > 0;
    return entries.every(([, status]) => status !== "running");
  };
  try {
    if (live.turn === undefined) setState(engine, live, "waiting");
    const { timeout_ms, signal } = wish;
    const done = await outside(engine, live, () => engine.world.store.changes.until(check, { timeout_ms, signal }));
    return { letters, statuses, timed_out: !done && !signal.aborted };
  } finally {
    stop();
    if (live.turn === undefined && live.working === undefined) setState(engine, live, "idle");
  }
}

function stateOf(engine: Engine, uuid: string): WaitStatus {
  const live = engine.agents.get(uuid);
  if (live === undefined || live.state === "dead") return "dead";
  return isBusy(live) ? "running" : "idle";
}
