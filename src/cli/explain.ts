import { parseArgs } from "node:util";
import { explain, type Explanation } from "../llm/index.ts";
import { helpFor } from "./help.ts";
import { UsageError, type Io } from "./io.ts";
import { announce, openWorld } from "./world.ts";

export async function runExplain(args: readonly string[], io: Io): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      "max-output": { type: "string" },
      "thinking-budget": { type: "string" },
      json: { type: "boolean", default: false },
    },
  });
  const [model, ...more] = positionals;
  if (model === undefined || more.length > 0)
    throw new UsageError(`explain takes one MODEL[/LEVEL]\n\n${helpFor("explain")}`);
  const world = await openWorld(io);
  announce(world, io);
  const max_output_tokens = wholeNumber(values["max-output"], "--max-output") ?? world.config.get("max_output_tokens");
  const thinking_budget = wholeNumber(values["thinking-budget"], "--thinking-budget");
  const explanation = await explain(model, {
    ...world.options(),
    max_output_tokens,
    ...(thinking_budget === undefined ? {} : { thinking_budget }),
  });
  io.stdout(values.json ? `${JSON.stringify(explanation)}\n` : describe(explanation, thinking_budget));
  return 0;
}

function describe(explanation: Explanation, budgetAsked: number | undefined): string {
  const { level_asked, level_applied, calculated_budget, warnings, parameters } = explanation;
  const level = level_asked === level_applied ? level_asked : `${level_asked} → ${level_applied}`;
  const source = budgetAsked === undefined ? "by the table" : "as asked";
  const rows = [
    ["provider", explanation.provider],
    ["api", explanation.api],
    ["model", explanation.model],
    ["level", level],
    ...(calculated_budget === null ? [] : [["budget", `${calculated_budget} tokens ${source}`]]),
    ["sends", JSON.stringify(parameters, null, 2).replaceAll("\n", `\n${" ".repeat(labelWidth)}`)],
  ];
  const lines = rows.map(([label = "", value = ""]) => `${label.padEnd(labelWidth)}${value}`);
  return `${[...lines, ...warnings.map((warning) => `⚠ ${warning.message}`)].join("\n")}\n`;
}

function wholeNumber(text: string | undefined, flag: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || !Number.isInteger(number))
    throw new UsageError(`${flag} takes a whole number, not "${text}"`);
  return number;
}

const labelWidth = 10;
