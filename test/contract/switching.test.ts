import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toolResult, user, type AssistantMessage, type Message } from "../../src/core/index.ts";
import { ask } from "../../src/llm/index.ts";
import { startEmulator, type Emulator } from "../../src/testing/index.ts";
import { call, callsIn, emulatorOptions, sealsIn, weather } from "./lab.ts";
import { contractRows, optionsFor, specOf, titleOf, type ContractRow } from "./providers.ts";

/** One of every kind: each wire as its maker speaks it, and those who speak it in their own way. */
const kinds = [
  "anthropic",
  "openai",
  "openai chat",
  "google",
  "xai",
  "openrouter",
  "llamacpp",
  "deepseek",
  "deepseek responses",
  "mistral",
];
const rows = kinds.flatMap((kind) => contractRows.find((row) => titleOf(row) === kind) ?? []);
const pairs = rows.flatMap((from) => rows.filter((to) => to !== from).map((to) => [from, to] as const));
const tools = [weather];

let emulator: Emulator;
beforeAll(async () => {
  emulator = await startEmulator({ ...emulatorOptions(), seed: 5 });
});
afterAll(() => emulator.close());

describe("A → B → A", () => {
  test("of every kind there is one", () => {
    expect(rows.map(titleOf)).toEqual(kinds);
  });

  test.each(pairs.map(([a, b]) => [titleOf(a), titleOf(b), a, b] as const))(
    "%s → %s: between turns",
    async (...[, , a, b]) => {
      emulator.reset();
      const history: Message[] = [];
      const own: AssistantMessage[] = [];
      for (const row of [a, b, a, b, a]) {
        history.push(user(`Over to you, ${titleOf(row)}.`));
        const called = await next(row, history, { thinking: "A city.", text: "I look.", tool_calls: [call("Rome")] });
        answerAll(history, called);
        const said = await next(row, history, { thinking: "It is warm.", text: "Warm." });
        if (row === a) own.push(called, said);
      }
      expectAccepted();
      expectSeals(own.slice(0, -1));
    },
  );

  test.each(pairs.map(([a, b]) => [titleOf(a), titleOf(b), a, b] as const))(
    "%s → %s: in the middle of a loop of calls",
    async (...[, , a, b]) => {
      emulator.reset();
      const history: Message[] = [user("Compare some cities.")];
      for (const [index, row] of [a, b, a, b, a].entries()) {
        const tool_calls = [call(`Rome ${index}`), call(`Oslo ${index}`)];
        answerAll(history, await next(row, history, { thinking: `Step ${index}.`, tool_calls }));
      }
      await next(b, history, { text: "Done." });
      history.push(user("Thanks."));
      await next(a, history, { text: "You are welcome." });
      expectAccepted();
    },
  );
});

async function next(
  row: ContractRow,
  history: Message[],
  answer: { thinking?: string; text?: string; tool_calls?: ReturnType<typeof call>[] },
): Promise<AssistantMessage> {
  emulator.script({ answer });
  const { message } = await ask(
    specOf(row),
    { system: "Be brief.", messages: history, tools },
    optionsFor(row, emulator),
  );
  expect(callsIn(message).length).toBe(answer.tool_calls?.length ?? 0);
  history.push(message);
  return message;
}

function answerAll(history: Message[], message: AssistantMessage): void {
  const content = callsIn(message).map(({ id, arguments: { city } }) => toolResult(id, `${String(city)}: 12 degrees`));
  history.push({ role: "tool", content });
}

function expectAccepted(): void {
  expect(emulator.requests().filter(({ status }) => status !== 200)).toEqual([]);
}

/** What A made goes back to A as it was, whoever spoke in between. */
function expectSeals(messages: readonly AssistantMessage[]): void {
  const body = JSON.stringify(emulator.requests().at(-1)?.body);
  for (const seal of messages.flatMap(sealsIn)) expect(body).toContain(seal);
}
