// An answer as it arrives: thinking, text, the end.
//
//   node examples/stream.mjs "Why is the sky blue?"

import { ask } from "ikigai";

const question = process.argv[2] ?? "Why is the sky blue?";

// Leaving the loop, or aborting the signal, ends the request.
const controller = new AbortController();
process.once("SIGINT", () => controller.abort());

let thought = 0;
for await (const event of ask("claude-opus-5-5/high", question, { signal: controller.signal })) {
  if (event.type === "thinking_delta") thought += event.text.length;
  if (event.type === "text_delta") process.stdout.write(event.text);
  if (event.type === "done") {
    const { usage, finish_reason } = event;
    console.log(`\n\n${thought} characters of thinking, ${usage.total_tokens} tokens, ended by ${finish_reason}`);
  }
  // Nothing is thrown while iterating: what goes wrong is the last event.
  if (event.type === "error") {
    console.error(`\n${event.error.category}: ${event.error.message}`);
    process.exitCode = 1;
  }
}
