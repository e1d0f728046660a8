import { errorInfo } from "../core/index.ts";
import { isStoreError } from "../store/index.ts";
import { adopt, append, noTotals, setState, type Engine, type Input, type Live, type Turn } from "./engine.ts";
import { errorOf, reasonOf } from "./exchange.ts";
import { lose } from "./follow.ts";
import { load } from "./load.ts";
import { keepQueue } from "./queue.ts";
import { runTurn, type TurnResult } from "./turn.ts";

/** There may be something to do for an agent: a line in its queue, a letter. Called as often as one likes. */
export function wake(engine: Engine, live: Live): void {
  // Nobody takes what is left for it: to ring would be to ring for ever.
  if (live.owner !== undefined || live.state === "dead" || engine.closing) return;
  live.again = true;
  live.working ??= work(engine, live).finally(() => {
    delete live.working;
    // Rung in the moment between the last look and now.
    if (live.again) wake(engine, live);
  });
}

/** Whether it does something, or is about to. */
export function isBusy(live: Live): boolean {
  return live.turn !== undefined || live.queue.length > 0 || live.working !== undefined;
}

export function say(engine: Engine, live: Live, input: Input): { readonly queued: boolean } {
  const queued = live.turn !== undefined || live.queue.length > 0;
  live.queue.push(input);
  if (queued) {
    engine.emit({ type: "queued", agent_uuid: live.uuid, text: input.text, waiting: live.queue.length });
    keepQueue(engine, live);
  }
  wake(engine, live);
  return { queued };
}

/** Ends the turn that is running or about to begin, and only that. Resolves once the agent is ready again. */
export async function interrupt(live: Live, reason: "user" | "exit" = "user"): Promise<boolean> {
  const { turn, working } = live;
  if (turn === undefined && (live.queue.length === 0 || working === undefined)) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  if (turn === undefined) {
    live.stop_next ??= { reason, ended: [] };
    live.stop_next.ended.push(resolve);
  } else {
    turn.ended.push(resolve);
    turn.controller.abort(reason);
  }
  await Promise.race([promise, working]);
  return true;
}

async function work(engine: Engine, live: Live): Promise<void> {
  while (live.again && mayWork(engine, live)) {
    live.again = false;
    try {
      while (mayWork(engine, live)) {
        // No moment between taking a line and its turn, in which an interrupt would find neither.
        const task = nextLine(engine, live) ?? (await nextLetters(engine, live));
        // Killed while it took its letters: they are read, and nobody is asked.
        if (task === undefined || isDead(live)) break;
        await oneTurn(engine, live, task);
      }
    } catch (thrown) {
      const { message } = errorOf(thrown);
      engine.emit({ type: "warning", agent_uuid: live.uuid, code: "store", message });
    }
    if (!live.again) setState(engine, live, "idle");
  }
}

function mayWork(engine: Engine, live: Live): boolean {
  return !engine.closing && !isDead(live);
}

function isDead({ state }: Live): boolean {
  return state === "dead";
}

function nextLine(engine: Engine, live: Live): Input | undefined {
  const input = live.queue.shift();
  if (input !== undefined) keepQueue(engine, live);
  return input;
}

/** Letters that are to be answered. They are in the log by then. */
async function nextLetters(engine: Engine, live: Live): Promise<Input | undefined> {
  const letters = await takeMail(engine, live);
  // The first agent's letters are read by the person it works for; the others work on theirs.
  return letters > 0 && live.parent_uuid !== undefined ? { text: "" } : undefined;
}

/** Puts all letters that have arrived before the agent. */
export async function takeMail(engine: Engine, live: Live): Promise<number> {
  const entries = await engine.world.store.mail.take(live.uuid);
  adopt(engine, live, entries);
  for (const entry of entries) {
    if (entry.kind === "mail") {
      engine.emit({ type: "mail", agent_uuid: live.uuid, ...entry.data, text: entry.content });
    }
  }
  return entries.length;
}

async function oneTurn(engine: Engine, live: Live, task: Input): Promise<void> {
  const controller = new AbortController();
  const { now } = engine.world;
  const turn: Turn = {
    controller,
    started_at: now(),
    totals: noTotals,
    placed: false,
    wrote: false,
    ended: live.stop_next?.ended ?? [],
  };
  live.turn = turn;
  // Whoever closes has seen no turn to interrupt while letters were taken.
  if (engine.closing) controller.abort("exit");
  if (live.stop_next !== undefined) controller.abort(live.stop_next.reason);
  delete live.stop_next;
  const result = await inPlace(engine, live, { turn, task });
  delete live.turn;
  const { text: _text, ...end } = result;
  const { requests, usage, cost_usd, unpriced } = turn.totals;
  const sums = { requests, cost_usd, unpriced, ...(usage === undefined ? {} : { usage }) };
  if (task.run === undefined) live.outcome = result.outcome;
  if (task.run === undefined) await report(engine, live, turn, result).catch(() => undefined);
  if (live.queue.length === 0) setState(engine, live, "idle");
  engine.emit({ type: "turn_ended", agent_uuid: live.uuid, ...end, ...sums, duration_ms: now() - turn.started_at });
  for (const resolve of turn.ended) resolve();
}

/** Only so many agents work at once. */
async function inPlace(
  engine: Engine,
  live: Live,
  { turn, task }: { readonly turn: Turn; readonly task: Input },
): Promise<TurnResult> {
  const { signal } = turn.controller;
  try {
    await load(engine, live);
    if (task.entry !== undefined) await append(engine, live, [task.entry]);
    if (engine.gate.full()) setState(engine, live, "waiting");
    turn.placed = await engine.gate.enter(signal);
    if (!turn.placed) {
      await append(engine, live, [{ kind: "interrupted", data: { reason: reasonOf(signal) } }]);
      return { outcome: "interrupted" };
    }
    if (task.run === undefined) return await runTurn(engine, live, signal);
    await task.run(signal);
    return { outcome: signal.aborted ? "interrupted" : "done" };
  } catch (thrown) {
    const error = errorOf(thrown);
    if (isStoreError(thrown, "not_owner")) await lose(engine, live);
    return { outcome: "failed", error: errorInfo({ ...error, retryable: false }) };
  } finally {
    if (turn.placed) engine.gate.leave();
  }
}

/** Gives its place to others while it only waits. */
export async function outside<Result>(engine: Engine, live: Live, wait: () => Promise<Result>): Promise<Result> {
  const { turn } = live;
  if (turn === undefined || !turn.placed) return wait();
  turn.placed = false;
  engine.gate.leave();
  setState(engine, live, "waiting");
  try {
    return await wait();
  } finally {
    turn.placed = await engine.gate.enter(turn.controller.signal);
    setState(engine, live, "tool");
  }
}

/** A child that was made by an agent tells it what came out. */
async function report(engine: Engine, live: Live, turn: Turn, result: TurnResult): Promise<void> {
  const to_uuid = live.parent_uuid;
  if (!live.reports || to_uuid === undefined || turn.wrote || live.state === "dead") return;
  const { text = "", outcome, error } = result;
  const why = error === undefined ? "" : `: ${error.message}`;
  const content = text.trim() === "" ? `(${outcome === "done" ? "ended without an answer" : outcome}${why})` : text;
  await engine.world.store.mail.send({ to_uuid, from_uuid: live.uuid, content });
}
