import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  isJsonObject,
  type AssistantMessage,
  type JsonObject,
  type JsonValue,
  type Message,
  type ToolDefinition,
} from "../../src/core/index.ts";
import { ask } from "../../src/llm/index.ts";
import { startEmulator, type Emulator } from "../../src/testing/index.ts";
import { contractRows, optionsFor, specOf, type ContractRow } from "./providers.ts";

const names = ["anthropic", "openai", "google", "xai", "meta", "openrouter", "ollama"];
const rows = names.flatMap((name) => contractRows.find((row) => row.name === name && row.api === undefined) ?? []);

const tools: readonly ToolDefinition[] = [
  {
    name: "get_weather",
    description: "The weather of a city",
    parameters: {
      type: "object",
      properties: { city: { type: "string" } },
      required: ["city"],
      additionalProperties: false,
    },
  },
];

/** One request to one provider: what stood in it of the assistant's turns, in the wire's own words. */
type Sent = { readonly provider: string; readonly turns: readonly JsonObject[]; readonly text: string };

let emulator: Emulator;
/** The one history that all of them share, and where each turn in it came from. */
const history: Message[] = [];
const requests: Sent[] = [];

beforeAll(async () => {
  emulator = await startEmulator({ seed: 7 });
  for (const round of [1, 2]) for (const row of rows) await visit(row, round);
  await say(rows[0], "And back once more.");
}, 60_000);
afterAll(() => emulator.close());

describe("one history through seven providers", () => {
  test("each of them thought, called tools and answered, twice, and the first a third time", () => {
    const turns = history.filter((message) => message.role === "assistant");
    const makers = turns.map(({ origin }) => origin.provider);
    expect(makers).toEqual([...names, ...names].flatMap((name) => [name, name]).concat("anthropic"));
    for (const turn of turns.slice(0, -1).filter((_, index) => index % 2 === 0)) {
      expect(turn.content.filter(({ type }) => type === "tool_call")).toHaveLength(2);
      expect(turn.content[0]?.type).toBe("thinking");
    }
    expect(emulator.requests().every(({ status }) => status === 200)).toBe(true);
    expect(emulator.requests()).toHaveLength(29);
  });

  test.each(names)("B04 %s gets back what it once produced, byte for byte", (name) => {
    const own = requests.filter(({ provider }) => provider === name);
    const [first, second, ...later] = own.map(({ turns }) => turns.filter((turn) => isOwn(turn, name)));
    // The second request of a visit holds the turn with the calls, the first of the next visit the answer after it, too.
    expect(first).toEqual([]);
    expect(second?.length).toBeGreaterThan(0);
    expect(later.length).toBeGreaterThan(1);
    for (const [index, turns] of later.entries()) {
      const before = [second ?? [], ...later][index] ?? [];
      expect(JSON.stringify(turns.slice(0, before.length))).toBe(JSON.stringify(before));
      expect(turns.length).toBeGreaterThan(before.length);
    }
  });

  test.each(names)("B04 %s gets all its seals back, in order", (name) => {
    const last = requests.findLast(({ provider }) => provider === name);
    const upToLast = history.slice(0, history.length - (name === "anthropic" ? 1 : 0));
    const made = upToLast.filter((message) => message.role === "assistant" && message.origin.provider === name);
    // What the last request itself brought about was not yet there.
    const replayed = name === "anthropic" ? made : made.slice(0, -1);
    const seals = replayed.flatMap((message) => sealsIn(message));
    let from = 0;
    for (const seal of seals) {
      const at = last?.text.indexOf(seal, from) ?? -1;
      expect(at, seal.slice(0, 40)).toBeGreaterThanOrEqual(from);
      from = at + seal.length;
    }
    expect(seals.length > 0 || name === "ollama").toBe(true);
  });

  test("B03 nobody sees the seals or the thinking of another", () => {
    const turns = history.filter((message) => message.role === "assistant");
    for (const { provider, text } of requests) {
      for (const turn of turns.filter(({ origin }) => origin.provider !== provider)) {
        for (const seal of sealsIn(turn)) expect(text).not.toContain(seal);
        for (const block of turn.content) {
          if (block.type === "thinking" && block.text !== "") expect(text).not.toContain(block.text);
        }
      }
    }
  });

  test("B08 everybody sees every call with its answer, under ids that are its pairs", () => {
    const last = requests.at(-1);
    for (const name of names) expect(last?.text).toContain(`weather of ${name} in round 2`);
    const bodies = emulator.requests().map(({ body }) => JSON.stringify(body));
    for (const name of names) expect(bodies.at(-1)).toContain(`${name}-2-Rome`);
  });
});

/** A question, an answer that calls two tools, their results, a final answer. */
async function visit(row: ContractRow | undefined, round: number): Promise<void> {
  if (row === undefined) throw new Error("no such row");
  emulator.script({
    answer: {
      thinking: `${row.name} thinks in round ${round}.`,
      text: `${row.name} will look.`,
      tool_calls: ["Rome", "Oslo"].map((city) => ({
        name: "get_weather",
        arguments: { city: `${row.name}-${round}-${city}` },
      })),
    },
  });
  const called = await say(row, `What is the weather, ${row.name}?`);
  history.push({
    role: "tool",
    content: called.content
      .filter((block) => block.type === "tool_call")
      .map(({ id }) => ({
        type: "tool_result",
        tool_call_id: id,
        content: [{ type: "text", text: `weather of ${row.name} in round ${round}` }],
        is_error: false,
      })),
  });
  emulator.script({ answer: { thinking: `${row.name} thinks again.`, text: `${row.name} has answered.` } });
  await say(row);
}

async function say(row: ContractRow | undefined, text?: string): Promise<AssistantMessage> {
  if (row === undefined) throw new Error("no such row");
  if (text !== undefined) history.push({ role: "user", content: [{ type: "text", text }] });
  const conversation = { system: "Be brief.", messages: history, tools, cache_key: "tour" };
  const { message, losses } = await ask(specOf(row), conversation, optionsFor(row, emulator));
  expect(losses.filter(({ code }) => code === "broken_prefix")).toEqual([]);
  const body = emulator.requests().at(-1)?.body;
  requests.push({ provider: row.name, turns: turnsIn(body), text: JSON.stringify(body) });
  history.push(message);
  return message;
}

/** Everything in a body that an assistant said. Marks for the cache wander and are no part of it. */
function turnsIn(body: JsonValue | undefined): readonly JsonObject[] {
  if (!isJsonObject(body)) return [];
  const list = [body["messages"], body["input"], body["contents"]].find((found) => Array.isArray(found)) ?? [];
  const entries = (Array.isArray(list) ? list : []).filter(isJsonObject);
  return entries
    .filter(({ role, type }) => role === "assistant" || role === "model" || isModelItem(type))
    .map((entry) => JSON.parse(JSON.stringify(entry, (key, value) => (key === "cache_control" ? undefined : value))));
}

function isModelItem(type: unknown): boolean {
  return type === "reasoning" || type === "function_call";
}

/** Whether a turn was made by this provider: it names itself in what it says, thinks and calls. */
function isOwn(turn: JsonObject, name: string): boolean {
  return JSON.stringify(turn).includes(name);
}

function sealsIn(message: Message): readonly string[] {
  const strings = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(strings)
        : [];
  if (message.role !== "assistant") return [];
  return message.content.flatMap((block) => strings(block.opaque?.data)).filter((text) => text.length > 80);
}
