// A test that once spoke to a provider and from then on reads what was said from a file.
//
//   node --test examples/record-replay.test.mjs                                  no key, no network
//   VCR_RECORD=1 ANTHROPIC_API_KEY=… node --test examples/record-replay.test.mjs  records anew
//
// The recording lies beside the test and belongs into version control: keys are never in it.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import { stream, textOf, user } from "ikigai";
import { withRecording } from "ikigai/testing";

/** The program under test: a conversation of two questions. */
async function interview(options) {
  const messages = [];
  const answers = [];
  for (const question of ["Name a season.", "And the one after it?"]) {
    messages.push(user(question));
    const { message, usage } = await stream("claude-haiku-5-5/none", { messages }, options);
    messages.push(message);
    answers.push({ text: textOf(message), tokens: usage.total_tokens });
  }
  return answers;
}

const file = fileURLToPath(new URL("recordings/interview.jsonl", import.meta.url));

test("two seasons follow each other", async () => {
  const fetch = withRecording(file);
  const answers = await interview({ fetch, key: process.env.ANTHROPIC_API_KEY ?? "not needed to replay" });
  fetch.close();
  assert.equal(answers.length, 2);
  for (const { text, tokens } of answers) {
    assert.notEqual(text, "");
    assert.ok(tokens > 0);
  }
});

test("another question is not in the recording", { skip: process.env.VCR_RECORD === "1" }, async () => {
  const fetch = withRecording(file);
  const other = stream("claude-haiku-5-5/none", "Name a planet.", { fetch, key: "not needed to replay" });
  await assert.rejects(async () => other, /Name a season[^]*Name a planet/);
});
