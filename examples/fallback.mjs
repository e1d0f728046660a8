// A chain of models: when one cannot answer, the next is asked, with the history as it can see it.
//
//   node examples/fallback.mjs "Hello"

import { ask, IkigaiError, textOf } from "ikigai";

const question = process.argv[2] ?? "Hello";
const fallback = ["gpt-6.1-sol/med", "gemini-3.8-flash/med"];

try {
  const answer = await ask("claude-opus-5-5/high", question, { fallback });
  for (const { from, to, error } of answer.hops ?? []) console.log(`${from} → ${to}: ${error.category}`);
  console.log(`${answer.model}: ${textOf(answer.message)}`);
} catch (error) {
  if (!(error instanceof IkigaiError)) throw error;
  // Something no other model would do better with, or nobody is left.
  for (const { from, to, error: reason } of error.hops) console.log(`${from} → ${to}: ${reason.category}`);
  console.error(`${error.category}: ${error.message}`);
  process.exitCode = 1;
}
