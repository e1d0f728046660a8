import type { CommandResult } from "../../agent/index.ts";
import { nearestWord, thinkingLevels, type ModelChoice, type ThinkingLevel } from "../../core/index.ts";
import type { PickerItem } from "../../term/index.ts";
import type { Host } from "../host.ts";
import type { ModelRow } from "../services.ts";
import { WrongUse, type SlashCommand } from "./command.ts";
import { isBusy, shortCount } from "./figures.ts";
import { current } from "./where.ts";
import { freeText } from "./words.ts";

async function runModel(host: Host, text: string): Promise<void> {
  const typed = freeText(text);
  const model = typed === "" ? await pickModel(host) : meant(typed, current(host).model);
  if (model === undefined) return;
  const busy = isBusy(current(host));
  const switched = await namedModel(host, [model], () =>
    host.agents().command({ type: "model", agent_uuid: host.here(), model }),
  );
  host.say([...switched.lines, ...(busy ? ["  It takes effect at the next request."] : [])]);
  await sayMissingKey(host, switched);
}

/** A model nobody has is answered with those that have a name like it. */
export async function namedModel<Result>(
  host: Host,
  typed: readonly string[],
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Error) || !("category" in error) || error.category !== "not_found") throw error;
    const wanted = typed.map((name) => name.replace(/\/[^/]*$/, "")).find((name) => error.message.includes(name));
    const near = wanted === undefined ? [] : modelsLike(await host.services.models(), wanted);
    if (near.length === 0) throw new WrongUse(error.message);
    throw new WrongUse(`there is no model ${JSON.stringify(wanted)}; did you mean ${near.join(" or ")}?`);
  }
}

function modelsLike(rows: readonly ModelRow[], typed: string): readonly string[] {
  const alike = rows.filter(({ name }) => name.includes(typed.toLowerCase()));
  const usableFirst = alike.toSorted((left, right) => Number(right.usable) - Number(left.usable));
  if (alike.length > 0) return usableFirst.slice(0, alikeMax).map(({ name }) => name);
  const nearest = nearestWord(
    typed,
    rows.map(({ name }) => name),
  );
  return nearest === undefined ? [] : [nearest];
}

/** `high` and `/high` are levels of the model that is there. */
function meant(typed: string, choice: ModelChoice | undefined): string {
  const level = typed.replace(/^\//, "");
  const isLevel = thinkingLevels.some((known) => known === level);
  return isLevel && choice !== undefined ? `${choice.provider}:${choice.model}/${level}` : typed;
}

async function pickModel(host: Host): Promise<string | undefined> {
  const rows = await host.services.models();
  const usableFirst = [...rows].sort((left, right) => Number(right.usable) - Number(left.usable));
  const row = await host.pick(
    "Model",
    usableFirst.map((value) => ({ value, label: value.name, hint: modelHint(value) })),
  );
  if (row === undefined || row.levels.length < 2) return row?.name;
  const level = await host.pick(`Thinking of ${row.name}`, levelItems(row, current(host).model?.thinking_level));
  return level === undefined ? undefined : `${row.name}${level === asBefore ? "" : `/${level}`}`;
}

export function modelHint({ provider, usable, context_tokens, input_price, output_price }: ModelRow): string {
  const price = `$${input_price ?? "?"} in, $${output_price ?? "?"} out`;
  const context = context_tokens === undefined ? "?" : shortCount(context_tokens);
  return [provider, context, price, ...(usable ? [] : ["no key"])].join(" · ");
}

function levelItems({ levels }: ModelRow, now: ThinkingLevel | undefined): readonly PickerItem<string>[] {
  const kept = now === undefined ? "the model's own" : `${now}, as it is now`;
  const others = levels.filter((level) => level !== now);
  return [{ value: asBefore, label: kept }, ...others.map((level) => ({ value: level, label: level }))];
}

/** The switch is made: the key can be added from another terminal, and then the next request has it. */
async function sayMissingKey(host: Host, { choice }: CommandResult<"model">): Promise<void> {
  const rows = (await host.services.models()).filter(({ provider }) => provider === choice.provider);
  if (rows.length === 0 || rows.some(({ usable }) => usable)) return;
  host.say([`There is no key for ${choice.provider} yet. Add it with: ikigai login ${choice.provider}`], "warning");
}

const asBefore = "";
const alikeMax = 3;

export const modelCommands: readonly SlashCommand[] = [
  {
    name: "model",
    usage: "/model [NAME[/LEVEL]]",
    summary: "switch to another model or depth of thinking",
    help: [
      "Without a name: a list of all models, those you have a key for first, then the levels.",
      "Says what the level becomes on the wire, and what the new model will not see of the conversation.",
      "While an answer arrives, it takes effect at the next request. A level alone keeps the model.",
      "  /model claude-opus-5-5/high",
      "  /model /low",
    ],
    completes: ["model", "text"],
    run: runModel,
  },
];
