import { textOf, type ErrorInfo, type ToolCallBlock } from "../core/index.ts";
import { runCalls } from "./calls.ts";
import { compact } from "./compact.ts";
import { choiceOf, specOf } from "./conversation.ts";
import { append, setState, warn, type Engine, type Live } from "./engine.ts";
import type { TurnEnd } from "./events.ts";
import { exchange, reasonOf, type Outcome } from "./exchange.ts";
import { mayAsk } from "./limits.ts";

/** How a turn ended, and its last words. */
export type TurnResult = Pick<TurnEnd, "outcome" | "finish_reason" | "error" | "limit"> & { readonly text?: string };

/** Requests and tool calls in turn until the model has nothing more to call. */
export async function runTurn(engine: Engine, live: Live, signal: AbortSignal): Promise<TurnResult> {
  const { max_tool_turns } = engine.world.limits;
  const mend = overflowMender(engine, live, signal);
  for (let round = 0; ; round++) {
    const stop = await mayAsk(engine, live, signal);
    if (signal.aborted) return interruptedBetween(engine, live, signal);
    if (stop !== undefined) return { outcome: "limit", limit: stop.limit };
    const closing = round >= max_tool_turns;
    if (closing) await tellToClose(engine, live, max_tool_turns);
    setState(engine, live, "streaming");
    const outcome = await exchange(engine, live, { signal, closing, mend });
    if (outcome.end !== "answered") return endOf(outcome);
    const calls = outcome.message.content.filter((block): block is ToolCallBlock => block.type === "tool_call");
    if (calls.length === 0 || closing) {
      await lookAtWindow(engine, live, signal);
      const { finish_reason, message } = outcome;
      const limit = closing ? ({ limit: "tool_turns" } as const) : {};
      return { outcome: closing ? "limit" : "done", finish_reason, ...limit, text: textOf(message) };
    }
    await runCalls(engine, live, calls, signal);
    if (signal.aborted) return interruptedBetween(engine, live, signal);
  }
}

function endOf(outcome: Exclude<Outcome, { readonly end: "answered" }>): TurnResult {
  return outcome.end === "failed" ? { outcome: "failed", error: outcome.error } : { outcome: "interrupted" };
}

async function interruptedBetween(engine: Engine, live: Live, signal: AbortSignal): Promise<TurnResult> {
  await append(engine, live, [{ kind: "interrupted", data: { reason: reasonOf(signal) } }]);
  return { outcome: "interrupted" };
}

async function tellToClose(engine: Engine, live: Live, rounds: number): Promise<void> {
  const message = `The limit of ${rounds} rounds of tool calls is reached`;
  engine.emit({ type: "limit_reached", agent_uuid: live.uuid, limit: "tool_turns", message });
  const content = `[${message}. Call no more tools: say what you have found and what is left to do.]`;
  await append(engine, live, [{ kind: "user", content }]);
}

/** A conversation that is too long is shortened once a turn. */
function overflowMender(engine: Engine, live: Live, signal: AbortSignal): (error: ErrorInfo) => Promise<boolean> {
  let mended = false;
  return async (error) => {
    if (error.category !== "context_length" || signal.aborted) return false;
    if (mended) {
      const text = "The conversation is still too long after it was compacted; /clear, /rewind or a larger model helps";
      warn(engine, live, "still_too_long", text);
      return false;
    }
    mended = true;
    warn(engine, live, "compacting", "The conversation is too long for the model; compacting it");
    const made = await compact(engine, live, { signal, keep: "last_turn" });
    setState(engine, live, "streaming");
    return made.compacted;
  };
}

/** After the last answer of a turn: how full the window is. */
async function lookAtWindow(engine: Engine, live: Live, signal: AbortSignal): Promise<void> {
  const { last } = live;
  if (last === undefined || last.window_tokens === 0) return;
  const used = last.usage.total_tokens / last.window_tokens;
  if (used < windowWarnAt) return;
  const percent = Math.round(used * 100);
  const model = specOf(choiceOf(live));
  if (engine.world.limits.compact_auto) await compact(engine, live, { signal, keep: "last_turn" });
  else warn(engine, live, "context_window", `${percent} % of the window of ${model} is used; /compact shortens it`);
}

const windowWarnAt = 0.8;
