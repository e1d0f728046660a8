// How does a program behave when its provider does not? The emulator breaks what it is told to; no key, no network.
//
//   node examples/emulator-faults.mjs

import assert from "node:assert/strict";
import { ask, IkigaiError, textOf } from "ikigai";
import { startEmulator } from "ikigai/testing";

const emulator = await startEmulator({ seed: 1 });
const options = {
  key: "any",
  settings: { idle_timeout_ms: 2_000, providers: { anthropic: { base_url: emulator.base_urls.anthropic } } },
};

/** The program under test: asks again where that is worth it, and keeps what had arrived. */
async function askPatiently(question, attemptsMax = 3) {
  const seen = [];
  for (let attempt = 1; ; attempt++) {
    try {
      const answer = await ask("claude-haiku-5-5", question, options);
      return { text: textOf(answer.message), attempt, seen };
    } catch (error) {
      if (!(error instanceof IkigaiError)) throw error;
      seen.push(error.category);
      if (!error.info.retryable || attempt === attemptsMax) {
        return { text: error.partial === undefined ? "" : textOf(error.partial), attempt, seen };
      }
    }
  }
}

async function show(name, entries) {
  emulator.reset();
  emulator.script(...entries);
  const { text, attempt, seen } = await askPatiently("What is the weather like?");
  console.log(`${name.padEnd(22)} ${`${attempt} attempts`.padEnd(11)} ${seen.join(", ").padEnd(24)} ${text}`);
  return { text, attempt, seen };
}

const sunny = { answer: { text: "It is sunny." } };
const cut = { kind: "cut", after_frames: 5 };

const overload = await show("overloaded twice", [{ error: "overloaded" }, { error: "overloaded" }, sunny]);
assert.deepEqual(overload, { text: "It is sunny.", attempt: 3, seen: ["overloaded", "overloaded"] });

const broken = await show("cut in the middle", [{ ...sunny, fault: cut, chunk_size: 6 }, sunny]);
assert.deepEqual(broken.seen, ["network"]);

const silent = await show("silence", [{ ...sunny, fault: { kind: "stall", after_frames: 2 } }, sunny]);
assert.deepEqual(silent.seen, ["timeout"]);
const late = await show("an error halfway", [{ ...sunny, fault: { kind: "late_error", error: "server" } }, sunny]);
assert.deepEqual(late.seen, ["server"]);

assert.equal((await show("a bad request", [{ error: "invalid_request" }, sunny])).attempt, 1);

const always = { fault: { ...cut, after_frames: 6 }, chunk_size: 3, times: "always" };
const hopeless = await show("cut every time", [{ ...sunny, ...always }]);
assert.ok("It is sunny.".startsWith(hopeless.text) && hopeless.text !== "");

await emulator.close();
