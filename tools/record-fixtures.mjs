// Records the fixtures under test/fixtures/vcr: one conversation each, spoken through the library.
//
//   node tools/record-fixtures.mjs            all of them, against the emulator: the same bytes every time
//   node tools/record-fixtures.mjs --live     against the real providers, with keys from the environment

import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { complete, stream } from "../src/llm/index.ts";
import { user } from "../src/core/index.ts";
import { createEmulator, withRecording } from "../src/testing/index.ts";
import { root } from "./files.mjs";

/**
 * @typedef {{ provider: string, name: string, turns: readonly { model: string, say: string }[], streamed: boolean }} Scenario
 */

/** The models the original plan names, or their successors: a budget, an effort, a level. */
const models = { anthropic: "claude-sonnet-4-5", openai: "gpt-5-mini", google: "gemini-3-flash-preview" };
const words = { anthropic: "thinking", openai: "reasoning", google: "thinking" };
const levels = ["none", "low", "med", "high"];
const question = "What is 6 times 7?";

/** @type {readonly Scenario[]} */
export const scenarios = Object.entries(models).flatMap(([provider, model]) => [
  ...levels.map((level) => ({
    provider,
    name: `${words[provider]}_${level}`,
    turns: [{ model: `${model}/${level}`, say: question }],
    streamed: false,
  })),
  {
    provider,
    name: `${words[provider]}_streaming`,
    turns: [{ model: `${model}/med`, say: question }],
    streamed: true,
  },
  {
    provider,
    name: "level_transition",
    turns: [
      { model: `${model}/low`, say: question },
      { model: `${model}/high`, say: "And 7 times 6?" },
    ],
    streamed: true,
  },
]);

/** @param {Scenario} scenario */
export function fixtureFile({ provider, name }) {
  return join(root, "test/fixtures/vcr", provider, `${name}.jsonl`);
}

/**
 * A `fetch` for a scenario: from its file, or to be recorded.
 * @param {Scenario} scenario
 * @param {{ live?: boolean, mode?: "replay" | "record" }} [options]
 */
export function openFixture(scenario, { live, mode } = {}) {
  const file = fixtureFile(scenario);
  if (live === true) return withRecording(file, { mode });
  const emulator = createEmulator({ seed: 42, rule: () => answer, now: () => recordedAt });
  return withRecording(file, {
    mode,
    fetch: emulator.fetch,
    recorded_against: "emulator",
    now: () => recordedAt,
  });
}

/** Holds the conversation and gives back every answer with its events. @param {Scenario} scenario */
export async function play({ turns, streamed }, options) {
  const messages = [];
  const answers = [];
  for (const { model, say } of turns) {
    messages.push(user(say));
    const asked = (streamed ? stream : complete)(model, { messages }, options);
    const events = [];
    for await (const event of asked) events.push(event);
    const answer = await asked;
    messages.push(answer.message);
    answers.push({ answer, events });
  }
  return answers;
}

const recordedAt = Date.UTC(2026, 10, 15);
const answer = {
  thinking: "Six sevens: 7, 14, 21, 28, 35, 42. The other way round it is the same.",
  text: "6 times 7 is **42**.",
};

if (process.argv[1] !== undefined && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const live = process.argv.includes("--live");
  for (const scenario of scenarios) {
    const recording = openFixture(scenario, { live, mode: "record" });
    await play(scenario, { fetch: recording, ...(live ? {} : { key: "none" }) });
    recording.close();
    console.log(`${scenario.provider}/${scenario.name}`);
  }
}
