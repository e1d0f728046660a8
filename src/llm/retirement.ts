import type { ModelInfo, Note } from "../core/index.ts";

/** What a person should know of a model whose last day is near or past; nothing for all others. */
export function retirementNote(model: ModelInfo, now: number): Note | undefined {
  const { retires_at, successor, display_name } = model;
  if (retires_at === undefined) return undefined;
  const daysLeft = Math.ceil((Date.parse(retires_at) - now) / dayMs);
  if (Number.isNaN(daysLeft) || daysLeft > noticeDays) return undefined;
  const instead = successor === undefined ? "" : `; its successor is ${successor}`;
  if (daysLeft <= 0) {
    return { code: "model_retired", message: `${display_name} was retired on ${retires_at}${instead}` };
  }
  const left = daysLeft === 1 ? "1 day" : `${daysLeft} days`;
  return { code: "model_retires_soon", message: `${display_name} retires on ${retires_at}, in ${left}${instead}` };
}

/** The same, once in the life of this process for each model. */
export function retirementOnce(model: ModelInfo, now: number): readonly Note[] {
  const name = `${model.provider}:${model.id}`;
  if (told.has(name)) return [];
  const note = retirementNote(model, now);
  if (note === undefined) return [];
  told.add(name);
  return [note];
}

const told = new Set<string>();
const dayMs = 86_400_000;
const noticeDays = 60;
