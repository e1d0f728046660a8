import { parseArgs } from "node:util";
import type { ModelInfo, ThinkingSpec } from "../core/index.ts";
import { knownModels } from "../llm/index.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { liveModels, type LiveList } from "./models-live.ts";
import { announce, openWorld } from "./world.ts";

export async function runModels(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      json: { type: "boolean", default: false },
      live: { type: "boolean", default: false },
    },
  });
  const world = await openWorld(io);
  announce(world, io);
  const filter = positionals.join(" ").toLowerCase();
  const fits = (model: ModelInfo): boolean => namesOf(model).some((name) => name.toLowerCase().includes(filter));
  if (values.live) return showLive(await liveModels(world, io), { fits, json: values.json, io });
  const models = (await knownModels(world.options())).filter(fits);
  if (values.json) io.stdout(`${JSON.stringify(models)}\n`);
  else if (models.length === 0)
    io.stderr(`No known model matches "${filter}". Unknown models can still be used by their id.\n`);
  else io.stdout(table(models));
  return 0;
}

function showLive(
  { models, answered, failures }: LiveList,
  { fits, json, io }: { readonly fits: (model: ModelInfo) => boolean; readonly json: boolean; readonly io: Io },
): number {
  for (const { provider, error } of failures) io.stderr(`ikigai: ${provider}: ${error.category}: ${error.message}\n`);
  if (answered.length === 0) {
    const first = failures[0]?.error.category ?? "auth";
    if (failures.length === 0) io.stderr(`ikigai: ${noKey}\n`);
    return exitCodes[first];
  }
  const shown = models.filter(fits);
  if (json) io.stdout(`${JSON.stringify(shown)}\n`);
  else if (shown.length > 0) io.stdout(table(shown));
  const unknown = shown.filter((model) => model.unknown === true).length;
  io.stderr(`${shown.length} models from ${answered.join(", ")}; ${unknown} of them new to the registry\n`);
  return 0;
}

function namesOf(model: ModelInfo): readonly string[] {
  return [model.id, model.display_name, model.provider, ...model.aliases];
}

function table(models: readonly ModelInfo[]): string {
  const today = new Date().toISOString().slice(0, 10);
  const head = ["MODEL", "PROVIDER", "CONTEXT", "OUTPUT", "$ IN/OUT", "THINKING", ""];
  const rows = models.map((model) => [
    model.id,
    model.provider,
    short(model.context_tokens),
    short(model.output_tokens_max),
    model.prices === undefined ? "?" : `${model.prices.input}/${model.prices.output}`,
    thinkingWords(model.thinking),
    model.unknown === true ? "new" : retirement(model, today),
  ]);
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return `${[head, ...rows].map(line).join("\n")}\n`;
}

function thinkingWords(spec: ThinkingSpec): string {
  switch (spec.kind) {
    case "none":
      return "no";
    case "budget":
      return `budget ${spec.min}–${spec.max}`;
    case "effort":
    case "adaptive":
      return `${spec.kind} ${spec.efforts.join(",")}`;
    case "level":
      return `level ${spec.levels.join(",")}`;
  }
}

function retirement(model: ModelInfo, today: string): string {
  if (model.retires_at === undefined) return "";
  const word = model.retires_at <= today ? "retired" : "retires";
  return `${word} ${model.retires_at}${model.successor === undefined ? "" : ` → ${model.successor}`}`;
}

function short(tokens: number): string {
  if (tokens >= 1_000_000) return `${Math.round(tokens / 10_000) / 100}M`;
  return tokens >= 1_000 ? `${Math.round(tokens / 1_000)}k` : String(tokens);
}

const noKey =
  "no provider has a key and no local server answers: set one of the key variables, or run `ikigai login`; " +
  "`ikigai models` lists what the registry knows";
