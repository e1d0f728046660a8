// One word for how much a model should think; what it becomes differs from model to model. No key, no network.
//
//   node examples/thinking-levels.mjs gpt-6.1-sol gemini-2.5-pro

import { explain, thinkingLevels } from "ikigai";

const models = process.argv.slice(2);
if (models.length === 0) models.push("claude-opus-5-5", "claude-haiku-4-5", "gpt-6.1-sol", "gemini-3.8-flash");

for (const model of models) {
  console.log(model);
  for (const level of thinkingLevels) {
    const { level_applied, parameters, warnings } = await explain(`${model}/${level}`);
    const moved = level_applied === level ? "" : ` (as ${level_applied})`;
    console.log(`  ${(level + moved).padEnd(16)} ${JSON.stringify(parameters)}`);
    for (const { message } of warnings) console.log(`  ${"".padEnd(16)} ⚠ ${message}`);
  }
}
