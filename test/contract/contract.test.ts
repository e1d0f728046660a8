import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { thinkingLevels, type AssistantMessage, type Message, type ToolDefinition } from "../../src/core/index.ts";
import {
  ask,
  builtinProviders,
  complete,
  IkigaiError,
  listModels,
  type Answer,
  type LooseConversation,
} from "../../src/llm/index.ts";
import { startEmulator, type Emulator, type ScriptEntry } from "../../src/testing/index.ts";
import { contractRows, optionsFor, specOf, titleOf, type ContractRow } from "./providers.ts";

let emulator: Emulator;

beforeAll(async () => {
  emulator = await startEmulator({ bad_keys: ["bad-key"] });
});
afterAll(() => emulator.close());
beforeEach(() => emulator.reset());

const weather: ToolDefinition = {
  name: "get_weather",
  description: "The weather of a city",
  parameters: {
    type: "object",
    properties: { city: { type: "string" } },
    required: ["city"],
    additionalProperties: false,
  },
};
const call = (city: string): { name: string; arguments: { city: string } } => ({
  name: "get_weather",
  arguments: { city },
});

/** Everything that every provider must do, by name. */
const scenarios: { readonly [name: string]: (row: ContractRow) => Promise<void> } = {
  async text(row) {
    emulator.script({ answer: { text: "Hello there" } }, { answer: { text: "Hello there" } });
    const streamed = await ask(specOf(row), "Hi", optionsFor(row, emulator));
    const whole = await complete(specOf(row), "Hi", optionsFor(row, emulator));
    for (const answer of [streamed, whole]) {
      expect(textOf(answer.message)).toBe("Hello there");
      expect(answer.finish_reason).toBe("stop");
      expect(answer.message.origin).toMatchObject({ provider: row.name, model: row.model });
    }
  },

  async thinking(row) {
    emulator.script({ answer: { thinking: "Let me see.", text: "Done" } });
    const { message, usage } = await ask(specOf(row), "Hi", optionsFor(row, emulator));
    expect(message.content[0]).toMatchObject({ type: "thinking", text: "Let me see." });
    expect(message.content.slice(1).map(({ type }) => type)).not.toContain("thinking");
    expect(textOf(message)).toBe("Done");
    if (usage.unreported?.includes("thinking_tokens") !== true) expect(usage.thinking_tokens).toBeGreaterThan(0);
  },

  async every_level(row) {
    for (const level of thinkingLevels) {
      const answer = await ask(specOf(row, level), "Hi", optionsFor(row, emulator));
      expect(answer.finish_reason, level).toBe("stop");
    }
  },

  async tools(row) {
    emulator.script(
      { answer: { thinking: "Two cities.", text: "I look.", tool_calls: [call("Rome"), call("Oslo")] } },
      { match: { tool_results: true }, answer: { text: "Warm and cold." } },
    );
    const { conversation, answer } = await afterCalls(row);
    const calls = answer.message.content.filter((block) => block.type === "tool_call");
    expect(answer.finish_reason).toBe("tool_use");
    expect(calls.map(({ name, arguments: given }) => [name, given])).toEqual([
      ["get_weather", { city: "Rome" }],
      ["get_weather", { city: "Oslo" }],
    ]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    const final = await ask(specOf(row), conversation, optionsFor(row, emulator));
    expect(textOf(final.message)).toBe("Warm and cold.");
  },

  async no_arguments(row) {
    emulator.script({ answer: { tool_calls: [{ name: "now" }] } });
    const tools = [{ name: "now", parameters: { type: "object", properties: {}, additionalProperties: false } }];
    const answer = await ask(specOf(row), { messages: [user("Hi")], tools }, optionsFor(row, emulator));
    expect(answer.message.content.filter((block) => block.type === "tool_call")).toMatchObject([{ arguments: {} }]);
  },

  /** What is sealed goes back; the emulator refuses what was changed. */
  async signed_thinking(row) {
    emulator.script({ answer: { thinking: "A city.", tool_calls: [call("Rome")] } });
    const { conversation, answer } = await afterCalls(row);
    const seals = sealsIn(answer.message);
    expect(seals.length).toBeGreaterThan(0);
    await ask(specOf(row), conversation, optionsFor(row, emulator));
    const body = JSON.stringify(emulator.requests().at(-1)?.body);
    for (const seal of seals) expect(body).toContain(seal);
  },

  async forced_tool(row) {
    const tool_choice = { mode: "specific", name: "get_weather" } as const;
    const conversation = { messages: [user("Hi")], tools: [weather], tool_choice };
    const answer = await ask(specOf(row, "none"), conversation, optionsFor(row, emulator));
    const called = answer.message.content.some((block) => block.type === "tool_call");
    const told = answer.notes.some(({ code }) => code.startsWith("tool_choice"));
    expect(called || told).toBe(true);
  },

  async no_tool(row) {
    const conversation = { messages: [user("Hi")], tools: [weather], tool_choice: { mode: "none" } } as const;
    const answer = await ask(specOf(row), conversation, optionsFor(row, emulator));
    expect(answer.message.content.some((block) => block.type === "tool_call")).toBe(false);
  },

  async everything_at_once(row) {
    const conversation: LooseConversation = {
      system: "Be brief.",
      messages: [user("Hi")],
      tools: [weather],
      tool_choice: { mode: "auto", parallel_allowed: false },
      temperature: 0.5,
      top_p: 0.9,
      top_k: 20,
      seed: 7,
      presence_penalty: 0.1,
      frequency_penalty: 0.1,
      stop_sequences: ["END"],
      cache_key: "conversation-1",
      cache: "long",
      max_output_tokens: 2_000,
    };
    for (const level of ["none", row.level] as const) {
      const answer = await ask(specOf(row, level), conversation, optionsFor(row, emulator));
      expect(answer.finish_reason, level).toBe("stop");
    }
  },

  async structured_output(row) {
    const schema = {
      type: "object",
      properties: { n: { type: "integer" } },
      required: ["n"],
      additionalProperties: false,
    };
    const output_format = { type: "json_schema", name: "number", schema } as const;
    const answer = await ask(specOf(row), { messages: [user("Hi")], output_format }, optionsFor(row, emulator));
    expect(JSON.parse(textOf(answer.message))).toEqual({ n: expect.any(Number) });
    await ask(specOf(row), { messages: [user("Hi")], output_format: { type: "json" } }, optionsFor(row, emulator));
  },

  async usage(row) {
    const { usage } = await ask(specOf(row), "Hi", optionsFor(row, emulator));
    const { input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, thinking_tokens, total_tokens } = usage;
    expect(input_tokens).toBeGreaterThan(0);
    expect(output_tokens).toBeGreaterThan(0);
    expect(input_tokens + cache_read_tokens + cache_write_tokens + output_tokens + thinking_tokens).toBe(total_tokens);
  },

  async cost(row) {
    expect((await ask(specOf(row), "Hi", optionsFor(row, emulator))).cost_usd).toBeGreaterThan(0);
  },

  async length(row) {
    emulator.script({ answer: { text: "One two three four", finish: "length" } });
    expect((await ask(specOf(row), "Hi", optionsFor(row, emulator))).finish_reason).toBe("length");
  },

  /** B21 */
  async cut(row) {
    emulator.script({
      answer: { text: "One two three four five six" },
      fault: { kind: "cut", after_frames: 6 },
      chunk_size: 3,
    });
    const failure = await failureOf(ask(specOf(row), "Hi", optionsFor(row, emulator)));
    expect(failure.info).toMatchObject({ category: "network", retryable: true });
    expect(textOf(failure.partial)).not.toBe("");
    expect("One two three four five six").toContain(textOf(failure.partial));
  },

  /** B20 */
  async any_pieces(row) {
    emulator.script({ answer: { thinking: "Grüße", text: "Ünïcödé 🎉 text" }, fault: { kind: "split", size: 1 } });
    expect(textOf((await ask(specOf(row), "Hi", optionsFor(row, emulator))).message)).toBe("Ünïcödé 🎉 text");
  },

  /** B22 */
  async silence(row) {
    emulator.script({ answer: { text: "One two" }, fault: { kind: "keep_alives_only", after_frames: 4, delay_ms: 5 } });
    const options = optionsFor(row, emulator, { idle_timeout_ms: 60 });
    expect((await failureOf(ask(specOf(row), "Hi", options))).info.category).toBe("timeout");
  },

  async bad_key(row) {
    const { info } = await failureOf(ask(specOf(row), "Hi", { ...optionsFor(row, emulator), key: "bad-key" }));
    expect(info).toMatchObject({ category: "auth", retryable: false });
    expect(info.message).not.toContain("bad-key");
  },

  async unknown_model(row) {
    const { info } = await failureOf(ask(`${row.name}:${row.stranger}`, "Hi", optionsFor(row, emulator)));
    expect(info).toMatchObject({ category: "not_found", retryable: false });
  },

  async rate_limit(row) {
    const { info } = await failing(row, { error: "rate_limit" });
    expect(info).toMatchObject({ category: "rate_limit", retryable: true });
  },

  async billing(row) {
    expect((await failing(row, { error: "billing" })).info).toMatchObject({ category: "billing", retryable: false });
  },

  async context_length(row) {
    expect((await failing(row, { error: "context_length" })).info).toMatchObject({
      category: "context_length",
      retryable: false,
    });
  },

  async overloaded(row) {
    expect((await failing(row, { error: "overloaded" })).info).toMatchObject({
      category: "overloaded",
      retryable: true,
    });
  },

  /** B24 */
  async error_inside(row) {
    const { info: early } = await failing(row, { error: "server" });
    const { info: inBody } = await failing(row, { fault: { kind: "error_in_200", error: "server" } });
    const late = await failing(row, {
      answer: { text: "One two three" },
      fault: { kind: "late_error", error: "server", after_frames: 6 },
      chunk_size: 3,
    });
    for (const info of [inBody, late.info]) {
      expect([info.category, info.message]).toEqual([early.category, early.message]);
    }
    expect("One two three").toContain(textOf(late.partial));
  },

  async list(row) {
    const models = await listModels(row.name, optionsFor(row, emulator));
    expect(models.map(({ id }) => id)).toContain(row.model);
  },
};

describe.each(contractRows.map((row) => [titleOf(row), row] as const))("%s", (_title, row) => {
  const { exceptions = {} } = row;

  test.each(Object.keys(scenarios).filter((name) => exceptions[name] === undefined))("%s", async (name) => {
    await scenarios[name]?.(row);
  });

  test("its exceptions are scenarios", () => {
    expect(Object.keys(exceptions).filter((name) => scenarios[name] === undefined)).toEqual([]);
  });
});

test("every provider that is more than a row of data is in the contract", () => {
  const here = new Set(contractRows.map(({ name }) => name));
  const wanted = builtinProviders.filter((row) => row.preset !== true || row.local !== undefined);
  expect(wanted.map(({ name }) => name).filter((name) => !here.has(name))).toEqual([]);
});

async function afterCalls(row: ContractRow): Promise<{ conversation: LooseConversation; answer: Answer }> {
  const start = { messages: [user("How warm is it?")], tools: [weather] };
  const answer = await ask(specOf(row), start, optionsFor(row, emulator));
  const messages: Message[] = [...start.messages, answer.message, resultsFor(answer.message)];
  return { conversation: { ...start, messages }, answer };
}

function resultsFor(message: AssistantMessage): Message {
  const calls = message.content.filter((block) => block.type === "tool_call");
  return {
    role: "tool",
    content: calls.map(({ id }) => ({
      type: "tool_result",
      tool_call_id: id,
      content: [{ type: "text", text: "12 degrees" }],
      is_error: false,
    })),
  };
}

function sealsIn(message: AssistantMessage): readonly string[] {
  const strings = (value: unknown): readonly string[] =>
    typeof value === "string"
      ? [value]
      : typeof value === "object" && value !== null
        ? Object.values(value).flatMap(strings)
        : [];
  return message.content.flatMap(({ opaque }) => strings(opaque?.data)).filter((text) => text.length > 80);
}

async function failing(row: ContractRow, entry: ScriptEntry): Promise<IkigaiError> {
  emulator.script(entry);
  const failure = await failureOf(ask(specOf(row), "Hi", optionsFor(row, emulator)));
  expect(failure.info.message, "an error that this provider does not know").not.toMatch(/^emulator:/);
  return failure;
}

async function failureOf(work: PromiseLike<unknown>): Promise<IkigaiError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof IkigaiError) return error;
    throw error;
  }
  throw new Error("was expected to fail");
}

function user(text: string): Message {
  return { role: "user", content: [{ type: "text", text }] };
}

function textOf(message: AssistantMessage | undefined): string {
  return (message?.content ?? []).map((block) => (block.type === "text" ? block.text : "")).join("");
}
