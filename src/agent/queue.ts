import { inBackground, type Engine, type Live } from "./engine.ts";

/** Lines that wait for their turn are written down, so that they are not lost when the program ends before it comes. */
export function keepQueue(engine: Engine, live: Live): void {
  const lines = waitingLines(live);
  if (lines.length === 0 && !live.kept) return;
  live.kept = lines.length > 0;
  inBackground(engine, engine.world.store.states.set(keyOf(live), live.kept ? lines : undefined));
}

/** What waited when the program ended. It is not said by itself: a person decides. */
export async function recallQueue(engine: Engine, live: Live): Promise<void> {
  const kept = await engine.world.store.states.get(keyOf(live));
  if (!Array.isArray(kept)) return;
  live.unsent = kept.filter((line): line is string => typeof line === "string");
  live.kept = live.unsent.length > 0;
}

/** Everything that was said and has not begun, taken back. */
export function takeQueue(engine: Engine, live: Live): readonly string[] {
  const lines = waitingLines(live);
  live.queue.length = 0;
  live.unsent = [];
  keepQueue(engine, live);
  return lines;
}

function waitingLines({ unsent, queue }: Live): readonly string[] {
  return [...unsent, ...queue.map(({ text }) => text)];
}

function keyOf({ uuid }: Live): string {
  return `queue ${uuid}`;
}
