// What a question will cost, what it did cost, and where the money went.
//
//   node examples/cost.mjs

import { ask, costReport, estimate, textOf, user } from "ikigai";

const question = user("Name three rivers.");
const dollars = (value) => `$${value.toFixed(6)}`;
const expenses = [];

for (const model of ["claude-haiku-5-5/none", "gpt-6.1-sol/low", "gemini-3.8-flash/low"]) {
  const before = await estimate(model, [question]);
  const { min, max } = before.cost_usd ?? { min: NaN, max: NaN };
  console.log(`${model}: reads ~${before.input_tokens} tokens for ${dollars(min)} to ${dollars(max)}`);

  const { message, usage, cost_usd, cost_source } = await ask(model, { messages: [question], max_output_tokens: 500 });
  const { provider, model: id } = message.origin;
  expenses.push({ provider, model: id, usage, cost_usd, cost_source });
  console.log(`  ${textOf(message)}`);
  console.log(
    `  ${usage.input_tokens} in, ${usage.output_tokens} out, ${usage.thinking_tokens} thinking: ${dollars(cost_usd)}`,
  );
}

const { total, models } = costReport(expenses);
console.log(`\n${total.exchanges} answers, ${total.usage.total_tokens} tokens, ${dollars(total.cost_usd)}`);
for (const line of models) console.log(`  ${dollars(line.cost_usd)}  ${line.provider} ${line.model}`);
