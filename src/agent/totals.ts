import { addTotals, noTotals, type Engine, type Totals } from "./engine.ts";

/** What an agent and all its descendants have used. */
export function treeTotals(engine: Engine, uuid: string): Totals {
  return descendantsOf(engine, uuid).reduce(
    (sum, one) => addTotals(sum, engine.agents.get(one)?.totals ?? noTotals),
    noTotals,
  );
}

/** The agent first, then everything below it. */
export function descendantsOf(engine: Engine, uuid: string): readonly string[] {
  const children = [...engine.agents.values()].filter(({ parent_uuid }) => parent_uuid === uuid);
  return [uuid, ...children.flatMap((child) => descendantsOf(engine, child.uuid))];
}
