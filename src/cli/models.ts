import { parseArgs } from "node:util";
import type { ModelInfo, ThinkingSpec } from "../core/index.ts";
import { knownModels } from "../llm/index.ts";
import type { Io } from "./io.ts";

export const modelsHelp = `ikigai models [FILTER] [--json]

Lists the models the registry knows: provider, context, output, price per million tokens (in/out), thinking.
FILTER keeps those whose id, name or provider contains it.

  --json   an array with everything the registry knows of each
`;

export async function runModels(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { json: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } },
  });
  if (values.help) {
    io.stdout(modelsHelp);
    return 0;
  }
  const filter = positionals.join(" ").toLowerCase();
  const models = (await knownModels()).filter((model) =>
    namesOf(model).some((name) => name.toLowerCase().includes(filter)),
  );
  if (values.json) io.stdout(`${JSON.stringify(models)}\n`);
  else if (models.length === 0)
    io.stderr(`No known model matches "${filter}". Unknown models can still be used by their id.\n`);
  else io.stdout(table(models));
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
    retirement(model, today),
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
