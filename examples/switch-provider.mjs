// One conversation, three providers. The history is kept whole; each request shows a model what it can see of it.
//
//   node examples/switch-provider.mjs

import { ask, project, textOf, user } from "ikigai";

const turns = [
  ["claude-opus-5-5/high", "Name a tree."],
  ["gpt-6.1-sol/med", "How tall does it grow?"],
  ["gemini-3.8-flash/low", "And how old?"],
  ["claude-opus-5-5/high", "Which tree was that again?"],
];

const messages = [];
for (const [model, question] of turns) {
  messages.push(user(question));
  const { message, losses } = await ask(model, { messages });
  messages.push(message);
  console.log(`${model.padEnd(22)} ${textOf(message)}`);
  for (const loss of losses) console.log(`${"".padEnd(22)} not shown: ${loss.message}`);
}

// The same history, as each of them would get it next; nothing is sent.
for (const model of ["claude-opus-5-5", "gpt-6.1-sol", "gemini-3.8-flash"]) {
  const { url, losses } = await project([...messages, user("Thank you.")], model);
  console.log(`${model.padEnd(22)} ${url} · ${losses.length} losses`);
}
